// This file tests ops on floating-point numbers, written as ONNX models that are read again.
#include <onnx/exported_families.hpp>

#include <doctest/doctest.h>

TEST_CASE("onnx: save: floating numbers") {
    tx::testing::check_exported_dtype<tx::half>("half_");
    tx::testing::check_exported_dtype<tx::bfloat16>("bfloat16_");
    tx::testing::check_exported_dtype<double>("double_");
}
