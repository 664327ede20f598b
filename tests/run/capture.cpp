// This file tests the state of callables: captured tensors, members of functors, bound and referenced ones.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;
using matrix = tensor<float, shape<2, 2>>;

namespace {

vec global_weights{1, 2};
tensor<float, shape<dyn>> global_open{1, 2};
tensor<float> global_any;
constexpr vec fixed_weights{3, 4};

struct dense {
    matrix w{{1, 0}, {0, 1}};
    vec b{};
    constexpr auto operator()(auto x) const { return tx::matmul(w, x) + b; }
};
struct any_scale {
    tensor<float> by;
    constexpr auto operator()(auto x) const { return x * by; }
};
struct network {
    std::array<dense, 2> layers{};
    dense last{};
    tensor<float, shape<>> scale{1.f};
    constexpr auto operator()(auto x) const { return last(tx::relu(layers[1](layers[0](x)))) * scale; }
};
struct powered {
    vec w{1, 1};
    int exponent = 2;
    auto operator()(auto x) const {
        auto out = x * w;
        for (int i = 1; i < exponent; ++i) out = out * x;
        return out;
    }
};
// Not an aggregate: all that is known is that it can be called.
class hidden {
public:
    explicit hidden(float factor) : w_{factor, factor} {}
    auto operator()(auto x) const { return x * w_; }

private:
    vec w_;
};
// Too many fields to be told apart by the compiler's rules for aggregates: a built-in array.
struct with_array {
    vec w[2]{{1, 2}, {3, 4}};
    auto operator()(auto x) const { return x * w[0] + w[1]; }
};
constexpr tx::function scaled{[](auto v) { return v * 3; }};
struct uses_function {
    vec w{1, 2};
    int times = 1;
    auto operator()(auto x) const { return x + scaled(w) + scaled(vec{1, 1}); }
};
struct open_state {
    tensor<float> w = {1, 2};
    auto operator()(auto x) const { return tx::sum(x * w); }
};

struct scaled_sum {
    vec w{1, 1};
    constexpr auto operator()(auto x, auto const& y) const { return x * w + y; }
};
struct by_address {
    vec const* w;
    explicit by_address(vec const& at) : w{&at} {}
    auto operator()(auto x) const { return x * *w; }
};

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

} // namespace

TEST_CASE("capture: tensors at namespace scope, and static ones, are read at each call") {
    static vec local{10, 20};
    tx::static_function g{[](auto x) { return x * global_weights + x * local * fixed_weights; }};
    vec const x{1, 1};
    global_weights = {1, 2}, local = {10, 20};
    CHECK(same(g(x), vec{31, 82}));
    global_weights = {5, 6};
    CHECK(same(g(x), vec{35, 86}));
    local = {0, 0};
    CHECK(same(g(x), vec{5, 6}));
    CHECK(g.tracing_count() == 1);
    vec out;
    g.into(out, x);
    CHECK(same(out, vec{5, 6}));
    g.into(global_weights, x); // reads what it writes
    CHECK(same(global_weights, vec{5, 6}));
}

TEST_CASE("capture: extents of a tensor at namespace scope may change between calls") {
    tx::static_function g{[](auto x) {
        auto const total = tx::sum(x);
        return std::pair{total * global_open, tx::sum(total * global_open)};
    }};
    tensor<float, shape<dyn>> const x{1, 1};
    global_open = {1, 2};
    CHECK(same(g(x).first, tensor<float, shape<dyn>>{2, 4}));
    global_open = {1, 2, 3};
    CHECK(same(g(x).first, tensor<float, shape<dyn>>{2, 4, 6}));
    CHECK(g(x).second.item() == 12);
    global_open = {5};
    CHECK(same(g(tensor<float, shape<dyn>>{1, 1, 1}).first, tensor<float, shape<dyn>>{15}));
    std::pair<tensor<float, shape<dyn>>, tensor<float, shape<>>> out;
    global_open = {1, 2, 3, 4};
    g.into(out, x);
    CHECK(same(out.first, tensor<float, shape<dyn>>{2, 4, 6, 8}));
    CHECK(g.tracing_count() == 1);
}

TEST_CASE("capture: the same in traces made at run time") {
    static vec local{10, 20};
    int traced = 0;
    tx::function g{[&](auto x) {
        ++traced;
        vec const inside{1, 1};
        return x * global_weights + local * inside + tx::sum(global_open);
    }};
    tensor<float> const x{1, 1};
    global_weights = {1, 2}, global_open = {1, 2};
    CHECK(same(g(x), tensor<float>{14, 25}));
    global_weights = {0, 0}, global_open = {1, 2, 3};
    CHECK(same(g(x), tensor<float>{16, 26}));
    CHECK(traced == 1);
}

