// This file tests that effects in a checkpoint happen once: draws, calls of opaque callables and prints are kept from the first
// pass, and what else derivatives need is recomputed around them. Expected values are closed forms.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <cmath>
#include <string>
#include <vector>

using tx::shape;
using tx::tensor;
using tx::testing::in_all;
using tx::testing::in_both_traces;

namespace {

using number = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;
using scalar = tx::spec<double, shape<>>;
using lines = std::vector<std::string>;

int calls = 0;
constexpr auto times_calls = [](auto const& x) { return ++calls, x * static_cast<double>(calls); };
constexpr auto called = [](auto const& x) { return tx::opaque<scalar>(times_calls, x); };
constexpr auto dropped = [](auto w) { return tx::sum(tx::nn::dropout(w * tx::ones<double>(shape<64>{}), 0.5)); };

// Linear in w, whatever is drawn: what f gives is w times its slope.
template <class F> void check_linear(F const& f) {
    in_all(tx::value_and_grad(tx::checkpoint(f)), [](auto const& g) {
        for (double const w : {1.0, 3.0}) {
            auto const [value, slope] = g(number(w));
            CHECK(value.item() == doctest::Approx(w * slope.item()));
            CHECK(slope.item() > 0);
        }
    });
}
// f called once in each of `count` calls of g(x), with these results.
template <class G> void check_calls(G const& g, double x, int expected, double value, double slope) {
    in_all(g, [&](auto const& f) {
        calls = 0;
        auto const [y, dx] = f(number(x));
        CHECK(calls == expected);
        CHECK(y.item() == doctest::Approx(value));
        CHECK(dx.item() == doctest::Approx(slope));
    });
}

} // namespace

TEST_CASE("checkpoint: draws in branches and loops are those of the value") {
    check_linear([](auto w) { return tx::cond(w > 0, [&] { return dropped(w); }, [&] { return w; }); });
    check_linear([](auto w) { return tx::fori_loop(0, 3, [](auto, auto s) { return dropped(s) / 64.0; }, w); });
    check_linear([](auto w) {
        return std::get<1>(tx::while_loop([](auto n, auto) { return n < 3; },
                                          [](auto n, auto s) { return std::tuple(n + 1, dropped(s) / 64.0); },
                                          tx::cast<std::int64_t>(w * 0.0), w));
    });
    check_linear([](auto w) { return tx::sum(tx::map([](auto s) { return dropped(s); }, w * tx::ones<double>(shape<3>{}))); });
    check_linear([](auto w) { return dropped(dropped(w) * 0.01); });
}
TEST_CASE("checkpoint: an opaque callable is called once") {
    auto const once = [](auto x) { return called(x); };
    check_calls(tx::value_and_grad(tx::checkpoint(once)), 3, 1, 3, 1);
    auto const around = [](auto x) { return tx::sin(called(tx::sin(x)) * 2.0) * x; };
    double const s = std::sin(0.7), c = std::cos(0.7);
    check_calls(tx::value_and_grad(tx::checkpoint(around)), 0.7, 1, std::sin(2 * s) * 0.7, std::sin(2 * s) + 1.4 * std::cos(2 * s) * c);
    auto const loop = [](auto x) { return tx::fori_loop(0, 3, [](auto, auto t) { return called(t); }, x); };
    check_calls(tx::value_and_grad(tx::checkpoint(loop)), 2, 3, 12, 6);
    auto const nested = [=](auto x) {
        auto const y = tx::checkpoint(around)(x);
        return y + tx::checkpoint(once)(x);
    };
    check_calls(tx::value_and_grad(tx::checkpoint(nested)), 0.7, 2, std::sin(2 * s) * 0.7 + 1.4,
                std::sin(2 * s) + 1.4 * std::cos(2 * s) * c + 2);
}
TEST_CASE("checkpoint: prints beside a call come out once, in order") {
    auto const f = [](auto x) {
        tx::print("before {}", x);
        return tx::checkpoint([](auto v) {
            tx::print("v {}", v * 2.0);
            auto const y = called(v * v);
            tx::print("y {}", y);
            return y * v;
        })(x);
    };
    in_both_traces(tx::grad(f), [](auto const& g) {
        lines out;
        tx::on_print([&](std::string const& line) { out.push_back(line); });
        calls = 0;
        CHECK(g(number(2.0)).item() == doctest::Approx(12));
        tx::on_print(nullptr);
        CHECK(out == lines{"before 2.0", "v 4.0", "y 4.0"});
    });
}
