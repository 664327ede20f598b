// This file tests derivatives of ONNX's operators: for each operator that has some, a model of one node, whose derivatives with
// respect to each of its inputs are compared with differences in double.
#include <tracexpr/onnx.hpp>

#include "../onnx/writer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace onnx_writer;
using vec = tx::tensor<double>;
using any_doubles = tx::spec<double, tx::any_shape>;
using shape_of = std::vector<std::int64_t>;

namespace {

// An input of the node: random numbers between two bounds, of which derivatives may be asked, or a constant.
struct operand {
    shape_of shape;
    double low = 0, high = 0;
    bool is_differentiable = false, is_missing = false;
    message constant{};
};
operand d(shape_of shape, double low = -1, double high = 1) { return {std::move(shape), low, high, true}; }
operand fixed(shape_of shape, double low = -1, double high = 1) { return {std::move(shape), low, high}; }
operand whole(shape_of const& shape, std::vector<std::int64_t> const& numbers) {
    return {{}, 0, 0, false, false, tensor("", int64, shape, numbers)};
}
operand whole(std::vector<std::int64_t> const& numbers) { return whole({static_cast<std::int64_t>(numbers.size())}, numbers); }
operand scalar(std::int64_t number) { return whole(shape_of{}, {number}); }
operand truths(shape_of const& shape, std::vector<std::uint8_t> const& values) {
    return {{}, 0, 0, false, false, tensor("", boolean, shape, values)};
}
operand none() { return {{}, 0, 0, false, true}; }
message i(char const* name, std::int64_t v) { return attribute(name, v); }
message ints_of(char const* name, shape_of const& v) { return attribute(name, v); }
message f(char const* name, float v) { return attribute(name, v); }
message s(char const* name, std::string_view v) { return attribute(name, v); }

struct one_node {
    std::string_view type;
    std::vector<operand> operands;
    std::vector<message> attributes{};
    std::int64_t version = 21;
    std::size_t result = 0; // the number of the output whose derivatives are compared
};
std::vector<double> numbers_for(operand const& o, std::mt19937& random) {
    std::int64_t count = 1;
    for (std::int64_t const n : o.shape) count *= n;
    std::vector<double> out;
    std::uniform_real_distribution<double> draw(o.low, o.high);
    for (std::int64_t k = 0; k < count; ++k) out.push_back(draw(random));
    return out;
}
double weighted(vec const& y, vec const& w) {
    double out = 0;
    for (std::int64_t k = 0; k < y.size(); ++k) out += y.data()[k] * w.data()[k];
    return out;
}
// With respect to input `of`.
void compare(one_node const& c, std::size_t of) {
    std::mt19937 random(7);
    std::vector<std::string> called;
    for (std::size_t k = 0; k < c.operands.size(); ++k) called.push_back(c.operands[k].is_missing ? "" : "v" + std::to_string(k));
    graph_parts parts;
    vec x;
    for (std::size_t k = 0; k < c.operands.size(); ++k) {
        operand const& o = c.operands[k];
        if (o.is_missing) continue;
        if (!o.constant.text().empty()) {
            message named = o.constant;
            parts.initializers.push_back(named.bytes(8, called[k]));
            continue;
        }
        std::vector<double> const numbers = numbers_for(o, random);
        if (k != of) {
            parts.initializers.push_back(tensor(called[k], float64, o.shape, numbers));
            continue;
        }
        std::vector<axis> axes;
        tx::dims shape;
        for (std::int64_t const n : o.shape) axes.push_back(static_cast<int>(n)), shape.push_back(n);
        parts.inputs.push_back(value(called[k], float64, axes));
        x = vec::uninitialized(shape);
        std::copy(numbers.begin(), numbers.end(), x.mutable_data());
    }
    names const inputs(called.begin(), called.end());
    names const outputs = c.result == 0 ? names{"y"} : c.result == 1 ? names{"y0", "y"} : names{"y0", "y1", "y"};
    parts.nodes = {node(c.type, inputs, outputs, c.attributes)};
    parts.outputs = {value("y", float64, {})};
    INFO(std::string(c.type), ", input ", of);
    tx::onnx::model const m = tx::onnx::from_bytes(model(parts, c.version));
    auto const run = [&](vec const& at) { return std::get<vec>(m.run(std::vector<tx::any_tensor>{at})[0]); };
    vec w = vec::uninitialized(run(x).dimensions());
    for (std::int64_t k = 0; k < w.size(); ++k) w.mutable_data()[k] = std::uniform_real_distribution<double>(0.5, 1.5)(random);
    vec const given = tx::grad([&](auto const& in) { return tx::sum(m.call<any_doubles>(in) * w); })(x);
    REQUIRE(given.dimensions() == x.dimensions());
    for (std::int64_t k = 0; k < x.size(); ++k) {
        constexpr double h = 1e-5;
        vec above(x), below(x);
        above.mutable_data()[k] += h, below.mutable_data()[k] -= h;
        double const wanted = (weighted(run(above), w) - weighted(run(below), w)) / (2 * h);
        CHECK(given.data()[k] == doctest::Approx(wanted).epsilon(1e-5).scale(1));
    }
}
void compare_all(std::vector<one_node> const& all) {
    for (one_node const& c : all)
        for (std::size_t k = 0; k < c.operands.size(); ++k)
            if (c.operands[k].is_differentiable) {
                try {
                    compare(c, k);
                } catch (tx::error const& e) {
                    FAIL_CHECK(std::string(c.type), ", input ", k, ": ", e.what());
                }
            }
}

} // namespace

