// This file tests derivatives of tx::on_device callables in placed functions: the callable runs once, on the device, and what it
// called there is differentiated on the cpu. Expected values are closed forms and differences.
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

TEST_CASE("mutable_device_data: derivatives don't go through what is written, as with mutable_data") {
    int const kept = 1;
    auto const f = [kept](auto const& x) {
        static_cast<void>(kept);
        constexpr auto written = [](wide v) {
            tx::mutable_device_data(v)[0] = 1;
            return v;
        };
        return tx::sum(tx::opaque<wide_spec>(tx::on_device(written), x) * x);
    };
    std::string message;
    try {
        static_cast<void>(tx::on(points, tx::grad(f))(values()));
    } catch (tx::error const& e) {
        message = e.what();
    }
    CHECK(message.find("there is none through elements that the program wrote itself") != std::string::npos);
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

TEST_CASE("on_device: gradients in loops, branches and checkpoints") {
    constexpr auto eighth = [](auto const& x) {
        auto const powers = tx::fori_loop(0, 3, [](auto, auto const& s) { return called(s); }, x);
        return tx::sum(tx::cond(tx::sum(x) > 0, [&] { return called(x) * x + powers; }, [&] { return x; })); // x^3 + x^8
    };
    in_traces_on(points, tx::grad(eighth), [](auto const& slope) {
        wide const x = values();
        seen.clear();
        wide const y = slope(x);
        CHECK(seen == names(4, name_there));
        for (int i : {30, 99, 120}) CHECK(y(i) == doctest::Approx(3 * std::pow(x(i), 2) + 8 * std::pow(x(i), 7)).epsilon(1e-4));
    });
    int const kept = 1;
    auto const again = tx::on(points, tx::grad([kept](auto const& x) {
                                  static_cast<void>(kept);
                                  return tx::sum(tx::checkpoint([](auto const& a) { return called(a) * a; })(x));
                              }));
    seen.clear();
    CHECK(again(values())(99) == doctest::Approx(3));
    CHECK(seen == names{name_there});
}

TEST_CASE("on_device: gradients by kernels of one's own, and of several results") {
    constexpr auto cubed = tx::custom_gradient(
        [](auto const& x) {
            return tx::opaque<wide_spec>(tx::on_device([](auto const& v) {
                                             note(v);
                                             return tx::on(points, [](auto const& a) { return a * a * a; })(v);
                                         }),
                                         x);
        },
        [](auto const& x, auto const& g) {
            return tx::opaque<wide_spec>(tx::on_device([](auto const& v, auto const& w) {
                                             note(v), note(w);
                                             return tx::on(points, [](auto const& a, auto const& b) { return 3.0f * a * a * b; })(v, w);
                                         }),
                                         x, g);
        });
    wide const x = values();
    seen.clear();
    CHECK(tx::on(points, tx::grad([cubed](auto const& a) { return tx::sum(cubed(a)); }))(x)(99) == doctest::Approx(3));
    CHECK(seen == names(3, name_there));

    auto const several = tx::on(points, tx::grad([](auto const& a) {
                                    auto const [product, sum] = tx::opaque<wide_spec, scalar_spec>(
                                        tx::on_device([](auto const& v, auto const& factor) {
                                            return std::pair(tx::on(points, [](auto const& b, auto const& c) { return b * c; })(v, factor),
                                                             tx::on(points, [](auto const& b) { return tx::sum(b * b); })(v));
                                        }),
                                        a, tx::max(a));
                                    return tx::sum(product) + sum;
                                }));
    wide const y = several(x); // of sum(x) max(x) + sum(x^2)
    CHECK(y(3) == doctest::Approx(2 + 2 * 0.04));
    CHECK(y(199) == doctest::Approx(2 + 4 + 201).epsilon(1e-4));
}

