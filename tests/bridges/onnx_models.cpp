// This file tests ONNX models: what they tell of themselves, and how they are called, in and out of traces.
#include <tracexpr/onnx.hpp>

#include "../onnx/writer.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace onnx_writer;
using vec = tx::tensor<float>;
using any_floats = tx::spec<float, tx::any_shape>;

namespace {

// y = relu(x w + b)
std::string layer() {
    return model({{node("MatMul", {"x", "w"}, {"p"}), node("Add", {"p", "b"}, {"s"}), node("Relu", {"s"}, {"y"})},
                  {value("x", float32, {"batch", 2})},
                  {value("y", float32, {"batch", 3})},
                  {floats("w", {2, 3}, {1, -2, 3, 4, 5, -6}), floats("b", {3}, {1, 0, -1})}});
}
template <class F> std::string message_of(F const& f) {
    try {
        f();
    } catch (tx::error const& e) {
        return e.what();
    }
    return "";
}
bool has(std::string const& text, char const* part) { return text.find(part) != text.npos; }

} // namespace

TEST_CASE("onnx: inputs, outputs and parameters are what the model tells") {
    auto const m = tx::onnx::from_bytes(layer());
    REQUIRE(m.inputs().size() == 1);
    CHECK(m.inputs()[0].name == "x");
    CHECK(m.inputs()[0].dtype == tx::dtype::float32);
    CHECK(m.inputs()[0].dims[0] == "batch");
    CHECK(m.inputs()[0].dims[1] == 2);
    CHECK(!m.inputs()[0].has_default);
    CHECK(m.outputs()[0].name == "y");
    tx::named_tensors const weights = m.parameters();
    CHECK(weights.size() == 2);
    CHECK(tx::equal(std::get<vec>(weights.at("b")), vec{1, 0, -1}));
}

TEST_CASE("onnx: run takes inputs in order or by name") {
    auto const m = tx::onnx::from_bytes(layer());
    vec const x{{1, 1}, {0, -1}}, y{{6, 3, 0}, {0, 0, 5}};
    CHECK(tx::equal(std::get<vec>(m.run(std::vector<tx::any_tensor>{x})[0]), y));
    CHECK(tx::equal(std::get<vec>(m.run(tx::named_tensors{{"x", x}}).at("y")), y));
    CHECK(tx::equal(std::get<vec>(m.run(tx::named_tensors{{"x", x}, {"b", vec{0, 0, 0}}}).at("y")), vec{{5, 3, 0}, {0, 0, 6}}));
    CHECK(has(message_of([&] { static_cast<void>(m.run(std::vector<tx::any_tensor>{})); }), "takes 1 inputs; given 0"));
    CHECK(has(message_of([&] { static_cast<void>(m.run(tx::named_tensors{{"z", x}})); }),
              "has no input or initializer \"z\"; its inputs are x"));
    CHECK(has(message_of([&] { static_cast<void>(m.run(tx::named_tensors{{"x", tx::tensor<double>{{1, 2}}}})); }),
              "is float32[batch,2]; given float64[1,2]"));
    CHECK_THROWS_AS(static_cast<void>(m.run(std::vector<tx::any_tensor>{vec{{1, 2, 3}}})), tx::shape_error);
}

TEST_CASE("onnx: an input with a default may be left out") {
    auto const m = tx::onnx::from_bytes(model({{node("Mul", {"x", "k"}, {"y"})},
                                               {value("x", float32, {2}), value("k", float32, {})},
                                               {value("y", float32, {2})},
                                               {floats("k", {}, {3})}}));
    CHECK(m.inputs()[1].has_default);
    CHECK(tx::equal(m.call<any_floats>(vec{1, 2}), vec{3, 6}));
    CHECK(tx::equal(m.call<any_floats>(vec{1, 2}, 10.0f), vec{10, 20}));
}

