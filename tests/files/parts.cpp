// This file tests parts of arrays in files: rows divided as by numpy.array_split, where nothing else of the file is read.
#include "file_checks.hpp"
#include "numpy_files.hpp"

#include <doctest/doctest.h>

#include <tracexpr/files/byte_source.hpp>

#include <array>
#include <bit>
#include <vector>

using tx::dyn;
using tx::part_of;
using tx::shape;
using tx::tensor;

namespace {

// How many bytes this process has asked the system for; negative where it doesn't say.
std::int64_t bytes_read_so_far() {
    std::ifstream file("/proc/self/io");
    std::string key;
    std::int64_t bytes = -1;
    file >> key >> bytes;
    return key == "rchar:" ? bytes : -1;
}
// How many bytes the call f() reads; 0 where the system doesn't say.
template <class F> std::int64_t bytes_read_by(F const& f) {
    std::int64_t const asking = bytes_read_so_far(), before = bytes_read_so_far();
    f();
    return before < 0 ? 0 : bytes_read_so_far() - before - (before - asking);
}

// Puts zeros, which take no room on the disk, behind what a file holds.
void append_hole(std::string const& path, std::uintmax_t bytes) {
    std::filesystem::resize_file(path, std::filesystem::file_size(path) + bytes);
}

// Are the parts that load(part) gives, one behind the other, the rows of the whole?
template <class T, class Load> bool parts_make(tensor<T> const& whole, std::int64_t count, Load const& load) {
    std::int64_t const rows = whole.dimensions()[0], row_elements = rows == 0 ? 0 : whole.size() / rows;
    std::int64_t behind = 0;
    bool good = true;
    for (std::int64_t k = 0; k < count; ++k) {
        part_of const part{k, count};
        tensor<T> const read = load(part);
        good = good && part.begin(rows) == behind;
        behind = part.end(rows);
        tx::dims expected = whole.dimensions();
        expected[0] = behind - part.begin(rows);
        good = good && read.dimensions() == expected;
        for (std::int64_t i = 0; good && i < read.size(); ++i)
            good = std::memcmp(read.data() + i, whole.data() + part.begin(rows) * row_elements + i, sizeof(*read.data())) == 0;
    }
    return good && behind == rows;
}
template <class T> bool numpy_parts_make(std::string_view content, tensor<T> const& whole) {
    temporary const file("numpy_parts.npy");
    file.write(npy_files::bytes(content));
    bool good = true;
    for (std::int64_t count = 1; count < 5; ++count)
        good = good && parts_make(whole, count, [&](part_of part) { return tx::load_npy<T>(file.path, part); });
    return good;
}

constexpr std::array<std::int64_t, 5> cuts(std::int64_t rows) {
    std::array<std::int64_t, 5> out{};
    for (std::int64_t k = 0; k < 4; ++k) out[static_cast<std::size_t>(k)] = part_of{k, 4}.begin(rows);
    out[4] = part_of{3, 4}.end(rows);
    return out;
}

} // namespace

TEST_CASE("part_of: cuts as numpy.array_split does") {
    static_assert(cuts(10) == std::array<std::int64_t, 5>{0, 3, 6, 8, 10});
    static_assert(cuts(7) == std::array<std::int64_t, 5>{0, 2, 4, 6, 7});
    static_assert(cuts(3) == std::array<std::int64_t, 5>{0, 1, 2, 3, 3});
    static_assert(cuts(0) == std::array<std::int64_t, 5>{0, 0, 0, 0, 0});
    CHECK(cuts(10) == std::array<std::int64_t, 5>{0, 3, 6, 8, 10});
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    static_assert(part_of{most - 1, most}.end(most) == most && part_of{999, 1000}.end(most) == most);
    static_assert(part_of{}.begin(5) == 0 && part_of{}.end(5) == 5);
}

