// This file tests that misuses of derivatives which only a run can detect throw an error of one sentence.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using any = tx::tensor<double, tx::any_shape>;
} // namespace

TEST_CASE("gradient errors: shapes that only arguments tell") {
    any const x = tx::tensor<double, tx::shape<3>>{1, 2, 3}, two = tx::tensor<double, tx::shape<2>>{1, 2};
    auto const doubled = [](auto const& a) { return a * 2.0; };
    CHECK(message_of([&] { tx::grad(doubled)(x); }) == "tx: grad: the callable must return a scalar; it returned shape (3,)");
    CHECK(message_of([&] { tx::jvp(doubled)(x, two); }) == "tx: jvp: the tangents must have the shapes of the primals: (3,); given (2,)");
    CHECK(message_of([&] { tx::vjp(doubled)(x, two); }) == "tx: vjp: the cotangent must have the shapes of the primals: (3,); given (2,)");
    CHECK(tx::grad([](auto const& a) { return sum(a * a); })(x)(2) == 6);
}
