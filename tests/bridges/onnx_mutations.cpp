// This file tests a few thousand ONNX files that were changed at random; onnx_mutations_long has more of them.
#include "../onnx/mutations.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace onnx_mutations;

TEST_CASE("onnx: the models that are mutated run") {
    for (std::string const& bytes : {of_shapes(), of_images(), of_numbers(), of_texts(), of_control()}) {
        auto const m = tx::onnx::from_bytes(bytes);
        CHECK(m.run(std::vector<tx::any_tensor>{tx::ones<float>(tx::shape<4, 6>{})}).size() == 1);
        CHECK(tried(bytes).problem.empty());
    }
}

TEST_CASE("onnx: of mutated models nothing but tx::error comes") {
    std::size_t loaded = 0, ran = 0;
    CHECK(problems_of(1, 5000, loaded, ran) == "");
    CHECK(loaded > 400);
    CHECK(ran > 100);
}

TEST_CASE("onnx: loading takes little memory, whatever there is many of") {
    auto const many = [](unsigned field, message const& each, int count) {
        message out;
        for (int k = 0; k < count; ++k) out.put(field, each);
        return out;
    };
    auto const with_graph = [](message const& g) { return message().number(1, 10).put(7, g).put(8, opset("", 21)).text(); };
    constexpr int some = 300'000;
    for (unsigned const field : {1u, 5u, 11u, 12u, 15u}) CHECK(tried(with_graph(many(field, message(), some))).problem == "");
    for (unsigned const field : {7u, 8u, 25u})
        CHECK(tried(with_graph(message()) + many(field, message(), some).text()).problem == "");
    CHECK(tried(with_graph(many(1, message().bytes(4, "Nothing"), some))).problem == "");
    CHECK(tried(with_graph(many(11, value("x", float32, {1}), 90'000))).problem == "");
    message tensors, functions;
    for (int k = 0; k < some; ++k) tensors.put(5, message().number(1, 0).number(2, float32).bytes(8, std::to_string(k)));
    CHECK(tried(with_graph(tensors)).problem == "");
    for (int k = 0; k < 20'000; ++k) functions.put(25, message().bytes(1, std::to_string(k)));
    CHECK(tried(with_graph(message()) + functions.text()).problem == "");
    message zeros;
    for (int k = 0; k < 100; ++k)
        zeros.put(15, message().number(3, 1 << 20).put(1, floats(std::to_string(k), {0}, {})).put(2, ints("", {})));
    CHECK(tried(with_graph(zeros)).problem == "");
    message texts = message().number(1, some).number(2, 8).bytes(8, "t");
    for (int k = 0; k < some; ++k) texts.bytes(6, std::to_string(k));
    CHECK(tried(with_graph(message().put(5, texts))).problem == "");
}

TEST_CASE("onnx: what a model asks for is bounded") {
    auto const problem = [](std::string const& bytes, std::vector<tx::any_tensor> const& inputs) -> std::string {
        try {
            static_cast<void>(tx::onnx::from_bytes(bytes).run(inputs));
        } catch (tx::error const& e) {
            return e.what();
        }
        return "";
    };
    auto const has = [](std::string const& text, char const* part) { return text.find(part) != text.npos; };
    od::most_elements = std::int64_t{1} << 36;
    auto const scalar = [](std::string_view name, std::int64_t v) {
        return tensor(name, int64, {}, std::vector<std::int64_t>{v});
    };
    std::vector<tx::any_tensor> const none;
    std::string const range = model({{node("Range", {"a", "b", "c"}, {"r"}), node("ReduceSum", {"r"}, {"y"})},
                                     {},
                                     {value("y", int64, {1})},
                                     {scalar("a", 0), scalar("b", std::int64_t{1} << 60), scalar("c", 1)}});
    CHECK(has(problem(range, none), "is larger than models may ask for"));
    // What memory may not be there for.
    std::string const wide =
        model({{node("ConstantOfShape", {"s"}, {"y"})}, {}, {value("y", float32, {"n"})}, {ints("s", {1 << 30})}});
    limit = held + (std::size_t{64} << 20);
    std::string const told = problem(wide, none);
    limit = SIZE_MAX;
    CHECK(has(told, "needs more memory than there is"));
    // A loop without an end is not run to know a shape.
    message const body = graph({{node("Add", {"v", "v"}, {"next"}), node("Identity", {"c"}, {"on"})},
                                {value("i", int64, {}), value("c", boolean, {}), value("v", int64, {1})},
                                {value("on", boolean, {}), value("next", int64, {1})},
                                {}});
    std::string const endless =
        model({{node("Loop", {"", "", "one"}, {"n"}, {graph_attribute("body", body)}), node("Reshape", {"x", "n"}, {"y"})},
               {value("x", float32, {4})},
               {value("y", float32, {"n"})},
               {ints("one", {1})}});
    CHECK(has(problem(endless, {tx::ones<float>(tx::shape<4>{})}), "must be known while the model is traced"));
}

TEST_CASE("onnx: elements in other files lie in the model's folder, whatever path a model tells") {
    namespace fs = std::filesystem;
    fs::path const around = fs::temp_directory_path() / ("tracexpr_onnx_paths_" + std::to_string(std::random_device{}()));
    fs::path const folder = around / "models";
    fs::create_directories(folder / "sub");
    auto const write = [](fs::path const& at, std::string_view bytes) { std::ofstream(at, std::ios::binary) << bytes; };
    for (fs::path const& at : {around, around / "models2", folder, folder / "sub"}) {
        fs::create_directories(at);
        bool const is_inside = at != around && at != around / "models2";
        write(at / "w.bin", is_inside ? std::string(8, '\0') : std::string(8, 'x'));
    }
    fs::create_symlink(around / "w.bin", folder / "link.bin");
    fs::create_directory_symlink(around, folder / "out");
    fs::create_directory_symlink("/", folder / "sub" / "root");
    text_list const parts{"..", ".", "sub", "w.bin", "link.bin", "out", "root", "", "models", "models2", around.string()};
    random_numbers random(1);
    std::size_t read = 0, refused = 0;
    for (int k = 0; k < 400; ++k) {
        std::string location;
        for (std::size_t n = 1 + random() % 4; n-- > 0;) location += parts[random() % parts.size()] + (n ? "/" : "");
        message w = message().number(1, 2).number(2, float32).bytes(8, "w");
        w.put(13, message().bytes(1, "location").bytes(2, location)).number(14, 1);
        write(folder / "m.onnx",
              model({{node("Add", {"x", "w"}, {"y"})}, {value("x", float32, {2})}, {value("y", float32, {2})}, {w}}));
        try {
            auto const m = tx::onnx::load((folder / "m.onnx").string());
            INFO("location ", location);
            CHECK(tx::equal(std::get<tx::tensor<float>>(m.parameters().at("w")), tx::zeros<float>(tx::shape<2>{})));
            ++read;
        } catch (tx::error const&) {
            ++refused;
        }
    }
    fs::remove_all(around);
    CHECK(read > 5);
    CHECK(refused > 20);
}
