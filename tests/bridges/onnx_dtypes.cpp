// Ops of all dtypes that ONNX has, written as models that are read again: operators there take fewer dtypes than ours.
#include <onnx/exported_families.hpp>

#include <doctest/doctest.h>

namespace {

namespace tt = tx::testing;
using tt::array;
using tt::family;

template <class T> void check_dtype(std::string const& name) {
    tt::exported_families of(name);
    constexpr int exact = 0, some = sizeof(T) == 2 ? 4 : 64;
    of.check(
        std::tuple<family<tt::ops::moves, false, exact, array<T, 3, 3>, array<T, 3, 3>>,
                   family<tt::ops::totals, false, some, array<T, 3, 5>>, family<tt::ops::extremes, false, exact, array<T, 3, 5>>,
                   family<tt::ops::comparisons, false, exact, array<T, 2, 13>, array<T, 13>>>());
    if constexpr (std::is_integral_v<T>)
        of.check(std::tuple<family<tt::ops::integers, true, exact, array<T, 29>, array<T, 29>>>());
    else
        of.check(std::tuple<family<tt::ops::unary_floating_a, false, some, array<T, 13>>,
                            family<tt::ops::unary_floating_b, false, some, array<T, 13>>,
                            family<tt::ops::binary_floating, false, some, array<T, 13>, array<T, 13>>>());
}

TEST_CASE("onnx: save: dtypes") {
    check_dtype<std::int8_t>("int8_"), check_dtype<std::uint8_t>("uint8_"), check_dtype<std::int16_t>("int16_"),
        check_dtype<std::uint16_t>("uint16_");
    check_dtype<std::uint32_t>("uint32_"), check_dtype<std::int64_t>("int64_"), check_dtype<std::uint64_t>("uint64_");
    check_dtype<tx::half>("half_"), check_dtype<tx::bfloat16>("bfloat16_"), check_dtype<double>("double_");
}

} // namespace
