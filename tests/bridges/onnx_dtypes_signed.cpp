// This file tests ops on signed integers, written as ONNX models that are read again.
#include <onnx/exported_families.hpp>

#include <doctest/doctest.h>

TEST_CASE("onnx: save: signed integers") {
    tx::testing::check_exported_dtype<std::int8_t>("int8_");
    tx::testing::check_exported_dtype<std::int16_t>("int16_");
    tx::testing::check_exported_dtype<std::int64_t>("int64_");
}
