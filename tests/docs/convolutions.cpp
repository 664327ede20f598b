// Convolutions and pools: windows that move over signals, images and volumes, or become rows of a matrix, and correlation.
// Images are (n, h, w, c), or (n, c, h, w) with tx::channels_first; signals and volumes have one or three axes in the place
// of h and w.
#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using signal = tx::tensor<float, tx::shape<1, 4, 1>>;
using half_signal = tx::tensor<float, tx::shape<1, 2, 1>>;
using vec = tx::tensor<float, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<2, 2>>;

TEST_CASE("max_pool, min_pool") {
    signal const x{{{3}, {1}, {4}, {2}}};
    CHECK(tx::equal(tx::max_pool<2>(x), half_signal{{{3}, {4}}}));
    CHECK(tx::equal(tx::min_pool<2>(x), half_signal{{{1}, {2}}}));
    tx::tensor<float, tx::shape<1, 2, 2, 1>> const image{{{{1}, {2}}, {{3}, {4}}}};
    CHECK(tx::max_pool<2, 2>(image).item() == 4);
}

TEST_CASE("sum_pool, average_pool, count_padding") {
    signal const x{{{3}, {1}, {4}, {2}}};
    CHECK(tx::equal(tx::sum_pool<2>(x), half_signal{{{4}, {6}}}));
    CHECK(tx::equal(tx::average_pool<2>(x), half_signal{{{2}, {3}}}));
    // padding doesn't count unless it is told to
    CHECK(tx::equal(tx::average_pool<4>(x, tx::widths<2>), half_signal{{{2}, {3}}}));
    CHECK(tx::equal(tx::average_pool<4>(x, tx::widths<2>, tx::count_padding), half_signal{{{1}, {1.5f}}}));
}

TEST_CASE("lp_pool") {
    CHECK(tx::equal(tx::lp_pool<2, 2>(signal{{{3}, {4}, {0}, {5}}}), half_signal{{{5}, {5}}})); // p, then the window
}

TEST_CASE("stride, dilation, ceil_mode") {
    signal const x{{{3}, {1}, {4}, {2}}};
    CHECK(tx::equal(tx::max_pool<2>(x, tx::stride<1>), tx::tensor<float, tx::shape<1, 3, 1>>{{{3}, {4}, {4}}}));
    CHECK(tx::equal(tx::max_pool<2>(x, tx::stride<1>, tx::dilation<2>), half_signal{{{4}, {2}}}));
    CHECK(tx::equal(tx::max_pool<3>(x, tx::ceil_mode), half_signal{{{4}, {2}}})); // the last window has one element
}

TEST_CASE("mode::valid, mode::same, mode::full") {
    signal const x{{{3}, {1}, {4}, {2}}};
    CHECK(tx::equal(tx::max_pool<3>(x, tx::stride<2>, tx::mode::valid), tx::tensor<float, tx::shape<1, 1, 1>>{{{4}}}));
    CHECK(tx::equal(tx::max_pool<3>(x, tx::stride<2>, tx::mode::same), half_signal{{{4}, {4}}})); // one behind the end
    CHECK(tx::equal(tx::sum_pool<2>(x, tx::stride<1>, tx::mode::full),
                    tx::tensor<float, tx::shape<1, 5, 1>>{{{3}, {4}, {5}, {6}, {2}}}));
}

TEST_CASE("channels_first, channels_last") {
    tx::tensor<float, tx::shape<1, 2, 2>> const x{{{3, 1}, {4, 2}}}; // two channels of two elements, or the other way round
    CHECK(tx::equal(tx::max_pool<2>(x, tx::channels_first), tx::tensor<float, tx::shape<1, 2, 1>>{{{3}, {4}}}));
    CHECK(tx::equal(tx::max_pool<2>(x, tx::channels_last), tx::tensor<float, tx::shape<1, 1, 2>>{{{4, 2}}}));
}

