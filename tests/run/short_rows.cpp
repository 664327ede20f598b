// This file tests short rows: views of them, batches, softmax, and the dtypes that have no vectors.
#include <doctest/doctest.h>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <complex>

using tx::axis, tx::dyn, tx::shape, tx::tensor;

namespace {
template <class Tensor> void fill(Tensor& x) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<typename Tensor::value_type>((i * 7 + 3) % 11 - 5);
}
} // namespace

TEST_CASE("short rows: no rows, other batch axes, other strides") {
    tx::function f{[](auto x, auto b) { return std::pair{x + b, tx::sum(x, axis<-1>)}; }};
    auto const [none, no_sums] = f(tensor<float, shape<0, 3>>{}, tensor<float, shape<3>>{1, 2, 3});
    CHECK(none.size() + no_sums.size() == 0);

    tensor<float, shape<2, 40, 3>> x;
    fill(x);
    tensor<float, shape<2, 1, 3>> const b{{{1, 2, 3}}, {{10, 20, 30}}};
    auto const [moved, sums] = f(x, b);
    // Every second row; rows from the last; the rows' elements far apart.
    tx::function views{[](auto y) {
        tensor<float, shape<3>> const add{1, 2, 3};
        return std::tuple{tx::slice(y, tx::ellipsis, tx::range<tx::open, tx::open, 2>, tx::range<>) + add, tx::flip(y, axis<1>) + add,
                          tx::sum(tx::transpose(y, axis<0, 2, 1>) * 2, axis<1>), tx::max(tx::flip(y, axis<-1>), axis<-1>)};
    }};
    auto const [second, from_last, twice, largest] = views(x);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 40; ++i) {
            CHECK(sums(k, i) == x(k, i, 0) + x(k, i, 1) + x(k, i, 2));
            CHECK(twice(k, i) == 2 * sums(k, i));
            CHECK(largest(k, i) == std::max({x(k, i, 0), x(k, i, 1), x(k, i, 2)}));
            for (int j = 0; j < 3; ++j) {
                CHECK(moved(k, i, j) == x(k, i, j) + b(k, 0, j));
                CHECK(from_last(k, i, j) == x(k, 39 - i, j) + static_cast<float>(j + 1));
                if (i % 2 == 0) CHECK(second(k, i / 2, j) == x(k, i, j) + static_cast<float>(j + 1));
            }
        }
}
TEST_CASE("short rows: on several threads the same to the last bit") {
    constexpr auto f = [](auto x) { return std::tuple{x - tx::mean(x, axis<0>), tx::sum(x * x, axis<1>), tx::softmax(x, axis<1>)}; };
    auto x = tx::zeros<float, shape<dyn, 3>>(70'001, 3);
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = std::sin(static_cast<float>(i));
    auto const [a, b, c] = tx::function{f}(x);
    auto const [d, e, g] = tx::on(tx::cpu{.threads = 3}, tx::function{f})(x);
    CHECK(tx::equal(a, d));
    CHECK(tx::equal(b, e));
    CHECK(tx::equal(c, g));
}
TEST_CASE("short rows: softmax of few classes") {
    tx::function f{[](auto x) { return tx::softmax(x, axis<1>); }};
    auto const compare = [&](auto const& x) {
        auto const got = f(x);
        std::int64_t const n = x.extent(1);
        double worst = 0;
        for (std::int64_t i = 0; i < x.extent(0); ++i) {
            double sum = 0;
            for (std::int64_t j = 0; j < n; ++j) sum += std::exp(static_cast<double>(x(i, j)));
            for (std::int64_t j = 0; j < n; ++j) worst = std::max(worst, std::abs(static_cast<double>(got(i, j)) - std::exp(static_cast<double>(x(i, j))) / sum));
        }
        CHECK(worst < 1e-6);
    };
    tensor<float, shape<70, 2>> two;
    tensor<float, shape<70, 4>> four;
    auto three = tx::zeros<double, shape<dyn, 3>>(55, 3);
    fill(two), fill(four), fill(three);
    compare(two), compare(four), compare(three);
}
TEST_CASE("short rows: half, complex and bool") {
    tx::function f{[](auto x, auto b) { return std::pair{x + b, tx::sum(x, axis<1>)}; }};
    tensor<std::complex<float>, shape<50, 3>> z;
    tensor<tx::half, shape<50, 3>> h;
    for (int i = 0; i < 150; ++i) z.mutable_data()[i] = {static_cast<float>(i), 1}, h.mutable_data()[i] = tx::half(static_cast<float>(i % 9));
    auto const [moved, sums] = f(z, tensor<std::complex<float>, shape<3>>{{0, 1}, {0, 2}, {0, 3}});
    auto const [halves, half_sums] = f(h, tensor<tx::half, shape<3>>{tx::half(1.f), tx::half(2.f), tx::half(3.f)});
    tx::function any{[](auto x, auto b) { return tx::logical_and(x > 20, b); }};
    auto const both = any(tx::real(z), tensor<bool, shape<3>>{true, false, true});
    for (int i = 0; i < 50; ++i) {
        CHECK(sums(i) == std::complex<float>(static_cast<float>(9 * i + 3), 3));
        CHECK(static_cast<float>(half_sums(i)) == static_cast<float>(h(i, 0)) + static_cast<float>(h(i, 1)) + static_cast<float>(h(i, 2)));
        for (int j = 0; j < 3; ++j) {
            CHECK(moved(i, j) == std::complex<float>(static_cast<float>(3 * i + j), static_cast<float>(j + 2)));
            CHECK(static_cast<float>(halves(i, j)) == static_cast<float>(h(i, j)) + static_cast<float>(j + 1));
            CHECK(both(i, j) == (3 * i + j > 20 && j != 1));
        }
    }
}
