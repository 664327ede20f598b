// This file tests gradient tapes: values against calculus.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

using tx::dyn;
using tx::shape;
using tx::tensor;
using rank0 = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;

namespace {

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }
template <class A, class B> void check_close(A const& a, B const& b, double tolerance = 1e-12) {
    REQUIRE(a.dimensions() == b.dimensions());
    for (std::int64_t i = 0; i < a.size(); ++i) CHECK(static_cast<double>(a.data()[i]) == doctest::Approx(static_cast<double>(b.data()[i])).epsilon(tolerance));
}

} // namespace

TEST_CASE("tape: a derivative, and nested tapes for the second") {
    rank0 const x = 3.0;
    tx::gradient_tape outer;
    outer.watch(x);
    tx::gradient_tape inner;
    inner.watch(x);
    auto const y = x * x;
    auto const dy = inner.gradient(y, x);
    static_assert(std::is_same_v<decltype(dy), rank0 const>);
    CHECK(dy.item() == 6);
    CHECK(outer.gradient(dy, x).item() == 2);
}

TEST_CASE("tape: a persistent tape gives several derivatives, and theirs") {
    rank0 const x = 3.0;
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    SUBCASE("of several targets") {
        auto const y = x * x, z = y * x;
        CHECK(tape.gradient(y, x).item() == 6);
        CHECK(tape.gradient(z, x).item() == 27);
        CHECK(tape.gradient(std::tuple(y, z), x).item() == 33);
    }
    SUBCASE("three orders") {
        auto const y = tx::pow(x, 3);
        auto const first = tape.gradient(y, x), second = tape.gradient(first, x), third = tape.gradient(second, x);
        CHECK(first.item() == 27);
        CHECK(second.item() == 18);
        CHECK(third.item() == 6);
    }
}

TEST_CASE("tape: four nested orders of x^3.5 at 1.1") {
    rank0 const x = 1.1;
    tx::gradient_tape fourth, third, second, first;
    for (tx::gradient_tape* t : {&fourth, &third, &second, &first}) t->watch(x);
    auto const y = tx::pow(x, 3.5);
    auto const d1 = first.gradient(y, x);
    auto const d2 = second.gradient(d1, x);
    auto const d3 = third.gradient(d2, x);
    auto const d4 = fourth.gradient(d3, x);
    CHECK(y.item() == doctest::Approx(1.3959645769).epsilon(1e-10));
    CHECK(d1.item() == doctest::Approx(4.4417054720).epsilon(1e-10));
    CHECK(d2.item() == doctest::Approx(10.0947851636).epsilon(1e-10));
    CHECK(d3.item() == doctest::Approx(13.7656161332).epsilon(1e-10));
    CHECK(d4.item() == doctest::Approx(3.5 * 2.5 * 1.5 * 0.5 / std::sqrt(1.1)).epsilon(1e-10));
}

TEST_CASE("tape: several sources, in trees") {
    tensor<float, shape<1, 2>> const x{{1, 2}}, y{{3, 4}};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x, y);
    auto const loss = tx::mean(tx::pow(x, 2) * 3 + y);
    auto const [dx, dy] = tape.gradient(loss, std::tuple(x, y));
    check_close(dx, tensor<float, shape<1, 2>>{{3, 6}}, 1e-6);
    check_close(dy, tensor<float, shape<1, 2>>{{0.5f, 0.5f}}, 1e-6);
    auto const both = tape.gradient(loss, std::array{x, y});
    check_close(both[1], dy);
    struct pair_of_tensors {
        tensor<float, shape<1, 2>> a, b;
    };
    auto const fields = tape.gradient(loss, pair_of_tensors{x, y});
    check_close(fields.a, dx);
    check_close(fields.b, dy);
}

TEST_CASE("tape: with respect to intermediate values") {
    rank0 const x = 3.0;
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = x * x, z = y * y;
    auto const [dx, dy] = tape.gradient(z, std::pair(x, y));
    CHECK(dx.item() == 108);
    CHECK(dy.item() == 18);
}

TEST_CASE("tape: values that were computed alike are different sources") {
    rank0 const x = 3.0;
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    auto const a = x * x, b = x * x;
    auto const y = 2 * a + 5 * b;
    CHECK(tape.gradient(y, a).item() == 2);
    CHECK(tape.gradient(y, b).item() == 5);
    CHECK(tape.gradient(y, x).item() == 42);
    auto const [once, again] = tape.gradient(y, std::tuple(a, a));
    CHECK(once.item() == 2);
    CHECK(again.item() == 2);
}

TEST_CASE("tape: targets") {
    vec const x{1, 2, 3};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    auto const y = x * x, z = 3 * x;
    SUBCASE("more than one element: of the sum") { CHECK(same(tape.gradient(y, x), vec{2, 4, 6})); }
    SUBCASE("several add up") { CHECK(same(tape.gradient(std::tuple(y, z), x), vec{5, 7, 9})); }
    SUBCASE("one that is a source adds 1") {
        CHECK(same(tape.gradient(x, x), vec{1, 1, 1}));
        CHECK(same(tape.gradient(std::tuple(x, z), x), vec{4, 4, 4}));
    }
    SUBCASE("weighted by output gradients") {
        CHECK(same(tape.gradient(y, x, vec{1, 10, 100}), vec{2, 40, 600}));
        CHECK(same(tape.gradient(std::tuple(y, z), x, std::tuple(vec{1, 10, 100}, vec{1, 0, 0})), vec{5, 40, 600}));
        rank0 const s = 2.0;
        tape.watch(s);
        CHECK(tape.gradient(s * s, s, 10).item() == 40);
    }
    SUBCASE("one that is not connected adds nothing") { CHECK(same(tape.gradient(std::tuple(y, vec{1, 1, 1}), x), vec{2, 4, 6})); }
}