TEST_CASE("onnx: call is part of functions and traces, and has derivatives") {
    auto const m = tx::onnx::from_bytes(layer());
    vec const x{{1, 1}, {0, -1}}, y{{6, 3, 0}, {0, 0, 5}};
    CHECK(tx::equal(m.call<any_floats>(x), y));
    CHECK(tx::equal(m.call<tx::spec<float, tx::shape<2, 3>>>(x), y));
    CHECK_THROWS_AS(static_cast<void>(m.call<tx::spec<double, tx::any_shape>>(x)), tx::type_error);
    CHECK_THROWS_AS((static_cast<void>(m.call<tx::spec<float, tx::shape<3, 3>>>(x))), tx::type_error);
    CHECK_THROWS_AS((static_cast<void>(m.call<any_floats, any_floats>(x))), tx::signature_error);

    tx::function twice{[&](auto const& in) { return m.call<any_floats>(in) * 2.0f; }};
    CHECK(tx::equal(twice(x), y * 2.0f));
    CHECK(twice.tracing_count() == 1);

    auto const loss = [&](auto const& in) { return tx::sum(m.call<any_floats>(in)); };
    CHECK(tx::equal(tx::grad(loss)(x), vec{{1 - 2, 4 + 5}, {3, -6}})); // the rows of w of the columns where y > 0
    tx::gradient_tape tape;
    tape.watch(x);
    auto const total = tx::sum(m.call<any_floats>(x));
    CHECK(tx::equal(tape.gradient(total, x), vec{{-1, 9}, {3, -6}}));

    tx::tensor<float, tx::shape<3, 1, 2>> const many{{{1, 1}}, {{0, -1}}, {{2, 0}}};
    auto const mapped = tx::vmap([&](auto const& row) { return m.call<tx::spec<float, tx::shape<1, 3>>>(row); })(many);
    CHECK(tx::equal(tx::reshape<3, 3>(mapped), vec{{6, 3, 0}, {0, 0, 5}, {3, 0, 5}}));
}

TEST_CASE("onnx: other values for initializers, and derivatives with respect to them") {
    auto const m = tx::onnx::from_bytes(layer());
    vec const x{{1, 1}, {0, -1}};
    std::map<std::string, vec> const weights{{"b", vec{0, 0, 0}}};
    CHECK(tx::equal(m.call<any_floats>(weights, x), vec{{5, 3, 0}, {0, 0, 6}}));
    CHECK(tx::equal(m.call<any_floats>(m.parameters(), x), m.call<any_floats>(x)));
    auto const loss = [&](auto const& b) {
        using tensor = std::remove_cvref_t<decltype(b)>;
        return tx::sum(m.call<any_floats>(std::map<std::string, tensor>{{"b", b}}, x));
    };
    CHECK(tx::equal(tx::grad(loss)(vec{0, 0, 0}), vec{1, 1, 1}));
}

TEST_CASE("onnx: shapes that elements tell") {
    // y = reshape(x, shape): the model is traced for the elements of `shape`.
    auto const m = tx::onnx::from_bytes(model({{node("Reshape", {"x", "shape"}, {"y"})},
                                               {value("x", float32, {"n"}), value("shape", int64, {"r"})},
                                               {value("y", float32, {})}}));
    vec const x{1, 2, 3, 4, 5, 6};
    using numbers = tx::tensor<std::int64_t>;
    CHECK(tx::equal(m.call<any_floats>(x, numbers{2, 3}), vec{{1, 2, 3}, {4, 5, 6}}));
    CHECK(tx::equal(m.call<any_floats>(x, numbers{3, -1}), vec{{1, 2}, {3, 4}, {5, 6}}));
    CHECK(has(message_of([&] { static_cast<void>(m.call<any_floats>(x, numbers{4, 4})); }), "the size must stay the same"));
    // In a trace a shape must be known: that of another tensor is.
    auto const flat = tx::onnx::from_bytes(
        model({{node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"n"}),
                node("Concat", {"n", "rest"}, {"to"}, {attribute("axis", std::int64_t{0})}), node("Reshape", {"x", "to"}, {"y"})},
               {value("x", float32, {"n", 2, 2})},
               {value("y", float32, {"n", 4})},
               {ints("zero", {0}), ints("rest", {-1})}}));
    tx::function f{[&](auto const& in) { return flat.call<any_floats>(in); }};
    CHECK(tx::equal(f(vec{{{1, 2}, {3, 4}}}), vec{{1, 2, 3, 4}}));
}

