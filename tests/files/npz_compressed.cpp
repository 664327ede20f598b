// This file tests compressed .npz files, through zlib.
#include "file_checks.hpp"

#include <doctest/doctest.h>

#include <tracexpr/zlib.hpp>

using tx::shape;
using tx::tensor;

TEST_CASE("zlib: what NumPy compressed, of every dtype, in either order of bytes and of axes") {
    std::string const path = data_file("numpy_compressed.npz");
    for_each_dtype([&]<class T>(T, std::string const& name) {
        for (std::string const form : {"_little_C", "_little_F", "_big_C", "_big_F"}) {
            CAPTURE(name + form);
            CHECK(same(tx::load_npz<T>(path, name + form), expected<T>()));
        }
    });
    CHECK(tx::load_npz(path).size() == 64);
    tensor<std::string> const bytes{"ab", "", std::string("c\0d", 3)};
    CHECK(same(tx::load_npz<std::string>(data_file("numpy_bytes.npz"), "s"), bytes));
}

TEST_CASE("zlib: what is compressed is read") {
    temporary const file("compressed.npz");
    tensor<float> const numbers = counted<float>({{100000}, 1}); // more than is compressed or read at once
    tensor<double> const equal = tensor<double, shape<300, 300>>();
    tx::named_tensors arrays{{"numbers", numbers}, {"equal", equal}, {"none", tensor<int>()}, {"one", tensor<int, shape<>>(7)}};
    for_each_dtype([&]<class T>(T, std::string const& name) { arrays[name] = expected<T>(); });
    tx::save_npz(file.path, arrays, {.compressed = true});
    CHECK(std::filesystem::file_size(file.path) < 200000);
    CHECK(same(tx::load_npz<float>(file.path, "numbers"), numbers));
    CHECK(same(tx::load_npz<double>(file.path, "equal"), equal));
    CHECK(tx::load_npz<int>(file.path, "none").size() == 0);
    CHECK(tx::load_npz<int>(file.path, "one").item() == 7);
    for_each_dtype([&]<class T>(T, std::string const& name) { CHECK(same(tx::load_npz<T>(file.path, name), expected<T>())); });
}

TEST_CASE("zlib: damaged archives") {
    temporary const file("damaged.npz");
    tx::save_npz(file.path, {{"x", counted<float>({{1000}, 1})}}, {.compressed = true});
    std::string const good = content_of(file.path);
    std::size_t const data = 30 + 5 + 20; // the record of x.npy and its name, with wide sizes
    auto const refusal = [&](std::string const& content) {
        file.write(content);
        return message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x")); });
    };
    std::string bad = good;
    bad[data] = '\x06'; // a block of the type that there is not
    CHECK(refusal(bad) == "tx: load_npz: " + file.path + " (x): is damaged: its compressed bytes are not what deflate makes");
    bad = good;
    std::size_t const directory = good.find("PK\1\2");
    bad[directory + 16] ^= 1;
    CHECK(refusal(bad) == "tx: load_npz: " + file.path + " (x): is damaged: its checksum is another");
    bad = good;
    bad[directory + 27] = '\x7f'; // two gigabytes, it says
    CHECK(refusal(bad) == "tx: load_npz: " + file.path + ": its directory is damaged");
    bad = good;
    bad[directory + 25] = '\x7f'; // more than there are
    CHECK(refusal(bad) == "tx: load_npz: " + file.path + " (x): is damaged: its checksum is another");
}
