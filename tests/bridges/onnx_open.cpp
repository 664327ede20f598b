// ONNX models inside functions whose extents only the run knows: what exporters write for dynamic batches. Each result is
// compared with that of the model when all extents are known, which ONNX's own tests check.
#include <tracexpr/onnx.hpp>

#include "../onnx/writer.hpp"

#include <doctest/doctest.h>

using namespace onnx_writer;
using any_floats = tx::spec<float, tx::any_shape>;

namespace {

template <std::int64_t... E> tx::tensor<float, tx::shape<E...>> numbers(int first) {
    tx::tensor<float, tx::shape<E...>> out;
    for (std::int64_t k = 0; k < out.size(); ++k)
        out.mutable_data()[k] = static_cast<float>((k * 7 + first * 3) % 11) * 0.25f - 1.0f;
    return out;
}
// The model's output for x..., which a function takes as tensors of the shapes Open; it is traced once for all of them.
template <class... Open, class... Shapes> void check_as(std::string const& bytes, tx::tensor<float, Shapes> const&... x) {
    auto const m = tx::onnx::from_bytes(bytes);
    tx::function f{[&](auto const&... in) { return m.call<any_floats>(in...); }};
    tx::tensor<float> const open(f(tx::tensor<float, Open>(x)...));
    auto const known = std::get<tx::tensor<float>>(m.run(std::vector<tx::any_tensor>{tx::tensor<float>(x)...})[0]);
    REQUIRE(open.dimensions() == known.dimensions());
    CHECK(tx::allclose(open, known, {.rtol = 1e-6, .atol = 1e-6}));
}
template <class Shape> struct opened;
template <std::int64_t... E> struct opened<tx::shape<E...>> {
    using type = tx::shape<(static_cast<void>(E), tx::dyn)...>;
};
template <class... Shapes> void check(std::string const& bytes, tx::tensor<float, Shapes> const&... x) {
    check_as<typename opened<Shapes>::type...>(bytes, x...);
}
constexpr char const* names_of_axes[]{"n", "t", "u", "v"};
message whole(std::string_view name, std::int64_t v) { return tensor(name, int64, {}, std::vector<std::int64_t>{v}); }
std::string of(std::vector<message> nodes, std::vector<message> inputs, std::vector<message> initializers = {}, int rank = 3) {
    std::vector<axis> open;
    for (int a = 0; a < rank; ++a) open.emplace_back(names_of_axes[a]);
    return model({std::move(nodes), std::move(inputs), {value("y", float32, open)}, std::move(initializers)}, 23);
}
message input(std::string_view name, int rank) {
    std::vector<axis> open;
    for (int a = 0; a < rank; ++a) open.emplace_back(names_of_axes[a]);
    return value(name, float32, open);
}
message extent(std::string_view of, std::string_view to, std::int64_t axis) { // as a vector of one element
    return node("Shape", {std::string(of)}, {std::string(to)}, {attribute("start", axis), attribute("end", axis + 1)});
}

} // namespace

