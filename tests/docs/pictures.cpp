// Pictures: results as SVG, and a bar for long work. `#include <tracexpr/plot.hpp>`.
#include <tracexpr/base/create.hpp>
#include <tracexpr/plot.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

TEST_CASE("plot::lines, plot::lines_options, plot::scale") {
    std::vector<double> const losses{1, 0.1, 0.01};
    std::string const svg = tx::plot::lines(tx::plot::lines_options{.title = "loss", .y_scale = tx::plot::scale::log})
                                .add("training", losses)
                                .to_svg(); // or save("loss.svg")
    CHECK(svg.find("loss") != std::string::npos);
}

TEST_CASE("plot::image_grid, plot::image_options") {
    tx::plot::image_grid grid{tx::plot::image_options{.columns = 2}};
    grid.add(tx::ones<float>(tx::shape<8, 8>{}), "white").add(tx::zeros<float>(tx::shape<8, 8, 3>{}), "black", "#d00");
    CHECK(grid.to_svg().find("white") != std::string::npos);
}

TEST_CASE("plot::heat_map, plot::heat_map_options") {
    tx::tensor<float, tx::shape<2, 2>> const confusion{{9, 1}, {0, 10}};
    tx::plot::heat_map const map(confusion, tx::plot::heat_map_options{.title = "taken for"});
    CHECK(map.to_svg().find("taken for") != std::string::npos);
}

TEST_CASE("progress, progress_options") {
    tx::progress bar(3, tx::progress_options{.label = "epoch", .quiet = true});
    for (int epoch = 1; epoch <= 3; ++epoch) bar.show(epoch, "loss", 1.0 / epoch); // a bar on a terminal, else a line
    CHECK(true);
}
