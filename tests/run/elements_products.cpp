// This file tests small values, one for each of many places: products of small matrices.
#include <run/elements_checks.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tx::testing;

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
