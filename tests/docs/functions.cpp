// Functions: callables that are traced once for a signature, by the compiler where it can.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

using pair = tx::tensor<float, tx::shape<2>>;
using two = tx::spec<float, tx::shape<2>>;

TEST_CASE("function") {
    tx::function f{[](auto x, auto y) { return tx::sum(x * y); }};
    CHECK(f(pair{1, 2}, pair{3, 4}).item() == 11);
    static_assert(decltype(f)::is_static); // traced, planned and compiled with the program
    CHECK(f.tracing_count() == 1);
    CHECK(f.signatures() == std::vector<std::string>{"(float32[2], float32[2]) -> float32[]"});
    tx::tensor<float, tx::shape<>> out;
    f.into(out, pair{1, 1}, pair{3, 4}); // into an existing tensor
    CHECK(out.item() == 7);
    f.clear(); // forgets its traces
    CHECK(f.tracing_count() == 0);
}

TEST_CASE("function, static_function") {
    tx::static_function f{[](auto x) { return x * 2; }}; // doesn't compile where the compiler can't trace the callable
    CHECK(tx::equal(f(pair{1, 2}), pair{2, 4}));
    pair const w{10, 20};
    auto const bound = tx::function{[](auto x, auto by) { return x * by; }}.bind(w); // the last parameters, by reference
    CHECK(tx::equal(bound(pair{1, 2}), pair{10, 40}));
}

TEST_CASE("why_not_static") {
    float factor = 2;
    auto const scaled = [factor](auto x) { return x * factor; };
    CHECK(!tx::why_not_static(scaled, pair{}).empty()); // captures a value: traced when it is first called
    CHECK(tx::why_not_static([](auto x) { return x; }, pair{}).empty());
}

TEST_CASE("capture_ref, capture_copy") {
    pair w{1, 2};
    tx::function sees{[w = tx::capture_ref(w)](auto x) { return x * w; }};  // read at each call; w must outlive it
    tx::function keeps{[w = tx::capture_copy(w)](auto x) { return x * w; }}; // may outlive w
    static_assert(decltype(sees)::is_static && decltype(keeps)::is_static);
    w = pair{10, 20};
    CHECK(tx::equal(sees(pair{1, 1}), pair{10, 20}));
    CHECK(tx::equal(keeps(pair{1, 1}), pair{1, 2}));
}

TEST_CASE("capture") {
    pair w{1, 2}; // has a name, so that the capture refers to it; what tx::capture(std::move(w)) gives would own it
    tx::function f{[w = tx::capture(w)](auto x) { return x * w; }}; // read at each call; static all the same
    static_assert(decltype(f)::is_static);
    w = pair{10, 20};
    CHECK(tx::equal(f(pair{1, 1}), w));
}

TEST_CASE("key, key_value") {
    tx::function power{[](auto x, int n) {
        auto out = x;
        for (int i = 1; i < n; ++i) out = out * x;
        return out;
    }};
    tx::key_value const three = tx::key(3); // a trace for each value, which is plain C++ in the callable
    CHECK(tx::equal(power(pair{1, 2}, three), pair{1, 8}));
    power(pair{1, 2}, tx::key(2));
    CHECK(power.tracing_count() == 2);
}

TEST_CASE("options, jit") {
    tx::function f{[](auto x) { return x + 1; }, tx::options{.reduce_retracing = true, .jit = tx::jit::never}};
    f(tx::tensor<float>{1});
    f(tx::tensor<float>{1, 2});
    f(tx::tensor<float>{1, 2, 3}); // after a second extent one trace is for all of them
    CHECK(f.tracing_count() == 2);
}

TEST_CASE("kernels::automatic, kernels::native, kernels::tiles") {
    tx::function f{[](auto x) { return x + 1; }, tx::options{.kernels = tx::kernels::tiles}}; // nothing is compiled but the trace
    CHECK(tx::equal(f(pair{1, 2}), pair{2, 3}));
    static_assert(tx::kernels::native != tx::kernels::automatic);
}

TEST_CASE("signature, signature_error") {
    tx::function f{[](auto x) { return tx::sum(x); }, tx::signature<tx::spec<float, tx::shape<tx::dyn>>>{}};
    CHECK(f({1, 2, 3}).item() == 6); // one trace for every call; braces and numbers convert
    CHECK_THROWS_AS(f(tx::tensor<float>{{1, 2}}), tx::signature_error);
}

TEST_CASE("on_retrace_warning") {
    std::string text;
    tx::on_retrace_warning([&](std::string const& warning) { text = warning; });
    int one = 1;
    tx::function f{[one](auto x) { return x + one; }};
    for (int n = 1; n < 12; ++n) f(tx::zeros<float, tx::any_shape>(n)); // a trace for each shape
    CHECK(!text.empty());
    tx::on_retrace_warning([](std::string const&) {});
}

