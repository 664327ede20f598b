// This file tests writes of elements of tensors that gradient tapes and forward accumulators know.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <memory>
#include <thread>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<3>>;

namespace {

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }
vec const given{1, 2, 3};

// The slope of sum(y * x) where y is x * x after `write`, on each form of shape.
template <class Write> void check_slope(Write const& write, vec const& slope) {
    auto const on = [&](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        auto y = x * x;
        write(y);
        CHECK(same(tape.gradient(tx::sum(y * x), x), slope));
    };
    on(given);
    on(tensor<double, shape<dyn>>(given));
    on(tensor<double>(given));
    auto const on_heap = [&]<class Long>(Long const&) { // too many elements for the object
        Long x{};
        for (int i = 0; i < 3; ++i) x(i) = given(i);
        tx::gradient_tape tape;
        tape.watch(x);
        auto y = x * x;
        write(y);
        CHECK(same(tx::slice(tape.gradient(tx::sum(y * x), x), tx::range<0, 3>), slope));
    };
    on_heap(tensor<double, shape<100>>{});
}

} // namespace

TEST_CASE("tape: an element that is written ends the gradient of what it was, on every form of shape") {
    check_slope([](auto& y) { y(0) = 100; }, {100, 12, 27});
    check_slope([](auto& y) { y(1) = 7, y(1) = 5; }, {3, 5, 27});
    check_slope([](auto& y) { for (int i = 0; i < 3; ++i) y(i) = 10.0 * i; }, {0, 10, 20});
}
TEST_CASE("tape: an element that is changed keeps its gradient: +=, -=, *=, /=, ++ and swap") {
    check_slope([](auto& y) { y(0) += 1; }, {4, 12, 27});                             // (x^2 + 1) x
    check_slope([](auto& y) { y(0) -= 1, ++y(1), --y(2); }, {2, 13, 26});             // 3 x^2 -+ 1
    check_slope([](auto& y) { y(0) *= 5, y(1) /= 2; }, {15, 6, 27});                  // 15 x^2, 3/2 x^2
    check_slope([](auto& y) { y(2) += 1, y(2) *= 2, y(2) -= 3; }, {3, 12, 53});       // 2 x^3 - x
    check_slope([](auto& y) { for (int i = 0; i < 3; ++i) y(i) *= 2, y(i) += 1, y(i) /= 4; }, {1.75, 6.25, 13.75}); // x^3/2 + x/4
    check_slope([](auto& y) { for (int i = 0; i < 3; ++i) y(i) *= 2, y(i) = i ? 3.0 : y(i); }, {2, 3, 3});
    check_slope([](auto& y) { swap(y(0), y(1)); }, {4 + 4, 4 + 1 - 0, 27});           // y_1 x_0 + y_0 x_1 = x1^2 x0 + x0^2 x1
}
TEST_CASE("tape: an element that is read in the same expression brings its gradient along") {
    check_slope([](auto& y) { y(0) = y(2); }, {9, 12, 27 + 6});       // x2^2 x0
    check_slope([](auto& y) { y(0) += y(1); }, {3 + 4, 12 + 4, 27});  // (x0^2 + x1^2) x0
    check_slope([](auto& y) { y(0) *= y(1), y(0) -= y(2); }, {12 - 9, 12 + 4, 27 - 6}); // (x0^2 x1^2 - x2^2) x0
    check_slope([](auto& y) { y(2) /= y(1); }, {3, 12 - 6.75, 6.75}); // x2^3 / x1^2
    check_slope([](auto& y) { y(1) = 2, y(0) = y(1), y(2) += y(1); }, {2, 2, 29});
    check_slope([](auto& y) { for (int i = 1; i < 3; ++i) y(i) += y(i - 1); }, {3 + 4 + 6, 12 + 1 + 12, 27 + 5}); // sums of squares
    vec x = given, z{};
    tx::gradient_tape tape;
    tape.watch(x);
    for (int i = 0; i < 3; ++i) z(2 - i) = x(i);
    z(0) *= x(0);
    CHECK(same(tape.gradient(tx::sum(z * z), x), vec{20, 4, 6})); // (x2 x0)^2 + x1^2 + x0^2
}
TEST_CASE("tape: second derivatives through written elements, by nested tapes and a persistent one") {
    vec const x = given;
    tx::gradient_tape outer;
    outer.watch(x);
    {
        tx::gradient_tape inner{{.persistent = true}};
        inner.watch(x);
        auto y = x * x;
        y(0) *= 2, y(1) = 100;
        auto const loss = tx::sum(y * x);
        auto const d = inner.gradient(loss, x);
        CHECK(same(d, vec{6, 100, 27}));
        CHECK(same(inner.gradient(d, x), vec{12, 0, 18}));
        CHECK(same(outer.gradient(d, x), vec{12, 0, 18}));
    }
}
TEST_CASE("tape: the second derivative finds what was written, although only the outer tape knows where it came from") {
    vec x = given;
    tx::gradient_tape outer;
    outer.watch(x);
    vec const y = x * 2;
    tx::gradient_tape inner;
    inner.watch(y);
    vec w = y;
    w(0) *= x(1), w(2) += x(0);
    vec const g = inner.gradient(tx::sum(w * w), y);        // 2 y0 x1^2, 2 y1, 2 (y2 + x0)
    CHECK(same(g, vec{16, 8, 14}));
    CHECK(same(outer.gradient(tx::sum(g), x), vec{18, 20, 4})); // of 4 x0 x1^2 + 4 x1 + 4 x2 + 2 x0
}
TEST_CASE("tape: a copy of a tensor keeps its gradient when the tensor is written, and the other way round") {
    auto const on = [](auto x) {
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(x);
        auto y = x * x;
        auto const first = y;
        y(0) = 100;
        auto const second = y;
        y(1) *= 2;
        auto third = first;
        third(2) = 5;
        y(2) = 7;
        CHECK(same(tape.gradient(tx::sum(second * x), x), vec{100, 12, 27}));
        CHECK(same(tape.gradient(tx::sum(first * x), x), vec{3, 12, 27}));
        CHECK(same(tape.gradient(tx::sum(third * x), x), vec{3, 12, 5}));
        CHECK(same(tape.gradient(y * x, x, vec{1, 1, 1}), vec{100, 24, 7}));
        y(2) *= 2;
        CHECK(same(tape.gradient(y, x, vec{1, 2, 1}), vec{0, 16, 0}));
        CHECK(same(tape.jacobian(y, x), tensor<double, shape<3, 3>>{{0, 0, 0}, {0, 8, 0}, {0, 0, 0}}));
    };
    on(given);
    on(tensor<double, shape<dyn>>(given));
}
TEST_CASE("tape: what was watched stays the source when elements of it are written") {
    auto const on = [](auto x) {
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(x);
        auto const y = x * x;
        x(0) = 100;
        auto const z = tx::sum(x * x);
        CHECK(z.item() == 10013);
        CHECK(same(tape.gradient(z, x), vec{0, 4, 6}));
        CHECK(same(tape.gradient(y, x), vec{2, 4, 6}));
        tape.watch(x); // the new value
        CHECK(same(tape.gradient(tx::sum(x * x), x), vec{200, 4, 6}));
        CHECK(tape.explain(y, x).find("does not depend") != std::string::npos);
    };
    on(given);
    on(tensor<double>(given));
    vec x = given;
    tx::variable w{given};
    tx::gradient_tape tape;
    auto v = w.value();
    v(1) = 0;
    CHECK(same(tape.gradient(tx::sum(v * v * x), w), vec{2, 0, 18}));
}
TEST_CASE("tape: through memory that was handed out there is no gradient, and the tape says so") {
    auto const words = "wrote itself, by mutable_data()";
    auto const on = [&](auto x) {
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(x);
        auto y = x * x, z = x * 2;
        y.mutable_data()[0] = 100;
        auto const loss = tx::sum(y * x);
        CHECK(message_of<tx::tape_error>([&] { (void)tape.gradient(loss, x); }).find(words) != std::string::npos);
        CHECK(message_of<tx::tape_error>([&] { (void)tape.gradient(y, x, tx::unconnected::zero); }).find(words) != std::string::npos);
        CHECK(tape.explain(loss, x).find(words) != std::string::npos);
        CHECK(tape.explain(y, x).find(words) != std::string::npos);
        CHECK(same(tape.gradient(tx::sum(tx::stop_gradient(y) * x), x), vec{100, 4, 9}));
        CHECK(same(tape.gradient(tx::sum(z * x), x), vec{4, 8, 12}));
        tape.watch(y);
        CHECK(same(tape.gradient(tx::sum(y * x), y), vec{1, 2, 3}));
        y(0) = 1;
        CHECK(tape.explain(tx::sum(y), x).find(words) != std::string::npos);
        CHECK(same(tape.gradient(tx::sum(y * y), y), vec{0, 8, 18}));
        x.mutable_data()[0] = 7;
        CHECK(tape.explain(loss, x).find("not watched") != std::string::npos);
        tx::forward_accumulator acc{{x, given}};
        auto f = x * x;
        f.mutable_data()[2] = 1;
        CHECK(message_of<tx::tape_error>([&] { (void)acc.jvp(f); }).find(words) != std::string::npos);
    };
    on(given);
    on(tensor<double, shape<dyn>>(given));
}
TEST_CASE("tape: what was handed out has no gradient however often the program writes there") {
    auto const words = "wrote itself, by mutable_data()";
    auto const on = [&](auto x) {
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(x);
        auto y = x * 2;
        auto const refuses = [&](auto const& target) {
            auto const message = [&](auto... how) {
                return message_of<tx::tape_error>([&] { (void)tape.gradient(target, x, how...); });
            };
            CHECK(message().find(words) != std::string::npos);
            CHECK(message(tx::unconnected::zero).find(words) != std::string::npos);
        };
        double* const p = y.mutable_data();
        p[0] = 1;
        auto const first = tx::sum(y);
        p[0] = 7;
        auto const second = tx::sum(y) + tx::sum(x);
        CHECK(second.item() == 23);
        refuses(first), refuses(second);
        p[0] = 8;
        refuses(y);
        y(1) = 3;
        if (y.data() == p) p[0] = 9; // a write may have moved the elements, which the tape has, too
        refuses(tx::sum(y));
        y = x * 3;
        CHECK(same(tape.gradient(tx::sum(y * x), x), vec{6, 12, 18}));
        y.mutable_data()[0] = 1;
        tape.watch(y);
        CHECK(same(tape.gradient(tx::sum(y * y), y), vec{2, 12, 18}));
        y.mutable_data()[0] = 1;
        y = given * 2; // which no tape knows
        CHECK(same(tape.gradient(tx::sum(y * x), x), vec{2, 4, 6}));
    };
    on(given);
    on(tensor<double, shape<dyn>>(given));
}
TEST_CASE("tape: writes while it is stopped, after it has ended, and in another thread") {
    vec x = given;
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    vec y = x * x, z = x * x, u = x * x;
    {
        auto const stopped = tape.stop_recording();
        y(0) = 100;
    }
    CHECK(same(tape.gradient(tx::sum(y * x), x), vec{100, 4, 9}));
    CHECK(tape.explain(y, x) == "y was computed after stop_recording");
    std::thread([&] { z(0) = 100; }).join();
    CHECK(same(tape.gradient(tx::sum(z * x), x), vec{100, 4, 9})); // as what another thread computes
    vec late;
    {
        tx::gradient_tape other;
        other.watch(x);
        late = x * x;
    }
    late(0) = 100;
    CHECK(late(0) == 100);
    CHECK(same(tape.gradient(tx::sum(late * x), x), vec{100, 12, 27}));
    {
        tx::gradient_tape once;
        once.watch(u);
        auto const v = u * 2;
        CHECK(same(once.gradient(v, u), vec{2, 2, 2}));
    }
    u(0) = 3, u(1) += 1;
    CHECK(same(u, vec{3, 5, 9}));
}
TEST_CASE("forward accumulator: elements that are written") {
    auto const on = [](auto x) {
        tx::forward_accumulator acc{{x, vec{1, 10, 100}}};
        auto y = x * x;
        y(0) = 100, y(1) *= 3;
        CHECK(same(acc.jvp(y), vec{0, 120, 600}));
        for (int i = 0; i < 3; ++i) y(i) *= 2, y(i) += 1;
        CHECK(same(acc.jvp(y), vec{0, 240, 1200}));
        y(0) = y(2);
        CHECK(same(acc.jvp(y), vec{1200, 240, 1200}));
        x(0) = 9;
        CHECK(same(acc.jvp(x * 1), vec{0, 10, 100}));
    };
    on(given);
    on(tensor<double>(given));
}
TEST_CASE("tape: many writes are recorded as one step, of each inexact dtype, matrix and scalar") {
    auto const on = []<class T>(T) {
        using matrix = tensor<T, shape<dyn, 4>>;
        matrix x(5, 4);
        for (int i = 0; i < 20; ++i) x(i / 4, i % 4) = static_cast<T>(static_cast<float>(i + 1));
        tx::gradient_tape tape;
        tape.watch(x);
        auto y = x * x;
        for (int i = 0; i < 5; ++i) y(i, 1) = static_cast<T>(2.0f), y(i, 2) *= static_cast<T>(4.0f), y(i, -1) += static_cast<T>(1.0f);
        auto const d = tape.gradient(tx::sum(y), x);
        for (int i = 0; i < 5; ++i) {
            CHECK(d(i, 0) == x(i, 0) * static_cast<T>(2.0f));
            CHECK(d(i, 1) == static_cast<T>(0.0f));
            CHECK(d(i, 2) == x(i, 2) * static_cast<T>(8.0f));
            CHECK(d(i, 3) == x(i, 3) * static_cast<T>(2.0f));
        }
    };
    on(float{}), on(double{}), on(tx::bfloat16{}), on(std::complex<float>{});
    tensor<double, shape<>> const x = 3.0;
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    auto y = x * x;
    y() += 1, y() *= 2;
    CHECK(tape.gradient(y, x).item() == 12);
    y() = 5;
    CHECK(tape.gradient(y * x, x).item() == 5);
    auto const whole = tx::cast<int>(given);
    auto n = whole + 1;
    n(0) = 7;
    CHECK(n(0) == 7);
}
TEST_CASE("tape in a traced callable: elements that are written of a concrete tensor that it watches") {
    auto const on = [](auto const& input) {
        tx::function const traced{[&input](auto scale) {
            auto x = input;
            tx::gradient_tape tape;
            tape.watch(x);
            auto const source = x;
            x(0) = 100, x(1) *= 2;
            return tape.gradient(tx::sum(x * x * scale), source);
        }};
        CHECK(same(traced(2.0), vec{0, 32, 12})); // 2 (100^2 + (2 x1)^2 + x2^2)
    };
    on(given);
    tx::function const refused{[&](auto scale) {
        vec x = given;
        tx::gradient_tape tape;
        tape.watch(x);
        x.mutable_data()[0] = 1;
        return tape.gradient(tx::sum(x * scale), x);
    }};
    vec const w = given;
    tx::gradient_tape outer;
    outer.watch(w);
    vec y = w * 2;
    tx::function const writes{[&y](auto scale) {
        tx::gradient_tape tape;
        tape.watch(y);
        y(0) = 5, y(1) *= 2;
        return tx::sum(y * y * scale);
    }};
    CHECK(writes(1.0).item() == 125);
    CHECK(same(outer.gradient(tx::sum(y * y) + tx::sum(w), w), vec{1, 65, 25})); // 5^2 + (4 w1)^2 + (2 w2)^2 + w0 + w1 + w2
    CHECK_THROWS_WITH_AS((void)refused(2.0), doctest::Contains("element by element"), tx::tape_error);
}
TEST_CASE("tape: an element that was read is one also when its tensor is gone, or has another one there by now") {
    auto const first_of = [](auto const& make) {
        auto gone = std::make_unique<tensor<double, shape<dyn>>>(make());
        return (*gone)(0);
    };
    tensor<double, shape<dyn>> x{1, 2, 3};
    x(1) = first_of([&] { return x * 3; });
    x(1) += first_of([&] { return x * 4; });
    CHECK(tx::equal(x, tensor<double>{1, 7, 3}));
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    tensor<double, shape<dyn>> y = x * 2;
    y(0) = first_of([&] { return x * x; });
    y(1) *= first_of([&] { return x * 5; });
    CHECK(tx::equal(tape.gradient(tx::sum(y), x), tensor<double>{2 + 70, 10, 2})); // x0^2 + 2 x1 * 5 x0 + 2 x2
    tensor<double, shape<dyn>> z = x * 2, w = x * 0;
    auto before = z(0);
    z(0) = 5;
    w(0) = std::move(before); // what z(0) was
    CHECK(tx::equal(w, tensor<double>{2, 0, 0}));
    CHECK(tx::equal(tape.gradient(tx::sum(w * x), x), tensor<double>{4, 0, 0}));
}
TEST_CASE("tape: an element of another dtype is cast") {
    tensor<double, shape<3>> x{1, 2, 3};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    tensor<float, shape<3>> y{1, 1, 1};
    y(0) += x(1), y(2) *= x(2), y(1) = x(0);
    CHECK(tx::equal(tape.gradient(tx::sum(y * y), x), tensor<double>{2, 6, 6})); // (1 + x1)^2 + x0^2 + x2^2
    tensor<double, shape<3>> z{1, 1, 1};
    z(0) -= y(2);
    CHECK(tx::equal(tape.gradient(tx::sum(z * z), x), tensor<double>{0, 0, 4})); // (1 - x2)^2
}
