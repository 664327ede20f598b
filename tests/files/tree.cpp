// This file tests save and load of trees of parameters, and that nothing changes where a file does not fit.
#include "file_checks.hpp"

#include <doctest/doctest.h>

#include <array>
#include <tuple>
#include <utility>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

enum class kind { dense, sparse };
struct dense {
    tx::variable<float, shape<2, 3>> weights;
    tx::variable<float, shape<dyn>> bias;
    auto operator()(auto const& x) const { return tx::matmul(x, weights) + bias; }
};
struct model {
    std::array<dense, 2> layers;
    tensor<tx::bfloat16> embedding;
    std::pair<tensor<std::int64_t, shape<>>, std::tuple<bool, double>> counts;
    std::complex<float> phase{};
    std::int64_t steps = 0;
    kind of_kind = kind::dense;
    std::string note; // no parameter
};

using vector = tensor<float, shape<dyn>>;
model trained() {
    model out;
    out.layers[0].weights.assign(tensor<float, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}});
    out.layers[1].weights.assign(tensor<float, shape<2, 3>>{{-1, -2, -3}, {-4, -5, -6}});
    out.layers[0].bias.assign(vector{0.5f, 0.25f, 0.125f});
    out.layers[1].bias.assign(vector{7, 8});
    out.embedding = tensor<tx::bfloat16>{{1.5f}, {2.5f}};
    out.counts = {tensor<std::int64_t, shape<>>(11), {true, 0.1}};
    out.phase = {1, -2};
    out.steps = 1000;
    out.of_kind = kind::sparse;
    out.note = "trained";
    return out;
}
bool same_values(model const& a, model const& b) {
    bool equal = same(a.embedding, b.embedding) && same(a.counts.first, b.counts.first) && a.counts.second == b.counts.second &&
                 a.phase == b.phase && a.steps == b.steps;
    for (std::size_t k = 0; k < 2; ++k)
        equal = equal && same(a.layers[k].weights.value(), b.layers[k].weights.value()) &&
                same(a.layers[k].bias.value(), b.layers[k].bias.value());
    return equal;
}

std::vector<std::string> names_in(std::string const& path) {
    std::vector<std::string> out;
    for (auto const& [name, t] : path.ends_with(".npz") ? tx::load_npz(path) : tx::load_safetensors(path)) out.push_back(name);
    return out;
}

} // namespace

TEST_CASE("save, load: structs, tuples, pairs and arrays, nested") {
    for (std::string const extension : {".npz", ".safetensors"}) {
        CAPTURE(extension);
        temporary const file("model" + extension);
        model const saved = trained();
        tx::save(file.path, saved);
        CHECK(names_in(file.path) == std::vector<std::string>{"counts.0", "counts.1.0", "counts.1.1", "embedding",
                                                              "layers.0.bias", "layers.0.weights", "layers.1.bias",
                                                              "layers.1.weights", "phase", "steps"});
        model const loaded = tx::load<model>(file.path);
        CHECK(same_values(loaded, saved));
        CHECK((loaded.of_kind == kind::dense && loaded.note.empty()));
        model again = trained();
        again.layers[0].weights.assign(tensor<float, shape<2, 3>>());
        auto const number = again.layers[0].weights.number();
        again.note = "kept";
        tx::load(file.path, again);
        CHECK(same_values(again, saved));
        CHECK(again.layers[0].weights.number() == number); // the same variable
        CHECK(again.note == "kept");
    }
}

TEST_CASE("save, load: leaves on their own, tied, and none") {
    for (std::string const extension : {".npz", ".safetensors"}) {
        CAPTURE(extension);
        temporary const file("tree" + extension);
        tensor<float, shape<2>> const w{1, 2};
        tx::save(file.path, w);
        CHECK(same(tx::load<tensor<float>>(file.path), w));
        CHECK(same(tx::load<tensor<float, shape<dyn>>>(file.path), w));
        tx::variable<float> v{tensor<float>{0, 0}};
        tx::load(file.path, v);
        CHECK(same(v.value(), w));

        tensor<float, shape<2>> weights{3, 4};
        int steps = 5;
        tx::save(file.path, std::tie(weights, steps));
        weights = {0, 0}, steps = 0;
        tx::load(file.path, std::tie(weights, steps));
        CHECK(same(weights, tensor<float, shape<2>>{3, 4}));
        CHECK(steps == 5);
        auto const [first, second] = tx::load<std::tuple<tensor<float>, int>>(file.path);
        CHECK(second == 5);

        struct nothing {};
        struct holds_nothing {
            nothing a;
            std::tuple<> b;
        };
        tx::save(file.path, holds_nothing{});
        static_cast<void>(tx::load<holds_nothing>(file.path));
        long long wide = 6; // beside std::int64_t
        tx::save(file.path, wide);
        wide = 0;
        tx::load(file.path, wide);
        CHECK(wide == 6);
    }
}

