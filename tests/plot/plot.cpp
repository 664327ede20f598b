// This file tests pictures of results: axes, pixels, and that the output is XML.
#include <tracexpr/base/create.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/plot/picture.hpp>
#include <tracexpr/plot/png.hpp>
#include <messages.hpp>
#include <xml_checker.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

using namespace tx::plot;
using tx::shape;
using tx::tensor;
using tx::testing::count_of;
using tx::testing::is_xml;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan_value = std::numeric_limits<double>::quiet_NaN();

bool near(std::vector<double> const& a, std::vector<double> const& b) {
    bool same = a.size() == b.size();
    for (std::size_t k = 0; same && k < a.size(); ++k) same = std::abs(a[k] - b[k]) <= 1e-9 * std::abs(b[k]) + 1e-12;
    return same;
}

} // namespace

TEST_CASE("plot: ticks are round numbers within the axis") {
    CHECK(near(detail::linear_ticks(0, 1, 5).at, {0, 0.2, 0.4, 0.6, 0.8, 1}));
    CHECK(near(detail::linear_ticks(-3, 17, 4).at, {0, 5, 10, 15}));
    CHECK(near(detail::linear_ticks(0.00012, 0.00031, 4).at, {0.00015, 0.0002, 0.00025, 0.0003}));
    CHECK(near(detail::linear_ticks(1e9, 3e9, 4).at, {1e9, 1.5e9, 2e9, 2.5e9, 3e9}));
    CHECK(near(detail::log_ticks(1, 1000).at, {1, 10, 100, 1000}));
    CHECK(near(detail::log_ticks(0.03, 0.7).at, {0.05, 0.1, 0.2, 0.5}));
    CHECK(detail::log_ticks(1e-30, 1e30).at.size() < 12);
    for (detail::axis_ticks const& one :
         {detail::linear_ticks(2, 2, 5), detail::linear_ticks(0, 0, 5), detail::log_ticks(2, 2)}) {
        CHECK(one.low < one.high); // of equal values
        CHECK(!one.at.empty());
    }
}

TEST_CASE("plot: lines") {
    std::vector<float> const losses{1, 0.1f, 0.01f};
    std::string const svg =
        lines({.title = "<loss>", .x_label = "epoch", .y_label = "a & b", .y_scale = scale::log, .first_x = 1})
            .add("loss", losses)
            .to_svg();
    CHECK(is_xml(svg));
    CHECK(svg.find(">&lt;loss&gt;</text>") != svg.npos);
    CHECK(svg.find(">a &amp; b</text>") != svg.npos);
    CHECK(svg.find("d=\"M70 40L345 195L620 350\"") != svg.npos); // equal steps on a logarithmic scale
    CHECK(svg.find(">loss</text>") == svg.npos);                 // a single one needs no legend
    CHECK(svg.find(">0.01</text>") != svg.npos);
}

TEST_CASE("plot: several lines, points, tensors and ranges, gaps") {
    std::vector<int> const x{0, 1, 2, 3, 4};
    lines plot;
    plot.add("first", x, std::vector<double>{0, 1, nan_value, 3, inf});
    plot.add("second", tensor<double, shape<3>>{0, 2, 4}, tensor<float>{1, 2, 3});
    plot.add_points("third", x, std::vector<bool>{true, false, true, false, true});
    std::string const svg = plot.to_svg();
    CHECK(is_xml(svg));
    for (char const* label : {">first</text>", ">second</text>", ">third</text>"}) CHECK(svg.find(label) != svg.npos);
    CHECK(svg.find("M482.5 40h0") != svg.npos); // a value between two gaps is a dot
    CHECK(count_of(svg, "h0") == 6);
    CHECK(svg.find("nan") == svg.npos);
    CHECK(svg.find("inf") == svg.npos);
    for (scale const s : {scale::linear, scale::log}) { // nothing to show
        CHECK(is_xml(lines({.x_scale = s, .y_scale = s}).to_svg()));
        CHECK(is_xml(lines({.x_scale = s, .y_scale = s}).add("none", std::vector<double>{}).to_svg()));
        CHECK(is_xml(lines({.x_scale = s, .y_scale = s}).add("one", std::vector<double>{-1}).to_svg()));
        CHECK(is_xml(lines({.x_scale = s, .y_scale = s}).add("none", std::vector<double>{nan_value, -inf}).to_svg()));
    }
    CHECK(message_of<tx::shape_error>([&] { plot.add("bad", x, std::vector<int>{1}); }) ==
          "tx: plot::lines::add: x and y must have as many elements; given 5, 1");
    CHECK(plot.to_svg() == svg); // nothing has changed
}

