// This file tests ONNX files that are damaged or malicious: they give tx::error and nothing else, and take little memory.
#include <tracexpr/onnx.hpp>

#include "../onnx/writer.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>

using namespace onnx_writer;
using vec = tx::tensor<float>;

namespace {

template <class F> std::string message_of(F const& f) {
    try {
        f();
    } catch (tx::error const& e) {
        return e.what();
    }
    return "";
}
std::string problem_of(std::string const& bytes) {
    return message_of([&] { static_cast<void>(tx::onnx::from_bytes(bytes)); });
}
bool has(std::string const& text, std::string_view part) { return text.find(part) != text.npos; }

graph_parts simple() {
    return {{node("Add", {"x", "w"}, {"y"})}, {value("x", float32, {2})}, {value("y", float32, {2})}, {floats("w", {2}, {1, 2})}};
}
struct folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("tracexpr_onnx_" + std::to_string(std::random_device{}()));
    folder() { std::filesystem::create_directories(path); }
    ~folder() { std::filesystem::remove_all(path); }
    std::string write(std::string const& name, std::string_view bytes) const {
        std::ofstream(path / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return (path / name).string();
    }
};
message external(std::string_view location, std::string_view offset, std::string_view length) {
    auto const pair = [](std::string_view key, std::string_view value) { return message().bytes(1, key).bytes(2, value); };
    message out;
    out.number(1, 2).number(2, float32).bytes(8, "w").put(13, pair("location", location));
    if (!offset.empty()) out.put(13, pair("offset", offset));
    if (!length.empty()) out.put(13, pair("length", length));
    return out.number(14, 1);
}

} // namespace

TEST_CASE("onnx: a file, and elements in another file beside it") {
    folder const at;
    graph_parts parts = simple();
    CHECK(
        tx::equal(std::get<vec>(tx::onnx::load(at.write("a.onnx", model(parts))).run(std::vector<tx::any_tensor>{vec{1, 1}})[0]),
                  vec{2, 3}));
    float const numbers[]{0, 5, 7};
    at.write("w.bin", {reinterpret_cast<char const*>(numbers), sizeof(numbers)});
    auto const load_with = [&](message const& w) {
        parts.initializers = {w};
        return tx::onnx::load(at.write("b.onnx", model(parts)));
    };
    CHECK(tx::equal(std::get<vec>(load_with(external("w.bin", "4", "8")).run(std::vector<tx::any_tensor>{vec{1, 1}})[0]),
                    vec{6, 8}));
    CHECK(tx::equal(std::get<vec>(load_with(external("./w.bin", "4", "")).run(std::vector<tx::any_tensor>{vec{1, 1}})[0]),
                    vec{6, 8}));
    auto const problem = [&](message const& w) { return message_of([&] { static_cast<void>(load_with(w)); }); };
    CHECK(has(problem(external("w.bin", "8", "8")), "beyond the end"));
    CHECK(has(problem(external("w.bin", "-1", "8")), "says no place"));
    CHECK(has(problem(external("w.bin", "99999999999999999999", "8")), "says no place"));
    CHECK(has(problem(external("w.bin", "0", "4")), "must have 8 bytes"));
    CHECK(has(problem(external("../w.bin", "0", "8")), "must lie in the model's folder"));
    CHECK(has(problem(external((at.path / "w.bin").string(), "0", "8")), "must lie in the model's folder"));
    CHECK(has(problem(external("none.bin", "0", "8")), "can't be opened"));
    CHECK(has(problem(external("", "0", "8")), "must lie in the model's folder"));
    std::filesystem::create_symlink("/etc/passwd", at.path / "link.bin");
    CHECK(has(problem(external("link.bin", "0", "8")), "must lie in the model's folder"));
    parts.initializers = {external("w.bin", "4", "8")};
    CHECK(has(problem_of(model(parts)), "must lie in the model's folder")); // of memory there is no folder
    CHECK(has(message_of([&] { static_cast<void>(tx::onnx::load((at.path / "no.onnx").string())); }), "can't be opened"));
    CHECK(has(message_of([&] { static_cast<void>(tx::onnx::load(at.path.string())); }), "is no file"));
}

TEST_CASE("onnx: what is no model says so") {
    CHECK(has(problem_of(""), "is no ONNX model: it has no graph"));
    CHECK(has(problem_of("hello, this is text"), "is damaged"));
    graph_parts parts = simple();
    parts.nodes[0] = node("Frobnicate", {"x", "w"}, {"z"});
    parts.nodes.push_back(node("Frobnicate", {"z"}, {"q"}));
    parts.nodes.push_back(node("Special", {"q"}, {"y"}, {}, "com.example"));
    CHECK(has(problem_of(model(parts)), "has operators that the library doesn't have: Frobnicate (2), com.example.Special (1)"));
    CHECK(has(problem_of(model(simple(), 99)), "needs version 99"));
    parts = simple();
    parts.initializers[0] = floats("w", {3}, {1, 2});
    CHECK(has(problem_of(model(parts)), "must have 12 bytes for its shape; it has 8"));
    parts.initializers[0] = tensor<float>("w", float32, {std::int64_t{1} << 40, std::int64_t{1} << 40}, {});
    CHECK(has(problem_of(model(parts)), "larger than memory can be"));
    parts.initializers[0] = tensor<float>("w", float32, {-2}, {});
    CHECK(has(problem_of(model(parts)), "negative extent"));
    parts.initializers[0] = tensor<float>("w", 99, {2}, {1, 2});
    CHECK(has(problem_of(model(parts)), "dtype 99"));
    parts = simple();
    parts.initializers.push_back(parts.initializers[0]);
    CHECK(has(problem_of(model(parts)), "has two initializers"));
}