TEST_CASE("onnx: shapes that follow from extents of the run: Reshape") {
    auto const x = numbers<3, 4, 6>(1);
    // (n, t, 6) as (n, t, 2, 3), each extent as exporters find it.
    std::string const apart =
        of({node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"n"}), node("Gather", {"s", "one"}, {"t"}),
            node("Gather", {"s", "last"}, {"c"}), node("Div", {"c", "two"}, {"half"}), node("Unsqueeze", {"n", "axis"}, {"n1"}),
            node("Unsqueeze", {"t", "axis"}, {"t1"}), node("Unsqueeze", {"half", "axis"}, {"h1"}),
            node("Concat", {"n1", "t1", "pair", "h1"}, {"to"}, {attribute("axis", std::int64_t{0})}),
            node("Reshape", {"x", "to"}, {"r"}),
            node("Transpose", {"r"}, {"y"}, {attribute("perm", std::vector<std::int64_t>{0, 2, 1, 3})})},
           {input("x", 3)},
           {whole("zero", 0), whole("one", 1), whole("last", -1), whole("two", 2), ints("axis", {0}), ints("pair", {2})}, 4);
    check(apart, x), check(apart, numbers<1, 2, 4>(2)), check(apart, numbers<0, 2, 4>(2));
    // The rest of the elements, and an axis that is kept by a 0.
    std::string const rest =
        of({extent("x", "t", 1), node("Concat", {"t", "left", "nothing"}, {"to"}, {attribute("axis", std::int64_t{0})}),
            node("Reshape", {"x", "to"}, {"y"})},
           {input("x", 3)}, {ints("left", {-1}), ints("nothing", {0})});
    check(rest, x), check(rest, numbers<2, 1, 5>(2));
    // A product, and a slice of the shape.
    std::string const flat =
        of({node("Shape", {"x"}, {"s"}), node("Slice", {"s", "begin", "end"}, {"front"}), node("ReduceProd", {"front"}, {"n"}),
            node("Slice", {"s", "end", "far"}, {"c"}), node("Concat", {"n", "c"}, {"to"}, {attribute("axis", std::int64_t{0})}),
            node("Reshape", {"x", "to"}, {"y"})},
           {input("x", 3)}, {ints("begin", {0}), ints("end", {2}), ints("far", {INT64_MAX})}, 2);
    check(flat, x), check(flat, numbers<2, 1, 5>(2));
    std::string const flattened =
        of({node("Flatten", {"x"}, {"y"}, {attribute("axis", std::int64_t{2})})}, {input("x", 3)}, {}, 2);
    check(flattened, x), check(flattened, numbers<2, 1, 5>(2));
}

TEST_CASE("onnx: shapes that follow from extents of the run: Expand and ConstantOfShape") {
    // As PyTorch expands to sizes of which -1 keeps the axis.
    std::string const expand =
        of({extent("x", "n", 0), node("Concat", {"n", "minus", "three"}, {"s"}, {attribute("axis", std::int64_t{0})}),
            node("Equal", {"s", "minus"}, {"keeps"}), node("Where", {"keeps", "unit", "s"}, {"to"}),
            node("Expand", {"w", "to"}, {"y"})},
           {input("x", 2), input("w", 3)}, {ints("minus", {-1}), ints("three", {3}), ints("unit", {1})});
    check(expand, numbers<5, 2>(1), numbers<1, 2, 1>(2)), check(expand, numbers<1, 2>(1), numbers<4, 2, 3>(2));
    check(expand, numbers<0, 2>(1), numbers<1, 2, 1>(2));
    std::string const zeros = of({node("Shape", {"x"}, {"s"}), node("ConstantOfShape", {"s"}, {"z"}), node("Cos", {"z"}, {"y"})},
                                 {input("x", 2)}, {}, 2);
    check(zeros, numbers<5, 2>(1)), check(zeros, numbers<0, 2>(1));
}

TEST_CASE("onnx: elements do not tell extents") {
    auto const m = tx::onnx::from_bytes(
        of({node("Cast", {"x"}, {"s"}, {attribute("to", int64)}), node("Reshape", {"x", "s"}, {"y"})}, {input("x", 1)}, {}, 2));
    tx::function f{[&](auto const& in) { return m.call<any_floats>(in); }};
    std::string problem;
    try {
        static_cast<void>(f(tx::tensor<float, tx::shape<2>>{2, 1}));
    } catch (tx::error const& e) {
        problem = e.what();
    }
    CHECK(problem.find("Reshape: its input 1 must be known while the model is traced") != problem.npos);
}