TEST_CASE("onnx: derivatives of operators that act element by element") {
    std::vector<one_node> all;
    for (char const* const type :
         {"Asinh",   "Atan", "Cos",  "Cosh",     "Elu",      "Erf",  "Exp", "Gelu",      "Identity", "Mish", "Neg", "Selu",
          "Sigmoid", "Sin",  "Sinh", "Softplus", "Softsign", "Tanh", "Tan", "LeakyRelu", "Celu",     "Relu", "Abs", "Dropout"})
        all.push_back({type, {d({2, 3})}});
    for (char const* const type : {"Log", "Sqrt", "Reciprocal"}) all.push_back({type, {d({5}, 0.5, 2)}});
    for (char const* const type : {"Acos", "Asin", "Atanh"}) all.push_back({type, {d({5}, -0.8, 0.8)}});
    all.push_back({"Acosh", {d({5}, 1.5, 3)}});
    all.push_back({"Gelu", {d({5})}, {s("approximate", "tanh")}});
    all.push_back({"HardSigmoid", {d({5}, -4, 4)}});
    all.push_back({"HardSwish", {d({5}, -4, 4)}});
    all.push_back({"Swish", {d({5})}, {f("alpha", 1.5f)}, 24});
    all.push_back({"ThresholdedRelu", {d({5}, -2, 2)}});
    all.push_back({"Shrink", {d({5}, -2, 2)}, {f("bias", 0.25f)}});
    for (char const* const type : {"Add", "Sub", "Mul", "Max", "Min", "Mean", "Sum"}) all.push_back({type, {d({2, 3}), d({3})}});
    all.push_back({"Div", {d({2, 3}), d({2, 1}, 0.5, 2)}});
    all.push_back({"Pow", {d({2, 3}, 0.5, 2), d({3}, -2, 2)}});
    all.push_back({"PRelu", {d({2, 3}), d({3})}});
    all.push_back({"Mod", {d({4}, 3, 4), d({4}, 1.1, 1.4)}, {i("fmod", 1)}});
    all.push_back({"Clip", {d({8}, -2, 2), d({}, -1, -0.5), d({}, 0.5, 1)}});
    all.push_back({"Where", {truths({3}, {1, 0, 1}), d({2, 3}), d({3})}});
    compare_all(all);
}

