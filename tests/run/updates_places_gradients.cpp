// This file tests derivatives, batches and tapes of updates at tensors of places.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {
using matrix = tx::tensor<double, tx::shape<4, 3>>;
using vec = tx::tensor<double, tx::shape<4>>;
using places = tx::tensor<int, tx::shape<4>>;
matrix const x = tx::sin(tx::reshape<4, 3>(tx::arange<double, 12>()) + 1);
vec const w{0.7, -1.3, 0.4, 2.1};
places const i{0, 3, -4, 2}, j{2, 0, 2, -1}; // (0, 2) twice
} // namespace

TEST_CASE("updates at places: derivatives with respect to both") { // of both modes, and of second order
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::exp(tx::add_at(a, b * b, i, j)) * a); }, x, w);
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::square(tx::set(a * a, b * 2, i, j)) * a); }, x, w);
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::square(tx::max_at(a, b * b, i, j)) * a); }, x, w);
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::square(tx::min_at(a, b, i, tx::range<1, 3>)) * a); }, x, tx::tensor<double, tx::shape<4, 2>>(tx::stack(tx::axis<1>, w, w * w)));
    tx::check_gradients([](auto a) { return tx::sum(tx::square(tx::slice(a, i, j)) * w); }, x);
}
TEST_CASE("max_at, min_at: equal values share, and what was there has its share only where they are less") {
    vec const a{1, 2, 3, 4}, b{2, 2, 5, 4};
    places const to{1, 1, 0, 3};
    auto const own = tx::grad([&](auto x) { return tx::sum(tx::max_at(x, b, to)); })(a);
    auto const given = tx::grad([&](auto v) { return tx::sum(tx::max_at(a, v, to)); })(b);
    CHECK(tx::equal(own, vec{0, 0, 1, 0}));
    CHECK(tx::equal(given, vec{0.5, 0.5, 1, 1}));
    CHECK(tx::equal(tx::grad([&](auto x) { return tx::sum(tx::min_at(x, b, to)); })(a), vec{1, 0, 1, 0}));
}
TEST_CASE("multiply_at: derivatives with respect to both, at zeros, too") {
    auto const loss = [](auto a, auto b) { return tx::sum(tx::square(tx::multiply_at(a, b, i, j)) * a); };
    tx::check_gradients(loss, x, w);
    // y(0, 2) = x b0 b2: with b0 = 0 its derivative for b0 is x b2, and the mixed one for b0 and b2 is x.
    vec const zero{0, -1.3, 0.4, 2.1};
    auto const product = [](auto b) { return tx::slice(tx::multiply_at(x, b, i, j), 0, 2); };
    CHECK(tx::grad(product)(zero)(0) == doctest::Approx(x(0, 2) * 0.4));
    CHECK(tx::grad(product)(zero)(2) == 0);
    CHECK(tx::hessian(product)(zero)(0, 2) == doctest::Approx(x(0, 2)));
}
TEST_CASE("updates at places: batches, of places too") {
    auto const rows = tx::stack(tx::axis<0>, i, places(i * 0 + 1)), columns = tx::stack(tx::axis<0>, places(i * 0), j);
    auto const one = [](auto a, auto p, auto q, auto b) { return tx::multiply_at(tx::max_at(tx::add_at(a, b, p, q), b, p, q), b, p, q); };
    auto const both = tx::stack(tx::axis<0>, x, x * 2);
    auto const values = tx::stack(tx::axis<0>, w, w * 3);
    auto const got = tx::vmap(one)(both, rows, columns, values);
    for (int k = 0; k < 2; ++k) CHECK(tx::all(tx::isclose(got[k], one(both[k], rows[k], columns[k], values[k]))));
    auto const shared = tx::vmap<tx::none, tx::none, tx::none, 0>(one)(x, i, j, values);
    for (int k = 0; k < 2; ++k) CHECK(tx::all(tx::isclose(shared[k], one(x, i, j, values[k]))));
    auto const slopes = tx::vmap<tx::none, 0, tx::none, tx::none>(tx::grad([&](auto a, auto p, auto q, auto b) { return tx::sum(one(a, p, q, b)); }))(x, rows, j, w);
    for (int k = 0; k < 2; ++k)
        CHECK(tx::all(tx::isclose(slopes[k], tx::grad([&](auto a) { return tx::sum(one(a, places(rows[k]), j, w)); })(x))));
}
TEST_CASE("updates at places: on tapes") {
    tx::gradient_tape tape{{.persistent = true}};
    vec const b = w;
    tape.watch(x), tape.watch(b);
    auto const y = tx::sum(tx::multiply_at(tx::add_at(x, b, i, j), b, i, j));
    auto const at = [](int r, int c) { return static_cast<double>(x(r, c)); };
    auto const dx = tape.gradient(y, x);
    CHECK(dx(0, 2) == doctest::Approx(w(0) * w(2)));
    CHECK(dx(3, 0) == doctest::Approx(w(1)));
    CHECK(dx(1, 1) == 1);
    auto const db = tape.gradient(y, b);
    CHECK(db(1) == doctest::Approx(at(3, 0) + 2 * w(1)));
    CHECK(db(0) == doctest::Approx((at(0, 2) + w(0) + w(2)) * w(2) + w(0) * w(2)));
}
