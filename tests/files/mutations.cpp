// This file tests that damaged files of every format give an error of the library's, or tensors no larger than the file, and
// never anything else. Each trial changes a good file in a few places. TRACEXPR_FILE_MUTATIONS is the number of trials (2,000 by
// default).
#include "file_checks.hpp"
#include "numpy_files.hpp"

#include <doctest/doctest.h>

#include <tracexpr/zlib.hpp>

#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

using tx::shape;
using tx::tensor;

namespace {

using source = std::mt19937;

// What makes a difference to some format.
std::string_view const pieces[]{"0",
                                "1",
                                "9",
                                "-1",
                                "00",
                                "4294967296",
                                "9223372036854775807",
                                "18446744073709551615",
                                "99999999999999999999",
                                "1e999",
                                "nan",
                                "inf",
                                "j",
                                "(",
                                ")",
                                "[",
                                "]",
                                "{",
                                "}",
                                "\"",
                                "\\",
                                "\\u",
                                "\\ud83d",
                                "'",
                                ":",
                                ",",
                                " ",
                                "\n",
                                "\r",
                                "\t",
                                "#",
                                ";",
                                "True",
                                "False",
                                "__metadata__",
                                "dtype",
                                "shape",
                                "data_offsets",
                                "descr",
                                "fortran_order",
                                "F32",
                                "U8",
                                "F4",
                                "C64",
                                "BOOL",
                                "<f8",
                                ">i2",
                                "|b1",
                                "<U3",
                                "|S2",
                                "<V2",
                                "PK\1\2",
                                "PK\3\4",
                                "PK\5\6",
                                "PK\6\6",
                                "PK\6\7"};

void change(std::string& file, source& numbers) {
    auto const below = [&](std::size_t n) { return n == 0 ? 0 : numbers() % n; };
    std::size_t const at = below(file.size() + 1), length = std::min<std::size_t>(1 + below(12), file.size() - at);
    std::string_view const piece = pieces[below(std::size(pieces))];
    switch (below(9)) {
    case 0:
        if (at < file.size()) file[at] = static_cast<char>(file[at] ^ (1 << below(8)));
        break;
    case 1:
        if (at < file.size()) file[at] = static_cast<char>(numbers());
        break;
    case 2:
        if (at < file.size()) file[at] = "\0\xff\x7f\x80"[below(4)];
        break;
    case 3: file.erase(at, length); break;
    case 4: file.insert(at, file.substr(at, length)); break;
    case 5: file.insert(at, piece); break;
    case 6: file.replace(at, std::min(piece.size(), file.size() - at), piece); break;
    case 7: file.resize(at); break;
    default: // a whole number becomes another
        if (auto const digit = file.find_first_of("0123456789", at); digit != std::string::npos)
            file.replace(digit, std::min(file.find_first_not_of("0123456789", digit), file.size()) - digit, piece);
    }
}

struct leaf_pair {
    tx::variable<float, shape<2>> w;
    tensor<float> b;
    int steps = 0;
};
struct subject {
    std::string extension, good;
    std::function<std::size_t(std::string const&)> load; // the bytes of what it read
};

template <class T, class Shape> std::size_t bytes_of(tensor<T, Shape> const& t) {
    return static_cast<std::size_t>(t.size()) * sizeof(T);
}
std::size_t bytes_of(tx::any_tensor const& a) {
    return std::visit([](auto const& t) { return bytes_of(t); }, a);
}
std::size_t bytes_of(tx::named_tensors const& all) {
    std::size_t out = 0;
    for (auto const& [name, t] : all) out += bytes_of(t);
    return out;
}

template <class Save> std::string written(std::string const& extension, Save const& save) {
    temporary const file("good" + extension);
    save(file.path);
    return content_of(file.path);
}
template <class T> subject csv_of(std::string const& good, tx::csv_format const& format = {}) {
    return {".csv", good, [format](std::string const& path) { return bytes_of(tx::load_csv<T>(path, format)); }};
}
std::vector<subject> subjects() {
    std::vector<subject> out;
    auto const load_npy = [](std::string const& path) { return bytes_of(tx::load_npy(path)); };
    auto const load_npz = [](std::string const& path) { return bytes_of(tx::load_npz(path)); };
    auto const load_safetensors = [](std::string const& path) { return bytes_of(tx::load_safetensors(path)); };
    for (std::string_view const good : {npy_files::column_major_double, npy_files::version_2, npy_files::version_3,
                                        npy_files::big_endian_complex, npy_files::bools, npy_files::scalar, npy_files::empty})
        out.push_back({".npy", npy_files::bytes(good), load_npy});
    out.push_back(
        {".npy",
         written(".npy", [](auto const& path) { tx::save_npy(path, expected<std::string>(), {.order = std::endian::big}); }),
         load_npy});
    auto const load_part = [](std::string const& path) {
        return bytes_of(tx::load_npy<double, shape<1, 3>>(path, tx::part_of{1, 2}));
    };
    out.push_back({".npy", npy_files::bytes(npy_files::column_major_double), load_part});
    out.push_back({".npz", npy_files::bytes(npy_files::savez), load_npz});
    out.push_back({".npz", npy_files::bytes(npy_files::savez_compressed), load_npz});
    tx::named_tensors const some{
        {"a", expected<tx::half>()}, {"text", expected<std::string>()}, {"\u03a9", counted<int>({{50, 4}, 2})}};
    for (bool const compressed : {false, true})
        out.push_back(
            {".npz", written(".npz", [&](auto const& path) { tx::save_npz(path, some, {.compressed = compressed}); }), load_npz});
    out.push_back({".safetensors", content_of(data_file("reference.safetensors")), load_safetensors});
    tx::named_tensors const few{{"a", expected<float>()}, {"b", tensor<bool>{true}}};
    out.push_back({".safetensors",
                   written(".safetensors", [&](auto const& path) { tx::save_safetensors(path, few, {{"k", "v"}}); }),
                   load_safetensors});
    auto const save_tree = [](std::string const& path) { tx::save(path, leaf_pair{}); };
    auto const load_tree = [](std::string const& path) { return bytes_of(tx::load<leaf_pair>(path).b); };
    for (std::string const extension : {".npz", ".safetensors"})
        out.push_back({extension, written(extension, save_tree), load_tree});
    out.push_back(csv_of<double>("x,y\n1,-2.5e-3\n nan , 1e999 # more\n\"3\",+4\n", {.skip_rows = 1}));
    out.push_back(csv_of<std::int8_t>("a b\n1 2 3\n-128\t127 0\n", {.delimiter = ' ', .header = "a b", .columns = {-1, 0}}));
    out.push_back(csv_of<std::complex<float>>("(1+2j);3j\n-;(nan-infj)\n", {.delimiter = ';', .missing = {"-"}}));
    out.push_back(csv_of<std::string>("\"a,\"\"b\",c\r\n\"d\ne\", f \n"));
    out.push_back(csv_of<bool>("1,True\nfalse,0\n"));
    return out;
}

} // namespace

