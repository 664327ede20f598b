// This file tests loops over small elements, and over elements of several sizes, on Thrust's host system.
#include <thrust/loops.hpp>

using namespace tx::testing;

namespace {
struct of_numbers {
    constexpr auto operator()(auto x, auto y) const { return std::tuple(x * y + x, tx::sum(x * y), tx::sum(x, tx::axis<0>), tx::sum(x, tx::axis<1>)); }
};
struct of_booleans {
    constexpr auto operator()(auto x, auto y) const { return std::tuple(x && !y, tx::all(x || y), tx::any(x, tx::axis<0>), tx::where(x, 1, 2)); }
};
struct mixed {
    constexpr auto operator()(auto x, auto y) const { return std::tuple(tx::cast<double>(x) * 2.0 + tx::cast<double>(y), tx::cast<float>(x > y), tx::max(x, tx::axis<1>)); }
};
template <class T> void check_dtype() {
    for (auto [m, n] : {std::pair(3, 16), {5, 7}}) check_loops<of_numbers, open_matrix<T>, open_matrix<T>>({array_of<T>(m, n), array_of<T>(m, n)});
}
} // namespace

TEST_CASE("thrust loops: half, bfloat16") { check_dtype<tx::half>(), check_dtype<tx::bfloat16>(); }
TEST_CASE("thrust loops: int8") { check_dtype<std::int8_t>(); }
TEST_CASE("thrust loops: bool") {
    for (auto [m, n] : {std::pair(3, 32), {5, 7}}) check_loops<of_booleans, open_matrix<bool>, open_matrix<bool>>({array_of<bool>(m, n), array_of<bool>(m, n)});
}
TEST_CASE("thrust loops: elements of several sizes") {
    check_loops<mixed, open_matrix<float>, open_matrix<std::int8_t>>({array_of<float>(3, 16), array_of<std::int8_t>(3, 16)});
}