TEST_CASE("tape: of complex numbers the conjugate derivative") {
    using complex = std::complex<double>;
    tensor<complex, shape<>> const x = complex(3, 3);
    tx::gradient_tape tape;
    tape.watch(x);
    CHECK(tape.gradient(x * x, x).item() == complex(6, -6));
}

TEST_CASE("tape: what is not connected") {
    vec const x{1, 2, 3}, other{4, 5, 6};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x, other);
    auto const y = x * x;
    auto const none = tape.gradient(y, std::tuple(x, other), tx::unconnected::none);
    static_assert(std::is_same_v<decltype(none), std::tuple<std::optional<vec>, std::optional<vec>> const>);
    CHECK(same(*std::get<0>(none), vec{2, 4, 6}));
    CHECK(!std::get<1>(none));
    CHECK(same(std::get<1>(tape.gradient(y, std::tuple(x, other), tx::unconnected::zero)), vec{}));
    CHECK(!tape.gradient(vec{1, 2, 3}, x, tx::unconnected::none));
    CHECK(!tape.gradient(tx::stop_gradient(y), x, tx::unconnected::none));
    CHECK(!tape.gradient(tx::floor(x), x, vec{1, 1, 1}, tx::unconnected::none));
}

TEST_CASE("tape: open shapes and ranks") {
    tensor<double, shape<dyn>> const x{1, 2, 3};
    tensor<double> const any{{1, 2, 3}, {4, 5, 6}};
    tx::gradient_tape tape;
    tape.watch(x, any);
    auto const y = tx::sum(tx::softmax(any * x, tx::axis<-1>) * any);
    auto const [dx, dany] = tape.gradient(y, std::tuple(x, any));
    auto const f = [](auto a, auto b) { return tx::sum(tx::softmax(b * a, tx::axis<-1>) * b); };
    auto const [gx, gany] = tx::grad<0, 1>(f)(vec{1, 2, 3}, tensor<double, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}});
    check_close(dx, gx);
    check_close(dany, gany);
}

TEST_CASE("tape: copies and conversions are the same value, what is written is another") {
    vec x{1, 2, 3};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    vec const copy = x;
    tensor<double> const any = copy;
    auto const y = copy * 2;
    auto const z = any * 3;
    CHECK(same(tape.gradient(std::tuple(y, z), x), vec{5, 5, 5}));
    x.mutable_data()[0] = 7;
    CHECK(!tape.gradient(x * x, x, tx::unconnected::none));
    CHECK(same(tape.gradient(copy * copy, copy), vec{2, 4, 6})); // its values are those that were watched
    x = copy;
    CHECK(same(tape.gradient(x * x, copy), vec{2, 4, 6}));
}

TEST_CASE("tape: recording can be stopped for a while, and begun anew") {
    rank0 const x = 3.0;
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    auto const y = x * x;
    rank0 z;
    {
        auto const stopped = tape.stop_recording();
        z = x * x;
    }
    CHECK(!tape.gradient(z, x, tx::unconnected::none));
    CHECK(tape.gradient(y, x).item() == 6);
    CHECK(tape.gradient(z * x, x).item() == 9);
    tape.reset();
    CHECK(!tape.gradient(y, x, tx::unconnected::none));
    tape.watch(x);
    CHECK(tape.gradient(x * x * x, x).item() == 27);
    tx::gradient_tape once;
    once.watch(x);
    CHECK(once.gradient(x * x, x).item() == 6);
    once.reset();
    once.watch(x);
    CHECK(once.gradient(x * x * x, x).item() == 27);
}

TEST_CASE("tape: tapes see only what their thread computes, and only what they watch") {
    rank0 const x = 3.0, y = 2.0;
    tx::gradient_tape outer{{.persistent = true}};
    outer.watch(x);
    {
        tx::gradient_tape inner{{.persistent = true}};
        inner.watch(y);
        auto const z = x * y;
        CHECK(inner.gradient(z, y).item() == 3);
        CHECK(outer.gradient(z, x).item() == 2);
        CHECK(!inner.gradient(z, x, tx::unconnected::none));
        auto const mixed = inner.gradient(z * z, y); // 2 x^2 y
        CHECK(mixed.item() == 36);
        CHECK(outer.gradient(mixed, x).item() == 24); // 4 x y
    }
    CHECK(outer.gradient(x * x, x).item() == 6);
}

TEST_CASE("tape: memory is released with the first gradient, and with the tape") {
    auto const references = [](auto const& a) { return tx::detail::header_of(a.data())->references.load(); };
    tensor<double, shape<1000>> x = tx::ones<double>(shape<1000>{});
    REQUIRE(references(x) == 1);
    tx::gradient_tape once;
    once.watch(x);
    auto const y = x * x;
    CHECK(references(x) > 1);
    CHECK(references(y) > 1);
    CHECK(once.gradient(y, x)(7) == 2);
    CHECK(references(x) == 1);
    CHECK(references(y) == 1);
    {
        tx::gradient_tape kept{{.persistent = true}};
        kept.watch(x);
        auto const z = x * 2;
        auto const dz = kept.gradient(z, x);
        CHECK(references(x) > 1);
        CHECK(references(dz) > 1);
        kept.reset();
        CHECK(references(x) == 1);
        kept.watch(x);
    }
    CHECK(references(x) == 1);
}
