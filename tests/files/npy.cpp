// This file tests .npy files: files of NumPy are read, written files can be read by NumPy, and damaged files are refused.
#include "file_checks.hpp"
#include "numpy_files.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <csignal>
#include <random>
#include <sys/resource.h>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

template <class T, class Shape = tx::any_shape> tensor<T, Shape> loaded(std::string const& content) {
    temporary const file("format.npy");
    file.write(content);
    return tx::load_npy<T, Shape>(file.path);
}
template <class T, class Shape = tx::any_shape> tensor<T, Shape> loaded(std::string_view file) {
    return loaded<T, Shape>(npy_files::bytes(file));
}

// A file of version 1.0 with this header.
std::string with_header(std::string header, std::string const& elements) {
    header += '\n';
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size() & 0xff) + static_cast<char>(header.size() >> 8) +
           header + elements;
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
    CHECK(tx::equal(loaded<float>(npy_files::big_endian_float), tensor<float>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(tx::equal(loaded<double, shape<2, dyn>>(npy_files::column_major_double), matrix));
    CHECK(tx::equal(loaded<std::int16_t>(npy_files::version_2), tensor<std::int16_t>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(tx::equal(loaded<std::int64_t>(npy_files::version_3), tensor<std::int64_t>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(tx::equal(loaded<std::int16_t>(npy_files::big_endian_column_major_short), tensor<std::int16_t>{{1, 2, 3}, {4, 5, 6}}));
    using complex = std::complex<double>;
    CHECK(tx::equal(loaded<complex>(npy_files::big_endian_complex), tensor<complex>{complex(1, 2), complex(0, -3.5)}));
    CHECK(tx::equal(loaded<tx::half>(npy_files::half), tensor<tx::half>{1.5f, -2.f, 65504.f}));
    CHECK(tx::equal(loaded<bool>(npy_files::bools), tensor<bool>{true, false, true}));
    CHECK(loaded<float>(npy_files::empty).extents() == std::vector{0, 3});
    CHECK(loaded<std::uint32_t>(npy_files::scalar).item() == 7);
    CHECK(loaded<std::uint32_t>(npy_files::scalar).rank() == 0);
}

TEST_CASE("npy: headers that NumPy takes") {
    CHECK(loaded<float>(with_shape("(2, 3)")).extents() == std::vector{2, 3});
    CHECK(loaded<float>(with_shape("( 6 ,)")).extents() == std::vector{6});
    CHECK(loaded<float>(with_shape("(6L,)")).extents() == std::vector{6}); // Python 2
    CHECK(loaded<float>(with_header("{ \"shape\":(1,),\"descr\":\"<f4\" ,'fortran_order':True}   ", std::string(4, '\0')))
              .extents() == std::vector{1});
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
    CHECK(contains(refusal(with_header("{'descr': '<f4', 'shape': (6,), }", std::string(24, '\0'))),
                   "must say descr, fortran_order and shape"));
    CHECK(contains(
        refusal(with_header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", std::string(24, '\0'))),
        "given twice"));
    CHECK(contains(refusal(with_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (6,), }", std::string(24, '\0'))),
                   "True or False"));
    CHECK(contains(refusal(with_header("{'descr': '<U4', 'fortran_order': False, 'shape': (6,), }", std::string(96, '\0'))),
                   "holds dtype <U4"));
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
        } catch (tx::error const&) {}
    }
}

TEST_CASE("npy: errors name the file, and what is wrong with it") {
    temporary const file("a.npy");
    tensor<double, shape<2, 3>> const written{{1, 2, 3}, {4, 5, 0.1}};
    tx::save_npy(file.path, written);
    CHECK(tx::equal(tx::load_npy<double>(file.path), tensor<double>(written)));
    CHECK(tx::equal(tx::load_npy<double, shape<2, dyn>>(file.path), tensor<double, shape<2, dyn>>(written)));

    CHECK(message_of<tx::type_error>([&] { static_cast<void>(tx::load_npy<float>(file.path)); }) ==
          "tx: load_npy: " + file.path + ": holds dtype <f8; asked for float32 (<f4): load it as what it is, then tx::cast");
    CHECK(message_of<tx::shape_error>([&] { static_cast<void>(tx::load_npy<double, shape<dyn>>(file.path)); }) ==
          "tx: load_npy: " + file.path + ": the type says shape (?,); the file has (2, 3)");
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_npy<double>("no_such_file.npy")); }) ==
          "tx: load_npy: no_such_file.npy: can't be opened to read");
    CHECK(message_of<tx::error>([&] { tx::save_npy("no_such_folder/a.npy", written); }) ==
          "tx: save_npy: no_such_folder/a.npy: can't be opened to write");
    file.write("this is not an array");
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_npy<double>(file.path)); }), file.path));

    tx::save_npy(file.path, written);
    std::string whole;
    std::getline(std::ifstream(file.path, std::ios::binary), whole, '\xff');
    file.write(whole.substr(0, whole.size() - 8));
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_npy<double>(file.path)); }) ==
          "tx: load_npy: " + file.path + ": ends before its last element");
}

