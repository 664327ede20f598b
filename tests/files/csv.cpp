// This file tests CSV files: every dtype comes back exactly; options; and damaged files are refused.
#include "file_checks.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <random>

using tx::dyn;
using tx::shape;
using tx::tensor;

TEST_CASE("CSV: matrices") {
    temporary const file("c.csv");
    tensor<double, shape<dyn, dyn>> const written{{1, 0.1, -1e-300}, {4, 5, 1.0 / 3}};
    tx::save_csv(file.path, written);
    CHECK(tx::equal(tx::load_csv<double>(file.path), written));
    file.write("a;b\n# a comment\n1;2\n3;4\n");
    CHECK(tx::equal(tx::load_csv<float, shape<2, 2>>(file.path, {.delimiter = ';', .skip_rows = 1}),
                    tensor<float, shape<2, 2>>{{1, 2}, {3, 4}}));
    CHECK(message_of<tx::shape_error>([&] {
              static_cast<void>(tx::load_csv<float, shape<dyn, 3>>(file.path, {.delimiter = ';', .skip_rows = 1}));
          }) == "tx: load_csv: " + file.path + ": the type says shape (?, 3); the file has (2, 2)");
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_csv<float>(file.path)); }),
                   file.path + ": holds something that is no float32"));
    file.write("1,2\n3\n");
    CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_csv<float>(file.path)); }) ==
          "tx: load_csv: " + file.path + ": holds rows of different lengths: 2, and 1 in line 2");
}

TEST_CASE("CSV is read strictly, and all that is written") {
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
    auto const refuses = [&]<class T>(T, std::string const& content, std::string const& text, int column = 0) {
        file.write(content);
        INFO(content);
        CHECK(message_of<tx::error>([&] { static_cast<void>(tx::load_csv<T>(file.path)); }) ==
              "tx: load_csv: " + file.path + ": holds something that is no " + std::string(tx::name(tx::dtype_of<T>)) +
                  " in the column " + std::to_string(column) + ": \"" + text + "\" in line 1");
    };
    refuses(1.0, "1;2\n3;4\n", "1;2");
    refuses(1.0, "1,2x\n", "2x", 1);
    refuses(1, "1.5,2", "1.5");
    refuses(short{1}, "70000", "70000");
    refuses(1u, "-1,2", "-1");
    CHECK(contains(message_of<tx::error>([] { static_cast<void>(tx::load_csv<double>(".")); }), "can't be read"));
    file.write("1,2,\n");
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_csv<double>(file.path)); }),
                   "no float64 in the column 2: \"\" in line 1; tx::csv_format{.missing = {\"\"}} reads empty fields as NaN"));
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_csv<int>(file.path)); }),
                   "no int32 in the column 2: \"\" in line 1; columns of floating dtypes may have missing values, which .missing "
                   "lists"));
}
TEST_CASE("CSV: NaN is written without its sign") {
    temporary const file("nan.csv");
    double const nan = std::numeric_limits<double>::quiet_NaN();
    tx::save_csv(file.path, tensor<double, shape<3>>{nan, -nan, -1});
    CHECK(content_of(file.path) == "nan\nnan\n-1\n");
    tx::save_csv(file.path, tensor<std::complex<float>, shape<1>>{{-1, -std::numeric_limits<float>::quiet_NaN()}});
    CHECK(content_of(file.path) == "(-1+nanj)\n");
}

namespace {

// What a file with this content holds.
template <class T, class Shape = shape<dyn, dyn>>
tensor<T, Shape> loaded(std::string const& content, tx::csv_format const& format = {}) {
    temporary const file("content.csv");
    file.write(content);
    return tx::load_csv<T, Shape>(file.path, format);
}
template <class T = double, class Shape = shape<dyn, dyn>>
std::string refusal(std::string const& content, tx::csv_format const& format = {}) {
    std::string const message = message_of<tx::error>([&] { loaded<T, Shape>(content, format); });
    std::string const begin = "tx: load_csv: tracexpr_test_content.csv: ";
    return message.starts_with(begin) ? message.substr(begin.size()) : message;
}
template <class T, class Shape> std::string saved(tensor<T, Shape> const& t, tx::csv_format const& format = {}) {
    temporary const file("saved.csv");
    tx::save_csv(file.path, t, format);
    return content_of(file.path);
}

} // namespace

