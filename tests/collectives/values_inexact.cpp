// This file tests the results of collectives on real, complex and dual numbers.
#include <collectives/value_checks.hpp>

TEST_CASE_TEMPLATE("collectives: each op is what it means", T, tx::half, tx::bfloat16, float, double, std::complex<float>,
                   std::complex<double>, tx::dual<double>) {
    tx::testing::check_values<T>();
}
