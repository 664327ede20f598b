// CSV files: every dtype, exactly; options; and nothing that is damaged.
#include "file_checks.hpp"

#include <doctest/doctest.h>

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
              tx::load_csv<float, shape<dyn, 3>>(file.path, {.delimiter = ';', .skip_rows = 1});
          }) == "tx: load_csv: " + file.path + ": the type says shape (?, 3); the file has (2, 2)");
    CHECK(contains(message_of<tx::error>([&] { tx::load_csv<float>(file.path); }),
                   file.path + ": holds something that is no number"));
    file.write("1,2\n3\n");
    CHECK(message_of<tx::error>([&] { tx::load_csv<float>(file.path); }) ==
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