TEST_CASE("files: a few changes to a good one give an error, or tensors no larger than it") {
    std::vector<subject> const all = subjects();
    char const* const asked = std::getenv("TRACEXPR_FILE_MUTATIONS");
    unsigned long const trials = asked ? std::strtoul(asked, nullptr, 10) : 2000;
    unsigned long errors = 0;
    for (subject const& good : all) {
        temporary const file("good" + good.extension);
        file.write(good.good);
        CHECK_NOTHROW(good.load(file.path));
    }
    for (unsigned long trial = 0; trial < trials; ++trial) {
        source numbers(static_cast<unsigned>(trial)); // the seed
        subject const& of = all[trial % all.size()];
        std::string bad = of.good;
        for (auto changes = 1 + numbers() % 4; changes > 0; --changes) change(bad, numbers);
        temporary const file("mutated" + of.extension);
        file.write(bad);
        INFO("trial " << trial << " of " << of.extension);
        try {
            std::size_t const bytes = of.load(file.path);
            CHECK(bytes <= 1200 * bad.size()); // 1,032 where it is compressed; handles of strings
        } catch (tx::error const& problem) {
            ++errors;
            if (std::string_view(problem.what()).size() > 4000) FAIL_CHECK(problem.what());
        } catch (std::exception const& other) {
            FAIL_CHECK("threw another exception: " << other.what());
        }
    }
    MESSAGE(trials << " changed files, of which " << errors << " were refused");
    CHECK(errors > trials / 4);
}
