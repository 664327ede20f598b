// This file tests integer ops: all pairs of bytes, and the extremes of wider integers.
#include <run/dtypes_every_value.hpp>

using namespace tx::testing;

namespace {

constexpr auto integer_ops = [](auto const& a, auto const& b) {
    return std::tuple(a * b, tx::floor_divide(a, b), tx::remainder(a, b), tx::fmod(a, b), a << b, a >> b, tx::minimum(a, b),
                      tx::maximum(a, b), a < b);
};

} // namespace

TEST_CASE_TEMPLATE("dtypes: pairs of integers", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
    pairs<T> const p(integer_values<T>());
    auto const a = tensor_of(p.a), b = tensor_of(p.b);
    in_both_traces(integer_ops, [&](auto const& f) {
        auto const [product, quotient, remainder, rest, left, right, least, most, less] = f(a, b);
        check_binary_op<T, tx::op::multiply>(product, p.a, p.b);
        check_binary_op<T, tx::op::floor_divide>(quotient, p.a, p.b);
        check_binary_op<T, tx::op::remainder>(remainder, p.a, p.b);
        check_binary_op<T, tx::op::fmod>(rest, p.a, p.b);
        check_binary_op<T, tx::op::left_shift>(left, p.a, p.b);
        check_binary_op<T, tx::op::right_shift>(right, p.a, p.b);
        check_binary_op<T, tx::op::minimum>(least, p.a, p.b);
        check_binary_op<T, tx::op::maximum>(most, p.a, p.b);
        check_binary_op<T, tx::op::less>(less, p.a, p.b);
    });
}

// The same shift for all, and bytes beside floats, which share their lanes.
TEST_CASE_TEMPLATE("dtypes: shifts by one count, beside floats", T, std::int8_t, std::uint8_t, std::int16_t, std::uint32_t) {
    auto const values = integer_values<T>();
    std::vector<float> const halves(values.size(), 0.5f);
    auto const x = tensor_of(values);
    auto const y = tensor_of(halves);
    in_both_traces(
        [](auto const& a, auto const& b) {
            return std::tuple((a << 3) + (a >> 2), tx::cast<float>(a >> 1) * b, tx::cast<T>(tx::cast<float>(a) * b));
        },
        [&](auto const& f) {
            auto const [moved, scaled, halved] = f(x, y);
            auto const shifted = [&](std::size_t i, T by) { return tx::integers::right_shift(values[i], by); };
            check_all(moved.data(), values.size(), [&](std::size_t i) {
                return static_cast<T>(static_cast<std::uint64_t>(tx::integers::left_shift(values[i], T(3))) +
                                      static_cast<std::uint64_t>(shifted(i, 2)));
            });
            check_all(scaled.data(), values.size(), [&](std::size_t i) { return static_cast<float>(shifted(i, 1)) * 0.5f; }, 1);
            check_all(halved.data(), values.size(),
                      [&](std::size_t i) { return tx::simd::cast_element<T>(static_cast<float>(values[i]) * 0.5f); });
        });
}
