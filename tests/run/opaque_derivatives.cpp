// This file tests derivatives of tx::opaque, in graphs and under tapes: they are right, and make no further call.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>
#include <run/kinds_of_traces.hpp>

#include <cmath>
#include <span>
#include <stdexcept>

using tx::shape;
using tx::spec;
using tx::tensor;
using rank0 = tensor<float, shape<>>;
using vec = tensor<float, shape<2>>;
using scalar_spec = spec<float, shape<>>;
using vec_spec = spec<float, shape<2>>;

namespace {

constexpr auto log_huber = [](auto x, auto m) {
    if (tx::abs(x).item() <= m.item()) return rank0(x * x);
    return rank0(m * m * (1 - 2 * tx::log(m) + tx::log(x * x)));
};

// In each kind of trace twice.
template <class F, class Check> void in_traces(F const& f, Check check) {
    tx::testing::in_both_traces(f, [&](auto const& g) { check(g), check(g); });
}

} // namespace

TEST_CASE("opaque: derivatives, first and second, the callable called once") {
    static int calls = 0;
    constexpr auto f = [](auto x, auto m) {
        return tx::opaque<scalar_spec>(
            [](auto u, auto v) {
                ++calls;
                return log_huber(u, v);
            },
            x, m);
    };
    in_traces(tx::grad<0, 1>(f), [&](auto const& g) {
        float const in[][4]{
            {1, 2, 2, 0}, {1.5f, 2, 3, 0}, {3, 2, 8.f / 3, 3.243720864865316f}, {-3, 2, -8.f / 3, 3.243720864865316f}};
        for (auto const& [x, m, dx, dm] : in) {
            int const before = calls;
            auto const [gx, gm] = g(rank0(x), rank0(m));
            CHECK(calls == before + 1);
            CHECK(gx.item() == doctest::Approx(dx));
            CHECK(gm.item() == doctest::Approx(dm));
        }
    });
    in_traces(tx::value_and_grad(f), [&](auto const& g) {
        int const before = calls;
        auto const [y, dx] = g(rank0(3.f), rank0(2.f));
        CHECK(calls == before + 1);
        CHECK(y.item() == doctest::Approx(7.243720864865316));
        CHECK(dx.item() == doctest::Approx(8. / 3));
    });
    in_traces(tx::grad(tx::grad(f)), [&](auto const& g) {
        int const before = calls;
        CHECK(g(rank0(1.f), rank0(2.f)).item() == doctest::Approx(2));
        CHECK(g(rank0(3.f), rank0(2.f)).item() == doctest::Approx(-8. / 9));
        CHECK(calls == before + 2);
    });
    in_traces(tx::hessian<0>(f), [&](auto const& g) { CHECK(g(rank0(3.f), rank0(2.f)).item() == doctest::Approx(-8. / 9)); });
    in_traces(tx::grad(tx::grad(tx::grad(f))), [&](auto const& g) {
        CHECK(g(rank0(3.f), rank0(2.f)).item() == doctest::Approx(16. / 27)); // 8 / x, -8 / x^2, 16 / x^3
    });
    in_traces(tx::jvp(f), [&](auto const& g) {
        int const before = calls;
        auto const [y, t] = g(rank0(3.f), rank0(2.f), rank0(1.f), rank0(10.f));
        CHECK(calls == before + 1);
        CHECK(y.item() == doctest::Approx(7.243720864865316));
        CHECK(t.item() == doctest::Approx(8. / 3 + 32.43720864865316));
    });
    in_traces(tx::vmap<0, tx::none>(tx::grad(f)), [&](auto const& g) {
        auto const slopes = g(tensor<float, shape<4>>{1, 1.5f, 3, -3}, rank0(2.f));
        CHECK(tx::all(tx::abs(slopes - tensor<float, shape<4>>{2, 3, 8.f / 3, -8.f / 3}) < 1e-5f).item());
    });
    in_traces(tx::grad([f](auto x, auto m) { return tx::sum(tx::vmap<0, tx::none>(f)(x, m)); }), [&](auto const& g) {
        auto const slopes = g(tensor<float, shape<4>>{1, 1.5f, 3, -3}, rank0(2.f));
        CHECK(tx::all(tx::abs(slopes - tensor<float, shape<4>>{2, 3, 8.f / 3, -8.f / 3}) < 1e-5f).item());
    });
}