// Expected bytes: Python's zlib.compress(rows, 0), zlib.crc32 and base64 around them.
TEST_CASE("plot: pixels are a PNG") {
    CHECK(detail::base64("") == "");
    CHECK(detail::base64("M") == "TQ==");
    CHECK(detail::base64("Ma") == "TWE=");
    CHECK(detail::base64("Man") == "TWFu");
    CHECK(detail::crc32("IEND") == 0xae426082u);
    CHECK(detail::adler32("Wikipedia") == 0x11e60398u);
    CHECK(detail::base64(detail::png(2, 1, 1, std::string("\0\xff", 2))) ==
          "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAADklEQVR4AQEDAPz/AAD/AQIBALcBLvcAAAAASUVORK5CYII=");
    CHECK(detail::base64(detail::png(1, 2, 3, "\1\2\3\xfa\xfb\xfc")) ==
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAACCAIAAAAW4yFwAAAAE0lEQVR4AQEIAPf/AAECAwD6+/wGCgL4ttXuVAAAAABJRU5ErkJggg==");
    std::string const long_rows(200'000, 'x'); // several blocks of at most 65535 bytes
    std::string const data = detail::stored(long_rows);
    CHECK(data.size() == 2 + 4 * 5 + long_rows.size() + 4);
    CHECK(data[2] == '\0');
    CHECK(data[2 + 3 * (5 + 65535)] == '\1');
}

TEST_CASE("plot: images") {
    image_grid grid({.title = "two", .columns = 2, .pixel = 4});
    grid.add(tensor<float, shape<1, 2>>{{0, 1}}, "a < b", "#d00")
        .add(tensor<std::uint8_t, shape<2, 1, 3>>{{{1, 2, 3}}, {{250, 251, 252}}});
    grid.add(tensor<double>{{-1.0, 2.0}});
    std::string const svg = grid.to_svg();
    CHECK(is_xml(svg));
    CHECK(count_of(svg, "<image ") == 3);
    CHECK(count_of(svg, "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAADklEQVR4AQEDAPz/AAD/AQIBALcBLvcAAAAASUVORK5CYII=") ==
          2); // cut off
    CHECK(count_of(svg,
                   "iVBORw0KGgoAAAANSUhEUgAAAAEAAAACCAIAAAAW4yFwAAAAE0lEQVR4AQEIAPf/AAECAwD6+/wGCgL4ttXuVAAAAABJRU5ErkJggg==") ==
          1);
    CHECK(svg.find("fill=\"#d00\">a &lt; b</text>") != svg.npos);
    CHECK(is_xml(image_grid().to_svg()));
    CHECK(is_xml(image_grid().add(tensor<float, shape<0, 3>>{}).add(tensor<float, shape<2, 2, 1>>{}).to_svg()));
    CHECK(message_of<tx::shape_error>([&] { grid.add(tensor<float>{1, 2}); }) ==
          "tx: plot::image_grid::add: an image must be (height, width), (height, width, 1) or (height, width, 3); given (2,)");
    CHECK_THROWS_AS(grid.add(tx::zeros<float>(shape<2, 2, 2>{})), tx::shape_error);
    CHECK(grid.to_svg() == svg);
}

TEST_CASE("plot: heat maps") {
    std::string const svg = heat_map(tensor<int, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}},
                                     {.title = "a & b", .x_label = "x", .y_label = "y", .rows = {"one", "<two>"}})
                                .to_svg();
    CHECK(is_xml(svg));
    for (char const* text : {">a &amp; b<", ">x<", ">y<", ">one<", ">&lt;two&gt;<", ">0<", ">2<", ">6<"})
        CHECK(svg.find(text) != svg.npos);
    detail::colour const least = detail::viridis(0), most = detail::viridis(1), none = detail::viridis(nan_value);
    CHECK((least.red == 68 && least.green == 1 && least.blue == 84)); // Matplotlib's
    CHECK((most.red == 253 && most.green == 231 && most.blue == 37));
    CHECK((none.red == none.green && none.green == none.blue));
    CHECK(is_xml(heat_map(tensor<double>{{nan_value, inf}, {-inf, 3.0}}).to_svg()));
    CHECK(is_xml(heat_map(tensor<float, shape<0, 4>>{}).to_svg()));
    CHECK(is_xml(heat_map(tx::ones<float>(shape<1, 1>{})).to_svg()));
    std::string const large = heat_map(tx::ones<float>(shape<300, 200>{})).to_svg();
    CHECK(is_xml(large));
    CHECK(count_of(large, "<text") < 10); // no names, no numbers
    CHECK(message_of<tx::shape_error>([] { heat_map(tensor<float>{1, 2}); }) == "tx: plot::heat_map: takes a matrix; given (2,)");
    CHECK(message_of<tx::shape_error>([] { heat_map(tensor<float>{{1, 2}}, {.columns = {"a"}}); }) ==
          "tx: plot::heat_map: there must be a name for each of the 2 columns, or none; given 1");
}

