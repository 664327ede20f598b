// ONNX models: read, run, and made part of functions. `#include <tracexpr/onnx.hpp>`.
#include <tracexpr/onnx.hpp>
#include <tracexpr/onnx/static_header.hpp>

#include "../onnx/writer.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

using vec = tx::tensor<float>;

namespace {

// y = x w, for x (batch, 2) and w (2, 2).
std::string linear_model() {
    using namespace onnx_writer;
    return model({{node("MatMul", {"x", "w"}, {"y"})},
                  {value("x", float32, {"batch", 2})},
                  {value("y", float32, {"batch", 2})},
                  {floats("w", {2, 2}, {1, 2, 3, 4})}});
}
// A file that goes at the end.
struct temporary {
    std::string path;
    explicit temporary(std::string const& bytes) : path{"reference_example.onnx"} {
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    ~temporary() { std::remove(path.c_str()); }
};

} // namespace

TEST_CASE("onnx::load, onnx::from_bytes, onnx::model") {
    temporary const file(linear_model());
    tx::onnx::model const m = tx::onnx::load(file.path);
    vec const x{{1, 0}, {1, 1}};
    std::vector<tx::any_tensor> const out = m.run(std::vector<tx::any_tensor>{x}); // dtypes as the model tells them
    CHECK(tx::equal(std::get<vec>(out[0]), vec{{1, 2}, {4, 6}}));
    tx::named_tensors const named = m.run(tx::named_tensors{{"x", x}});
    CHECK(named.contains("y"));

    auto const y = m.call<tx::spec<float, tx::shape<tx::dyn, 2>>>(x); // typed
    CHECK(tx::equal(y, vec{{1, 2}, {4, 6}}));
    auto const loss = [&](auto const& in) { return tx::sum(m.call<tx::spec<float, tx::any_shape>>(in)); };
    CHECK(tx::equal(tx::grad(loss)(x), vec{{3, 7}, {3, 7}}));

    tx::named_tensors weights = m.parameters(); // "w"
    weights["w"] = vec{{1, 0}, {0, 1}};
    CHECK(tx::equal(m.call<tx::spec<float, tx::any_shape>>(weights, x), x));
    CHECK(tx::onnx::from_bytes(linear_model()).outputs().size() == 1);
}

TEST_CASE("onnx::value_info, onnx::dimension") {
    tx::onnx::model const m = tx::onnx::from_bytes(linear_model());
    tx::onnx::value_info const& x = m.inputs()[0];
    CHECK(x.name == "x");
    CHECK(x.dtype == tx::dtype::float32);
    tx::onnx::dimension const first = x.dims[0]; // a number, a symbol, or nothing, which equals ""
    CHECK(first == "batch");
    CHECK(x.dims[1] == 2);
    CHECK(!x.has_default);
    CHECK(m.outputs()[0].name == "y");
}

TEST_CASE("onnx::save, onnx::to_bytes, onnx::save_options") {
    temporary const file{""};
    auto const f = [](auto const& x) { return tx::sum(x * x, tx::axis<1>); };
    tx::onnx::save(file.path, f, tx::spec<float, tx::shape<tx::dyn, 2>>{}); // any number of rows

    tx::onnx::save_options const options{.opset = 20, .inputs = {"points"}, .outputs = {"lengths"}};
    std::string const bytes = tx::onnx::to_bytes(f, tx::spec<float, tx::shape<tx::dyn, 2>>{}, options); // in memory

    tx::onnx::model const m = tx::onnx::from_bytes(bytes);
    CHECK(m.inputs()[0].name == "points");
    CHECK(m.call<tx::spec<float, tx::shape<1>>>(tx::tensor<float, tx::shape<1, 2>>{{3, 4}})(0) == 25);
}

TEST_CASE("onnx::make_static, onnx::static_files, onnx::static_model") {
    auto const f = [](auto const& x) { return x * 2.0f; };
    tx::onnx::model const m = tx::onnx::from_bytes(tx::onnx::to_bytes(f, tx::spec<float, tx::shape<3>>{}));
    // What tracexpr_add_onnx writes: a header that declares `twice`, an onnx::static_model, and a source with its weights.
    tx::onnx::static_files const files = tx::onnx::make_static(m, "twice.onnx", "twice", "twice.weights");
    CHECK(files.header.find("inline constexpr tx::onnx::static_model<twice_tables> twice{};") != std::string::npos);
    CHECK(files.source.find("twice.weights") != std::string::npos);
    CHECK(files.weights.empty()); // 2 is a literal of the graph
}
