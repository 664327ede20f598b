// This file tests sums, products and their scans, of bool and integers.
#include <op_families.hpp>

using namespace tx::testing;

template <class T> using total = family<ops::totals, false, 256, array<T, 3, 5>>;

TEST_CASE_TEMPLATE("ops: totals of integers", T, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    check_family<known_extents_executor>(total<T>{});
}