TEST_CASE("onnx: derivatives of reductions and products") {
    std::vector<one_node> all;
    for (char const* const type : {"ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                                   "ReduceProd", "ReduceSum", "ReduceSumSquare"})
        all.push_back({type, {d({2, 3, 2}), whole({1})}, {i("keepdims", 0)}});
    all.push_back({"ReduceLogSum", {d({2, 3}, 0.5, 2)}});
    for (char const* const type : {"Softmax", "LogSoftmax"}) all.push_back({type, {d({2, 3})}, {i("axis", 0)}});
    all.push_back({"CumSum", {d({2, 3}), scalar(1)}, {i("exclusive", 1), i("reverse", 1)}});
    all.push_back({"CumProd", {d({2, 3}, 0.5, 2), scalar(1)}, {}, 26});
    all.push_back({"MatMul", {d({2, 2, 3}), d({3, 2})}});
    all.push_back({"MatMul", {d({3}), d({3})}});
    all.push_back({"Gemm", {d({3, 2}), d({2, 3}), d({2})}, {i("transA", 1), i("transB", 1), f("alpha", 0.5f), f("beta", 2)}});
    all.push_back({"Einsum", {d({2, 3}), d({3, 2})}, {s("equation", "ij,jk->ki")}});
    all.push_back({"Det", {d({2, 3, 3})}});
    compare_all(all);
}

TEST_CASE("onnx: derivatives of what moves elements") {
    std::vector<one_node> all{
        {"Concat", {d({2, 2}), d({2, 1})}, {i("axis", 1)}},
        {"Expand", {d({2, 1}), whole({2, 2, 3})}},
        {"Flatten", {d({2, 1, 2})}},
        {"Reshape", {d({2, 3}), whole({3, -1})}},
        {"Split", {d({5}), whole({2, 3})}, {}, 21, 1},
        {"Slice", {d({3, 4}), whole({2, 0}), whole({-4, 4}), whole({0, 1}), whole({-1, 2})}},
        {"Squeeze", {d({2, 1}), whole({1})}},
        {"Unsqueeze", {d({2}), whole({0})}},
        {"Tile", {d({2, 2}), whole({2, 3})}},
        {"Transpose", {d({2, 3})}},
        {"Trilu", {d({3, 3}), scalar(1)}},
        {"CenterCropPad", {d({3, 4}), whole({5, 2})}},
        {"DepthToSpace", {d({1, 4, 2, 1})}, {i("blocksize", 2)}},
        {"SpaceToDepth", {d({1, 1, 2, 4})}, {i("blocksize", 2)}},
        {"Gather", {d({3, 2}), whole({2, 2}, {0, -1, 0, 1})}},
        {"GatherElements", {d({3, 2}), whole({2, 2}, {0, -1, 0, 1})}},
        {"GatherND", {d({3, 2}), whole({2, 2}, {0, 1, 2, 0})}},
        {"Compress", {d({3, 2}), truths({3}, {1, 0, 1})}, {i("axis", 0)}},
        {"ReverseSequence", {d({3, 2}), whole({2, 3})}},
        {"TopK", {d({2, 4}), whole({2})}},
        {"OneHot", {whole({1, 0, 2}), scalar(3), d({2})}},
        {"Col2Im", {d({1, 4, 4}), whole({3, 3}), whole({2, 2})}},
    };
    for (char const* const mode : {"constant", "reflect", "edge", "wrap"})
        all.push_back({"Pad", {d({3, 3}), whole({1, 0, 2, 1})}, {s("mode", mode)}});
    for (char const* const how : {"none", "add", "mul", "max", "min"}) {
        // (What is set has one place for each element: which of two is the last is not told.)
        all.push_back({"ScatterElements", {d({3, 2}), whole({2, 2}, {0, 2, 1, 1}), d({2, 2})}, {s("reduction", how)}});
        all.push_back({"ScatterND", {d({3, 2}), whole({2, 1}, {2, 0}), d({2, 2})}, {s("reduction", how)}});
    }
    compare_all(all);
}

TEST_CASE("onnx: derivatives of windows and images") {
    compare_all({
        {"Conv", {d({1, 2, 4, 3}), d({2, 2, 2, 2}), d({2})}, {ints_of("pads", {1, 0, 0, 1}), ints_of("strides", {2, 1})}},
        {"Conv", {d({1, 2, 5}), d({2, 1, 2})}, {i("group", 2), ints_of("dilations", {2})}},
        {"ConvTranspose",
         {d({1, 2, 3, 2}), d({2, 1, 2, 2}), d({1})},
         {ints_of("strides", {2, 1}), ints_of("output_padding", {1, 0})}},
        {"AveragePool", {d({1, 1, 4, 5})}, {ints_of("kernel_shape", {2, 3}), ints_of("strides", {2, 2}), i("ceil_mode", 1)}},
        {"MaxPool", {d({1, 1, 4, 5})}, {ints_of("kernel_shape", {2, 3}), ints_of("pads", {1, 1, 0, 0})}},
        {"LpPool", {d({1, 1, 4, 5}, 0.5, 1)}, {ints_of("kernel_shape", {2, 2}), i("p", 3)}},
        {"GlobalAveragePool", {d({1, 2, 2, 3})}},
        {"GlobalMaxPool", {d({1, 2, 2, 3})}},
        {"GlobalLpPool", {d({1, 2, 2, 3}, 0.5, 1)}},
        {"MaxUnpool",
         {d({1, 1, 2, 2}), whole({1, 1, 2, 2}, {5, 7, 8, 14})},
         {ints_of("kernel_shape", {2, 2}), ints_of("strides", {2, 2})}},
        {"Resize", {d({1, 1, 3, 2}), none(), none(), whole({1, 1, 5, 3})}, {s("mode", "linear")}},
        {"Resize", {d({1, 1, 4, 3}), none(), none(), whole({1, 1, 6, 2})}, {s("mode", "cubic"), i("antialias", 1)}},
        {"Resize", {d({1, 1, 3, 2}), none(), none(), whole({1, 1, 5, 3})}, {s("mode", "nearest")}},
        {"GridSample", {d({1, 1, 3, 4}), d({1, 2, 2, 2}, -0.9, 0.9)}, {s("mode", "linear")}},
        {"GridSample", {d({1, 1, 3, 4}), d({1, 2, 2, 2}, -0.9, 0.9)}, {s("mode", "cubic"), s("padding_mode", "border")}},
        {"AffineGrid", {d({1, 2, 3}), whole({1, 1, 2, 3})}, {}, 20},
        {"RoiAlign", {d({1, 2, 5, 5}), d({1, 4}, 0.6, 1.4), whole({0})}, {i("output_height", 2), i("sampling_ratio", 2)}},
    });
}

TEST_CASE("onnx: derivatives of norms, losses, attention and networks") {
    compare_all({
        {"BatchNormalization", {d({2, 2, 3}), d({2}), d({2}), d({2}), d({2}, 0.5, 2)}},
        {"BatchNormalization", {d({3, 2, 2}), d({2}), d({2}), fixed({2}), fixed({2}, 0.5, 2)}, {i("training_mode", 1)}},
        {"InstanceNormalization", {d({1, 2, 4}), d({2}), d({2})}},
        {"GroupNormalization", {d({1, 4, 3}), d({4}), d({4})}, {i("num_groups", 2)}},
        {"LayerNormalization", {d({2, 4}), d({4}), d({4})}},
        {"RMSNormalization", {d({2, 4}), d({4})}, {}, 23},
        {"LpNormalization", {d({2, 3})}},
        {"MeanVarianceNormalization", {d({2, 1, 2, 2})}},
        {"LRN", {d({1, 4, 2, 1})}, {i("size", 3), f("alpha", 0.5f)}},
        {"NegativeLogLikelihoodLoss", {d({3, 4}), whole({1, 0, 3}), d({4}, 0.5, 1)}},
        {"SoftmaxCrossEntropyLoss", {d({3, 4, 2}), whole({3, 2}, {1, 0, 3, 2, 2, 1})}},
        {"Attention", {d({1, 2, 3, 2}), d({1, 2, 3, 2}), d({1, 2, 3, 2})}, {i("is_causal", 1)}, 23},
        {"RotaryEmbedding", {d({1, 2, 3, 4}), d({1, 3, 2}), d({1, 3, 2})}, {}, 23},
        {"LSTM", {d({3, 1, 2}), d({1, 8, 2}), d({1, 8, 2}), d({1, 16})}, {i("hidden_size", 2)}},
        {"GRU", {d({3, 1, 2}), d({1, 6, 2}), d({1, 6, 2}), d({1, 12})}, {i("hidden_size", 2)}},
        {"RNN", {d({3, 1, 2}), d({1, 2, 2}), d({1, 2, 2}), d({1, 4})}, {i("hidden_size", 2)}},
        {"DFT", {d({1, 5, 1}), none(), scalar(1)}},
        {"DFT", {d({1, 4, 2}), none(), scalar(1)}, {i("inverse", 1)}},
        {"STFT", {d({1, 8, 1}), scalar(2), d({4})}},
    });
}
