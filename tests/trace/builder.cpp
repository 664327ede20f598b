// This file tests a function made by an untyped builder as in trace/builder.hpp: eager, traced, with unknown ranks,
// differentiated, and its errors.
#include <tracexpr/tracexpr.hpp>

#include <tracexpr/trace/builder.hpp>

#include <doctest/doctest.h>

namespace {

// x times a number, and the sums of that along the last axis in float64.
struct scaled_builder {
    static constexpr char const* called = "scaled";
    static constexpr char const* problem(tx::detail::builder_specs given) {
        if (given[0].type == tx::dtype::boolean) return "takes numbers";
        return given[0].shape.rank == 0 ? "x must have an axis" : nullptr;
    }
    static constexpr std::array<tx::dtype, 2> types(tx::detail::builder_specs given) { return {given[0].type, tx::dtype::float64}; }
    static constexpr std::array<tx::dims, 2> shapes(tx::detail::builder_specs given) {
        tx::dims sums = given[0].shape;
        --sums.rank;
        return {given[0].shape, sums};
    }
    static constexpr std::array<tx::node_id, 2> record(tx::detail::lowering& low, tx::node_id const* x) {
        tx::node_id const product = low.append(tx::op::multiply, x[0], low.as(x[1], low.type(x[0])));
        return {product, low.reduce(tx::op::sum, product, tx::detail::attribute_list(low.rank(product) - 1))};
    }
};
template <tx::array_operand A, tx::operand S> constexpr auto scaled(A const& a, S const& s) {
    constexpr bool fits = tx::detail::built_problem<scaled_builder, A, S> == nullptr;
    static_assert(fits, "scaled: takes numbers with an axis");
    return tx::detail::apply_if<fits>(tx::detail::built_fn<scaled_builder>{}, a, s);
}

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using sums = tx::tensor<double, tx::shape<2>>;
constexpr auto sums_of = [](auto p, auto q) { return scaled(p, q).second; };

} // namespace

TEST_CASE("builder: a function of two results, eager and traced") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    auto const [product, total] = scaled(x, 2);
    CHECK(tx::equal(product, matrix{{2, 4, 6}, {8, 10, 12}}));
    CHECK(tx::equal(total, sums{12, 30}));
    tx::static_function f{sums_of};
    CHECK(tx::equal(f(x, 2.0f), sums{12, 30}));
    tx::variable v{x};
    CHECK(tx::equal(scaled(v, 2).second, sums{12, 30}));
    static_assert(scaled(tx::tensor<float, tx::shape<2>>{1, 2}, 2).second.item() == 6);
}
TEST_CASE("builder: operands of open rank") {
    tx::tensor<float> const x = matrix{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(scaled(x, 2).second, sums{12, 30}));
    CHECK(tx::equal(tx::function{sums_of}(x, 2.0f), sums{12, 30}));
    CHECK_THROWS_WITH_AS(static_cast<void>(scaled(tx::tensor<float>(tx::tensor<float, tx::shape<>>(3.0f)), 2)),
                         "tx: scaled: x must have an axis; given (), ()", tx::shape_error);
}
TEST_CASE("builder: derivatives are those of its ops") {
    auto const gradient = tx::grad([](auto p) { return tx::sum(scaled(p, 3.0f).second); })(matrix{{1, 2, 3}, {4, 5, 6}});
    CHECK(tx::equal(gradient, tx::full<float>(tx::shape<2, 3>{}, 3)));
}
