// This file tests quantization against onnxruntime 1.32.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

#include <cmath>
#include <limits>

using tx::testing::check_in_all_forms, tx::testing::check_open_rank, tx::testing::difference;
using real = tx::tensor<float, tx::shape<3, 4>>;
using bytes = tx::tensor<std::int8_t, tx::shape<3, 4>>;
using row = tx::tensor<float, tx::shape<4>>;
using points = tx::tensor<std::int8_t, tx::shape<4>>;

namespace {
real const x{{-1000, -1.5f, -0.5f, 0}, {0.25f, 0.75f, 1.25f, 1.75f}, {2.25f, 63.3f, 70, 1e9f}};
bytes const q{{-128, -3, -1, 0}, {0, 2, 2, 4}, {4, 127, 127, 127}};
row const scales{0.5f, 0.25f, 1, 2};
points const zeros{0, 1, 2, 3};
} // namespace

TEST_CASE("nn: quantize, dequantize of one scale") {
    constexpr auto to_bytes = [](auto a) { return tx::nn::quantize<std::int8_t>(a, 0.5f); };
    constexpr auto back = [](auto a) { return tx::nn::dequantize(a, 0.5f); };
    check_in_all_forms(to_bytes, q, 0, 0, x);
    check_open_rank(to_bytes, q, 0, 0, x);
    check_in_all_forms(back, real{{-64, -1.5f, -0.5f, 0}, {0, 1, 1, 2}, {2, 63.5f, 63.5f, 63.5f}}, 0, 0, q);
    tx::tensor<std::uint8_t, tx::shape<>> const middle(std::uint8_t{128});
    CHECK(tx::equal(tx::nn::quantize(x, 0.5f, middle), tx::tensor<std::uint8_t, tx::shape<3, 4>>{{0, 125, 127, 128}, {128, 130, 130, 132}, {132, 255, 255, 255}}));
    CHECK(tx::equal(tx::nn::quantize<std::int16_t>(x, 0.003f, -5),
                    tx::tensor<std::int16_t, tx::shape<3, 4>>{{-32768, -505, -172, -5}, {78, 245, 412, 578}, {745, 21095, 23328, 32767}}));
    tx::tensor<std::int32_t, tx::shape<2>> const sums{16777217, -3}; // no floats
    CHECK(tx::equal(tx::nn::dequantize(sums, 1.0f, 1), tx::tensor<float, tx::shape<2>>{16777216, -4}));
}
TEST_CASE("nn: quantize, dequantize along an axis") {
    constexpr auto to_bytes = [](auto a, auto s, auto z) { return tx::nn::quantize(a, s, z, tx::axis<1>); };
    bytes const wanted{{-128, -5, 2, 3}, {0, 4, 3, 4}, {4, 127, 72, 127}};
    check_in_all_forms(to_bytes, wanted, 0, 0, x, scales, zeros);
    CHECK(tx::equal(tx::nn::dequantize(wanted, scales, zeros, tx::axis<-1>), real{{-64, -1.5f, 0, 0}, {0, 0.75f, 1, 2}, {2, 31.5f, 70, 248}}));
    tx::tensor<float, tx::shape<3>> const of_rows{0.5f, 0.25f, 1};
    tx::tensor<std::uint16_t, tx::shape<3>> const from{0, 1, 2};
    CHECK(tx::equal(tx::nn::quantize(x, of_rows, from, tx::axis<0>), tx::tensor<std::uint16_t, tx::shape<3, 4>>{{0, 0, 0, 0}, {2, 4, 6, 8}, {4, 65, 72, 65535}}));
}
TEST_CASE("nn: quantize of infinities, NaN, small floats and integers") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    tx::tensor<double, tx::shape<4>> const far{inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1e300};
    CHECK(tx::equal(tx::nn::quantize<std::int8_t>(far, 1.0), points{127, -128, -128, 127}));
    CHECK(tx::equal(tx::nn::quantize<std::int8_t>(tx::tensor<tx::half, tx::shape<4>>{1, -1, 2, 0.5f}, 0.25f), points{4, -4, 8, 2}));
    CHECK(tx::equal(tx::nn::quantize<std::int8_t>(tx::tensor<int, tx::shape<4>>{1, -1, 200, 0}, 2), points{0, 0, 100, 0}));
}
TEST_CASE("nn: fake_quantize") {
    constexpr auto rounded = [](auto a, auto s, auto z) { return tx::nn::fake_quantize(a, s, z, tx::axis<1>); };
    check_in_all_forms(rounded, real{{-64, -1.5f, 0, 0}, {0, 0.75f, 1, 2}, {2, 31.5f, 70, 248}}, 0, 0, x, scales, zeros);
    auto const [by_x, by_scale] = tx::grad<0, 1>([](auto a, auto s) { return tx::sum(tx::nn::fake_quantize(a, s, zeros, tx::axis<1>)); })(x, scales);
    CHECK(tx::equal(by_x, real{{0, 1, 1, 1}, {1, 1, 1, 1}, {1, 0, 1, 0}}));
    CHECK(tx::equal(by_scale, row{}));
    CHECK(tx::nn::fake_quantize<std::uint8_t>(std::numeric_limits<float>::infinity() * tx::ones<float>(tx::shape<1>{}), 0.5f).data()[0] == 127.5f);
}
TEST_CASE("nn: matmul_integer") {
    using wide = tx::tensor<std::int32_t, tx::shape<2, 2>>;
    tx::tensor<std::uint8_t, tx::shape<2, 3>> const a{{11, 7, 3}, {255, 6, 0}};
    tx::tensor<std::int8_t, tx::shape<3, 2>> const b{{1, 4}, {2, -128}, {3, 6}};
    constexpr auto plain = [](auto p, auto r) { return tx::nn::matmul_integer(p, r); };
    check_in_all_forms(plain, wide{{34, -834}, {267, 252}}, 0, 0, a, b);
    check_open_rank(plain, wide{{34, -834}, {267, 252}}, 0, 0, a, b);
    CHECK(tx::equal(tx::nn::matmul_integer(a, b, 12), wide{{-38, 582}, {195, 1668}}));
    tx::tensor<std::uint8_t, tx::shape<2>> const a_points{12, 0};
    tx::tensor<std::int8_t, tx::shape<2>> const b_points{0, 1};
    // onnxruntime: MatMulInteger of a - a_points[:, None], b - b_points
    CHECK(tx::equal(tx::nn::matmul_integer(a, b, a_points, b_points), wide{{-38, 597}, {267, -9}}));
}
// Sums that no float holds: of the greatest products, along extents that are cut into parts.
TEST_CASE_TEMPLATE("nn: matmul_integer is exact", T, tx::shape<1, 257>, tx::shape<1, 1029>, tx::shape<1, 33000>) {
    constexpr std::int64_t extent = tx::dims_of<T>[1];
    tx::tensor<std::uint8_t, tx::shape<2, extent>> const a = tx::full<std::uint8_t>(tx::shape<2, extent>{}, 255);
    tx::tensor<std::int8_t, tx::shape<extent, 1>> const b = tx::full<std::int8_t>(tx::shape<extent, 1>{}, -127);
    CHECK(tx::nn::matmul_integer(a, b).data()[1] == 255 * -127 * extent);
    CHECK(tx::nn::matmul_integer(a, b, 1, 127).data()[1] == 254 * -254 * extent);
    auto const open = tx::testing::with_open_extents(a);
    CHECK(tx::nn::matmul_integer(open, tx::testing::with_open_extents(b)).data()[0] == 255 * -127 * extent);
}