TEST_CASE("capture: where only the running program knows the rank, each shape is a trace") {
    tx::function at_namespace_scope{[](auto x) { return x * global_any; }};
    static tensor<float> local;
    tx::function in_lambda{[&](auto x) { return x * local; }};
    tx::variable<float> v{tensor<float>{1, 2}};
    tx::function of_variable{[&v](auto x) { return x * v; }};
    any_scale state;
    tx::function of_functor{std::ref(state)};
    auto const check = [&](tensor<float> const& value, tensor<float> const& wanted, std::size_t traces) {
        global_any = local = state.by = value;
        v = value;
        for (int again = 0; again < 2; ++again) {
            CHECK(same(at_namespace_scope(vec{1, 2}), wanted));
            CHECK(same(in_lambda(vec{1, 2}), wanted));
            CHECK(same(of_variable(vec{1, 2}), wanted));
            CHECK(same(of_functor(vec{1, 2}), wanted));
        }
        CHECK(at_namespace_scope.tracing_count() == traces);
        CHECK(in_lambda.tracing_count() == traces);
        CHECK(of_variable.tracing_count() == traces);
    };
    check({1, 2}, {1, 4}, 1);
    check(2.f, {2, 4}, 2);
    check({{1}, {3}}, {{1, 2}, {3, 6}}, 3);
    check({3, 1}, {3, 2}, 3);
}

TEST_CASE("capture: tensors built inside the callable are constants") {
    tx::static_function g{[](auto x) { return (x + vec{1, 2}) * vec{2, 2}; }};
    CHECK(same(g(vec{0, 1}), vec{2, 6}));
}

TEST_CASE("capture: what a lambda captures is traced at run time, and kept") {
    vec w{1, 2};
    tensor<float, shape<40>> const big = tx::ones<float>(shape<40>{});
    tx::function g{[w, big](auto x) { return x * w + tx::sum(big); }};
    static_assert(!decltype(g)::is_static);
    w = {0, 0};
    CHECK(same(g(vec{1, 1}), vec{41, 42}));
    CHECK(same(g(vec{1, 2}), vec{41, 44}));
    CHECK(g.tracing_count() == 1);
}

TEST_CASE("capture: members of a functor") {
    SUBCASE("copied") {
        dense d;
        d.b = {1, 2};
        tx::function g{d};
        static_assert(decltype(g)::is_static);
        d.b = {0, 0};
        CHECK(same(g(vec{3, 4}), vec{4, 6}));
        CHECK(g.signatures() == std::vector<std::string>{"(float32[2]) -> float32[2]"});
    }
    SUBCASE("referred to: live") {
        dense d;
        tx::function g{std::ref(d)};
        static_assert(decltype(g)::is_static);
        CHECK(same(g(vec{3, 4}), vec{3, 4}));
        d.b = {1, 2};
        CHECK(same(g(vec{3, 4}), vec{4, 6}));
        d.w = {{0, 1}, {1, 0}};
        CHECK(same(g(vec{3, 4}), vec{5, 5}));
        CHECK(g.tracing_count() == 1);
        tx::static_function fixed{std::cref(d)};
        CHECK(same(fixed(vec{3, 4}), vec{5, 5}));
    }
    SUBCASE("nested, and several of one class") {
        network n;
        tx::function g{std::ref(n)};
        n.layers[0].b = {1, 0}, n.layers[1].b = {0, -10}, n.last.w = {{1, 1}, {1, -1}};
        CHECK(same(g(vec{1, 2}), vec{2, 2}));
        n.layers[1].b = {0, 10}, n.scale = 2.f;
        CHECK(same(g(vec{1, 2}), vec{28, -20}));
        CHECK(g.tracing_count() == 1);
        dense one, two;
        two.b = {1, 1};
        tx::function both{[&](auto x) { return one(x) * two(x); }};
        CHECK(same(both(vec{1, 2}), vec{2, 6}));
    }
}

TEST_CASE("capture: a functor's numbers are values of its run-time traces") {
    powered p;
    tx::function g{std::ref(p)};
    static_assert(!decltype(g)::is_static);
    CHECK(same(g(vec{2, 3}), vec{4, 9}));
    p.exponent = 3;
    CHECK(same(g(vec{2, 3}), vec{8, 27}));
    p.exponent = 2, p.w = {1, 2};
    CHECK(same(g(vec{2, 3}), vec{4, 18}));
    CHECK(g.tracing_count() == 2);
    tx::function copied{powered{{1, 1}, 1}};
    CHECK(same(copied(vec{2, 3}), vec{2, 3}));
}