TEST_CASE("opaque: functions that tapes see: called once, also by the derivative") {
    static int calls = 0;
    constexpr auto f = [](auto x, auto m) {
        return tx::sin(tx::opaque<scalar_spec>(
                   [](auto u, auto v) {
                       ++calls;
                       return log_huber(u, v);
                   },
                   x * 1.0f, m)) *
               2.0f;
    };
    in_traces(f, [&](auto const& g) {
        int const before = calls;
        tx::gradient_tape tape{{.persistent = true}};
        rank0 const x(3.f), m(2.f);
        tape.watch(x, m);
        auto const y = g(x, m);
        CHECK(y.item() == doctest::Approx(2 * std::sin(7.243720864865316)));
        CHECK(calls == before + 1);
        CHECK(tape.gradient(y, x).item() == doctest::Approx(2 * std::cos(7.243720864865316) * 8 / 3));
        CHECK(tape.gradient(y, m).item() == doctest::Approx(2 * std::cos(7.243720864865316) * 3.243720864865316));
        CHECK(calls == before + 1);
    });
    in_traces(f, [&](auto const& g) {
        int const before = calls;
        rank0 const x(3.f);
        tx::gradient_tape outer;
        outer.watch(x);
        rank0 slope;
        {
            tx::gradient_tape inner;
            inner.watch(x);
            auto const y = g(x, rank0(2.f));
            slope = inner.gradient(y, x);
        }
        auto const second = outer.gradient(slope, x);
        double const u = 7.243720864865316, du = 8. / 3, ddu = -8. / 9;
        CHECK(second.item() == doctest::Approx(2 * (std::cos(u) * ddu - std::sin(u) * du * du)));
        CHECK(calls == before + 1);
    });
}

TEST_CASE("opaque: derivatives with respect to operands of open extents, through functions and several results") {
    tx::function const squares{
        tx::grad([](auto x) { return tx::opaque<scalar_spec>([](auto v) { return tx::sum(v * v); }, x); })};
    using open = tensor<float, shape<tx::dyn>>;
    CHECK(tx::equal(squares(open{1, 2, 3}), open{2, 4, 6}));
    CHECK(tx::equal(squares(tensor<float>{{1, 2}, {3, 4}}), tensor<float>{{2, 4}, {6, 8}}));
    in_traces(tx::grad([](auto x) {
                  return tx::opaque<scalar_spec>(
                             [](auto v) {
                                 static tx::function const cube{[](auto w) { return w * w * w; }};
                                 return cube(v);
                             },
                             x * 1.0f) *
                         2.0f;
              }),
              [](auto const& g) { CHECK(g(rank0(2.f)).item() == 24); });
    in_traces(tx::grad<0>([](auto x, auto n) {
                  auto const [a, b] = tx::opaque<scalar_spec, spec<int, shape<>>>(
                      [](auto v, auto k) { return std::tuple(v * tx::cast<float>(k), k + 1); }, x, n);
                  return a * tx::cast<float>(b);
              }),
              [](auto const& g) { CHECK(g(rank0(2.f), tensor<int, shape<>>(3)).item() == 12); });
}

TEST_CASE("opaque: what has no derivative says so; what a callable throws changes no variable") {
    tx::function const raw{
        tx::grad([](auto x) { return tx::host_callback<scalar_spec>([](std::span<float const> v) { return v[0]; }, x); })};
    CHECK(message_of<tx::trace_error>([&] { raw(rank0(1.f)); }).find("tx: host_callback: it has no derivative") == 0);
    tx::variable<float, shape<>> c{7.0f};
    tx::function const throws{[&c](auto x) {
        c.assign(x);
        return tx::opaque<scalar_spec>(
            [](auto v) -> rank0 {
                if (v.item() > 1) throw std::domain_error("mine");
                return v;
            },
            x);
    }};
    CHECK_THROWS_AS(throws(rank0(2.f)), std::domain_error);
    CHECK(c.item() == 7);
    throws(rank0(0.5f));
    CHECK(c.item() == 0.5f);
}
