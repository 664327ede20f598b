// This file tests tx::vmap between derivatives, on trees, and with products and lookups.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

template <std::int64_t... E> using doubles = tx::tensor<double, tx::shape<E...>>;
constexpr std::int64_t open = tx::dyn;

template <class A, class B> bool near(A const& a, B const& b) {
    if (a.extents() != b.extents()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a.data()[i] - b.data()[i]) <= 1e-14 * std::max(1.0, std::abs(b.data()[i])))) return false;
    return true;
}

struct dot_fn {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const { return tx::sum(a * b); }
};
constexpr dot_fn dot{};
doubles<2, 3> const x{{1, 2, 3}, {4, 5, 6}};

} // namespace

TEST_CASE("vmap: gradients for each example, and of all examples together") {
    auto const cubes = [](auto const& a) { return tx::sum(a * a * a); };
    CHECK(near(tx::vmap(tx::grad(cubes))(x), doubles<2, 3>{{3, 12, 27}, {48, 75, 108}}));
    auto const total = [cubes](auto const& a) { return tx::sum(tx::square(tx::vmap(cubes)(a))); };
    // d/da of (sum a^3)^2 is 6 a^2 sum a^3; sums are 36 and 405
    CHECK(near(tx::grad(total)(x), doubles<2, 3>{{216, 864, 1944}, {38880, 60750, 87480}}));
    CHECK(near(tx::grad(total)(doubles<open, 3>(x)), doubles<2, 3>{{216, 864, 1944}, {38880, 60750, 87480}}));
    auto const [value, change] = tx::jvp(tx::vmap(cubes))(x, doubles<2, 3>{{1, 0, 0}, {0, 1, 0}});
    CHECK(near(value, doubles<2>{36, 405}));
    CHECK(near(change, doubles<2>{3, 75}));
    // What the examples share is moved by all of them.
    auto const weighted = [](auto const& w, auto const& a) { return tx::sum(tx::vmap<tx::none, 0>(dot)(w, a)); };
    CHECK(near(tx::grad(weighted)(doubles<3>{1, 1, 1}, x), doubles<3>{5, 7, 9}));
    auto const curvature = tx::vmap(tx::grad(tx::grad([](auto const& s) { return s * s * s; })));
    CHECK(near(curvature(doubles<3>{1, 2, 3}), doubles<3>{6, 12, 18}));
}

namespace {
struct affine {
    doubles<2, 3> w{{1, 0, 2}, {0, 1, 1}};
    doubles<2> b{1, 2};
};
} // namespace

TEST_CASE("vmap: trees") {
    auto const loss = [](auto const& model, auto const& a) { return tx::sum(tx::square(tx::matmul(model.w, a) + model.b)); };
    // One example's gradients: 2 r x^T and 2 r, r = W x + b
    auto const [w, b] = tx::vmap<tx::none, 0>(tx::grad(loss))(affine{}, x);
    CHECK(near(b, doubles<2, 2>{{16, 14}, {34, 26}}));
    CHECK(near(w, doubles<2, 2, 3>{{{16, 32, 48}, {14, 28, 42}}, {{136, 170, 204}, {104, 130, 156}}}));
    auto const pairs = [](auto const& p) { return std::pair{p.first * p.second, p.second}; };
    auto const [product, second] = tx::vmap(pairs)(std::pair{x, doubles<2>{10, 100}});
    CHECK(near(product, doubles<2, 3>{{10, 20, 30}, {400, 500, 600}}));
    CHECK(near(second, doubles<2>{10, 100}));
}

TEST_CASE("vmap: a shared matrix makes one product of all examples") {
    auto const layer = [](auto const& w, auto const& a) { return tx::tanh(tx::matmul(w, a)); };
    doubles<2, 3> const w{{1, 0, -2}, {0.5, 0.25, 1}};
    auto const all = tx::vmap<tx::none, 0>(layer);
    doubles<2, 2> wanted;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 2; ++i) {
            double sum = 0;
            for (int j = 0; j < 3; ++j) sum += w(i, j) * x(k, j);
            wanted.mutable_data()[2 * k + i] = std::tanh(sum);
        }
    CHECK(near(all(w, x), wanted));
    CHECK(near(all(doubles<open, open>(w), doubles<open, open>(x)), wanted));
    auto const graph = tx::graph_of<tx::spec<double, tx::shape<2, 3>>, tx::spec<double, tx::shape<7, 3>>>(all);
    int products = 0;
    for (tx::node const& n : graph) products += n.code == tx::op::matmul && graph.shape_of(n) == tx::dims{{7, 2}, 2};
    CHECK(products == 1);
}

TEST_CASE("vmap: lookups") {
    doubles<4, 2> const table{{0, 1}, {10, 11}, {20, 21}, {30, 31}};
    tx::tensor<int, tx::shape<2, 3>> const places{{0, 3, 3}, {1, 1, -1}};
    auto const bag = [](auto const& t, auto const& i) { return tx::sum(tx::take(t, i, tx::axis<0>), tx::axis<0>); };
    CHECK(near(tx::vmap<tx::none, 0>(bag)(table, places), doubles<2, 2>{{60, 63}, {50, 53}}));
    auto const energy = [bag](auto const& t, auto const& i) { return tx::sum(tx::square(bag(t, i))) / 2.0; };
    // Each example's own gradient of the table.
    auto const each = tx::vmap<tx::none, 0>(tx::grad(energy))(table, places);
    CHECK(near(each, doubles<2, 4, 2>{{{60, 63}, {0, 0}, {0, 0}, {120, 126}}, {{0, 0}, {100, 106}, {0, 0}, {50, 53}}}));
    auto const together = tx::grad([energy](auto const& t, auto const& i) { return tx::sum(tx::vmap<tx::none, 0>(energy)(t, i)); })(table, places);
    CHECK(near(together, doubles<4, 2>{{60, 63}, {100, 106}, {0, 0}, {170, 179}}));
}
