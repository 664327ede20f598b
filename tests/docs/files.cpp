// Files: NumPy's .npy and .npz, .safetensors, CSV, and whole trees of parameters. `#include <tracexpr/files.hpp>`.
#include <tracexpr/files.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdio>
#include <map>
#include <string>
#include <variant>

using vec = tx::tensor<float, tx::shape<3>>;

namespace {

// A file that goes at the end.
struct temporary {
    std::string path;
    ~temporary() { std::remove(path.c_str()); }
};

} // namespace

TEST_CASE("save_npy, load_npy, npy_format, any_tensor") {
    temporary const file{"reference_example.npy"};
    tx::save_npy(file.path, vec{1, 2, 3}, tx::npy_format{.order = std::endian::big});
    CHECK(tx::equal(tx::load_npy<float, tx::shape<3>>(file.path), vec{1, 2, 3}));
    CHECK_THROWS_AS(tx::load_npy<double>(file.path), tx::type_error);
    tx::any_tensor const any = tx::load_npy(file.path); // a std::variant of tensors of each dtype
    CHECK(std::get<tx::tensor<float>>(any).size() == 3);
}

TEST_CASE("save_npz, load_npz, npz_format, named_tensors") {
    temporary const file{"reference_example.npz"};
    tx::save_npz(file.path, {{"x", vec{1, 2, 3}}, {"y", tx::tensor<int>{4}}}, tx::npz_format{.compressed = false});
    CHECK(tx::equal(tx::load_npz<float, tx::shape<3>>(file.path, "x"), vec{1, 2, 3}));
    tx::named_tensors const all = tx::load_npz(file.path); // a std::map
    CHECK(all.size() == 2);
}

TEST_CASE("save_safetensors, load_safetensors, load_safetensors_metadata") {
    temporary const file{"reference_example.safetensors"};
    tx::save_safetensors(file.path, {{"w", vec{1, 2, 3}}}, {{"epoch", "7"}});
    CHECK(tx::equal(tx::load_safetensors<float, tx::shape<3>>(file.path, "w"), vec{1, 2, 3}));
    CHECK(tx::load_safetensors_metadata(file.path).at("epoch") == "7");
}

TEST_CASE("part_of") {
    temporary const file{"reference_example_part.npy"};
    tx::save_npy(file.path, tx::tensor<int>{10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
    tx::part_of const second{1, 4}; // of 4 parts of 10 rows, which have 3, 3, 2 and 2
    CHECK(tx::equal(tx::load_npy<int>(file.path, second), tx::tensor<int>{13, 14, 15}));
    CHECK(second.begin(10) == 3);
    CHECK(second.end(10) == 6);
}

namespace {
struct prices {
    tx::tensor<double, tx::shape<tx::dyn>> price;
    tx::tensor<std::string, tx::shape<tx::dyn>> name;
    tx::tensor<std::int64_t, tx::shape<tx::dyn>> day;
};
} // namespace

TEST_CASE("save_csv, load_csv, csv_format") {
    temporary const file{"reference_example.csv"};
    tx::tensor<float, tx::shape<2, 2>> const x{{1, 2.5}, {3, 4}};
    tx::csv_format format{};
    format.delimiter = ';';
    format.header = "a;b";
    tx::save_csv(file.path, x, format);
    CHECK(tx::equal(tx::load_csv<float, tx::shape<2, 2>>(file.path, format), x));
    // A struct of columns, by their names; dates as days since 1970.
    tx::save_csv(file.path, prices{{1.5}, {"tea"}, {1}}, {.days = {"day"}}); // "price,name,day", "1.5,tea,1970-01-02"
    prices const columns = tx::load_csv<prices>(file.path, {.days = {"day"}});
    CHECK((columns.price(0) == 1.5 && columns.name(0) == "tea" && columns.day(0) == 1));
}

namespace {
struct model {
    vec weights{};
    tx::variable<float, tx::shape<>> bias;
};
} // namespace

TEST_CASE("save, load") {
    temporary const file{"reference_example_tree.safetensors"};
    model m{{1, 2, 3}, tx::variable<float, tx::shape<>>(4.f)};
    tx::save(file.path, m); // "weights" and "bias"; .npz by its name
    auto const loaded = tx::load<model>(file.path);
    CHECK(tx::equal(loaded.weights, vec{1, 2, 3}));
    CHECK(loaded.bias.item() == 4);
    auto const by_name = tx::load<std::map<std::string, tx::tensor<float>>>(file.path); // whatever the file has
    CHECK(by_name.at("weights").size() == 3);
}
