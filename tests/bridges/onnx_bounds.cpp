// This file tests ONNX files whose attributes and extents multiply to more than 64 bits, name axes that tensors don't have, or
// give no number where there must be one.
#include <tracexpr/onnx.hpp>

#include "../onnx/writer.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace onnx_writer;

namespace {

using numbers = std::vector<std::int64_t>;
constexpr std::int64_t huge = std::int64_t{1} << 60, all = std::numeric_limits<std::int64_t>::max();

std::vector<tx::any_tensor> results_of(message const& n, std::vector<message> initializers) {
    return tx::onnx::from_bytes(model({{n}, {}, {value("y", float32, {})}, std::move(initializers)}, 23))
        .run(std::vector<tx::any_tensor>{});
}
std::string problem_of(message const& n, std::vector<message> initializers) {
    try {
        static_cast<void>(results_of(n, std::move(initializers)));
    } catch (tx::error const& e) {
        return e.what();
    }
    return "";
}
bool fails(char const* part, message const& n, std::vector<message> initializers) {
    std::string const problem = problem_of(n, std::move(initializers));
    if (problem.find(part) != problem.npos) return true;
    MESSAGE("\"", problem, "\" has no \"", part, "\"");
    return false;
}
message floats_of(std::string_view name, numbers const& shape) {
    std::int64_t count = 1;
    for (std::int64_t const n : shape) count *= n;
    return floats(name, shape, std::vector<float>(static_cast<std::size_t>(count), 1.0f));
}
message scalar(std::string_view name, std::int64_t v) { return tensor(name, int64, {}, numbers{v}); }

constexpr char const* too_large = "is larger than models may ask for";

} // namespace

TEST_CASE("onnx: extents whose product no number holds are refused") {
    CHECK(fails(too_large, node("Reshape", {"x", "to"}, {"y"}), {floats_of("x", {2}), ints("to", {huge, huge})}));
    CHECK(fails(too_large, node("SpaceToDepth", {"x"}, {"y"}, {attribute("blocksize", huge)}), {floats_of("x", {1, 4, 0, 0})}));
    CHECK(fails(too_large, node("MelWeightMatrix", {"n", "n", "rate", "a", "b"}, {"y"}),
                {scalar("n", 1 << 20), scalar("rate", 8000), floats("a", {}, {0}), floats("b", {}, {4000})}));
    CHECK(fails("repeats an axis of 8", node("Tile", {"x", "times"}, {"y"}),
                {floats_of("x", {1, 1, 1, 1, 1, 1, 1, 2}), ints("times", {1, 1, 1, 1, 1, 1, 1, huge})}));
    CHECK(fails("more than 2^26 places", node("AffineGrid", {"x", "size"}, {"y"}),
                {floats_of("x", {1, 2, 3}), ints("size", {1, 1, huge, huge})}));
    CHECK(fails("larger than memory can be", node("Identity", {"x"}, {"y"}), {floats_of("x", {0, huge})}));
    CHECK(fails("multiple of num_groups", node("GroupNormalization", {"x", "w", "w"}, {"y"}, {attribute("num_groups", all)}),
                {floats_of("x", {4, 0, 2}), floats_of("w", {0})}));
    CHECK(fails("number of heads", node("Attention", {"x", "x", "x"}, {"y"}, {attribute("q_num_heads", all)}),
                {floats_of("x", {4, 2, 0})}));
    CHECK(fails("axes must differ", node("MeanVarianceNormalization", {"x"}, {"y"}, {attribute("axes", numbers(25, 0))}),
                {floats_of("x", {16, 1})}));
}

TEST_CASE("onnx: windows, strides and groups are bounded") {
    auto const window = [](char const* name, numbers const& v) { return attribute(name, v); };
    message const three = window("kernel_shape", {2, 2, 2}), image = floats_of("x", {1, 1, 2, 2, 2});
    constexpr std::int64_t far = 1 << 26, wide = std::int64_t{1} << 31;
    CHECK(fails("must be 1 to 2^26", node("MaxPool", {"x"}, {"y"}, {three, window("strides", {wide, 1, 1})}), {image}));
    CHECK(fails(too_large, node("MaxUnpool", {"x", "i"}, {"y"}, {three, window("strides", {far, far, far})}),
                {image, tensor("i", int64, {1, 1, 2, 2, 2}, numbers(8))}));
    CHECK(fails(too_large,
                node("AveragePool", {"x"}, {"y"}, {window("kernel_shape", {wide, wide, wide}), window("pads", numbers(6, wide))}),
                {image}));
    CHECK(fails("group must be", node("Conv", {"x", "w"}, {"y"}, {attribute("group", all)}),
                {image, floats_of("w", {1, 1, 2, 2, 2})}));
    message const columns = floats_of("x", {1, 4, 1});
    CHECK(fails("one to three spatial axes", node("Col2Im", {"x", "image", "block"}, {"y"}),
                {columns, ints("image", numbers(12, 1)), ints("block", numbers(12, 1))}));
    CHECK(fails("a window must have elements", node("Col2Im", {"x", "image", "block"}, {"y"}),
                {floats_of("x", {1, 4, 0}), ints("image", {0}), ints("block", {0})}));
}

