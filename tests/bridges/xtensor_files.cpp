// .npy, .npz and CSV.
#include "xtensor_checks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

// A file name of its own, gone at the end.
struct temporary {
    std::string path;
    explicit temporary(std::string const& name) : path{"tracexpr_test_" + name} {}
    ~temporary() { std::remove(path.c_str()); }
    void write(std::string const& text) const { std::ofstream(path, std::ios::binary) << text; }
};

} // namespace

TEST_CASE("xtensor: .npy") {
    temporary const file("a.npy");
    tensor<double, shape<2, 3>> const written{{1, 2, 3}, {4, 5, 0.1}};
    tx::save_npy(file.path, written);
    CHECK(tx::equal(tx::load_npy<double>(file.path), tensor<double>(written)));
    CHECK(tx::equal(tx::load_npy<double, shape<2, dyn>>(file.path), tensor<double, shape<2, dyn>>(written)));

    CHECK(message_of<tx::type_error>([&] { tx::load_npy<float>(file.path); }) ==
          "tx: load_npy: " + file.path + ": holds dtype <f8; asked for float32 (<f4): load it as what it is, then tx::cast");
    CHECK(message_of<tx::shape_error>([&] { tx::load_npy<double, shape<dyn>>(file.path); }) ==
          "tx: load_npy: " + file.path + ": the type says shape (?,); the file has (2, 3)");
    CHECK(message_of<tx::error>([&] { tx::load_npy<double>("no_such_file.npy"); }) ==
          "tx: load_npy: no_such_file.npy: can't be opened to read");
    CHECK(message_of<tx::error>([&] { tx::save_npy("no_such_folder/a.npy", written); }) ==
          "tx: save_npy: no_such_folder/a.npy: can't be opened to write");
    file.write("this is not an array");
    CHECK(contains(message_of<tx::error>([&] { tx::load_npy<double>(file.path); }), file.path));

    tx::save_npy(file.path, written);
    std::string whole;
    std::getline(std::ifstream(file.path, std::ios::binary), whole, '\xff');
    file.write(whole.substr(0, whole.size() - 8));
    CHECK(message_of<tx::error>([&] { tx::load_npy<double>(file.path); }) ==
          "tx: load_npy: " + file.path + ": ends before its last element");
}

namespace {

void append(std::string& out, std::size_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) out += static_cast<char>(value >> (8 * k) & 0xff);
}
// CRC-32, bit by bit (PKWARE's APPNOTE.TXT, 4.4.7).
std::size_t checksum(std::string const& bytes) {
    std::uint32_t state = 0xffffffff;
    for (char const byte : bytes) {
        state ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state & 1 ? 0xedb88320u : 0u);
    }
    return ~state;
}
// An archive as numpy.savez writes it. Method 8 is what savez_compressed uses.
std::string archive(std::vector<std::pair<std::string, std::string>> const& entries, std::size_t method = 0) {
    std::string out, directory;
    for (auto const& [name, content] : entries) {
        std::size_t const start = out.size();
        auto const sizes = [&](std::string& to) {
            append(to, checksum(content), 4), append(to, content.size(), 4), append(to, content.size(), 4), append(to, name.size(), 2);
        };
        append(out, 0x04034b50, 4), append(out, 45, 2), append(out, 0, 2), append(out, method, 2), append(out, 0, 4), sizes(out),
            append(out, 20, 2);
        out += name + std::string(20, '\0') + content;
        append(directory, 0x02014b50, 4), append(directory, 45, 4), append(directory, 0, 2), append(directory, method, 2), append(directory, 0, 4);
        sizes(directory);
        append(directory, 0, 4), append(directory, 0, 8), append(directory, start, 4);
        directory += name;
    }
    std::size_t const start = out.size();
    out += directory;
    append(out, 0x06054b50, 4), append(out, 0, 4), append(out, entries.size(), 2), append(out, entries.size(), 2);
    append(out, directory.size(), 4), append(out, start, 4), append(out, 0, 2);
    return out;
}

} // namespace