TEST_CASE("CSV: every dtype, exactly") {
    for_each_dtype([&]<class T>(T, std::string const& name) {
        CAPTURE(name);
        for (char const delimiter : {',', ';', '\t', ' '}) {
            tx::csv_format const format{.delimiter = delimiter};
            CHECK(same(loaded<T>(saved(expected<T>(), format), format), expected<T>()));
        }
    });
    std::mt19937_64 numbers(21); // the seed
    auto const random_bits = [&]<class T>(T) {
        auto out = tensor<T, shape<100, 7>>::uninitialized();
        for (std::int64_t i = 0; i < out.size(); ++i) {
            std::uint64_t const bits = numbers();
            std::memcpy(static_cast<void*>(out.mutable_data() + i), &bits, sizeof(T));
            if (std::isnan(static_cast<double>(out.data()[i]))) out.mutable_data()[i] = T(0.1);
        }
        CHECK(same(loaded<T>(saved(out)), out));
    };
    random_bits(float{}), random_bits(double{}), random_bits(tx::half{}), random_bits(tx::bfloat16{});
}

TEST_CASE("CSV: what is written") {
    CHECK(saved(tensor<double>{{1, 0.1}, {-0.0, 1e300}}) == "1,0.1\n-0,1e+300\n");
    CHECK(saved(tensor<float>{0.1f, 16777216}) == "0.1\n16777216\n"); // a vector is a column
    CHECK(saved(tensor<std::int8_t>{{-128, 65}}) == "-128,65\n");
    CHECK(saved(tensor<std::uint8_t>{{255, 65}}) == "255,65\n");
    CHECK(saved(tensor<bool>{{true, false}}) == "1,0\n");
    CHECK(saved(tensor<std::complex<float>>{{std::complex<float>(1, -2.5f), std::complex<float>(-0.0f, 3)}}) ==
          "(1-2.5j),(-0+3j)\n");
    CHECK(saved(tensor<std::string>{{"a b", " a", "", "a\"b", "#", "x\ny"}}) == "a b,\" a\",\"\",\"a\"\"b\",\"#\",\"x\ny\"\n");
    CHECK(saved(tensor<int>{{1, 2}, {3, 4}}, {.delimiter = '\t', .header = "x\ty"}) == "x\ty\n1\t2\n3\t4\n");
    CHECK(saved(tensor<float, shape<0, 3>>()).empty());
    // numpy.savetxt(..., fmt="%.18e"), default delimiter
    CHECK(same(
        loaded<double>("1.000000000000000000e+00 1.000000000000000056e-01\n-0.000000000000000000e+00 nan\n", {.delimiter = ' '}),
        tensor<double>{{1, 0.1}, {-0.0, std::numeric_limits<double>::quiet_NaN()}}));
    CHECK(same(loaded<std::complex<double>>(" (1.000000000000000000e+00-2.000000000000000000e+00j)\n"),
               tensor<std::complex<double>>{{std::complex<double>(1, -2)}}));
}

TEST_CASE("CSV: values as Python writes them") {
    using complex = std::complex<double>;
    CHECK(same(loaded<complex>("1+2j, (3-4j) ,5j,6,(7),-1e+2-1e-2j,1e5"),
               tensor<complex>{{complex(1, 2), complex(3, -4), complex(0, 5), 6, 7, complex(-100, -0.01), 1e5}}));
    auto const special = loaded<complex>("nan+infj,-inf-nanj");
    CHECK((std::isnan(special(0, 0).real()) && special(0, 0).imag() == INFINITY));
    CHECK((special(0, 1).real() == -INFINITY && std::isnan(special(0, 1).imag())));
    for (char const* const text : {"1+2", "1+2i", "1+-2j", "(1+2j", "1+2j)", "j", "1 +2j", "1+j", "()", "1+2j3"}) {
        CAPTURE(text);
        CHECK(refusal<complex>(text).starts_with("holds something that is no complex128 in the column 0: \""));
    }
    CHECK(same(loaded<bool>("1,0,True,False,true,false"), tensor<bool>{{true, false, true, false, true, false}}));
    CHECK(refusal<bool>("2") == "holds something that is no bool in the column 0: \"2\" in line 1");
    CHECK(same(loaded<std::int8_t>("+7, -128"), tensor<std::int8_t>{{7, -128}}));
    CHECK(refusal<std::int8_t>("128") == "holds something that is no int8 in the column 0: \"128\" in line 1");
    CHECK(refusal<std::uint8_t>("-1") == "holds something that is no uint8 in the column 0: \"-1\" in line 1");
    CHECK(refusal("+-1") == "holds something that is no float64 in the column 0: \"+-1\" in line 1");
    CHECK(refusal("0x1p3") == "holds something that is no float64 in the column 0: \"0x1p3\" in line 1");
    CHECK(refusal("a\x01") == "holds something that is no float64 in the column 0: \"a\\x01\" in line 1; skip a header with "
                              "tx::csv_format{.skip_rows = 1}");
}