TEST_CASE("npy: every dtype, in either order of bytes and of axes") {
    temporary const file("round.npy");
    for_each_dtype([&]<class T>(T, std::string const& name) {
        CAPTURE(name);
        auto const array = expected<T>();
        for (bool const fortran_order : {false, true})
            for (std::endian const order : {std::endian::little, std::endian::big}) {
                tx::save_npy(file.path, array, {.fortran_order = fortran_order, .order = order});
                CHECK(same(tx::load_npy<T>(file.path), array));
                CHECK(same(std::get<tensor<T>>(tx::load_npy(file.path)), array));
                std::string const content = content_of(file.path);
                CHECK(content.size() % 64 ==
                      (static_cast<std::size_t>(array.size()) * (name == "string" ? 20 : tx::size_in_bytes(tx::dtype_of<T>))) %
                          64);
                CHECK(contains(content, fortran_order ? "'fortran_order': True" : "'fortran_order': False"));
            }
        tx::save_npy(file.path, tx::any_tensor(array));
        CHECK(same(tx::load_npy<T>(file.path), array));
        tx::save_npy(file.path, tensor<T, shape<0, 3>>());
        CHECK(tx::load_npy<T>(file.path).extents() == std::vector{0, 3});
        tx::save_npy(file.path, tensor<T, shape<>>(array(1, 1)));
        CHECK(same(tx::load_npy<T, shape<>>(file.path), tensor<T, shape<>>(array(1, 1))));
    });
}

TEST_CASE("npy: more axes in column-major order") {
    temporary const file("axes.npy");
    tensor<std::int32_t> const cube = counted<std::int32_t>({{2, 3, 4}, 3});
    tx::save_npy(file.path, cube, {.fortran_order = true});
    std::string const content = content_of(file.path);
    std::int32_t second = 0;
    std::memcpy(&second, content.data() + content.size() - 96 + 4, 4);
    CHECK(second == 12); // the first axis is the fastest
    CHECK(same(tx::load_npy<std::int32_t>(file.path), cube));
}

TEST_CASE("npy: more elements than are turned at once") {
    temporary const file("long.npy");
    tensor<double> const numbers = counted<double>({{40001}, 1});
    tx::save_npy(file.path, numbers, {.order = std::endian::big});
    CHECK(same(tx::load_npy<double>(file.path), numbers));
}

TEST_CASE("npy: strings that NumPy can't hold") {
    temporary const file("strings.npy");
    auto const refuses = [&](std::string const& text) {
        return message_of<tx::error>([&] { tx::save_npy(file.path, tensor<std::string>{text}); });
    };
    CHECK(contains(refuses("\xff"), "one is no UTF-8: \"\\xff\""));
    CHECK(contains(refuses("\xed\xa0\x80"), "one is no UTF-8")); // half a pair of UTF-16
    CHECK(contains(refuses(std::string("a\0", 2)), "must not end in a zero"));
    CHECK_FALSE(std::filesystem::exists(file.path));
    auto const holds = [&](std::string const& element) {
        std::string const header = "{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }";
        return message_of<tx::error>([&] { loaded<std::string>(with_header(header, element)); });
    };
    CHECK(holds(std::string("\0\0\x11\0", 4)) == "tx: load_npy: tracexpr_test_format.npy: holds a text that is not Unicode");
    CHECK(holds(std::string("\0\xd8\0\0", 4)) == "tx: load_npy: tracexpr_test_format.npy: holds a text that is not Unicode");
    CHECK(holds(std::string("\xff\xff\x10\0", 4)) == "nothing was thrown");
}

TEST_CASE("npy: dtypes that tensors don't have") {
    for (std::string const code :
         {"<M8[s]", "|O", "|V3", "<f16", "<U", "<U0", "<U01", "<U-1", "<U99999999999", "<S", "", "<", "i", "<i3"}) {
        CAPTURE(code);
        std::string const file = with_header("{'descr': '" + code + "', 'fortran_order': False, 'shape': (0,), }", "");
        CHECK(message_of<tx::type_error>([&] { loaded<float>(file); }) ==
              "tx: load_npy: tracexpr_test_format.npy: holds dtype \"" + code + "\", which tensors don't have");
    }
    CHECK(contains(message_of<tx::type_error>([] { loaded<std::string>(npy_files::half); }),
                   "holds dtype <f2; asked for string (<U): load it as what it is"));
    CHECK(contains(message_of<tx::type_error>([] { loaded<tx::bfloat16>(npy_files::half); }),
                   "asked for bfloat16 (<V2): load it as what it is, then tx::cast"));
}

TEST_CASE("npy: the old file stays until the new one is whole") {
    temporary const file("kept.npy");
    tensor<float> const old{1, 2, 3};
    tx::save_npy(file.path, old);
    rlimit unlimited{};
    getrlimit(RLIMIT_FSIZE, &unlimited);
    auto const handler = std::signal(SIGXFSZ, SIG_IGN); // a write beyond the limit then fails, as on a full disk
    rlimit limited = unlimited;
    limited.rlim_cur = 1 << 16;
    setrlimit(RLIMIT_FSIZE, &limited);
    std::string const message = message_of<tx::error>([&] { tx::save_npy(file.path, counted<float>({{1 << 20}, 1})); });
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, handler);
    CHECK(message == "tx: save_npy: " + file.path + ": could not be written");
    CHECK(same(tx::load_npy<float>(file.path), old));
    for (auto const& beside : std::filesystem::directory_iterator("."))
        CHECK_FALSE(beside.path().filename().string().starts_with(file.path + "."));

    std::filesystem::permissions(file.path, std::filesystem::perms(0640));
    temporary const link("link.npy");
    std::filesystem::create_symlink(file.path, link.path);
    tx::save_npy(link.path, tensor<float>{4});
    CHECK(std::filesystem::is_symlink(link.path));
    CHECK(same(tx::load_npy<float>(file.path), tensor<float>{4}));
    CHECK(std::filesystem::status(file.path).permissions() == std::filesystem::perms(0640));
    CHECK(message_of<tx::error>([&] { tx::save_npy("/dev/full", old); }) == "tx: save_npy: /dev/full: could not be written");
    CHECK(message_of<tx::error>([&] { tx::save_npy(".", old); }) == "tx: save_npy: .: can't be opened to write");
}
