// This file tests derivatives of special functions where their rules reach, and where they don't: in loops, branches, functions
// within functions, on tapes, under vmap and checkpoints.
#include <tracexpr/special.hpp>

#include <family_checks.hpp>

using tx::testing::difference;

namespace {
using scalar = tx::tensor<double, tx::shape<>>;
using vec = tx::tensor<double, tx::shape<3>>;
constexpr auto f = [](auto p) { return tx::special::i0(p); };
constexpr auto total = [](auto p) { return tx::sum(tx::special::i0(p)); };
vec const x{0.5, 1.5, 9};
vec const slope = tx::special::i1(x);
} // namespace

TEST_CASE("special functions in a loop have derivatives, in both modes and of order 2") {
    auto const looped = [](auto p) {
        return tx::sum(tx::scan([](auto const& s, auto const& v) { return std::pair(s + tx::special::i0(v), s); }, scalar(0.0), p).first);
    };
    CHECK(difference(tx::grad(looped)(x), slope, 1e-14) == "");
    CHECK(tx::jvp(looped)(x, vec{1, 1, 1}).second.item() == doctest::Approx(tx::sum(slope).item()).epsilon(1e-13));
    tx::check_gradients(looped, vec{0.5, 1.5, 3});
}
TEST_CASE("special functions in a branch have derivatives") {
    auto const chosen = [](auto p) {
        return tx::cond(tx::sum(p) > 0, [&] { return tx::sum(tx::special::i0(p)); }, [&] { return tx::sum(p); });
    };
    CHECK(difference(tx::grad(chosen)(x), slope, 1e-14) == "");
    CHECK(difference(tx::grad(chosen)(-x), vec{1, 1, 1}, 1e-14) == "");
}
TEST_CASE("special functions in functions, under checkpoint and vmap have derivatives") {
    tx::function inner{total};
    CHECK(difference(tx::grad([&](auto p) { return inner(p); })(x), slope, 1e-14) == "");
    CHECK(difference(tx::grad(tx::checkpoint(total))(x), slope, 1e-14) == "");
    CHECK(difference(tx::vmap(tx::grad(f))(x), slope, 1e-14) == "");
    CHECK(difference(tx::grad([](auto p) { return tx::sum(tx::vmap(f)(p)); })(x), slope, 1e-14) == "");
}
TEST_CASE("special functions on a tape have derivatives, computed at once and in a function") {
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = tx::special::i0(x);
    CHECK(difference(tape.gradient(y, x), slope, 1e-14) == "");
    tx::function called{f};
    tx::gradient_tape other;
    other.watch(x);
    auto const z = called(x);
    CHECK(difference(other.gradient(z, x), slope, 1e-14) == "");
}
