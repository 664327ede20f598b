#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

using scalar = tx::tensor<double, tx::shape<>>;
using vector = tx::tensor<double, tx::shape<2>>;

// Values that no true derivative has, so that it shows which one was used.
constexpr auto seven_cos = tx::custom_gradient([](auto x) { return tx::sin(x); }, [](auto x, auto g) { return 7.0 * g * tx::cos(x); });
constexpr auto seven_cos_forward =
    tx::custom_jvp([](auto x) { return tx::sin(x); }, [](auto x, auto dx) { return std::pair(tx::sin(x), 7.0 * dx * tx::cos(x)); });
// log(1 + e^x), stable where the plain derivative is inf / inf. (TensorFlow's example.)
constexpr auto log1pexp = tx::custom_gradient([](auto x) {
    auto const e = tx::exp(x);
    return std::pair(tx::log(1.0 + e), [=](auto upstream) { return upstream * (1.0 - 1.0 / (1.0 + e)); });
});

} // namespace

TEST_CASE("custom_gradient: is used by grad, and the value is the callable's") {
    CHECK(tx::function{[](auto x) { return seven_cos(x); }}(scalar(1.0)).item() == doctest::Approx(std::sin(1.0)));
    tx::static_function const g{tx::grad([](auto x) { return tx::sum(seven_cos(x) * 2.0); })};
    auto const at = g(vector{1, 2});
    CHECK(at(0) == doctest::Approx(14 * std::cos(1.0)));
    CHECK(at(1) == doctest::Approx(14 * std::cos(2.0)));
}
TEST_CASE("custom_gradient: forward mode is its transpose") {
    auto const [value, change] = tx::jvp(seven_cos)(vector{1, 2}, vector{1, 10});
    CHECK(value(0) == doctest::Approx(std::sin(1.0)));
    CHECK(change(0) == doctest::Approx(7 * std::cos(1.0)));
    CHECK(change(1) == doctest::Approx(70 * std::cos(2.0)));
}
TEST_CASE("custom_gradient: differentiated again, the derivative is what was given") {
    auto const second = tx::grad(tx::grad([](auto x) { return seven_cos(x); }));
    CHECK(second(scalar(1.0)).item() == doctest::Approx(-7 * std::sin(1.0)));
}
TEST_CASE("custom_gradient: a callable that returns its derivative") {
    auto const f = [](auto x) { return log1pexp(x); };
    CHECK(tx::grad(f)(scalar(0.0)).item() == 0.5);
    CHECK(tx::grad(f)(scalar(1000.0)).item() == 1);
}
TEST_CASE("custom_gradient: several arguments and results") {
    constexpr auto f = tx::custom_gradient([](auto x, auto y) { return std::tuple(x * y, x + y); },
                                           [](auto x, auto y, auto g) { return std::tuple(100.0 * std::get<0>(g) * y, std::get<1>(g) + 0.0 * x); });
    auto const loss = [=](auto x, auto y) {
        auto const [product, sum] = f(x, y);
        return product + 3.0 * sum;
    };
    auto const [gx, gy] = tx::function{tx::grad<0, 1>(loss)}(scalar(2.0), scalar(5.0));
    CHECK(gx.item() == 500);
    CHECK(gy.item() == 3);
    auto const only_sum = [=](auto x, auto y) { return std::get<1>(f(x, y)); };
    CHECK(tx::function{tx::grad<1>(only_sum)}(scalar(2.0), scalar(5.0)).item() == 1);
}
TEST_CASE("custom_jvp: in both modes") {
    auto const f = [](auto x) { return tx::sum(seven_cos_forward(x)); };
    auto const [value, change] = tx::jvp(seven_cos_forward)(vector{1, 2}, vector{1, 0});
    CHECK(value(1) == doctest::Approx(std::sin(2.0)));
    CHECK(change(0) == doctest::Approx(7 * std::cos(1.0)));
    CHECK(tx::grad(f)(vector{1, 2})(1) == doctest::Approx(7 * std::cos(2.0)));
}
TEST_CASE("custom_gradient: cotangents of another form are refused") {
    auto const f = tx::custom_gradient([](auto x, auto y) { return x * y; }, [](auto x, auto, auto g) { return g * x; });
    CHECK_THROWS_WITH_AS(tx::function{[=](auto x, auto y, auto key) { return key ? tx::grad(f)(x, y) : x; }}(scalar(1.0), scalar(2.0), tx::key(true)),
                         "tx: custom_gradient: the cotangents must have the form of the primals, with 2 leaves; given 1", tx::signature_error);
}
TEST_CASE("custom_gradient: a function that the compiler traced on its own has none of the rules around it") {
    static constexpr auto square = [](auto x) { return x * x; };
    static constexpr auto near = tx::custom_gradient(square, [](auto, auto g) { return 10.0 * g; });
    static tx::function const apart{tx::custom_gradient(square, [](auto, auto g) { return 1000.0 * g; })};
    bool derive_near = false;
    auto const slopes = [&](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        vector const y = near(x), z = apart(vector(x));
        return tape.gradient(derive_near ? y : z, x) + (y + z) * 0.0;
    };
    CHECK_THROWS_AS(tx::function{slopes}(vector{1, 2}), tx::trace_error);
    derive_near = true;
    CHECK(tx::function{slopes}(vector{1, 2})(1) == 10);
}