TEST_CASE("CSV: magnitudes beyond a dtype's are infinite or 0, in any locale") {
    char const* const old = std::setlocale(LC_ALL, nullptr);
    std::string const kept = old ? old : "C";
    std::setlocale(LC_ALL, "de_DE.UTF-8"); // where there is one
    auto const read = loaded<double>("1e400,-1e400,1.5e-400,-0.0001e-330,0.00000001e320,123456789e-340,1e999999999999999999999,"
                                     "1e-99999999999999999999,0e999999999999999");
    CHECK(same(read, tensor<double>{{INFINITY, -INFINITY, 0, -0.0, INFINITY, 0, INFINITY, 0, 0}}));
    CHECK(same(loaded<float>("1e39,1e-50,-1e-50,0.1e40,340282350000000000000000000000000000000"),
               tensor<float>{{INFINITY, 0, -0.0f, INFINITY, std::numeric_limits<float>::max()}}));
    std::setlocale(LC_ALL, kept.c_str());
    CHECK(same(loaded<tx::half>("65520,65519,1e-8,-1e9"),
               tensor<tx::half>{{tx::half(INFINITY), tx::half(65504), tx::half(0), tx::half(-INFINITY)}}));
}

TEST_CASE("CSV: NaN and infinity in NumPy's spellings, and in no other") {
    auto const read = loaded<double>("nan,NaN,+NAN,-nan,inf,-Inf,INFINITY,+infinity");
    for (int k = 0; k < 4; ++k) CHECK(std::isnan(read(0, k)));
    for (int k = 4; k < 8; ++k) CHECK(read(0, k) == (k == 5 ? -INFINITY : INFINITY));
    for (char const* const text : {"nan(1)", "nan()", "-nan(ind)", "nan("}) {
        CAPTURE(text);
        CHECK_THROWS_AS(loaded<double>(text), tx::error);
        CHECK_THROWS_AS(loaded<tx::half>(text), tx::error);
        CHECK_THROWS_AS(loaded<std::complex<float>>(text), tx::error);
    }
}

