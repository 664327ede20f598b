// This file tests windows: convolutions, pooling and products of them, their gradients and batches, against loops.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using tx::axis;
using tx::sliding_window_view;
template <std::int64_t... E> using doubles = tx::tensor<double, tx::shape<E...>>;
constexpr std::int64_t open = tx::dyn;

struct convolution_fn {
    template <class X, class K> constexpr auto operator()(X const& x, K const& k) const {
        return tx::sum(sliding_window_view<2, 3>(x, axis<-2, -1>) * k, axis<-2, -1>);
    }
};
constexpr convolution_fn convolution{};
struct energy_fn {
    template <class X, class K> constexpr auto operator()(X const& x, K const& k) const {
        return tx::sum(tx::square(convolution(x, k)));
    }
};
constexpr energy_fn energy{};

template <class Tensor> Tensor numbered(Tensor out, double step, double modulus) {
    for (std::int64_t i = 0; i < out.size(); ++i)
        out.mutable_data()[i] = std::fmod(static_cast<double>(i) * step, modulus) - modulus / 2;
    return out;
}
doubles<9, 37> const image = numbered(tx::zeros<double>(tx::shape<9, 37>{}), 1.7, 5);
doubles<2, 3> const kernel{{1, -2, 0.5}, {0.25, 3, -1}};

doubles<open, open> convolved(doubles<open, open> const& x, doubles<2, 3> const& k) {
    doubles<open, open> out = tx::zeros<double, tx::shape<open, open>>(x.extent(0) - 1, x.extent(1) - 2);
    double* const to = out.mutable_data();
    for (std::int64_t i = 0; i < out.extent(0); ++i)
        for (std::int64_t j = 0; j < out.extent(1); ++j)
            for (int a = 0; a < 2; ++a)
                for (int b = 0; b < 3; ++b) to[i * out.extent(1) + j] += x(i + a, j + b) * k(a, b);
    return out;
}
template <class A, class B> bool near(A const& a, B const& b) {
    if (a.extents() != b.extents()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a.data()[i] - b.data()[i]) <= 1e-12 * std::max(1.0, std::abs(b.data()[i])))) return false;
    return true;
}

} // namespace

TEST_CASE("windows: a convolution, with known and open extents, and traced at run time") {
    doubles<open, open> const expected = convolved(image, kernel);
    CHECK(near(tx::function{convolution}(image, kernel), expected));
    CHECK(near(tx::function{convolution}(doubles<open, open>(image), doubles<open, open>(kernel)), expected));
    CHECK(near(tx::function{convolution}(tx::tensor<double>(image), tx::tensor<double>(kernel)), expected));
    CHECK(near(convolution(image, kernel), expected));
    double const one = 1; // captured: no constant
    tx::function const at_run_time{[one](auto const& x, auto const& k) { return convolution(x * one, k); }};
    CHECK(near(at_run_time(doubles<open, open>(image), kernel), expected));
    CHECK(near(tx::function{convolution}(tx::slice(image, tx::range<0, 2>, tx::range<5, 8>), kernel),
               convolved(tx::slice(image, tx::range<0, 2>, tx::range<5, 8>), kernel)));
}

TEST_CASE("windows: the operand isn't copied where a loop reads it") {
    constexpr auto graph = tx::graph_of<tx::spec<double, tx::shape<9, 37>>, tx::spec<double, tx::shape<2, 3>>>(convolution);
    static_assert(graph.size() == 5); // two arguments, view, product, sum
}

TEST_CASE("windows: of windows, diagonals, transposes, slices and computed values") {
    doubles<7> const v{1, 2, 4, 8, 16, 32, 64};
    auto const twice = [](auto const& x) { return sliding_window_view<2>(sliding_window_view<3>(x), axis<0>) + 0.0; };
    auto const both = [](auto const& x) { return sliding_window_view<2, 3>(x, axis<0, 0>) + 0.0; };
    auto const of_sums = [](auto const& x) { return sliding_window_view<2>(sliding_window_view<3>(x) + 1.0, axis<1>) + 0.0; };
    auto const diagonals = [](auto const& x) { return tx::diagonal(sliding_window_view<3>(x)) * 1.0; };
    auto const turned = [](auto const& x) {
        return sliding_window_view<2>(tx::flip(tx::slice(x, tx::range<0, tx::open, 2>))) * 1.0;
    };
    auto const of_computed = [](auto const& x) { return tx::max(sliding_window_view<3>(tx::exp(tx::sin(x))), axis<-1>); };
    auto const check = [&](auto const& x) {
        auto const t = tx::function{twice}(x);
        auto const b = tx::function{both}(x);
        auto const s = tx::function{of_sums}(x);
        CHECK(t.extents() == std::vector<std::int64_t>{4, 3, 2});
        CHECK(b.extents() == std::vector<std::int64_t>{4, 2, 3});
        CHECK(s.extents() == std::vector<std::int64_t>{5, 2, 2});
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 2; ++k) CHECK((t(i, j, k) == v(i + j + k) && b(i, k, j) == v(i + j + k)));
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 2; ++j)
                for (int k = 0; k < 2; ++k) CHECK(s(i, j, k) == v(i + j + k) + 1);
        CHECK(tx::equal(tx::function{diagonals}(x), doubles<3>{1, 4, 16}));
        CHECK(tx::equal(tx::function{turned}(x), doubles<3, 2>{{64, 16}, {16, 4}, {4, 1}}));
        auto const m = tx::function{of_computed}(x);
        for (int i = 0; i < 5; ++i)
            CHECK(m(i) ==
                  doctest::Approx(std::exp(std::max({std::sin(v(i)), std::sin(v(i + 1)), std::sin(v(i + 2))}))).epsilon(1e-14));
    };
    check(v);
    check(doubles<open>(v));
    check(tx::tensor<double>(v));
}

