// This file tests integers of the sizes that ops_integers.cpp leaves out, and comparisons in the dtypes that ops_floating.cpp and
// ops_half.cpp leave out.
#include <op_families.hpp>

using namespace tx::testing;

template <class T> using integer = family<ops::integers, true, 0, array<T, 29>, array<T, 29>>;
template <class T> using compared = family<ops::comparisons, true, 0, array<T, 29>, array<T, 29>>;

TEST_CASE_TEMPLATE("ops: other integers", T, std::int16_t, std::int64_t, std::uint16_t, std::uint32_t) { check_family<known_extents_executor>(integer<T>{}); }
TEST_CASE_TEMPLATE("ops: comparisons", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, double) {
    check_family<known_extents_executor>(compared<T>{});
}
