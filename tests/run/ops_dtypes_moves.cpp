// This file tests ops that move elements, in all dtypes.
#include <op_families.hpp>

using namespace tx::testing;

template <class T> using moved = family<ops::moves, false, 0, array<T, 3, 3>, array<T, 3, 3>>;

TEST_CASE_TEMPLATE("ops: elements that move", T, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, tx::half,
                   tx::bfloat16, float, double, std::complex<float>, std::complex<double>) {
    check_family<known_extents_executor>(moved<T>{});
}