TEST_CASE("onnx: networks of any batch") {
    auto const weights = [](std::string_view name, std::vector<std::int64_t> const& shape) {
        std::int64_t count = 1;
        for (std::int64_t const e : shape) count *= e;
        std::vector<float> v;
        for (std::int64_t k = 0; k < count; ++k) v.push_back(static_cast<float>(k * 5 % 7) * 0.125f - 0.375f);
        return floats(name, shape, v);
    };
    std::string const attention =
        of({node("Attention", {"q", "k", "v"}, {"y"},
                 {attribute("q_num_heads", std::int64_t{2}), attribute("kv_num_heads", std::int64_t{1}),
                  attribute("is_causal", std::int64_t{1})})},
           {value("q", float32, {"n", "t", 8}), value("k", float32, {"n", "t", 4}), value("v", float32, {"n", "t", 4})});
    using tx::dyn, tx::shape;
    check_as<shape<dyn, dyn, 8>, shape<dyn, dyn, 4>, shape<dyn, dyn, 4>>(attention, numbers<2, 5, 8>(1), numbers<2, 5, 4>(2),
                                                                         numbers<2, 5, 4>(3));
    using any_images = shape<dyn, 4, 5, 6>;
    auto const images = numbers<3, 4, 5, 6>(1);
    auto const at = [&](std::vector<message> nodes, std::vector<message> initializers = {}) {
        return of(std::move(nodes), {value("x", float32, {"n", 4, 5, 6})}, std::move(initializers), 4);
    };
    check_as<any_images>(at({node("GroupNormalization", {"x", "a", "b"}, {"y"}, {attribute("num_groups", std::int64_t{2})})},
                            {floats("a", {4}, {1, 2, 3, 4}), floats("b", {4}, {0, 1, 0, 1})}),
                         images);
    check_as<any_images>(at({node("ConvTranspose", {"x", "w"}, {"y"}, {attribute("strides", std::vector<std::int64_t>{2, 2})})},
                            {weights("w", {4, 3, 2, 2})}),
                         images);
    check_as<any_images>(at({node("DepthToSpace", {"x"}, {"y"}, {attribute("blocksize", std::int64_t{2})})}), images);
    check_as<any_images>(
        at({node("Resize", {"x", "", "scales"}, {"y"}, {attribute("mode", "linear")})}, {floats("scales", {4}, {1, 1, 2, 0.5f})}),
        images);
    check_as<any_images>(at({extent("x", "n", 0), node("Concat", {"n", "c"}, {"to"}, {attribute("axis", std::int64_t{0})}),
                             node("Resize", {"x", "", "", "to"}, {"y"}, {attribute("mode", "nearest")})},
                            {ints("c", {4, 10, 3})}),
                         images);
    check_as<any_images>(
        at({node("ArgMax", {"x"}, {"m"}, {attribute("axis", std::int64_t{0}), attribute("select_last_index", std::int64_t{1})}),
            node("Cast", {"m"}, {"y"}, {attribute("to", float32)})}),
        images);
    check_as<shape<dyn, 2, 4>>(
        of({node("LSTM", {"x", "w", "r", "", "lengths", "h", "c"}, {"", "", "y"}, {attribute("hidden_size", std::int64_t{3})})},
           {value("x", float32, {"t", 2, 4})},
           {weights("w", {1, 12, 4}), weights("r", {1, 12, 3}), tensor("lengths", 6, {2}, std::vector<std::int32_t>{2, 3}),
            weights("h", {1, 2, 3}), weights("c", {1, 2, 3})}),
        numbers<4, 2, 4>(1));
    std::string const loss =
        of({node("SoftmaxCrossEntropyLoss", {"x", "classes"}, {"y"}, {attribute("ignore_index", std::int64_t{1})})},
           {value("x", float32, {"n", 4})}, {tensor("classes", int64, {3}, std::vector<std::int64_t>{0, 1, 3})}, 0);
    check_as<shape<dyn, 4>>(loss, numbers<3, 4>(1));
}

TEST_CASE("onnx: extents that a model has as numbers are compared when the program runs") {
    auto const m = tx::onnx::from_bytes(
        of({node("Add", {"x", "b"}, {"y"})}, {value("x", float32, {"n", 4})}, {floats("b", {4}, {1, 2, 3, 4})}, 2));
    tx::function f{[&](auto const& in) { return m.call<any_floats>(in); }};
    using open = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
    CHECK(tx::equal(tx::tensor<float>(f(open(numbers<1, 4>(0)))),
                    tx::tensor<float>(numbers<1, 4>(0) + tx::tensor<float>{1, 2, 3, 4})));
    CHECK_THROWS_AS(static_cast<void>(f(open(numbers<2, 1>(0)))), tx::shape_error);
    CHECK_THROWS_AS(static_cast<void>(f(open(numbers<4, 2>(0)))), tx::shape_error);
}