TEST_CASE("save, load: every dtype") {
    temporary const archive("dtypes.npz"), other("dtypes.safetensors");
    for_each_dtype([&]<class T>(T, std::string const& name) {
        CAPTURE(name);
        std::pair const tree{expected<T>(), tensor<T, shape<>>(expected<T>()(0, 1))};
        auto const check = [&](temporary const& file) {
            tx::save(file.path, tree);
            auto const read = tx::load<std::pair<tensor<T>, tensor<T, shape<>>>>(file.path);
            CHECK(same(read.first, tree.first));
            CHECK(same(read.second, tree.second));
        };
        check(archive);
        if constexpr (tx::safetensors_element<T>) check(other);
        else
            CHECK(
                contains(message_of<tx::type_error>([&] { tx::save(other.path, tree); }), ".safetensors (0): has dtype " + name));
    });
}

TEST_CASE("load: nothing is changed where anything does not fit") {
    temporary const file("other.npz");
    model const saved = trained();
    model into = trained();
    into.steps = 3;
    into.layers[0].weights.assign(tensor<float, shape<2, 3>>());
    model const before = into;
    auto const refuses = [&](auto const& tree) {
        tx::save(file.path, tree);
        std::string const message = message_of<tx::error>([&] { tx::load(file.path, into); });
        CHECK(same_values(into, before));
        std::string const begin = "tx: load: " + file.path;
        return message.starts_with(begin) ? message.substr(begin.size()) : message;
    };
    CHECK(refuses(std::tuple(saved, 1)).starts_with(": is of another tree; it lacks: layers.0.weights, layers.0.bias, "));
    struct fewer {
        std::array<dense, 2> layers;
        tensor<tx::bfloat16> embedding;
        std::pair<tensor<std::int64_t, shape<>>, std::tuple<bool, double>> counts;
        std::complex<float> phase{};
        std::int64_t stepz = 0;
    };
    CHECK(refuses(fewer{saved.layers, saved.embedding, saved.counts, saved.phase, 0}) ==
          ": is of another tree; it lacks: steps; it has besides: stepz");
    struct other_dtype {
        std::array<dense, 2> layers;
        tensor<tx::bfloat16> embedding;
        std::pair<tensor<std::int64_t, shape<>>, std::tuple<bool, double>> counts;
        std::complex<float> phase{};
        std::int32_t steps = 0;
    };
    CHECK(refuses(other_dtype{saved.layers, saved.embedding, saved.counts, saved.phase, 0}) ==
          " (steps): holds dtype <i4; asked for int64 (<i8): load it as what it is, then tx::cast");
    model wider = saved;
    wider.embedding = tensor<tx::bfloat16>{{1.f, 2.f}};
    CHECK(refuses(wider) == " (embedding): the tree has shape (2, 1); the file has (1, 2)");
    model longer{.layers = {saved.layers[0], {saved.layers[1].weights, vector{1, 2, 3}}},
                 .embedding = saved.embedding,
                 .counts = saved.counts,
                 .phase = saved.phase,
                 .steps = 1,
                 .of_kind = kind::dense,
                 .note = ""};
    CHECK(refuses(longer) == " (layers.1.bias): the tree has shape (2,); the file has (3,)");
    model empty;
    tx::load(file.path, empty); // it has no elements yet
    CHECK(empty.layers[1].bias.extent(0) == 3);

    tensor<float, shape<2, 2>> matrix;
    tx::save(file.path, tensor<float>{1, 2});
    CHECK(message_of<tx::shape_error>([&] { tx::load(file.path, matrix); }) ==
          "tx: load: " + file.path + " (value): the tree has shape (2, 2); the file has (2,)");
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::load<tensor<float, shape<dyn, 2>>>(file.path)); }) ==
          "tx: load: " + file.path + " (value): the tree has shape (?, 2); the file has (2,)");
    float number = 1;
    CHECK(message_of<tx::shape_error>([&] { tx::load(file.path, number); }) ==
          "tx: load: " + file.path + " (value): the tree has shape (); the file has (2,)");
    CHECK(number == 1);
}

TEST_CASE("save, load: the name says what is in the file") {
    CHECK(message_of<tx::error>([] { tx::save("model.bin", tensor<float>{1}); }) ==
          "tx: save: model.bin: the name must end in .npz or .safetensors, which says what to write");
    CHECK(message_of<tx::error>([] { static_cast<void>(tx::load<tensor<float>>("model.bin")); }) ==
          "tx: load: model.bin: the name must end in .npz or .safetensors, which says what is in the file");
    CHECK(message_of<tx::error>([] { static_cast<void>(tx::load<tensor<float>>("no_such.npz")); }) ==
          "tx: load: no_such.npz: can't be opened to read");
}

TEST_CASE("save: a symbolic tensor has no values") {
    auto const saves = [&](auto x) {
        tx::save("symbolic.npz", tensor<float, shape<2>>(x));
        return x;
    };
    CHECK_THROWS_AS((tx::graph_of<tx::spec<float, shape<2>>>(saves)), tx::trace_error);
    CHECK_FALSE(std::filesystem::exists("symbolic.npz"));
}
