// This file tests tensors of one element as conditions.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {
using matrix = tx::tensor<float, tx::shape<2, 2>>;
matrix const a{{1, 2}, {3, 4}};
template <class A> int chosen(A const& condition) {
    if (condition) return 1;
    return 0;
}
} // namespace

TEST_CASE("conditions: what ops give") {
    CHECK(chosen(tx::sum(a) > 3) == 1);
    CHECK(chosen(tx::sum(a) > 10) == 0);
    CHECK(chosen(tx::array_equal(a, matrix(a))) == 1);
    CHECK(chosen(!tx::array_equal(a, matrix(a))) == 0);
    CHECK(chosen(tx::sum(a) > 3 && tx::any(a == 7)) == 0);
    tx::tensor<float> const open = a;
    CHECK(chosen(tx::all(open == a)) == 1);
    CHECK_THROWS_WITH_AS(chosen(open == a), "tx: if: the tensor must have exactly one element; it has shape (2, 2)", tx::shape_error);
}
TEST_CASE("conditions: variables and what is captured") {
    tx::variable<double, tx::shape<>> v{tx::tensor<double, tx::shape<>>(2)};
    double rate = 0;
    auto const of_variable = tx::capture(v);
    auto const of_rate = tx::capture(rate);
    CHECK(chosen(v) == 1);
    CHECK(chosen(of_variable) == 1);
    CHECK(chosen(of_rate) == 0);
    v = tx::tensor<double, tx::shape<>>(0), rate = -1;
    CHECK(chosen(v) == 0);
    CHECK(chosen(of_variable) == 0);
    CHECK(chosen(of_rate) == 1);
}
TEST_CASE("conditions: a trace has no values, while functions run eagerly there are some") {
    tx::variable<float, tx::shape<>> v{tx::tensor<float, tx::shape<>>(2)};
    tx::function const on_variable{[&](auto x) { return v ? x : -x; }};
    CHECK_THROWS_WITH_AS(on_variable(a), doctest::Contains("tx: if: a symbolic tensor has no values while it is traced"), tx::trace_error);
    tx::function const on_symbol{[k = 1.0f](auto x) {
        tx::tensor<float, tx::shape<>> const total = tx::sum(x) * k;
        return total ? x : -x;
    }};
    CHECK_THROWS_WITH_AS(on_symbol(a), doctest::Contains("tx: if: a symbolic tensor"), tx::trace_error);
    tx::run_eagerly(true);
    CHECK(tx::equal(on_variable(a), a));
    CHECK(tx::equal(on_symbol(a), a));
    tx::run_eagerly(false);
}