TEST_CASE("CSV: options") {
    CHECK(same(loaded<int>("1,2,3\n4,5,6", {.columns = {2, 0}}), tensor<int>{{3, 1}, {6, 4}}));
    CHECK(same(loaded<int>("1,2,3\n4,5,6", {.columns = {-1, -1}}), tensor<int>{{3, 3}, {6, 6}}));
    CHECK(same(loaded<int>("a,2,b\nc,5,d", {.columns = {1}}), tensor<int>{{2}, {5}}));
    CHECK(refusal("1,2", {.columns = {2}}) == "has 2 columns; asked for column 2");
    CHECK(refusal("1,2", {.columns = {-3}}) == "has 2 columns; asked for column -3");
    CHECK(same(loaded<int>("any\r\n\nx,y\r\n1,2\r\n", {.skip_rows = 2, .header = "x,y"}), tensor<int>{{1, 2}}));
    CHECK(refusal("y,x\n1,2\n", {.header = "x,y"}) ==
          "its header must be \"x,y\"; it is \"y,x\"; give no .header for a file without one");
    CHECK(refusal("time, x\n1,2\n") == "holds something that is no float64 in the column 0: \"time\" in line 1; skip a header "
                                       "with tx::csv_format{.skip_rows = 1}");
    CHECK(
        refusal("#\nx\n1\n", {.skip_rows = 1}) ==
        "holds something that is no float64 in the column 0: \"x\" in line 2; skip a header with tx::csv_format{.skip_rows = 2}");
    CHECK(refusal("1\nx\n") == "holds something that is no float64 in the column 0: \"x\" in line 2");
    CHECK(refusal("", {.header = "x,y"}) == "its header must be \"x,y\"; it is \"\"; give no .header for a file without one");
    CHECK(same(loaded<int>("# a\n1,2 # b\n #c\n3,4#\n"), tensor<int>{{1, 2}, {3, 4}}));
    CHECK(same(loaded<int>("% a\n1,2 % b\n", {.comment = '%'}), tensor<int>{{1, 2}}));
    CHECK(same(loaded<std::string>("#a,b\n", {.comment = '\0'}), tensor<std::string>{{"#a", "b"}}));
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(same(loaded<double>("1,,NA\n ,n/a ,2", {.missing = {"", "NA", "n/a"}}), tensor<double>{{1, nan, nan}, {nan, nan, 2}}));
    CHECK(std::isnan(loaded<std::complex<float>>("-", {.missing = {"-"}})(0, 0).real()));
    CHECK(std::isnan(static_cast<float>(loaded<tx::half>("-", {.missing = {"-"}})(0, 0))));
    CHECK(message_of<tx::type_error>([] { loaded<int>("1", {.missing = {""}}); }) ==
          "tx: load_csv: tracexpr_test_content.csv: missing values are read as NaN, which int32 has not");
    CHECK(same(loaded<int>(" 1   2\t3 \n4 5 6\n", {.delimiter = ' '}), tensor<int>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(same(loaded<int>("\xef\xbb\xbf"
                           "1,2"),
               tensor<int>{{1, 2}}));
    for (char const delimiter : {'a', '7', '-', '.', '"', '\n', '#', '('}) {
        CAPTURE(delimiter);
        CHECK(contains(refusal("1", {.delimiter = delimiter}), "a delimiter must be no part of numbers"));
    }
    CHECK(message_of<tx::error>([] { saved(tensor<int>{1}, {.delimiter = '\0'}); }) ==
          "tx: save_csv: tracexpr_test_saved.csv: a delimiter must be no part of numbers, no quote, no end of a line and no "
          "comment's "
          "mark; given \"\\x00\"");
    CHECK(message_of<tx::error>([] { saved(tensor<int>{1}, {.header = "a\nb"}); }) ==
          "tx: save_csv: tracexpr_test_saved.csv: a header is one line; given \"a\\x0ab\"");
}

TEST_CASE("CSV: quotes") {
    CHECK(same(loaded<int>("\"1\", \"2\" ,3\n"), tensor<int>{{1, 2, 3}}));
    CHECK(same(loaded<std::string>("\"a,b\",\"c\"\"d\",\"e\r\nf\",\"\"\r\ng, h ,i,\n"),
               tensor<std::string>{{"a,b", "c\"d", "e\r\nf", ""}, {"g", " h ", "i", ""}}));
    CHECK(refusal<std::string>("a\n\"b\n\n") == "a quote in line 2 does not end");
    CHECK(refusal<std::string>("\"a\"b\n") == "more follows a quoted text in line 1: \"b\"");
    std::mt19937 numbers(22); // the seed
    std::string const letters("ab \t,\"\r\n#\xef\xbb\xbf\0;", 14);
    for (int trial = 0; trial < 300; ++trial) {
        auto texts = tensor<std::string, shape<3, 2>>::uninitialized();
        for (std::int64_t i = 0; i < 6; ++i) {
            std::string text;
            for (auto length = numbers() % 6; length > 0; --length) text += letters[numbers() % letters.size()];
            texts.mutable_data()[i] = text;
        }
        tx::csv_format const format{.delimiter = ",; \t"[numbers() % 4], .comment = "#\0;"[numbers() % 2]};
        CAPTURE(trial);
        CHECK(same(loaded<std::string>(saved(texts, format), format), texts));
    }
}

TEST_CASE("CSV: shapes") {
    CHECK(same(loaded<int, shape<dyn>>("1\n2\n3"), tensor<int>{1, 2, 3}));
    CHECK(same(loaded<int, shape<3>>("1,2,3"), tensor<int>{1, 2, 3}));
    CHECK(loaded<int, shape<dyn>>("").extents() == std::vector{0});
    CHECK(refusal<int, shape<dyn>>("1,2\n3,4") == "the type says shape (?,); the file has (2, 2)");
    CHECK(loaded<int>("").extents() == std::vector{0, 0});
    CHECK(same(loaded<int, tx::any_shape>("1,2"), tensor<int>{{1, 2}}));
    CHECK(message_of<tx::shape_error>([] { saved(counted<int>({{1, 2, 3}, 3})); }) ==
          "tx: save_csv: tracexpr_test_saved.csv: a file of rows is a matrix or a vector; given shape (1, 2, 3)");
    CHECK(message_of<tx::shape_error>([] { saved(tensor<int>(1)); }) ==
          "tx: save_csv: tracexpr_test_saved.csv: a file of rows is a matrix or a vector; given shape ()");
}