TEST_CASE("run_eagerly") {
    int calls = 0;
    tx::function f{[&calls](auto x) {
        ++calls;
        return x * 2;
    }};
    f(pair{1, 2});
    f(pair{1, 2});
    CHECK(calls == 1); // traced once
    tx::run_eagerly(true);
    f(pair{1, 2}); // calls the callable, for debuggers
    tx::run_eagerly(false);
    CHECK(calls == 2);
}

TEST_CASE("trace_error") {
    int one = 1;
    tx::function f{[one](auto x) { return x.item() > 0 ? x : x + one; }};
    CHECK_THROWS_AS(f(tx::tensor<float, tx::shape<>>(1.f)), tx::trace_error); // no value while it is traced
}

TEST_CASE("graph_of, graph_handle") {
    constexpr auto f = [](auto x) { return tx::exp(x) * tx::exp(x) * 1; };
    auto const g = tx::graph_of<two>(f); // nothing is computed
    CHECK(g.size() == 3);                // x, exp(x), its square
    CHECK(g.to_text().find("exp") != std::string::npos);
    CHECK(g.to_dot().find("digraph") != std::string::npos);
    CHECK(g.to_json().front() == '{');
    static_assert(std::is_base_of_v<tx::graph_handle, decltype(g)> || std::is_same_v<tx::graph_handle const, decltype(g)>);
}

TEST_CASE("spec_of") {
    using result = decltype(tx::spec_of<two>([](auto x) { return tx::outer(x, x); }));
    static_assert(std::is_same_v<result, tx::spec<float, tx::shape<2, 2>>>);
}

TEST_CASE("concrete_function, concrete_trace") {
    tx::function f{[](auto x) { return x + x; }};
    auto const c = f.concrete<two>(); // a tx::concrete_function, for one signature
    static_assert(decltype(c)::graph().size() <= decltype(c)::trace().size());
    CHECK(c.signature() == "(float32[2]) -> float32[2]");
    CHECK(tx::equal(c(pair{1, 2}), pair{2, 4}));
    CHECK(c.explain_passes().find("after plan") != std::string::npos);
    int one = 1;
    auto const traced = tx::function{[one](auto x) { return x + one; }}.concrete<two>(); // a tx::concrete_trace
    CHECK(tx::equal(traced(pair{1, 2}), pair{2, 3}));
}

TEST_CASE("with_passes, pass_options, rules_named, rule_set") {
    constexpr auto f = [](auto x) { return tx::exp(x) + 1; };
    tx::function apart{tx::with_passes<tx::pass_options{.cluster = false}>(f)}; // a loop for each op
    CHECK(tx::equal(apart(pair{0, 0}), pair{2, 2}));
    constexpr tx::rule_set off = tx::rules_named({"x + -y = x - y"}); // one of docs/rules.md
    tx::function as_written{tx::with_passes<tx::pass_options{.off = off}>([](auto x) { return x + -x; })};
    CHECK(tx::equal(as_written(pair{1, 2}), pair{0, 0}));
}

TEST_CASE("tree_map") {
    auto const [a, b] = tx::tree_map([](auto x, auto y) { return x + y; }, std::tuple(pair{1, 2}, 3.f), std::tuple(pair{10, 20}, 4.f));
    CHECK(tx::equal(a, pair{11, 22}));
    CHECK(b == 7);
}

TEST_CASE("function, tree_map") {
    // Of vectors, maps and optionals only the run tells the form: such functions are traced when they are called.
    tx::function affine{[](auto params, auto x) { return tx::matmul(x, params["w"]) + params["b"]; }};
    std::map<std::string, tx::tensor<float>> const params{{"w", {{1, 2}, {3, 4}}}, {"b", {10, 20}}};
    CHECK(tx::equal(affine(params, tx::tensor<float>{1, 1}), pair{14, 26}));
    auto const halves = tx::tree_map([](auto const& x) { return x * 0.5f; }, params); // a map like params
    CHECK(tx::equal(halves.at("b"), pair{5, 10}));
}

TEST_CASE("on, cpu, device_error") {
    tx::function f{tx::on(tx::cpu{.threads = 2}, [](auto x) { return tx::exp(x) * 2; })}; // the same numbers for any number of threads
    CHECK(tx::equal(f(pair{0, 0}), pair{2, 2}));
    CHECK_THROWS_AS(tx::on(tx::cpu{.threads = -1}, [](auto x) { return x; }), tx::device_error);
}
