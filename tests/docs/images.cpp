// Images: brought to other sizes, and read at places between their elements. Images are (n, h, w, c), or (n, c, h, w) with
// tx::channels_first; most functions take signals and volumes, too.
#include <tracexpr/image.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using two = tx::tensor<float, tx::shape<1, 2, 1>>;
using signal = tx::tensor<float, tx::shape<1, 4, 1>>;
using image = tx::tensor<float, tx::shape<1, 2, 2, 1>>;

TEST_CASE("resize") {
    CHECK(tx::equal(tx::resize<4>(two{{{0}, {4}}}), signal{{{0}, {1}, {3}, {4}}}));
    image const x{{{{0}, {4}}, {{8}, {12}}}};
    CHECK(tx::resize<1, 1>(x).item() == 6);
}

TEST_CASE("interpolation::nearest, interpolation::linear, interpolation::cubic, interpolation::previous") {
    two const x{{{0}, {4}}};
    CHECK(tx::equal(tx::resize<4>(x, tx::interpolation::nearest), signal{{{0}, {0}, {4}, {4}}}));
    CHECK(tx::equal(tx::resize<4>(x, tx::interpolation::linear), signal{{{0}, {1}, {3}, {4}}}));
    CHECK(tx::resize<4>(x, tx::interpolation::cubic).data()[0] < 0); // cubic curves swing over
    static_assert(std::is_enum_v<decltype(tx::interpolation::previous)>);    // of tx::interp
}

TEST_CASE("half_pixel, pytorch_half_pixel, align_corners, asymmetric") {
    two const x{{{0}, {3}}};
    CHECK(tx::equal(tx::resize<4>(x, tx::align_corners), signal{{{0}, {1}, {2}, {3}}}));
    CHECK(tx::equal(tx::resize<4>(x, tx::asymmetric), signal{{{0}, {1.5f}, {3}, {3}}}));
    CHECK(tx::resize<1>(x, tx::half_pixel).item() == 1.5f);
    CHECK(tx::resize<1>(x, tx::pytorch_half_pixel).item() == 0);
}

TEST_CASE("antialias") {
    signal const x{{{8}, {0}, {0}, {0}}};
    CHECK(tx::resize<1>(x).item() == 0);               // between the two in the middle
    CHECK(tx::resize<1>(x, tx::antialias).item() > 0); // of all
}

TEST_CASE("grid_sample") {
    image const x{{{{0}, {4}}, {{8}, {12}}}};
    tx::tensor<float, tx::shape<1, 1, 2, 2>> const places{{{{0, 0}, {0.5f, -0.5f}}}}; // (x, y), from -1 to 1
    CHECK(tx::equal(tx::grid_sample(x, places), tx::tensor<float, tx::shape<1, 1, 2, 1>>{{{{6}, {4}}}}));
}

TEST_CASE("affine_grid") {
    tx::tensor<float, tx::shape<1, 2, 3>> const mirrored{{{-1, 0, 0}, {0, 1, 0}}};
    image const x{{{{0}, {4}}, {{8}, {12}}}};
    CHECK(tx::equal(tx::grid_sample(x, tx::affine_grid<2, 2>(mirrored)), image{{{{4}, {0}}, {{12}, {8}}}}));
}

TEST_CASE("roi_align, samples") {
    image const x{{{{0}, {4}}, {{8}, {12}}}};
    tx::tensor<float, tx::shape<1, 4>> const whole{{0, 0, 2, 2}}; // x1, y1, x2, y2
    tx::tensor<int, tx::shape<1>> const of{0};                    // the number of the box's image
    CHECK(tx::roi_align<1, 1>(x, whole, of, 1.0f).item() == 6);
    CHECK(tx::roi_align<1, 1>(x, whole, of, 1.0f, tx::samples<1>).item() == 6);
}

TEST_CASE("local_response_norm") {
    tx::tensor<float, tx::shape<1, 3>> const x{{1, 2, 3}};
    CHECK(tx::local_response_norm<1>(x, 1.0f, 1.0f, 0.0f).data()[1] == 0.5f); // 2 / 2^2
    CHECK(tx::local_response_norm<3>(x, 3.0f, 1.0f, 0.0f).data()[0] == 0.2f); // 1 / (1 + 4)
}

TEST_CASE("center_crop") { CHECK(tx::equal(tx::center_crop<2>(signal{{{3}, {1}, {4}, {2}}}), two{{{1}, {4}}})); }
