// This file tests that values which where does not select get exactly 0 beside an infinite slope: in second derivatives, other
// dtypes and other rules.
#include "masks.hpp"

using namespace masks;

TEST_CASE("masks: jacrev, second derivatives and half or complex numbers") {
    auto const f = [](auto const& a) { return where(tx::flip(a) > 0, tx::flip(sqrt(a)), 0.0); };
    CHECK(list(tx::jacrev(f)(x)) == doubles{0, 0, 0.25, 0, 0, 0, 0.5, 0, 0});
    auto const total = [f](auto const& a) { return sum(f(a)); };
    CHECK(list(tx::hessian(total)(x)) == doubles{-0.25, 0, 0, 0, 0, 0, 0, 0, -0.03125});
    auto const slope = [total](auto const& a) { return sum(tx::grad(total)(a)); };
    CHECK(list(tx::grad(slope)(x)) == doubles{-0.25, 0, -0.03125});
    CHECK(list(tx::grad(slope)(open(x))) == doubles{-0.25, 0, -0.03125});
    // The factor that is 0 behind the mask moves the gradient elsewhere.
    auto const mixed = [](auto const& a, auto const& b) { return where(sum(a) > 0, sum(sqrt(a) * b), 0.0); };
    fixed<double, 2> const p{4, 1}, zero{0, 0};
    CHECK(list(std::get<1>(std::get<0>(tx::hessian<0, 1>(mixed)(p, zero)))) == doubles{0.25, 0, 0, 0.5});

    CHECK(list(tx::grad([](auto const& a) { return sum(where(tx::flip(a) > 0, tx::flip(sqrt(a)), 0)); })(
              fixed<tx::half, 2>{tx::half(0.f), tx::half(4.f)})) == std::vector<tx::half>{tx::half(0.f), tx::half(0.25f)});
    using complex = std::complex<double>;
    auto const sizes = [](auto const& z) { return sum(where(abs(tx::flip(z)) > 0, tx::flip(abs(sqrt(z))), 0.0)); };
    CHECK(list(tx::grad(sizes)(fixed<complex, 2>{complex{}, complex(4)})) == std::vector<complex>{complex{}, complex(0.25)});
}

TEST_CASE("masks: what a checkpoint, a running or an overflowing value hides") {
    auto const root = [](auto const& a) { return sqrt(a); };
    auto const kept = [root](auto const& a) { return sum(where(tx::flip(a) > 0, tx::flip(tx::checkpoint(root)(a)), 0.0)); };
    CHECK(list(tx::grad(kept)(x)) == doubles{0.5, 0, 0.25});
    auto const large = [](auto const& a) { return sum(where(tx::flip(a) < 1, tx::flip(exp(a * 1000.0)), 0.0)); };
    CHECK(list(tx::grad(large)(x)) == doubles{0, 1000, 0});
    auto const factor = [](auto const& a, auto const& b) { return sum(where(tx::flip(a) > 0, tx::flip(1 / a * b), 0.0)); };
    CHECK(list(tx::grad<1>(factor)(x, x)) == doubles{1, 0, 0.25});
    auto const taken = [](auto const& a, auto const& i) { return sum(where(tx::take(a, i) > 0, tx::take(sqrt(a), i), 0.0)); };
    CHECK(list(tx::grad(taken)(x, fixed<int, 3>{2, 1, 1})) == doubles{0, 0, 0.25});
}