TEST_CASE("plot: files") {
    std::string const path = "test_plot_lines.svg";
    lines const plot = lines().add("a", std::vector<int>{1, 2, 3});
    plot.save(path);
    std::ifstream file(path, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == plot.to_svg());
    file.close();
    std::remove(path.c_str());
    CHECK(message_of([&] { plot.save("no such folder/a.svg"); }) ==
          "tx: plot: the file must be one that can be written; given no such folder/a.svg");
}

TEST_CASE("progress: lines where there is no terminal") {
    auto const shown = [](tx::progress_options options, auto const& work) {
        std::FILE* const file = std::tmpfile();
        REQUIRE(file);
        options.to = file;
        {
            tx::progress bar(10, options);
            work(bar);
        }
        std::rewind(file);
        std::string out;
        for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) out += static_cast<char>(c);
        std::fclose(file);
        return out;
    };
    auto const all = [](tx::progress& bar) {
        for (int k = 1; k <= 10; ++k) bar.show(k, "loss", 1.0 / k, "left", 10 - k);
    };
    CHECK(shown({.label = "epoch", .every = 4}, all) ==
          "epoch  4: loss 0.2500 left 6\nepoch  8: loss 0.1250 left 2\nepoch 10: loss 0.1000 left 0\n");
    CHECK(shown({.quiet = true}, all).empty());
    CHECK(shown({.every = 5}, [](tx::progress& bar) { bar.show(5), bar.show(6); }) == "step  5\n");
    auto const number = [&](auto value) {
        std::string const line = shown({}, [&](tx::progress& bar) { bar.show(1, value); });
        return line.substr(9, line.size() - 10);
    };
    CHECK(number(0.0) == "0.0000");
    CHECK(number(123.456f) == "123.5");
    CHECK(number(0.0000871) == "0.00008710");
    CHECK(number(1e-7) == "1.000e-07");
    CHECK(number(12345678.0) == "12345678");
    CHECK(number(-2.5e9) == "-2.500e+09");
    CHECK(number(nan_value).find("nan") != std::string::npos);
    CHECK(number(true) == "1");
    CHECK(number(std::string("done")) == "done");
}
