// This file tests counts of bits against loops over the bits, of all bytes and of the extremes of wider integers.
#include <run/dtypes_every_value.hpp>

using namespace tx::testing;

TEST_CASE_TEMPLATE("dtypes: counts of bits", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
    constexpr int width = 8 * sizeof(T);
    auto const values = integer_values<T>();
    auto const bit = [&](std::size_t i, int k) { return static_cast<std::uint64_t>(values[i]) >> k & 1; };
    auto const x = tensor_of(values);
    in_both_traces(
        [](auto const& a) {
            return std::tuple(tx::population_count(a), tx::count_leading_zeros(a), tx::count_trailing_zeros(a),
                              tx::bitwise_count(a));
        },
        [&](auto const& f) {
            auto const [ones, leading, trailing, of_size] = f(x);
            check_all(ones.data(), values.size(), [&](std::size_t i) {
                int count = 0;
                for (int k = 0; k < width; ++k) count += static_cast<int>(bit(i, k));
                return static_cast<T>(count);
            });
            check_all(leading.data(), values.size(), [&](std::size_t i) {
                int count = 0;
                while (count < width && !bit(i, width - 1 - count)) ++count;
                return static_cast<T>(count);
            });
            check_all(trailing.data(), values.size(), [&](std::size_t i) {
                int count = 0;
                while (count < width && !bit(i, count)) ++count;
                return static_cast<T>(count);
            });
            static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(of_size)>::value_type, std::uint8_t>);
            check_all(of_size.data(), values.size(), [&](std::size_t i) {
                int count = 0;
                for (T rest = values[i]; rest != 0; rest = static_cast<T>(rest / 2))
                    count += rest % 2 != 0; // towards 0, as |x| does
                return static_cast<std::uint8_t>(count);
            });
        });
}
