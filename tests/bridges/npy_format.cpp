// The .npy and .npz formats: what NumPy writes is read, and nothing that is damaged.
#include "npy_files.hpp"
#include "xtensor_checks.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <new>
#include <random>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

struct temporary {
    std::string path;
    explicit temporary(std::string const& name) : path{"tracexpr_test_" + name} {}
    ~temporary() { std::remove(path.c_str()); }
    void write(std::string const& text) const { std::ofstream(path, std::ios::binary) << text; }
};

template <class T, class Shape = tx::any_shape> tensor<T, Shape> loaded(std::string const& content) {
    temporary const file("format.npy");
    file.write(content);
    return tx::load_npy<T, Shape>(file.path);
}
template <class T, class Shape = tx::any_shape> tensor<T, Shape> loaded(std::string_view file) { return loaded<T, Shape>(npy_files::bytes(file)); }

// A file of version 1.0 with this header.
std::string with_header(std::string header, std::string const& elements) {
    header += '\n';
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size() & 0xff) + static_cast<char>(header.size() >> 8) + header + elements;
}
std::string with_shape(std::string const& extents) {
    return with_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + extents + ", }", std::string(24, '\0'));
}
std::string refusal(std::string const& content) {
    return message_of<tx::error>([&] { loaded<float>(content); });
}

} // namespace

TEST_CASE("npy: what NumPy writes") {
    tensor<double, shape<2, 3>> const matrix{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(loaded<float>(npy_files::big_endian_float), tx::cast<float>(matrix)));
    CHECK(tx::equal(loaded<double, shape<2, dyn>>(npy_files::column_major_double), matrix));
    CHECK(tx::equal(loaded<std::int16_t>(npy_files::version_2), tx::cast<std::int16_t>(matrix)));
    CHECK(tx::equal(loaded<std::int64_t>(npy_files::version_3), tx::cast<std::int64_t>(matrix)));
    CHECK(tx::equal(loaded<std::int16_t>(npy_files::big_endian_column_major_short), tx::cast<std::int16_t>(matrix)));
    using complex = std::complex<double>;
    CHECK(tx::equal(loaded<complex>(npy_files::big_endian_complex), tensor<complex>{complex(1, 2), complex(0, -3.5)}));
    CHECK(tx::equal(tx::cast<float>(loaded<tx::half>(npy_files::half)), tensor<float>{1.5f, -2.f, 65504.f}));
    CHECK(tx::equal(loaded<bool>(npy_files::bools), tensor<bool>{true, false, true}));
    CHECK(loaded<float>(npy_files::empty).extents() == std::vector{0, 3});
    CHECK(loaded<std::uint32_t>(npy_files::scalar).item() == 7);
    CHECK(loaded<std::uint32_t>(npy_files::scalar).rank() == 0);
}

TEST_CASE("npy: headers that NumPy takes") {
    CHECK(loaded<float>(with_shape("(2, 3)")).extents() == std::vector{2, 3});
    CHECK(loaded<float>(with_shape("( 6 ,)")).extents() == std::vector{6});
    CHECK(loaded<float>(with_shape("(6L,)")).extents() == std::vector{6}); // Python 2
    CHECK(loaded<float>(with_header("{ \"shape\":(1,),\"descr\":\"<f4\" ,'fortran_order':True}   ", std::string(4, '\0'))).extents() == std::vector{1});
    CHECK(loaded<float>(with_shape("(1, 2)")).extents() == std::vector{1, 2}); // what follows is not read
}

TEST_CASE("npy: headers are read strictly, before anything is allocated") {
    CHECK(contains(refusal(with_shape("(2.5, 3)")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(0x2, 3)")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(-2, 3)")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(2 3)")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(6)")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(,)")), "header is damaged"));
    CHECK(contains(refusal(with_shape("[2, 3]")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(2, 3")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(4294967296, 4294967296)")), "is larger than memory can be"));
    CHECK(contains(refusal(with_shape("(99999999999999999999,)")), "header is damaged"));
    CHECK(contains(refusal(with_shape("(1000000000000, 3)")), "ends before its last element"));
    CHECK(contains(refusal(with_shape("(1, 1, 1, 1, 1, 1, 1, 1, 1)")), "at most 8 axes"));
    CHECK(contains(refusal(with_header("{'descr': '<f4', 'shape': (6,), }", std::string(24, '\0'))), "must say descr, fortran_order and shape"));
    CHECK(contains(refusal(with_header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", std::string(24, '\0'))), "given twice"));
    CHECK(contains(refusal(with_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (6,), }", std::string(24, '\0'))), "True or False"));
    CHECK(contains(refusal(with_header("{'descr': '<U4', 'fortran_order': False, 'shape': (6,), }", std::string(96, '\0'))), "holds dtype <U4"));
    std::string const good = with_shape("(2, 3)");
    CHECK(contains(refusal(good.substr(0, 20)), "ends within its header"));
    CHECK(contains(refusal(good.substr(0, good.size() - 1)), "ends before its last element"));
    std::string version = good;
    version[6] = '\4';
    CHECK(contains(refusal(version), "version 4.0"));
}

TEST_CASE("npy: a flipped bit gives an error or an array, never more") {
    std::string const good = npy_files::bytes(npy_files::column_major_double);
    std::mt19937 numbers(19); // the seed
    for (int trial = 0; trial < 2000; ++trial) {
        std::string bad = good;
        bad[numbers() % bad.size()] ^= static_cast<char>(1u << numbers() % 8);
        try {
            auto const read = loaded<double>(bad);
            CHECK(read.size() <= 6);
        } catch (tx::error const&) {
        }
    }
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
    CHECK(contains(message_of<tx::error>([&] { tx::load_npz<float>(file.path, "x"); }), "(x): is damaged: its checksum is another"));
    std::mt19937 numbers(20); // the seed
    for (int trial = 0; trial < 2000; ++trial) {
        std::string bad = good;
        bad[numbers() % bad.size()] ^= static_cast<char>(1u << numbers() % 8);
        file.write(bad);
        tensor<float> read = x;
        try {
            read = tx::load_npz<float>(file.path, "x");
        } catch (tx::error const&) {
        }
        CHECK(tx::equal(read, x));
    }
    for (std::size_t bytes = 0; bytes < good.size(); bytes += 7) {
        file.write(good.substr(0, bytes));
        CHECK_THROWS_AS(tx::load_npz<float>(file.path, "x"), tx::error);
    }
    file.write(npy_files::bytes(npy_files::savez_compressed));
    CHECK(contains(message_of<tx::error>([&] { tx::load_npz<float>(file.path, "x"); }), "is compressed"));
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

TEST_CASE("npy: what is written is read, of every dtype") {
    temporary const file("round.npy");
    auto const round = [&]<class T>(T) {
        tensor<T, shape<2, 2>> const written{{T(1), T(0)}, {T(1), T(1)}};
        tx::save_npy(file.path, written);
        CHECK(tx::equal(tx::load_npy<T>(file.path), tensor<T>(written)));
    };
    round(true), round(std::int8_t{}), round(std::uint8_t{}), round(std::int16_t{}), round(std::uint16_t{}), round(std::int32_t{}), round(std::uint32_t{});
    round(std::int64_t{}), round(std::uint64_t{}), round(float{}), round(double{}), round(tx::half{}), round(std::complex<float>{}), round(std::complex<double>{});
}
