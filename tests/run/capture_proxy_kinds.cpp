// This file tests what tx::capture takes: dtypes, structs, extents that the callable asks for, and values of a trace.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using open_vec = tensor<float, shape<dyn>>;
using texts = tensor<std::string, shape<3>>;

namespace {

vec const given{1, 1, 2};
struct holder {
    decltype(tx::capture(std::declval<vec&>())) w;
    constexpr auto operator()(auto x) const { return x * w; }
};
struct layered {
    tx::variable<float, shape<3>> by;
    std::array<vec, 2> more;
    constexpr auto operator()(auto x) const { return x * by + more[0] - more[1]; }
};
struct model {
    vec weights;
};

} // namespace

TEST_CASE("capture: a functor whose members are captures") {
    vec w{1, 2, 3};
    tx::static_function f{holder{tx::capture(w)}};
    CHECK(tx::equal(f(given), vec{1, 2, 6}));
    w = vec{1, 1, 1};
    CHECK(tx::equal(f(given), given));
}

TEST_CASE("capture: a struct of variables and arrays") {
    layered s{vec{1, 2, 3}, {vec{1, 1, 1}, vec{2, 2, 2}}};
    tx::static_function f{[s = tx::capture(s)](auto x) { return s(x) + s->by * 0 + s->more[1] * 0; }};
    CHECK(tx::equal(f(given), vec{0, 1, 5}));
    s.by.assign(vec{2, 2, 2});
    s.more[0] = vec{};
    CHECK(tx::equal(f(given), vec{0, 0, 2}));
}

TEST_CASE("capture: dtypes") {
    std::complex<double> c{0, 1};
    bool chosen = true;
    long n = 3;
    tx::half h{2.f};
    unsigned char u = 2;
    tx::static_function f{[c = tx::capture(c)](auto x) { return x * c; }};
    CHECK(f(2.0).item() == std::complex<double>(0, 2));
    tx::static_function g{[chosen = tx::capture(chosen), n = tx::capture(n), h = tx::capture(h), u = tx::capture(u)](auto x) {
        return tx::where(chosen, x * n, x * h) + u;
    }};
    CHECK(g(given)(0) == 5);
    chosen = false;
    CHECK(g(given)(0) == 4);
}

TEST_CASE("capture: texts") {
    texts who{"a", "b", "c"};
    tx::static_function f{[who = tx::capture(who)](auto x) { return x + who; }};
    CHECK(tx::equal(f(who), texts{"aa", "bb", "cc"}));
    tx::function twice{[who = tx::capture(who)](auto x) { return x + (who + who); }};
    tx::function chosen{[who = tx::capture(who)](auto x) { return tx::where(who < "b", x, 0); }};
    CHECK(tx::equal(chosen(given), vec{1, 0, 0}));
    who = texts{"c", "a", "a"};
    CHECK(tx::equal(chosen(given), vec{0, 1, 2}));
    CHECK(tx::equal(twice(texts{"x", "y", "z"}), texts{"xcc", "yaa", "zaa"}));
}

TEST_CASE("capture: a callable that asks for open extents is traced for them") {
    open_vec w{1, 2, 3};
    tx::function f{[w = tx::capture(w)](auto x) { return x * w + tx::size(w) + w.extent(0) + tx::zeros_like(w); }};
    CHECK(tx::equal(f(given), vec{7, 8, 12}));
    w = open_vec{1, 1, 1};
    CHECK(tx::equal(f(given), vec{7, 7, 8}));
    CHECK(f.tracing_count() == 1);
    w = open_vec{1};
    CHECK(tx::equal(f(given), vec{3, 3, 4}));
    CHECK(f.tracing_count() == 2);
}

TEST_CASE("capture: exprs and symbolic tensors, in lambdas within") {
    tx::static_function f{[](auto m, auto x) {
        auto const twice = x * 2;
        auto const inner = [w = tx::capture(m.weights), twice = tx::capture(twice)](auto y) { return y * w + twice; };
        return inner(x) + tx::grad([&](auto z) { return tx::sum(inner(z)); })(x);
    }};
    CHECK(tx::equal(f(model{{1, 2, 3}}, given), vec{4, 6, 13}));
}

TEST_CASE("capture: lambdas that captured, captured by others") {
    vec a{1, 2, 3}, b{1, 1, 1};
    tx::static_function f{
        [inner = [a = tx::capture(a)](auto x) { return x * a; }, b = tx::capture(b)](auto x) { return inner(x) + b; }};
    CHECK(tx::equal(f(given), vec{2, 3, 7}));
    a = vec{}, b = vec{};
    CHECK(tx::equal(f(given), vec{}));
}
