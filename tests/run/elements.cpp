// Small values, one for each of many places: what they are in closed form, whether the compiler knows how many there are or not.
#include <run/elements_checks.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace {

using namespace tx::testing;

struct wanted {
    std::vector<double> elements;
    std::int64_t size() const { return static_cast<std::int64_t>(elements.size()); }
    double const* data() const { return elements.data(); }
};
constexpr std::int64_t places = 307;

template <std::int64_t N, std::int64_t... E> auto given(std::vector<float> const& x, std::int64_t n) {
    if constexpr (N == tx::dyn) return tx::from_data<tx::shape<tx::dyn, E...>>(x.data(), n, E...);
    else return tx::from_data<tx::shape<N, E...>>(x.data());
}

} // namespace

TEST_CASE("elements: Jacobians at many places") {
    auto const p = between(0.5, 2, places * 6, 1);
    wanted const want{slopes_of_sighted(places, p.data())};
    check(sighted_slopes, want, given<places, 6>(p, places));
    check(sighted_rows, want, given<places, 6>(p, places));
}
TEST_CASE("elements: Jacobians at a number of places that a call tells") {
    auto const p = between(0.5, 2, places * 6, 1);
    for (std::int64_t const n : {0, 1, 5, 16, 17, 307})
        check(sighted_rows, wanted{slopes_of_sighted(n, p.data())}, given<tx::dyn, 6>(p, n));
}
TEST_CASE("elements: what depends on nothing is 0 beside infinities") {
    auto p = between(0.5, 2, places * 6, 1);
    p[4] = std::numeric_limits<float>::infinity(); // a velocity
    auto const slopes = tx::static_function{sighted_slopes}(given<places, 6>(p, places));
    for (int row = 0; row < 3; ++row)
        for (int column = 3; column < 6; ++column) CHECK(slopes.data()[6 * row + column] == 0);
}
TEST_CASE("elements: second derivatives at many places") {
    auto const p = between(-2, 2, places * 6, 3);
    check(stiffness, wanted{stiffness_of_springs(places, p.data())}, given<places, 6>(p, places));
}
TEST_CASE("elements: products of small matrices, written out where there are several") {
    auto const a = between(-1, 1, places * 9, 4), b = between(-1, 1, places * 9, 5);
    wanted const want{turned_matrices(places, a.data(), b.data())};
    check(turned, want, given<places, 3, 3>(a, places), given<places, 3, 3>(b, places));
    check(turned, want, given<tx::dyn, 3, 3>(a, places), given<tx::dyn, 3, 3>(b, places));

    using matrices = tx::spec<float, tx::shape<places, 3, 3>>;
    auto const products_in = [](std::string const& text) {
        return text.substr(text.find("after simplify")).find("matmul") != std::string::npos;
    };
    CHECK(!products_in(tx::function{turned}.concrete<matrices, matrices>().explain_passes()));
    constexpr auto once = [](auto x, auto y) { return tx::matmul(x, y); };
    CHECK(products_in(tx::function{once}.concrete<matrices, matrices>().explain_passes()));
}