TEST_CASE("capture: functors that can't be taken apart, or have open ranks") {
    tx::function g{hidden{3}};
    CHECK(same(g(vec{1, 2}), vec{3, 6}));
    tx::function h{with_array{}};
    CHECK(same(h(vec{1, 2}), vec{4, 8}));
    open_state s;
    tx::function k{std::ref(s)};
    CHECK(k(vec{1, 2}).item() == 5);
    s.w = {2, 2};
    CHECK(k(vec{1, 2}).item() == 6);
    CHECK(k.tracing_count() == 1);
    s.w = {{1, 1}, {1, 1}};
    CHECK(k(vec{1, 2}).item() == 6);
    CHECK(k.tracing_count() == 2);
}

TEST_CASE("bind: a functor that is referred to, or whose passes have options") {
    scaled_sum s;
    vec b{1, 2};
    auto const f = tx::function{std::ref(s)}.bind(b);
    static_assert(decltype(f)::is_static);
    s.w = {5, 6}, b = {0, 1};
    CHECK(same(f(vec{1, 1}), vec{5, 7}));
    auto const g = tx::function{tx::with_passes<tx::pass_options{.cluster = false}>(std::ref(s))}.bind(b);
    static_assert(decltype(g)::is_static);
    s.w = {1, 2};
    CHECK(same(g(vec{1, 1}), vec{1, 3}));
}

TEST_CASE("capture: a function assigned to another has that one's traces no more") {
    auto const check = [](auto a, auto b) {
        vec const x{1, 1};
        tx::function f{a};
        tx::function g{b};
        CHECK(same(f(x), vec{3, 3}));
        CHECK(same(g(x), vec{5, 5}));
        f = g;
        CHECK(f.tracing_count() == 0);
        CHECK(same(f(x), vec{5, 5}));
        f = tx::function{a};
        CHECK(same(f(x), vec{3, 3}));
        vec out;
        f.into(out, x);
        CHECK(same(out, vec{3, 3}));
        CHECK(f.tracing_count() == 1);
        CHECK(same(g(x), vec{5, 5}));
    };
    check(hidden{3}, hidden{5});
    check(powered{{3, 3}, 1}, powered{{5, 5}, 1});
    vec three{3, 3}, five{5, 5};
    check(by_address(three), by_address(five));
}

TEST_CASE("bind: trailing parameters by reference, still traced by the compiler") {
    vec w{1, 2}, b{0, 1};
    auto const f = tx::function{[](auto x, auto weights, auto bias) { return x * weights + bias; }}.bind(w, b);
    static_assert(decltype(f)::is_static);
    CHECK(same(f(vec{1, 1}), vec{1, 3}));
    w = {5, 6};
    CHECK(same(f(vec{1, 1}), vec{5, 7}));
    CHECK(f.tracing_count() == 1);
    vec out;
    f.into(out, vec{1, 1});
    CHECK(same(out, vec{5, 7}));
    SUBCASE("open shapes") {
        tensor<float, shape<dyn>> o{1, 2};
        tensor<float> a{1, 2};
        tx::function g{[](auto x, auto p, auto q) { return tx::sum(x * p * q); }};
        auto const bound = g.bind(o, a);
        CHECK(bound(2).item() == 10);
        o = {1, 1}, a = {3, 3};
        CHECK(bound(2).item() == 12);
    }
    SUBCASE("trees, twice, and functors with members") {
        std::pair<vec, vec> p{{1, 1}, {2, 2}};
        auto const g = tx::function{[](auto x, auto const& both, auto y) { return x * both.first + y * both.second; }}.bind(p, w).bind();
        CHECK(same(g(vec{1, 1}), vec{11, 13}));
        dense d;
        auto const h = tx::function{[](auto x, auto const& layer) { return layer(x); }}.bind(d);
        static_assert(decltype(h)::is_static);
        d.b = {1, 1};
        CHECK(same(h(vec{1, 2}), vec{2, 3}));
    }
    SUBCASE("within other traces: live") {
        tx::function outer{[&](auto x) { return f(x) * 2; }};
        CHECK(same(outer(vec{1, 1}), vec{10, 14}));
        w = {0, 1};
        CHECK(same(outer(vec{1, 1}), vec{0, 4}));
        CHECK(outer.tracing_count() == 1);
    }
}

TEST_CASE("capture: functions of members within other functions") {
    dense d;
    tx::function inner{std::ref(d)};
    tx::function outer{[&](auto x) { return inner(x) + 1; }};
    CHECK(same(outer(vec{1, 2}), vec{2, 3}));
    d.b = {10, 10};
    CHECK(same(outer(vec{1, 2}), vec{12, 13}));
    CHECK(outer.tracing_count() == 1);
    SUBCASE("called with members of a traced functor") {
        uses_function u;
        tx::function late{std::ref(u)};
        CHECK(same(late(vec{0, 0}), vec{6, 9}));
        u.w = {0, 0};
        CHECK(same(late(vec{0, 0}), vec{3, 3}));
        CHECK(late.tracing_count() == 1);
    }
}
