// This file tests .npz files: files of NumPy are read, written files can be read by NumPy, and damaged files are refused.
#include "file_checks.hpp"
#include "numpy_files.hpp"

#include <doctest/doctest.h>

#include <random>

using tx::dyn;
using tx::shape;
using tx::tensor;

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
            append(to, checksum(content), 4), append(to, content.size(), 4), append(to, content.size(), 4),
                append(to, name.size(), 2);
        };
        append(out, 0x04034b50, 4), append(out, 45, 2), append(out, 0, 2), append(out, method, 2), append(out, 0, 4), sizes(out),
            append(out, 20, 2);
        out += name + std::string(20, '\0') + content;
        append(directory, 0x02014b50, 4), append(directory, 45, 4), append(directory, 0, 2), append(directory, method, 2),
            append(directory, 0, 4);
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

TEST_CASE("npz: archives, entry by entry") {
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
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "z")); }) ==
          "tx: load_npz: " + file.path + ": has no array z; it has: x, y");
    CHECK(contains(message_of<tx::type_error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "y")); }),
                   "(y): holds dtype <i4; asked for float32"));
    file.write(archive({{"x.npy", x}}, 8));
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x")); }), "(x): is compressed"));
    file.write("no archive");
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x")); }) ==
          "tx: load_npz: " + file.path + ": is no ZIP archive");
}

TEST_CASE("npz: what NumPy writes, and no flipped bit in it") {
    temporary const file("format.npz");
    std::string const good = npy_files::bytes(npy_files::savez);
    tensor<float, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
    file.write(good);
    CHECK(tx::equal(tx::load_npz<float>(file.path, "x"), x));
    CHECK(tx::equal(tx::load_npz<std::int32_t>(file.path, "y"), tensor<std::int32_t>{7, 8}));
    std::string damaged = good;
    damaged[damaged.find("\x80\x40")] ^= 1; // the 4
    file.write(damaged);
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x")); }),
                   "(x): is damaged: its checksum is another"));
    std::mt19937 numbers(20); // the seed
    for (int trial = 0; trial < 2000; ++trial) {
        std::string bad = good;
        bad[numbers() % bad.size()] ^= static_cast<char>(1u << numbers() % 8);
        file.write(bad);
        tensor<float> read = x;
        try {
            read = tx::load_npz<float>(file.path, "x");
        } catch (tx::error const&) {}
        CHECK(tx::equal(read, x));
    }
    for (std::size_t bytes = 0; bytes < good.size(); bytes += 7) {
        file.write(good.substr(0, bytes));
        CHECK_THROWS_AS(static_cast<void>(tx::load_npz<float>(file.path, "x")), tx::error);
    }
    file.write(npy_files::bytes(npy_files::savez_compressed));
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x")); }), "is compressed"));
}

TEST_CASE("npz: as many arrays as a directory without zip64 can have") {
    temporary const file("many.npz");
    std::string const two = npy_files::bytes(npy_files::savez);
    std::size_t const first = two.find("PK\1\2"), second = two.find("PK\1\2", first + 1), end = two.rfind("PK\5\6");
    std::string many = two.substr(0, second), last = two.substr(end);
    many.reserve(first + 65536 * (second - first));
    for (int k = 2; k < 65535; ++k) many += two.substr(first, second - first);
    many += two.substr(second, end - second);
    std::size_t const bytes = many.size() - first;
    last[8] = last[9] = last[10] = last[11] = '\xff';
    for (int k = 0; k < 4; ++k) last[static_cast<std::size_t>(12 + k)] = static_cast<char>(bytes >> 8 * k & 0xff);
    file.write(many + last);
    CHECK(tx::equal(tx::load_npz<std::int32_t>(file.path, "y"), tensor<std::int32_t>{7, 8}));
}

TEST_CASE("npz: every dtype that NumPy wrote, in either order of bytes and of axes") {
    std::string const path = data_file("numpy.npz");
    tx::named_tensors const all = tx::load_npz(path);
    CHECK(all.size() == 64);
    for_each_dtype([&]<class T>(T, std::string const& name) {
        for (std::string const form : {"_little_C", "_little_F", "_big_C", "_big_F"}) {
            CAPTURE(name + form);
            CHECK(same(tx::load_npz<T>(path, name + form), expected<T>()));
            CHECK(same(tx::load_npz<T, shape<2, dyn>>(path, name + form), expected<T>()));
            CHECK(same(std::get<tensor<T>>(all.at(name + form)), expected<T>()));
        }
    });
}