TEST_CASE("windows: as operands of products, lookups and scans") {
    doubles<6> const v{1, 2, 3, 4, 5, 6};
    doubles<3, 2> const k{{1, 0}, {10, 1}, {100, -1}};
    auto const f = [](auto const& x, auto const& y) {
        auto const w = sliding_window_view<3>(x);
        return std::tuple(tx::matmul(w, y), tx::take(w, tx::argmax(y, axis<0>), axis<0>), tx::cumsum(w, axis<1>),
                          tx::matmul(w, tx::transpose(w)));
    };
    auto const check = [&](auto const& x, auto const& y) {
        auto const [product, rows, sums, gram] = tx::function{f}(x, y);
        CHECK(tx::equal(product, doubles<4, 2>{{321, -1}, {432, -1}, {543, -1}, {654, -1}}));
        CHECK(tx::equal(rows, doubles<2, 3>{{3, 4, 5}, {2, 3, 4}}));
        CHECK(tx::equal(sums, doubles<4, 3>{{1, 3, 6}, {2, 5, 9}, {3, 7, 12}, {4, 9, 15}}));
        CHECK(tx::equal(gram, doubles<4, 4>{{14, 20, 26, 32}, {20, 29, 38, 47}, {26, 38, 50, 62}, {32, 47, 62, 77}}));
    };
    check(v, k);
    check(doubles<open>(v), doubles<open, 2>(k));
    check(tx::tensor<double>(v), tx::tensor<double>(k));
}

// Of sum (w * k)^2: dL/dx(p, q) = sum of 2 y(p - a, q - b) k(a, b), dL/dk(a, b) = sum of 2 y(i, j) x(i + a, j + b).
TEST_CASE("windows: gradients of a convolution, and a Hessian's product") {
    doubles<open, open> const y = convolved(image, kernel);
    doubles<9, 37> in_x = tx::zeros<double>(tx::shape<9, 37>{});
    doubles<2, 3> in_k = tx::zeros<double>(tx::shape<2, 3>{});
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 35; ++j)
            for (int a = 0; a < 2; ++a)
                for (int b = 0; b < 3; ++b) {
                    in_x.mutable_data()[(i + a) * 37 + j + b] += 2 * y(i, j) * kernel(a, b);
                    in_k.mutable_data()[a * 3 + b] += 2 * y(i, j) * image(i + a, j + b);
                }
    auto const check = [&](auto const& x, auto const& k) {
        auto const [gx, gk] = tx::function{tx::grad<0, 1>(energy)}(x, k);
        CHECK(near(gx, in_x));
        CHECK(near(gk, in_k));
        // The energy is of second order in x: its Hessian times x is its gradient.
        auto const slope = tx::jvp([&](auto const& a) { return tx::grad<0>(energy)(a, kernel); });
        CHECK(near(std::get<1>(slope(x, x)), in_x));
    };
    check(image, kernel);
    check(doubles<open, open>(image), doubles<open, open>(kernel));
    check(tx::tensor<double>(image), tx::tensor<double>(kernel));
}

TEST_CASE("windows: batches, of images and of kernels") {
    doubles<3, 4, 6> const images = numbered(tx::zeros<double>(tx::shape<3, 4, 6>{}), 0.9, 4);
    doubles<3, 2, 3> const kernels = numbered(tx::zeros<double>(tx::shape<3, 2, 3>{}), 0.7, 3);
    auto const by_image = tx::vmap<0, tx::none>(convolution)(images, kernel);
    auto const pairs = tx::vmap(convolution)(images, kernels);
    auto const gradients = tx::vmap(tx::grad<0>(energy))(images, kernels);
    auto const of_open = tx::vmap(tx::grad<0>(energy))(doubles<open, open, open>(images), doubles<open, open, open>(kernels));
    for (int i = 0; i < 3; ++i) {
        doubles<4, 6> x = tx::zeros<double>(tx::shape<4, 6>{});
        doubles<2, 3> k = tx::zeros<double>(tx::shape<2, 3>{});
        std::copy_n(images.data() + 24 * i, 24, x.mutable_data());
        std::copy_n(kernels.data() + 6 * i, 6, k.mutable_data());
        auto const g = tx::grad<0>(energy)(x, k);
        for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 4; ++q) {
                CHECK(by_image(i, p, q) == doctest::Approx(convolved(x, kernel)(p, q)).epsilon(1e-13));
                CHECK(pairs(i, p, q) == doctest::Approx(convolved(x, k)(p, q)).epsilon(1e-13));
            }
        for (int p = 0; p < 4; ++p)
            for (int q = 0; q < 6; ++q) {
                CHECK(gradients(i, p, q) == doctest::Approx(g(p, q)).epsilon(1e-12));
                CHECK(of_open(i, p, q) == doctest::Approx(g(p, q)).epsilon(1e-12));
            }
    }
}

TEST_CASE("windows: larger than an axis that only a run knows") {
    CHECK(tx::function{convolution}(doubles<open, open>(kernel), kernel)(0, 0) == 15.3125); // as large as that
    CHECK(message_of<tx::shape_error>([] {
              static_cast<void>(tx::function{convolution}(tx::zeros<double, tx::shape<open, open>>(2, 2), kernel));
          }) == "tx: sliding_window_view: a window must have an element, and no more than its axis; given (2, 2)");
}
