// This file tests results that are aggregate templates whose arguments are deduced in the callable: exprs while it is traced,
// tensors for the caller.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using single = tensor<float, shape<>>;

namespace {

template <class Y, class S> struct scaled {
    Y y;
    S sum;
};
template <class Value> struct weighted {
    Value value;
    float weight;
};

vec const x{1, 2, 3};
constexpr auto plain = [](auto a) { return scaled{a + 1, tx::sum(a)}; };
constexpr auto nested = [](auto a) { return std::tuple{scaled{a * 2, weighted{tx::sum(a), 4}}, std::pair{a, weighted{a - 1, 2}}}; };

void check_plain(auto const& result) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(result)>, scaled<vec, single>>);
    CHECK(tx::equal(result.y, vec{2, 3, 4}));
    CHECK(result.sum.item() == 6);
}
void check_nested(auto const& result) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(result)>,
                                 std::tuple<scaled<vec, weighted<single>>, std::pair<vec, weighted<vec>>>>);
    auto const& [first, second] = result;
    CHECK(tx::equal(first.y, vec{2, 4, 6}));
    CHECK(first.sum.value.item() == 6);
    CHECK(first.sum.weight == 4);
    CHECK(tx::equal(second.first, x));
    CHECK(tx::equal(second.second.value, vec{0, 1, 2}));
    CHECK(second.second.weight == 2);
}

} // namespace

TEST_CASE("deduced results: a static function") {
    tx::static_function const f{plain};
    check_plain(f(x));
    check_nested(tx::static_function{nested}(x));
    check_plain(f.concrete<tx::spec<float, shape<3>>>()(x));
    static_assert(std::is_same_v<decltype(tx::spec_of<tx::spec<float, shape<3>>>(plain)), scaled<vec, single>>);
}

TEST_CASE("deduced results: a trace at run time, eager calls, an open rank") {
    float const one = 1;
    tx::function const f{[one](auto a) { return scaled{a + one, tx::sum(a)}; }};
    tx::function const g{[one](auto a) { return static_cast<void>(one), nested(a); }};
    check_plain(f(x));
    check_nested(g(x));
    tx::run_eagerly(true);
    check_plain(f(x));
    check_nested(g(x));
    tx::run_eagerly(false);
    scaled<tensor<float>, tensor<float>> const open = tx::function{plain}(tensor<float>{1, 2});
    CHECK(tx::equal(open.y, tensor<float>{2, 3}));
    CHECK(open.sum.item() == 3);
}

TEST_CASE("deduced results: into") {
    scaled<vec, single> out{};
    tx::function{plain}.into(out, x);
    check_plain(out);
    float const one = 1;
    out = {};
    tx::function{[one](auto a) { return scaled{a + one, tx::sum(a)}; }}.into(out, x);
    check_plain(out);
}

TEST_CASE("deduced results: inside another trace, and as an argument of a call") {
    static constexpr tx::function inner{plain};
    tx::static_function const outer{[](auto a) {
        auto const part = inner(a);
        return scaled{part.y * part.sum, part};
    }};
    auto const result = outer(x);
    CHECK(tx::equal(result.y, vec{12, 18, 24}));
    check_plain(result.sum);
    tx::static_function const again{[](auto s) { return s.y * s.sum; }};
    CHECK(tx::equal(again(inner(x)), vec{12, 18, 24}));
}

TEST_CASE("deduced results: transforms and tapes") {
    auto const [slope, aux] = tx::grad([](auto a) { return std::pair{tx::sum(a * a), plain(a)}; }, tx::has_aux)(x);
    CHECK(tx::equal(slope, vec{2, 4, 6}));
    check_plain(aux);
    auto const [value, change] = tx::jvp(plain)(x, x);
    check_plain(value);
    CHECK(tx::equal(change.y, x));
    CHECK(change.sum.item() == 6);
    auto const [ys, sums] = tx::vmap(plain)(tensor<float, shape<1, 3>>{{1, 2, 3}}); // a struct becomes a tuple
    CHECK(tx::equal(ys, tensor<float, shape<1, 3>>{{2, 3, 4}}));
    CHECK(tx::equal(sums, tensor<float, shape<1>>{6}));
    tx::gradient_tape tape;
    vec const watched = x;
    tape.watch(watched);
    CHECK(tx::equal(tape.gradient(tx::function{plain}(watched).sum, watched), vec{1, 1, 1}));
}