TEST_CASE("onnx: branches and loops") {
    // y = x > 0 ? 2 x : -x, for a scalar
    graph_parts const yes{{node("Add", {"x", "x"}, {"a"})}, {}, {value("a", float32, {})}, {}};
    graph_parts const no{{node("Neg", {"x"}, {"b"})}, {}, {value("b", float32, {})}, {}};
    auto const m = tx::onnx::from_bytes(model(
        {{node("Greater", {"x", "zero"}, {"c"}),
          node("If", {"c"}, {"y"}, {graph_attribute("then_branch", graph(yes)), graph_attribute("else_branch", graph(no))})},
         {value("x", float32, {})},
         {value("y", float32, {})},
         {floats("zero", {}, {0})}}));
    using scalar = tx::spec<float, tx::shape<>>;
    CHECK(m.call<scalar>(3.0f).item() == 6);
    CHECK(m.call<scalar>(-3.0f).item() == 3);
    tx::function f{[&](auto const& x) { return m.call<scalar>(x); }};
    CHECK(f(3.0f).item() == 6);
    CHECK(f(-3.0f).item() == 3);
    CHECK(f.tracing_count() == 1);
    CHECK(tx::grad([&](auto const& x) { return m.call<scalar>(x); })(-3.0f).item() == -1);

    // A loop that doubles x until it is above a limit, at most n times; and the steps on its way.
    graph_parts const body{{node("Add", {"v", "v"}, {"next"}), node("Less", {"next", "limit"}, {"on"})},
                           {value("i", int64, {}), value("c", boolean, {}), value("v", float32, {})},
                           {value("on", boolean, {}), value("next", float32, {})},
                           {}};
    auto const loop = tx::onnx::from_bytes(model({{node("Loop", {"n", "", "x"}, {"y"}, {graph_attribute("body", graph(body))})},
                                                  {value("x", float32, {}), value("limit", float32, {}), value("n", int64, {})},
                                                  {value("y", float32, {})},
                                                  {}}));
    tx::function g{[&](auto const& x, auto const& limit, auto const& n) { return loop.call<scalar>(x, limit, n); }};
    CHECK(g(3.0f, 100.0f, std::int64_t{50}).item() == 192);
    CHECK(g(3.0f, 100.0f, std::int64_t{2}).item() == 12);
    CHECK(g.tracing_count() == 1);
    graph_parts const sums{{node("Add", {"v", "x"}, {"next"}), node("Identity", {"c"}, {"on"})},
                           {value("i", int64, {}), value("c", boolean, {}), value("v", float32, {2})},
                           {value("on", boolean, {}), value("next", float32, {2}), value("next", float32, {2})},
                           {}};
    auto const steps =
        tx::onnx::from_bytes(model({{node("Loop", {"n", "", "x"}, {"y", "all"}, {graph_attribute("body", graph(sums))})},
                                    {value("x", float32, {2})},
                                    {value("all", float32, {3, 2})},
                                    {tensor("n", int64, {}, std::vector<std::int64_t>{3})}}));
    CHECK(tx::equal(steps.call<any_floats>(vec{1, 2}), vec{{2, 4}, {3, 6}, {4, 8}}));
    CHECK(tx::equal(tx::grad([&](auto const& x) { return tx::sum(steps.call<any_floats>(x)); })(vec{1, 2}), vec{9, 9}));
}