TEST_CASE("onnx: tensors get no ninth axis, and operands without axes are none with some") {
    message const eight = floats_of("x", numbers(8, 1)), places = tensor("i", int64, numbers(8, 1), numbers{0});
    CHECK(fails("at most 8", node("OneHot", {"i", "depth", "v"}, {"y"}, {attribute("axis", std::int64_t{0})}),
                {places, scalar("depth", 2), floats_of("v", {2})}));
    CHECK(fails("at most 8 axes", node("ScatterND", {"x", "i", "x"}, {"y"}), {eight, places}));
    CHECK(fails("at most 8 axes", node("GatherND", {"x", "i"}, {"y"}), {eight, places}));
    CHECK(fails("too many axes", node("ScatterND", {"x", "i", "x"}, {"y"}, {attribute("reduction", "max")}),
                {eight, tensor("i", int64, {0}, numbers{})}));
    message const x = floats_of("x", {1, 1, 2, 4});
    CHECK(fails("an axis of keys", node("Attention", {"x", "x", "x", "m"}, {"y"}), {x, floats_of("m", {})}));
    CHECK(fails("must be one number", node("Dropout", {"x", "r", "t"}, {"y"}),
                {x, floats_of("r", {0}), tensor("t", boolean, {}, std::vector<std::uint8_t>{1})}));
    message const body = graph({{}, {value("a", float32, {})}, {value("a", float32, {})}, {}});
    CHECK(fails("needs num_scan_inputs",
                node("Scan", {"x"}, {"y"}, {graph_attribute("body", body), attribute("num_scan_inputs", -all - 1)}), {x}));
}

TEST_CASE("onnx: sequences have tensors alone, however many there are one in the other") {
    std::vector<message> nodes{node("SequenceConstruct", {"x"}, {"s"})};
    for (int k = 0; k < 100'000; ++k) nodes.push_back(node("SequenceConstruct", {"s"}, {"s"}));
    std::string const bytes = model({nodes, {}, {value("x", float32, {})}, {floats_of("x", {1})}});
    std::string problem;
    try {
        static_cast<void>(tx::onnx::from_bytes(bytes).run(std::vector<tx::any_tensor>{}));
    } catch (tx::error const& e) {
        problem = e.what();
    }
    CHECK(problem.find("a sequence has tensors") != problem.npos);
}

TEST_CASE("onnx: numbers far away are no other numbers") {
    auto const range = [](std::int64_t from, std::int64_t to, std::int64_t step) {
        auto const out =
            results_of(node("Range", {"a", "b", "c"}, {"y"}), {scalar("a", from), scalar("b", to), scalar("c", step)});
        auto const& t = std::get<tx::tensor<std::int64_t>>(out[0]);
        return numbers(t.data(), t.data() + t.size());
    };
    CHECK(range(all - 3, all, 2) == numbers{all - 3, all - 1});
    CHECK(range(-all, -all - 1, -1) == numbers{-all});
    CHECK(range(-all - 1, all, all) == numbers{-all - 1, -1, all - 1});
    CHECK(range(1, 0, all) == numbers{});
    // A result without elements, whatever its scale.
    auto const nothing =
        results_of(node("Resize", {"x", "", "s"}, {"y"}, {attribute("mode", "linear"), attribute("antialias", std::int64_t{1})}),
                   {floats_of("x", {2, 3}), floats("s", {2}, {1, 1e-38f})});
    CHECK(std::get<tx::tensor<float>>(nothing[0]).dimensions() == tx::dims{{2, 0}, 2});
    // Places outside of every number are none of the image.
    auto const outside =
        results_of(node("Resize", {"x", "roi", "", "n"}, {"y"},
                        {attribute("mode", "cubic"), attribute("coordinate_transformation_mode", "tf_crop_and_resize"),
                         attribute("extrapolation_value", 7.0f)}),
                   {floats_of("x", {3}), floats("roi", {2}, {-1e38f, 3e38f}), ints("n", {2})});
    CHECK(tx::equal(std::get<tx::tensor<float>>(outside[0]), tx::tensor<float, tx::shape<2>>{7, 7}));
    // The mean of a window without end is that of all channels, and zeros beside them.
    auto const normal = results_of(node("LRN", {"x"}, {"y"},
                                        {attribute("size", std::int64_t{1} << 62), attribute("alpha", 0x1p62f),
                                         attribute("beta", 1.0f), attribute("bias", 1.0f)}),
                                   {floats("x", {1, 3}, {1, 2, 3})});
    for (int k = 0; k < 3; ++k) CHECK(std::get<tx::tensor<float>>(normal[0]).data()[k] == doctest::Approx((k + 1) / 15.0));
}
