// Derivatives of tx::on_device callables in placed functions: the callable runs once, on the device, and what it called there is
// differentiated on the cpu. Against closed forms and differences.
#include <thrust/on_device_helper.hpp>

#include <cmath>

namespace {

constexpr auto squared = [](auto const& x) {
    note(x);
    return on_its_device(x, [](auto const& a) { return a * a; });
};
constexpr auto called = [](auto const& x) { return tx::opaque<wide_spec>(tx::on_device(squared), x); };

// d f / d x(i), by differences.
template <class F> float difference(F const& f, wide const& x, int i) {
    wide above = x, below = x;
    above.mutable_data()[i] += 0.01f;
    below.mutable_data()[i] -= 0.01f;
    return (f(above).item() - f(below).item()) / 0.02f;
}

} // namespace

TEST_CASE("on_device: gradients in placed functions, the callable called once") {
    constexpr auto f = [](auto const& x) { return tx::sum(called(tx::sin(x)) * x); };
    auto const check = [&](auto const& slope) {
        wide const x = values();
        seen.clear();
        wide const there = slope(tx::to(points, x));
        CHECK(seen == names{name_there});
        CHECK(tx::device_of(there) == name_there);
        for (int i : {0, 40, 199}) {
            float const s = std::sin(x(i)), c = std::cos(x(i));
            CHECK(there(i) == doctest::Approx(s * s + 2 * s * c * x(i)).epsilon(1e-5));
            CHECK(there(i) == doctest::Approx(difference(f, x, i)).epsilon(2e-2));
        }
    };
    in_traces_on(points, tx::grad(f), check);
    check(tx::on(tx::thrust_device{}, tx::grad(f)));
}

TEST_CASE("on_device: second derivatives, and forward mode") {
    int const kept = 1; // traced at run time
    auto const f = [kept](auto const& x) { return static_cast<void>(kept), tx::sum(called(called(x))); }; // x^4
    auto const second = tx::on(points, tx::grad([f](auto const& x) { return tx::sum(tx::grad(f)(x)); }));
    seen.clear();
    wide const x = values(), y = second(x);
    CHECK(seen == names(2, name_there));
    for (int i : {1, 99}) CHECK(y(i) == doctest::Approx(12 * x(i) * x(i)));
    auto const pushed = tx::on(points, [f](auto const& a, auto const& t) { return tx::jvp(f)(a, t).second; });
    CHECK(pushed(x, tx::ones<float, tx::shape<200>>()).item() == doctest::Approx(tx::sum(4.0f * x * x * x).item()));
}

TEST_CASE("on_device: under a tape, as any opaque callable") {
    wide const x = values();
    auto const f = [](auto const& a) { return tx::sum(called(a) * a); };
    tx::gradient_tape tape;
    tape.watch(x);
    CHECK_THROWS_AS(tx::on(points, f)(x), tx::device_error);
    auto const y = tx::function{f}(x);
    CHECK(tape.gradient(y, x)(99) == doctest::Approx(3));
}
