// This file tests sums, products and their scans, of floating and complex numbers.
#include <op_families.hpp>

using namespace tx::testing;

template <class T> using total = family<ops::totals, false, 256, array<T, 3, 5>>;

TEST_CASE_TEMPLATE("ops: totals of floating and complex numbers", T, tx::half, tx::bfloat16, float, double, std::complex<float>, std::complex<double>) {
    check_family<known_extents_executor>(total<T>{});
}