TEST_CASE("max_pool_with_indices, max_unpool, output_extents") {
    auto const [most, places] = tx::max_pool_with_indices<2>(signal{{{3}, {1}, {4}, {2}}});
    CHECK(tx::equal(most, half_signal{{{3}, {4}}}));
    CHECK(tx::equal(places, tx::tensor<std::int64_t, tx::shape<1, 2, 1>>{{{0}, {2}}})); // within a channel's plane
    CHECK(tx::equal(tx::max_unpool<2>(most, places), signal{{{3}, {0}, {4}, {0}}}));
    CHECK(tx::equal(tx::max_unpool<2>(most, places, tx::output_extents<5>),
                    tx::tensor<float, tx::shape<1, 5, 1>>{{{3}, {0}, {4}, {0}, {0}}}));
}

TEST_CASE("adaptive_average_pool, adaptive_max_pool") {
    signal const x{{{3}, {1}, {4}, {2}}};
    CHECK(tx::equal(tx::adaptive_average_pool<2>(x), half_signal{{{2}, {3}}}));
    CHECK(tx::equal(tx::adaptive_max_pool<3>(x), tx::tensor<float, tx::shape<1, 3, 1>>{{{3}, {4}, {4}}})); // windows overlap
}

TEST_CASE("global_average_pool, global_max_pool") {
    signal const x{{{3}, {1}, {4}, {2}}};
    CHECK(tx::equal(tx::global_average_pool(x), tx::tensor<float, tx::shape<1, 1>>{{2.5f}}));
    CHECK(tx::equal(tx::global_max_pool(x, tx::keepdims), tx::tensor<float, tx::shape<1, 1, 1>>{{{4}}}));
}

TEST_CASE("unfold, fold") {
    signal const x{{{3}, {1}, {4}, {2}}};
    tx::tensor<float, tx::shape<1, 3, 2>> const rows{{{3, 1}, {1, 4}, {4, 2}}};
    CHECK(tx::equal(tx::unfold<2>(x), rows));
    CHECK(tx::equal(tx::fold<2>(rows, tx::output_extents<4>), signal{{{3}, {2}, {8}, {2}}})); // what overlaps is added
}

TEST_CASE("groups") { static_assert(std::is_same_v<decltype(tx::groups<4>), tx::groups_t<4> const>); }

TEST_CASE("correlate, convolve") {
    vec const a{1, 2, 3}, v{0, 1, 0.5f}; // np.correlate and np.convolve
    CHECK(tx::correlate(a, v).data()[0] == 3.5f);
    CHECK(tx::equal(tx::correlate(a, v, tx::mode::same), vec{2, 3.5f, 3}));
    CHECK(tx::equal(tx::convolve(a, v), tx::tensor<float, tx::shape<5>>{0, 1, 2.5f, 4, 1.5f}));
    CHECK(tx::equal(tx::convolve(a, v, tx::mode::same), vec{1, 2.5f, 4}));
}

TEST_CASE("correlate2d, convolve2d") {
    matrix const a{{1, 2}, {3, 4}}, v{{1, 0}, {0, 10}};
    CHECK(tx::correlate2d(a, v, tx::mode::valid).item() == 41);
    CHECK(tx::equal(tx::convolve2d(a, v, tx::mode::same), matrix{{1, 2}, {3, 14}}));
}

TEST_CASE("conv, conv_transpose") {
    signal const x{{{3}, {1}, {4}, {2}}};
    tx::tensor<float, tx::shape<2, 1, 1>> const slope{{{-1}}, {{1}}}; // (window, c, filters)
    CHECK(tx::equal(tx::conv(x, slope), tx::tensor<float, tx::shape<1, 3, 1>>{{{-2}, {3}, {-2}}}));
    CHECK(tx::equal(tx::conv(x, slope, tx::stride<2>), tx::tensor<float, tx::shape<1, 2, 1>>{{{-2}, {-2}}}));
    CHECK(tx::conv(x, slope, tx::mode::same).extent(1) == 4);
    CHECK(tx::equal(tx::conv_transpose(x, slope, tx::mode::same), signal{{{-3}, {2}, {-3}, {2}}}));
    auto const first = tx::conv(tx::transpose<0, 2, 1>(x), tx::transpose<2, 1, 0>(slope), tx::channels_first); // (n, filters, spatial)
    CHECK(first.extent(2) == 3);
}