TEST_CASE("npz: what is written is read") {
    temporary const file("written.npz");
    tx::named_tensors arrays{{"\u03a9/name", tensor<float, shape<2, 2>>{{1, 2}, {3, 4}}},
                             {"", tensor<std::string>{"a", "bc"}},
                             {"none", tensor<bool>()}};
    for_each_dtype([&]<class T>(T, std::string const& name) { arrays[name] = expected<T>(); });
    tx::save_npz(file.path, arrays);
    tx::named_tensors const read = tx::load_npz(file.path);
    CHECK(read.size() == arrays.size());
    for_each_dtype([&]<class T>(T, std::string const& name) { CHECK(same(std::get<tensor<T>>(read.at(name)), expected<T>())); });
    CHECK(same(tx::load_npz<float>(file.path, "\u03a9/name"), tensor<float>{{1, 2}, {3, 4}}));
    CHECK(same(tx::load_npz<std::string>(file.path, ""), tensor<std::string>{"a", "bc"}));
    std::string const first = content_of(file.path);
    tx::save_npz(file.path, arrays);
    CHECK(content_of(file.path) == first);

    tx::save_npz(file.path, {{"x", tensor<float>{1}}, {"y", tensor<int>{2}}});
    CHECK(same(tx::load_npz<int>(file.path, "y"), tensor<int>{2}));
    CHECK(message_of<tx::error>([&] {
              tx::save_npz(file.path, {{"x", tensor<float>{3}}, {"y", tensor<int>{4}}, {"x", tensor<int>{5}}});
          }) == "tx: save_npz: " + file.path + ": each array must have a name of its own; given \"x\" twice");
    CHECK(same(tx::load_npz<float>(file.path, "x"), tensor<float>{1})); // the file stays as it was
    tx::save_npz(file.path, {});
    CHECK(tx::load_npz(file.path).empty());
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x")); }),
                   "has no array x; it has: none"));
}

TEST_CASE("npz: more arrays than a directory without zip64 can have") {
    temporary const file("many_written.npz");
    tx::named_tensors arrays;
    for (int k = 0; k < 65536; ++k)
        arrays.emplace(std::to_string(k), tensor<std::uint8_t, shape<>>(static_cast<std::uint8_t>(k)));
    tx::save_npz(file.path, arrays);
    CHECK(tx::load_npz<std::uint8_t>(file.path, "65535").item() == 255);
}

TEST_CASE("npz: errors") {
    temporary const file("errors.npz");
    CHECK(message_of<tx::error>([&] { tx::save_npz(file.path, {{"x", tensor<float>{1}}}, {.compressed = true}); }) ==
          "tx: save_npz: " + file.path + ": to compress it include <tracexpr/zlib.hpp> and link tracexpr::zlib");
    CHECK(contains(message_of<tx::error>([&] { tx::save_npz(file.path, {{std::string(65532, 'x'), tensor<float>{1}}}); }),
                   "a name has at most 65,531 bytes"));
    CHECK(message_of<tx::error>([&] { tx::save_npz(file.path, {{"s", tensor<std::string>{"\xff"}}}); }) ==
          "tx: save_npz: " + file.path + " (s): strings are written as Unicode; one is no UTF-8: \"\\xff\"");
    CHECK_FALSE(std::filesystem::exists(file.path));
    CHECK(message_of<tx::error>(
              [] { static_cast<void>(tx::load_npz<float>(data_file("numpy_compressed.npz"), "float32_big_C")); }) ==
          "tx: load_npz: " + data_file("numpy_compressed.npz") +
              " (float32_big_C): is compressed; include <tracexpr/zlib.hpp> and link tracexpr::zlib to read it, or write it with "
              "numpy.savez, which does not compress");
    file.write(archive({{"x.npy", "any"}}, 12));
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x")); }),
                   "(x): is compressed by method 12 of ZIP archives"));
}
