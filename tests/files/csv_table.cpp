// This file tests structs of columns, read from CSV files and written to them.
#include "file_checks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace {

using tx::dyn, tx::shape, tx::tensor;
template <class T> using column = tensor<T, shape<dyn>>;
struct prices {
    column<double> price;
    column<std::string> name;
    column<std::int64_t> day;
};
struct stamps {
    column<std::int64_t> time;
    column<bool> open;
    column<float> change;
};
struct pair {
    tensor<int, shape<2>> a;
};
struct uneven {
    column<int> a, b;
};

template <class Rows> std::string refusal(std::string const& content, tx::csv_format const& format = {}) {
    temporary const file("table.csv");
    file.write(content);
    std::string const message = message_of<tx::error>([&] { static_cast<void>(tx::load_csv<Rows>(file.path, format)); });
    std::string const begin = "tx: load_csv: tracexpr_test_table.csv: ";
    return message.starts_with(begin) ? message.substr(begin.size()) : message;
}

} // namespace

TEST_CASE("a struct of columns: by name, in any order, others left out") {
    temporary const file("table.csv");
    file.write("# prices\nday, name ,id,price\n2024-03-01,\"a, b\",1,1.5\n1969-12-31,c#d\n"
               "0000-01-01,\"\",3,1e3\r\n");
    tx::csv_format const format{.days = {"day"}};
    CHECK(contains(message_of<tx::error>([&] { static_cast<void>(tx::load_csv<prices>(file.path, format)); }),
                   "holds rows of different lengths: 4, and 2 in line 4"));
    file.write("# prices\nday, name ,id,price\n2024-03-01,\"a, b\",1,1.5\n\n1969-12-31,c,2,NA\n9999-12-31,\"\",3,1e3\r\n");
    auto const rows = tx::load_csv<prices>(file.path, {.missing = {"NA"}, .days = {"day"}});
    CHECK(tx::equal(rows.name, column<std::string>{"a, b", "c", ""}));
    CHECK(tx::equal(rows.day, column<std::int64_t>{19783, -1, 2932896})); // np.datetime64("2024-03-01").astype(int)
    CHECK((rows.price(0) == 1.5 && std::isnan(rows.price(1)) && rows.price(2) == 1000));
    tx::save_csv(file.path, rows, format);
    CHECK(content_of(file.path) == "price,name,day\n1.5,\"a, b\",2024-03-01\nnan,c,1969-12-31\n1000,\"\",9999-12-31\n");
    auto const again = tx::load_csv<prices>(file.path, format);
    CHECK((same(again.price, rows.price) && tx::equal(again.name, rows.name) && tx::equal(again.day, rows.day)));
}
TEST_CASE("a struct of columns: times, other delimiters, none") {
    temporary const file("table.csv");
    file.write(
        "time;open;change\n2024-03-01T12:30:00Z;True;1\n2024-03-01 12:30;0;-2\n1970-01-01;1;3\n1970-01-01T00:00:00+01:00;1;4\n");
    tx::csv_format const format{.delimiter = ';', .seconds = {"time"}};
    auto const rows = tx::load_csv<stamps>(file.path, format);
    CHECK(tx::equal(rows.time, column<std::int64_t>{1709296200, 1709296200, 0, -3600}));
    CHECK(tx::equal(rows.open, column<bool>{true, false, true, true}));
    tx::save_csv(file.path, rows, format);
    CHECK(content_of(file.path) ==
          "time;open;change\n2024-03-01T12:30:00;1;1\n2024-03-01T12:30:00;0;-2\n1970-01-01T00:00:00;1;3\n"
          "1969-12-31T23:00:00;1;4\n");
    file.write("time,open,change\n");
    CHECK(tx::load_csv<stamps>(file.path).time.size() == 0);
    file.write("a\n1\n2\n");
    CHECK(tx::equal(tx::load_csv<pair>(file.path).a, tensor<int, shape<2>>{1, 2}));
}
TEST_CASE("a struct of columns: what is refused") {
    CHECK(refusal<prices>("price,name\n") == "has no column \"day\" in its header, line 1; load a file without one as a matrix, "
                                             "tx::load_csv<double>(path)");
    CHECK(refusal<prices>("day,price,name,day\n") == "has two columns \"day\" in its header, line 1");
    CHECK(refusal<prices>("") == "has no header, which would name its columns");
    CHECK(refusal<prices>("price,name,day\n1,a,x\n") ==
          "holds something that is no int64 in the column \"day\": \"x\" in line 2");
    for (std::string const day : {"2023-02-29", "2024-13-01", "2024-3-1", "24-03-01", "2024-03-01T12:00", "2024-00-10"})
        CHECK(refusal<prices>("price,name,day\n1,a," + day + "\n", {.days = {"day"}}) ==
              "holds something that is no date in the column \"day\": \"" + day + "\" in line 2");
    for (std::string const time :
         {"2024-03-01T24:00", "2024-03-01T12:60", "2024-03-01T12:00:00.5", "2024-03-01x12:00", "2024-03-01T12"})
        CHECK(contains(refusal<stamps>("time,open,change\n" + time + ",1,1\n", {.seconds = {"time"}}),
                       "no date in the column \"time\""));
    CHECK(refusal<prices>("price,name,day\n", {.days = {"Day"}}) == "there is no field \"Day\", which is to hold dates");
    CHECK(refusal<prices>("price,name,day\n", {.columns = {1}}) ==
          "a struct's fields name the columns: give no header and no columns");
    CHECK(contains(refusal<pair>("a\n1\n"), "the field a has shape (2,); the file has (1,)"));
    temporary const file("table.csv");
    CHECK(contains(message_of<tx::type_error>([&] { static_cast<void>(tx::load_csv<prices>(file.path, {.days = {"price"}})); }),
                   "dates are int64; the field price has dtype float64"));
    CHECK(contains(message_of<tx::shape_error>([&] { tx::save_csv(file.path, uneven{{1, 2}, {3}}); }),
                   "the columns must have one length; there are some of 2 and of 1"));
    CHECK(contains(message_of<tx::error>([&] { tx::save_csv(file.path, prices{{1}, {"a"}, {10000000}}, {.days = {"day"}}); }),
                   "the field day holds a date whose year has not four digits"));
    prices const no_time{{1}, {"a"}, {std::numeric_limits<std::int64_t>::min()}};
    CHECK(contains(message_of<tx::error>([&] { tx::save_csv(file.path, no_time, {.seconds = {"day"}}); }),
                   "the field day holds a date whose year has not four digits"));
}
