// This file tests ops on unsigned integers, written as ONNX models that are read again.
#include <onnx/exported_families.hpp>

#include <doctest/doctest.h>

TEST_CASE("onnx: save: unsigned integers") {
    tx::testing::check_exported_dtype<std::uint8_t>("uint8_");
    tx::testing::check_exported_dtype<std::uint16_t>("uint16_");
    tx::testing::check_exported_dtype<std::uint32_t>("uint32_");
    tx::testing::check_exported_dtype<std::uint64_t>("uint64_");
}
