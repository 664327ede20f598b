// Numbers that follow from extents, used inside of loops and branches that lie within the callable where they were taken: shapes
// made of them are those of the state.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using tx::dyn;
using tx::shape;
using vec = tx::tensor<double, shape<dyn>>;

namespace {

struct accumulates { // three times r becomes r[i] added at places i of zeros as long as d
    template <class D> constexpr auto operator()(D const& d) const {
        auto const n = tx::extent<0>(d);
        auto const i = tx::cast<std::int64_t>(d);
        return tx::fori_loop(
            0, 3, [&](auto, auto const& r) { return tx::add_at(tx::zeros<double, shape<dyn>>(n), tx::take(r, i), i); }, d / n);
    }
};
struct halves { // a loop in a branch in a loop, with arithmetic on extents
    template <class D> constexpr auto operator()(D const& d) const {
        auto const n = tx::extent<0>(d), twice = n * 2 - n;
        return tx::fori_loop(
            0, 2,
            [&](auto, auto const& r) {
                return tx::cond(
                    tx::sum(r) > 0.0,
                    [&] {
                        return tx::fori_loop(
                            0, 2,
                            [&](auto, auto const& s) {
                                return s * tx::full<double, shape<dyn>>(0.5, twice) * tx::cast<double>(n / n);
                            },
                            r);
                    },
                    [&] { return tx::zeros<double, shape<dyn>>(n); });
            },
            d);
    }
};
vec numbers(int n) {
    vec out = tx::zeros<double, shape<dyn>>(n);
    for (int k = 0; k < n; ++k) out(k) = k;
    return out;
}

} // namespace

TEST_CASE("extents from outside of a region: values, for each length") {
    tx::function f{accumulates{}};
    tx::function g{halves{}};
    for (int const n : {1, 5, 2, 9}) {
        vec const x = numbers(n);
        CHECK(tx::allclose(f(x), x / static_cast<double>(n)));
        CHECK(tx::allclose(g(x), x / 16.0));
    }
    CHECK(f(vec(0)).size() == 0);
}

TEST_CASE("extents from outside of a region: derivatives and batches") {
    auto const loss = [](auto const& d) { return tx::sum(halves{}(d)*d); };
    for (int const n : {4, 3}) {
        vec const x = numbers(n) + 1.0;
        CHECK(tx::allclose(tx::grad(loss)(x), x / 8.0));
        CHECK(tx::allclose(tx::function{tx::grad(loss)}(x), x / 8.0));
    }
    tx::tensor<double, shape<dyn, dyn>> const rows = tx::reshape<2, 3>(numbers(6));
    CHECK(tx::allclose(tx::function{tx::vmap([](auto const& d) {
                           auto const n = tx::extent<0>(d);
                           return tx::fori_loop(
                               0, 2, [&](auto, auto const& r) { return r + tx::ones<double, shape<dyn>>(n); }, d);
                       })}(rows),
                       rows + 2.0));
}
