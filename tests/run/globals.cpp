// This file tests a program's own global names: the library shadows none of them, whatever warnings are on. It is compiled
// without TRACEXPR_SHOW_SHADOWING, as programs are.
#undef TRACEXPR_SHOW_SHADOWING

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

static double const a = 1, b = 2, c = 3, e = 4, f = 5, g = 6, i = 7, k = 8, n = 9, p = 10, r = 11, s = 12, t = 13, v = 14, x = 15, y = 16, z = 17;
static double const axis = 1, batch = 2, code = 3, count = 4, id = 5, count_of = 6, line = 7, out = 8, part = 9, pass = 10, result = 11, shape = 12, step = 13, type = 14,
             value = 15;

TEST_CASE("a program's globals may have any name") {
    using vector = tx::tensor<double, tx::shape<4>>;
    vector const u{1, 2, 3, 4};
    tx::function const loss([](auto q, auto w) { return tx::mean(tx::square(tx::softmax(q, tx::axis<0>) - w)); });
    double const numbers = a + b + c + e + f + g + i + k + n + p + r + s + t + v + x + y + z;
    double const words = axis + batch + code + count + id + count_of + line + out + part + pass + result + shape + step + type + value;
    CHECK(numbers + words == 153 + 120);
    CHECK(tx::function(tx::grad(loss))(u, u)(0) == doctest::Approx(tx::grad(loss)(u, u)(0)));
    tx::gradient_tape tape;
    tape.watch(u);
    auto const total = tx::sum(tx::exp(u) * u);
    CHECK(tape.gradient(total, u)(0) == doctest::Approx(2 * std::exp(1.0)));
    CHECK(tx::hessian([](auto q) { return tx::sum(q * q * q); })(u)(1, 1) == doctest::Approx(12));
    CHECK(tx::vmap([](auto q) { return q * q; })(u)(3) == 16);
}
