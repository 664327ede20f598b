// This file tests loops over large elements, on Thrust's host system.
#include <thrust/loops.hpp>

using namespace tx::testing;

namespace {
struct of_numbers {
    constexpr auto operator()(auto x, auto y) const { return std::tuple(x * y + x, tx::sum(x * y), tx::sum(x, tx::axis<0>), tx::sum(x, tx::axis<1>)); }
};
template <class T> void check_dtype() {
    for (auto [m, n] : {std::pair(3, 16), {5, 7}}) check_loops<of_numbers, open_matrix<T>, open_matrix<T>>({array_of<T>(m, n), array_of<T>(m, n)});
}
} // namespace

TEST_CASE("thrust loops: double") { check_dtype<double>(); }
TEST_CASE("thrust loops: complex, dual") { check_dtype<std::complex<float>>(), check_dtype<tx::dual<double>>(); }