TEST_CASE("npy parts: what NumPy writes") {
    CHECK(numpy_parts_make(npy_files::big_endian_float, tensor<float>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(numpy_parts_make(npy_files::column_major_double, tensor<double>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(numpy_parts_make(npy_files::version_2, tensor<std::int16_t>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(numpy_parts_make(npy_files::big_endian_column_major_short, tensor<std::int16_t>{{1, 2, 3}, {4, 5, 6}}));
    using complex = std::complex<double>;
    CHECK(numpy_parts_make(npy_files::big_endian_complex, tensor<complex>{complex(1, 2), complex(-0., -3.5)}));
    CHECK(numpy_parts_make(npy_files::half, tensor<tx::half>{1.5f, -2.f, 65504.f}));
    CHECK(numpy_parts_make(npy_files::bools, tensor<bool>{true, false, true}));
    CHECK(numpy_parts_make(npy_files::empty, tensor<float>(tensor<float, shape<0, 3>>())));
}

TEST_CASE("npy parts: every dtype, in either order of bytes and of axes") {
    temporary const file("parts.npy");
    for_each_dtype([&]<class T>(T, std::string const& name) {
        CAPTURE(name);
        for (bool const fortran_order : {false, true})
            for (std::endian const order : {std::endian::little, std::endian::big}) {
                tx::save_npy(file.path, expected<T>(), {.fortran_order = fortran_order, .order = order});
                for (std::int64_t const count : {1, 2, 3})
                    CHECK(parts_make(expected<T>(), count, [&](part_of part) { return tx::load_npy<T>(file.path, part); }));
            }
    });
    tensor<std::int32_t> const cube = counted<std::int32_t>({{7, 3, 4}, 3});
    for (bool const fortran_order : {false, true}) {
        tx::save_npy(file.path, cube, {.fortran_order = fortran_order});
        for (std::int64_t count = 1; count < 10; ++count)
            CHECK(parts_make(cube, count, [&](part_of part) { return tx::load_npy<std::int32_t>(file.path, part); }));
    }
    tensor<float> const tall = counted<float>({{40001, 3}, 2}); // the columns are longer than what a jump is worth
    tx::save_npy(file.path, tall, {.fortran_order = true, .order = std::endian::big});
    for (std::int64_t const count : {2, 5, 40})
        CHECK(parts_make(tall, count, [&](part_of part) { return tx::load_npy<float>(file.path, part); }));
}

TEST_CASE("npz parts: what is not compressed") {
    std::string const numpy = data_file("numpy.npz");
    temporary const file("parts.npz");
    tx::save_npz(file.path, {{"first", tensor<float>{1, 2, 3}}, {"x", counted<double>({{5000, 2}, 2})}});
    for_each_dtype([&]<class T>(T, std::string const& name) {
        for (std::string const form : {"_little_C", "_little_F", "_big_C", "_big_F"}) {
            CAPTURE(name + form);
            CHECK(parts_make(expected<T>(), 2, [&](part_of part) { return tx::load_npz<T>(numpy, name + form, part); }));
        }
    });
    CHECK(
        parts_make(counted<double>({{5000, 2}, 2}), 3, [&](part_of part) { return tx::load_npz<double>(file.path, "x", part); }));
    file.write(npy_files::bytes(npy_files::savez_compressed));
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x", part_of{0, 2})); }) ==
          "tx: load_npz: " + file.path +
              " (x): is compressed, and can only be read whole; save it as .npy, .safetensors or without compression");
}

TEST_CASE("safetensors parts: what the reference implementation wrote") {
    std::string const path = data_file("reference.safetensors");
    for_each_dtype([&]<class T>(T, std::string const& name) {
        if constexpr (tx::safetensors_element<T>) {
            CAPTURE(name);
            for (std::int64_t const count : {1, 2, 3})
                CHECK(parts_make(expected<T>(), count, [&](part_of part) { return tx::load_safetensors<T>(path, name, part); }));
        }
    });
    CHECK(tx::load_safetensors<std::int16_t>(path, "none", part_of{1, 2}).extents() == std::vector{0, 3});
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::load_safetensors<float>(path, "scalar", part_of{0, 2})); }) ==
          "tx: load_safetensors: " + path + " (scalar): holds one number, which has no rows to take a part of");
}

TEST_CASE("parts: only their bytes are read") {
    constexpr std::int64_t rows = 1 << 20, row_bytes = 64, slack = 1 << 16;
    std::int64_t const part_bytes = rows / 1024 * row_bytes;
    temporary const npy("hole.npy"), columns("hole_columns.npy"), safetensors("hole.safetensors");
    auto const shown = tx::dims{{rows, row_bytes / 4}, 2};
    for (temporary const* const file : {&npy, &columns}) {
        std::string header = std::string("{'descr': '<f4', 'fortran_order': ") + (file == &columns ? "True" : "False") +
                             ", 'shape': " + tx::to_string(shown) + ", }\n";
        std::string length;
        tx::detail::append_little_endian(length, header.size(), 2);
        file->write(std::string("\x93NUMPY\1\0", 8) + length + header);
        append_hole(file->path, rows * row_bytes);
    }
    std::string const header = R"({"w":{"dtype":"F32","shape":[1048576,16],"data_offsets":[0,67108864]}})";
    std::string length;
    tx::detail::append_little_endian(length, header.size(), 8);
    safetensors.write(length + header);
    append_hole(safetensors.path, rows * row_bytes);
    for (std::int64_t const k : {0, 500, 1023}) {
        part_of const part{k, 1024};
        CHECK(bytes_read_by([&] { CHECK(tx::load_npy<float>(npy.path, part).extents() == std::vector{1024, 16}); }) <=
              part_bytes + slack);
        CHECK(bytes_read_by([&] {
                  CHECK(tx::load_safetensors<float>(safetensors.path, "w", part).extents() == std::vector{1024, 16});
              }) <= part_bytes + slack);
        // A stream fills its buffer of at most 8 KiB behind each of the 16 pieces.
        CHECK(bytes_read_by([&] { CHECK(tx::load_npy<float>(columns.path, part).extents() == std::vector{1024, 16}); }) <=
              part_bytes + 16 * 8192 + slack);
    }
}

TEST_CASE("parts: what there is not") {
    temporary const file("no_part.npy");
    tx::save_npy(file.path, counted<float>({{10, 3}, 2}));
    std::string const begin = "tx: load_npy: " + file.path;
    auto const refusal = [&](part_of part) {
        return message_of<tx::error>([&] { static_cast<void>(tx::load_npy<float>(file.path, part)); });
    };
    CHECK(refusal({4, 4}) == begin + ": part_of{index, count} needs 0 <= index < count; given {4, 4}");
    CHECK(refusal({-1, 4}) == begin + ": part_of{index, count} needs 0 <= index < count; given {-1, 4}");
    CHECK(refusal({0, 0}) == begin + ": part_of{index, count} needs 0 <= index < count; given {0, 0}");
    CHECK(refusal({0, -2}) == begin + ": part_of{index, count} needs 0 <= index < count; given {0, -2}");
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_npz<float>(file.path, "x", part_of{0, 0})); }),
                   "needs 0 <= index < count"));
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_safetensors<float>(file.path, "x", part_of{2, 2})); }),
                   "needs 0 <= index < count"));

    CHECK(tx::load_npy<float, shape<dyn, 3>>(file.path, part_of{3, 4}).extents() == std::vector{2, 3});
    CHECK(same(tx::load_npy<float, shape<3, 3>>(file.path, {0, 4}), tensor<float>{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::load_npy<float, shape<3, 3>>(file.path, part_of{3, 4})); }) ==
          begin + " (rows 8:10): the type says shape (3, 3); the file has (2, 3)");
    CHECK(message_of<tx::type_error>([&] { static_cast<void>(tx::load_npy<int>(file.path, part_of{1, 4})); }) ==
          begin + " (rows 3:6): holds dtype <f4; asked for int32 (<i4): load it as what it is, then tx::cast");

    std::string const whole = content_of(file.path);
    file.write(whole.substr(0, whole.size() - 4)); // of the last part: each one is told
    CHECK(refusal({0, 4}) == begin + " (rows 0:3): ends before its last element");
    CHECK(refusal({3, 4}) == begin + " (rows 8:10): ends before its last element");
    CHECK(refusal({0, 1}) == begin + " (rows 0:10): ends before its last element");
    CHECK(refusal({10, 11}) == begin + " (rows 10:10): ends before its last element");
    file.write(npy_files::bytes(npy_files::scalar));
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::load_npy<std::uint32_t>(file.path, part_of{0, 1})); }) ==
          begin + ": holds one number, which has no rows to take a part of");
}