TEST_CASE("onnx: functions of the model, with attributes") {
    message of_function;
    of_function.bytes(1, "alpha").number(20, 1).bytes(21, "slope");
    message f;
    f.bytes(1, "leaky_twice").bytes(4, "a").bytes(5, "b").bytes(6, "slope").put(9, opset("", 21)).bytes(10, "own");
    message inner = node("LeakyRelu", {"a"}, {"t"});
    inner.put(5, of_function);
    f.put(7, inner).put(7, node("Add", {"t", "t"}, {"b"}));
    auto const m = tx::onnx::from_bytes(model({{node("leaky_twice", {"x"}, {"y"}, {attribute("slope", 0.5f)}, "own")},
                                               {value("x", float32, {2})},
                                               {value("y", float32, {2})}},
                                              21, {f}));
    CHECK(tx::equal(m.call<any_floats>(vec{2, -2}), vec{4, -2}));
}

TEST_CASE("onnx: means over extents that are unknown, or stand beside unknown ones") {
    auto const m = tx::onnx::from_bytes(
        model({{node("ReduceMean", {"x"}, {"all"}, {attribute("keepdims", std::int64_t{0})}),
                node("GlobalAveragePool", {"x"}, {"places"}), node("LayerNormalization", {"x", "scale"}, {"normal"})},
               {value("x", float32, {"n", 2, "places"})},
               {value("all", float32, {}), value("places", float32, {"n", 2, 1}), value("normal", float32, {"n", 2, "places"})},
               {floats("scale", {1}, {2})}}));
    tx::function f{[&](auto const& x) { return m.call<any_floats, any_floats, any_floats>(x); }};
    using open = tx::tensor<float, tx::shape<tx::dyn, 2, tx::dyn>>;
    vec const x{{{1, 2, 6}, {4, 5, 6}}, {{0, 3, 3}, {2, 2, -1}}};
    auto const close = [](vec const& a, vec const& b) { return tx::allclose(a, b, {.rtol = 1e-5, .atol = 1e-5}); };
    for (vec const& given : {x, vec(x + 1.0f), vec(tx::concat(tx::axis<2>, x, x))}) {
        auto const [all, places, normal] = f(open(given));
        CHECK(close(all, tx::mean(given)));
        CHECK(close(places, tx::mean(open(given), tx::axis<2>, tx::keepdims)));
        auto const from_mean = open(given) - tx::mean(open(given), tx::axis<2>, tx::keepdims);
        CHECK(close(normal, 2.0f * from_mean / tx::sqrt(tx::mean(from_mean * from_mean, tx::axis<2>, tx::keepdims) + 1e-5f)));
    }
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("onnx: a recurrent network of unknown length") {
    auto const m = tx::onnx::from_bytes(
        model({{node("RNN", {"x", "w", "r", "", "", "h"}, {"", "last"}, {attribute("hidden_size", std::int64_t{1})})},
               {value("x", float32, {"time", "n", 1}), value("h", float32, {1, "n", 1})},
               {value("last", float32, {1, "n", 1})},
               {floats("w", {1, 1, 1}, {1}), floats("r", {1, 1, 1}, {0.5f})}}));
    tx::function f{[&](auto const& x, auto const& h) { return m.call<any_floats>(x, h); }};
    using open = tx::tensor<float, tx::shape<tx::dyn, tx::dyn, 1>>;
    float h = 0.25f;
    std::vector<float> xs;
    for (float const x : {0.5f, -1.0f, 2.0f}) {
        xs.push_back(x);
        h = std::tanh(x + 0.5f * h);
        auto const n = static_cast<std::int64_t>(xs.size());
        open const sequence = tx::from_data<tx::shape<tx::dyn, tx::dyn, 1>>(xs.data(), n, 1, 1);
        CHECK(std::abs(f(sequence, open(vec{{{0.25f}}})).item() - h) < 1e-6f);
    }
    CHECK(f.tracing_count() == 1);
}