TEST_CASE("xtensor: .npz") {
    temporary const file("b.npz");
    auto const written = [&](auto const& t) {
        tx::save_npy(file.path, t);
        std::string out;
        std::getline(std::ifstream(file.path, std::ios::binary), out, '\xff');
        return out;
    };
    std::string const x = written(tensor<float, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}}), y = written(tensor<std::int32_t>{7, 8});
    file.write(archive({{"x.npy", x}, {"y.npy", y}}));
    CHECK(tx::equal(tx::load_npz<float, shape<dyn, 3>>(file.path, "x"), tensor<float, shape<dyn, 3>>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(tx::equal(tx::load_npz<std::int32_t>(file.path, "y"), tensor<std::int32_t>{7, 8}));
    CHECK(message_of<tx::error>([&] { tx::load_npz<float>(file.path, "z"); }) ==
          "tx: load_npz: " + file.path + ": has no array z; it has: x, y");
    CHECK(contains(message_of<tx::type_error>([&] { tx::load_npz<float>(file.path, "y"); }),
                   "(y): holds dtype <i4; asked for float32"));
    file.write(archive({{"x.npy", x}}, 8));
    CHECK(contains(message_of<tx::error>([&] { tx::load_npz<float>(file.path, "x"); }), "(x): is compressed"));
    file.write("no archive");
    CHECK(message_of<tx::error>([&] { tx::load_npz<float>(file.path, "x"); }) ==
          "tx: load_npz: " + file.path + ": is no ZIP archive");
}

TEST_CASE("xtensor: CSV") {
    temporary const file("c.csv");
    tensor<double, shape<dyn, dyn>> const written{{1, 0.1, -1e-300}, {4, 5, 1.0 / 3}};
    tx::save_csv(file.path, written);
    CHECK(tx::equal(tx::load_csv<double>(file.path), written));
    file.write("a;b\n# a comment\n1;2\n3;4\n");
    CHECK(tx::equal(tx::load_csv<float, shape<2, 2>>(file.path, {.delimiter = ';', .skip_rows = 1}),
                    tensor<float, shape<2, 2>>{{1, 2}, {3, 4}}));
    CHECK(message_of<tx::shape_error>([&] { tx::load_csv<float, shape<dyn, 3>>(file.path, {.delimiter = ';', .skip_rows = 1}); }) ==
          "tx: load_csv: " + file.path + ": the type says shape (?, 3); the file has (2, 2)");
    CHECK(
        contains(message_of<tx::error>([&] { tx::load_csv<float>(file.path); }), file.path + ": holds something that is no number"));
    file.write("1,2\n3\n");
    CHECK(message_of<tx::error>([&] { tx::load_csv<float>(file.path); }) == "tx: load_csv: " + file.path + ": holds rows of different lengths: 2, and 1 in line 2");
}

TEST_CASE("xtensor: CSV is read strictly, and all that is written") {
    temporary const file("strict.csv");
    double const inf = std::numeric_limits<double>::infinity();
    tensor<double, shape<dyn, dyn>> const small{{1e-310, -5e-324}, {inf, -inf}};
    tx::save_csv(file.path, small);
    CHECK(tx::equal(tx::load_csv<double>(file.path), small));
    file.write("1e400, -1e400\r\n\n+1e-400,nan\n \n");
    auto const read = tx::load_csv<double>(file.path);
    CHECK(read.extents() == std::vector{2, 2});
    CHECK((read(0, 0) == inf && read(0, 1) == -inf && read(1, 0) == 0 && std::isnan(read(1, 1))));
    file.write("-7,0\n32767,-32768");
    CHECK(tx::equal(tx::load_csv<std::int16_t>(file.path), tensor<std::int16_t>{{-7, 0}, {32767, -32768}}));
    auto const refuses = [&]<class T>(T, std::string const& content, std::string const& text) {
        file.write(content);
        INFO(content);
        CHECK(message_of<tx::error>([&] { tx::load_csv<T>(file.path); }) ==
              "tx: load_csv: " + file.path + ": holds something that is no number of this dtype: \"" + text + "\" in line 1");
    };
    refuses(1.0, "1;2\n3;4\n", "1;2");
    refuses(1.0, "1,2x\n", "2x");
    refuses(1.0, "1,2,\n", "");
    refuses(1, "1.5,2", "1.5");
    refuses(short{1}, "70000", "70000");
    refuses(1u, "-1,2", "-1");
    CHECK(contains(message_of<tx::error>([] { tx::load_csv<double>("."); }), "can't be read"));
}