TEST_CASE("onnx: what doesn't fit is found when the model is traced") {
    auto const problem = [](graph_parts const& parts) {
        return message_of(
            [&] { static_cast<void>(tx::onnx::from_bytes(model(parts)).run(std::vector<tx::any_tensor>{vec{1, 1}})); });
    };
    graph_parts parts = simple();
    parts.nodes[0] = node("Add", {"x", "nobody"}, {"y"});
    CHECK(has(problem(parts), "nothing before it gives its input \"nobody\""));
    parts.nodes[0] = node("Add", {"x"}, {"y"});
    CHECK(has(problem(parts), "needs an input 1"));
    parts.nodes[0] = node("Add", {"x", "w"}, {"z"});
    CHECK(has(problem(parts), "nothing gives its output \"y\""));
    parts = simple();
    parts.initializers[0] = ints("w", {1, 2});
    CHECK(has(problem(parts), "operands must have one dtype; given float32, int64"));
    parts = simple();
    parts.nodes[0] = node("Transpose", {"x"}, {"y"}, {attribute("perm", std::vector<std::int64_t>{5})});
    CHECK(has(problem(parts), "lies outside"));
    parts.nodes[0] = node("Split", {"x"}, {"y"}, {attribute("num_outputs", std::int64_t{1} << 40)});
    CHECK(!problem(parts).empty());
    parts.nodes[0] = node("Reshape", {"x", "w"}, {"y"});
    parts.initializers[0] = ints("w", {-7, 3});
    CHECK(!problem(parts).empty());
}

TEST_CASE("onnx: functions and graphs within each other end somewhere") {
    message f;
    f.bytes(1, "f")
        .bytes(4, "a")
        .bytes(5, "b")
        .put(9, opset("own", 1))
        .bytes(10, "own")
        .put(7, node("f", {"a"}, {"b"}, {}, "own"));
    graph_parts parts = simple();
    parts.nodes[0] = node("f", {"x"}, {"y"}, {}, "own");
    CHECK(has(problem_of(model(parts, 21, {f})), "calls itself"));
    // Each of many functions calls the next one twice.
    std::vector<message> many;
    std::vector<std::string> called;
    for (int k = 0; k < 41; ++k) called.push_back("f" + std::to_string(k));
    for (std::size_t k = 0; k < 40; ++k)
        many.push_back(message()
                           .bytes(1, called[k])
                           .bytes(4, "a")
                           .bytes(5, "b")
                           .put(9, opset("own", 1))
                           .bytes(10, "own")
                           .put(7, node(called[k + 1], {"a"}, {"t"}, {}, "own"))
                           .put(7, node(called[k + 1], {"t"}, {"b"}, {}, "own")));
    many.push_back(message()
                       .bytes(1, called[40])
                       .bytes(4, "a")
                       .bytes(5, "b")
                       .put(9, opset("", 21))
                       .bytes(10, "own")
                       .put(7, node("Neg", {"a"}, {"b"})));
    parts.nodes[0] = node("f0", {"x"}, {"y"}, {}, "own");
    auto const m = tx::onnx::from_bytes(model(parts, 21, many));
    CHECK(
        has(message_of([&] { static_cast<void>(m.run(std::vector<tx::any_tensor>{vec{1, 1}})); }), "more than 1,000,000 nodes"));
    // Branches within branches.
    message inner = graph({{node("Neg", {"x"}, {"n"})}, {}, {value("n", float32, {2})}, {}});
    for (int k = 0; k < 200; ++k)
        inner = graph({{node("If", {"c"}, {"n"},
                             {graph_attribute("then_branch", inner),
                              graph_attribute("else_branch", inner.text().size() > 10000 ? message() : inner)})},
                       {},
                       {value("n", float32, {2})},
                       {}});
    message all;
    all.number(1, 10).put(7, inner).put(8, opset("", 21));
    CHECK(has(problem_of(all.text()), "more than 64 graphs"));
}

TEST_CASE("onnx: whatever bytes change, nothing but tx::error is thrown") {
    std::string const good = model({{node("MatMul", {"x", "w"}, {"p"}), node("Reshape", {"p", "s"}, {"r"}),
                                     node("Softmax", {"r"}, {"y"}, {attribute("axis", std::int64_t{-1})})},
                                    {value("x", float32, {"n", 2})},
                                    {value("y", float32, {})},
                                    {floats("w", {2, 3}, {1, 2, 3, 4, 5, 6}), ints("s", {3, -1})}});
    std::mt19937 random(1);
    std::size_t loaded = 0;
    for (int k = 0; k < 3000; ++k) {
        std::string bytes = good;
        for (int change = 0; change < 1 + k % 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
        if (k % 5 == 0) bytes.resize(random() % bytes.size());
        INFO("number ", k);
        try {
            auto const m = tx::onnx::from_bytes(bytes);
            ++loaded;
            static_cast<void>(m.run(std::vector<tx::any_tensor>{vec{{1, 2}, {3, 4}, {5, 6}}}));
        } catch (tx::error const&) {}
    }
    CHECK(loaded > 100);
}
