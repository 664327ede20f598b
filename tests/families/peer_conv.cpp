// Runs ONNX's test cases of convolutions and pools. The expected values of pools and LRN are onnxruntime's.
#include <tracexpr/conv.hpp>
#include <tracexpr/image.hpp>

#include <peer_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("ONNX: Conv") {
    check_both(
        "basic_conv_with_padding", in_float,
        [](auto const& x0, auto const& x1) {
            return tx::conv(x0, x1, tx::stride<1, 1>, tx::widths<1, 1>, tx::widths<1, 1>, tx::channels_first);
        },
        of<float, 1, 1, 5, 5>("12 21 27 33 24 33 54 63 72 51 63 99 108 117 81 93 144 153 162 111 72 111 117 123 84"),
        count<float, 1, 1, 5, 5>(0), count<float, 1, 1, 3, 3>(1, 0));
    check_now(
        "basic_conv_without_padding", in_float, [](auto const& x0, auto const& x1) { return tx::conv(x0, x1, tx::stride<1, 1>); },
        of<float, 1, 3, 3, 1>("54 63 72 99 108 117 144 153 162"), count<float, 1, 5, 5, 1>(0), count<float, 3, 3, 1, 1>(1, 0));
    check_open(
        "conv_with_strides_padding", in_float,
        [](auto const& x0, auto const& x1) {
            return tx::conv(x0, x1, tx::stride<2, 2>, tx::widths<1, 1>, tx::widths<1, 1>, tx::channels_first);
        },
        of<float, 1, 1, 4, 3>("12 27 24 63 108 81 123 198 141 112 177 124"), count<float, 1, 1, 7, 5>(0),
        count<float, 1, 1, 3, 3>(1, 0));
    check_now(
        "conv_with_strides_no_padding", in_float,
        [](auto const& x0, auto const& x1) { return tx::conv(x0, x1, tx::stride<2, 2>); },
        of<float, 1, 3, 2, 1>("54 72 144 162 234 252"), count<float, 1, 7, 5, 1>(0), count<float, 3, 3, 1, 1>(1, 0));
    check_both(
        "conv_with_strides_and_asymmetric_padding", in_float,
        [](auto const& x0, auto const& x1) {
            return tx::conv(x0, x1, tx::stride<2, 2>, tx::widths<1, 1>, tx::widths<0, 0>, tx::channels_first);
        },
        of<float, 1, 1, 4, 2>("21 33 99 117 189 207 171 183"), count<float, 1, 1, 7, 5>(0), count<float, 1, 1, 3, 3>(1, 0));
    check_open(
        "conv_with_autopad_same", in_float,
        [](auto const& x0, auto const& x1) { return tx::conv(x0, x1, tx::stride<2, 2>, tx::widths<1, 1>, tx::widths<1, 1>); },
        of<float, 1, 3, 3, 1>("12 27 24 63 108 81 72 117 84"), count<float, 1, 5, 5, 1>(0), count<float, 3, 3, 1, 1>(1, 0));
    check_now(
        "convinteger_with_padding", in_float,
        [](auto const& x0, auto const& x1, auto const& x2) {
            return tx::conv(tx::cast<int>(x0) - 1, tx::cast<int>(x1) - tx::cast<int>(x2), tx::widths<1, 1>, tx::widths<1, 1>,
                            tx::channels_first);
        },
        of<int, 1, 2, 4, 4>("1 3 5 3 5 12 16 9 11 24 28 15 7 15 17 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"),
        count<std::uint8_t, 1, 1, 3, 3>(2), count<std::uint8_t, 2, 1, 2, 2>(1, 0), of<std::uint8_t, 2, 1, 1, 1>("0 1"));
}

TEST_CASE("ONNX: ConvTranspose") {
    check_open(
        "convtranspose_1d", in_float, [](auto const& x0, auto const& x1) { return tx::conv_transpose(x0, x1, tx::stride<1>); },
        of<float, 1, 5, 2>("0 0 1 1 3 3 3 3 2 2"), of<float, 1, 3, 1>("0 1 2"), count<float, 3, 2, 1>(1, 0));
    check_now(
        "convtranspose", in_float,
        [](auto const& x0, auto const& x1) { return tx::conv_transpose(x0, x1, tx::stride<1, 1>, tx::channels_first); },
        of<float, 1, 2, 5, 5>(
            "0 1 3 3 2 3 8 15 12 7 9 21 36 27 15 9 20 33 24 13 6 13 21 15 8 0 1 3 3 2 3 8 15 12 7 9 21 36 27 15 9 "
            "20 33 24 13 6 13 21 15 8"),
        count<float, 1, 1, 3, 3>(0), count<float, 1, 2, 3, 3>(1, 0));
    check_open(
        "convtranspose_3d", in_float,
        [](auto const& x0, auto const& x1) { return tx::conv_transpose(x0, x1, tx::stride<1, 1, 1>, tx::channels_first); },
        of<float, 1, 2, 5, 6, 7>(
            "0 1 3 6 9 7 4 5 12 21 27 33 24 13 15 33 54 63 72 51 27 30 63 99 108 117 81 42 25 52 81 87 93 64 33 15 "
            "31 48 51 54 37 19 20 42 66 72 78 54 28 50 104 162 174 186 128 66 90 186 288 306 324 222 114 120 246 "
            "378 396 414 282 144 90 184 282 294 306 208 106 50 102 156 162 168 114 58 60 123 189 198 207 141 72 135 "
            "276 423 441 459 312 159 225 459 702 729 756 513 261 270 549 837 864 891 603 306 195 396 603 621 639 "
            "432 219 105 213 324 333 342 231 117 60 122 186 192 198 134 68 130 264 402 414 426 288 146 210 426 648 "
            "666 684 462 234 240 486 738 756 774 522 264 170 344 522 534 546 368 186 90 182 276 282 288 194 98 40 "
            "81 123 126 129 87 44 85 172 261 267 273 184 93 135 273 414 423 432 291 147 150 303 459 468 477 321 162 "
            "105 212 321 327 333 224 113 55 111 168 171 174 117 59 0 1 3 6 9 7 4 5 12 21 27 33 24 13 15 33 54 63 72 "
            "51 27 30 63 99 108 117 81 42 25 52 81 87 93 64 33 15 31 48 51 54 37 19 20 42 66 72 78 54 28 50 104 162 "
            "174 186 128 66 90 186 288 306 324 222 114 120 246 378 396 414 282 144 90 184 282 294 306 208 106 50 "
            "102 156 162 168 114 58 60 123 189 198 207 141 72 135 276 423 441 459 312 159 225 459 702 729 756 513 "
            "261 270 549 837 864 891 603 306 195 396 603 621 639 432 219 105 213 324 333 342 231 117 60 122 186 192 "
            "198 134 68 130 264 402 414 426 288 146 210 426 648 666 684 462 234 240 486 738 756 774 522 264 170 344 "
            "522 534 546 368 186 90 182 276 282 288 194 98 40 81 123 126 129 87 44 85 172 261 267 273 184 93 135 "
            "273 414 423 432 291 147 150 303 459 468 477 321 162 105 212 321 327 333 224 113 55 111 168 171 174 117 "
            "59"),
        count<float, 1, 1, 3, 4, 5>(0), count<float, 1, 2, 3, 3, 3>(1, 0));
    check_now(
        "convtranspose_output_shape", in_float,
        [](auto const& x0, auto const& x1) { return tx::conv_transpose(x0, x1, tx::stride<3, 2>, tx::output_extents<10, 8>); },
        of<float, 1, 10, 8, 2>(
            "0 0 0 0 1 1 1 1 3 3 2 2 2 2 0 0 0 0 0 0 1 1 1 1 3 3 2 2 2 2 0 0 0 0 0 0 1 1 1 1 3 3 2 2 2 2 0 0 3 3 3 "
            "3 7 7 4 4 9 9 5 5 5 5 0 0 3 3 3 3 7 7 4 4 9 9 5 5 5 5 0 0 3 3 3 3 7 7 4 4 9 9 5 5 5 5 0 0 6 6 6 6 13 "
            "13 7 7 15 15 8 8 8 8 0 0 6 6 6 6 13 13 7 7 15 15 8 8 8 8 0 0 6 6 6 6 13 13 7 7 15 15 8 8 8 8 0 0 0 0 0 "
            "0 0 0 0 0 0 0 0 0 0 0 0 0"),
        count<float, 1, 3, 3, 1>(0), count<float, 3, 3, 2, 1>(1, 0));
    check_both(
        "convtranspose_pads", in_float,
        [](auto const& x0, auto const& x1) {
            return tx::conv_transpose(x0, x1, tx::stride<3, 2>, tx::widths<1, 1>, tx::widths<2, 2>, tx::channels_first);
        },
        of<float, 1, 2, 7, 3>("1 1 3 1 1 3 7 4 9 7 4 9 7 4 9 13 7 15 13 7 15 1 1 3 1 1 3 7 4 9 7 4 9 7 4 9 13 7 15 13 7 15"),
        count<float, 1, 1, 3, 3>(0), count<float, 1, 2, 3, 3>(1, 0));
    check_now(
        "convtranspose_dilations", in_float,
        [](auto const& x0, auto const& x1) { return tx::conv_transpose(x0, x1, tx::stride<1, 1>, tx::dilation<2, 2>); },
        of<float, 1, 5, 5, 1>("21 56 13 16 2 63 35 67 10 14 24 22 76 76 21 9 5 88 45 63 3 2 33 18 54"),
        of<float, 1, 3, 3, 1>("3 8 1 9 5 7 3 2 6"), of<float, 2, 2, 1, 1>("7 2 1 9"));
    check_open(
        "convtranspose_autopad_same", in_float,
        [](auto const& x0, auto const& x1) {
            return tx::conv_transpose(x0, x1, tx::stride<2, 2>, tx::mode::same, tx::channels_first);
        },
        of<float, 1, 2, 6, 6>(
            "0 0 1 1 3 2 0 0 1 1 3 2 3 3 8 5 12 7 3 3 7 4 9 5 9 9 20 11 24 13 6 6 13 7 15 8 0 0 1 1 3 2 0 0 1 1 3 2 "
            "3 3 8 5 12 7 3 3 7 4 9 5 9 9 20 11 24 13 6 6 13 7 15 8"),
        count<float, 1, 1, 3, 3>(0), count<float, 1, 2, 3, 3>(1, 0));
    check_now(
        "convtranspose_group_2_image_3", in_float,
        [](auto const& x0, auto const& x1) { return tx::conv_transpose(x0, x1, tx::stride<1, 1>, tx::groups<2>); },
        of<float, 3, 5, 5, 2>(
            "0 9 1 19 3 30 3 21 2 11 3 21 8 44 15 69 12 48 7 25 9 36 21 75 36 117 27 81 15 42 9 27 20 56 33 87 24 "
            "60 13 31 6 15 13 31 21 48 15 33 8 17 18 9 37 19 57 30 39 21 20 11 39 21 80 44 123 69 84 48 43 25 63 36 "
            "129 75 198 117 135 81 69 42 45 27 92 56 141 87 96 60 49 31 24 15 49 31 75 48 51 33 26 17 0 9 1 19 3 30 "
            "3 21 2 11 3 21 8 44 15 69 12 48 7 25 9 36 21 75 36 117 27 81 15 42 9 27 20 56 33 87 24 60 13 31 6 15 "
            "13 31 21 48 15 33 8 17"),
        of<float, 3, 3, 3, 2>(
            "0 9 1 10 2 11 3 12 4 13 5 14 6 15 7 16 8 17 18 9 19 10 20 11 21 12 22 13 23 14 24 15 25 16 26 17 0 9 1 "
            "10 2 11 3 12 4 13 5 14 6 15 7 16 8 17"),
        count<float, 3, 3, 1, 2>(1, 0));
}

TEST_CASE("ONNX: MaxPool, MaxUnpool") {
    check_now(
        "maxpool_2d_uint8", in_float,
        [](auto const& x0) {
            return tx::max_pool<5, 5>(x0, tx::stride<1, 1>, tx::widths<2, 2>, tx::widths<2, 2>, tx::channels_first);
        },
        of<std::uint8_t, 1, 1, 5, 5>("13 14 15 15 15 18 19 20 20 20 23 24 25 25 25 23 24 25 25 25 23 24 25 25 25"),
        count<std::uint8_t, 1, 1, 5, 5>(1));
    check_open(
        "maxpool_with_argmax_2d_precomputed_pads", in_float,
        [](auto const& x0) {
            return tx::max_pool_with_indices<5, 5>(x0, tx::stride<1, 1>, tx::widths<2, 2>, tx::widths<2, 2>, tx::channels_first)
                .first;
        },
        of<float, 1, 1, 5, 5>("13 14 15 15 15 18 19 20 20 20 23 24 25 25 25 23 24 25 25 25 23 24 25 25 25"),
        count<float, 1, 1, 5, 5>(1));
    check_open(
        "maxpool_with_argmax_2d_precomputed_pads_indices", in_float,
        [](auto const& x0) {
            return tx::max_pool_with_indices<5, 5>(x0, tx::stride<1, 1>, tx::widths<2, 2>, tx::widths<2, 2>, tx::channels_first)
                .second;
        },
        of<std::int64_t, 1, 1, 5, 5>("12 13 14 14 14 17 18 19 19 19 22 23 24 24 24 22 23 24 24 24 22 23 24 24 24"),
        count<float, 1, 1, 5, 5>(1));
    check_now(
        "maxpool_2d_precomputed_same_upper", in_float,
        [](auto const& x0) { return tx::max_pool<3, 3>(x0, tx::stride<2, 2>, tx::mode::same); },
        of<float, 1, 3, 3, 1>("7 9 10 17 19 20 22 24 25"), count<float, 1, 5, 5, 1>(1));
    check_now(
        "maxpool_2d_same_lower", in_float,
        [](auto const& x0) {
            return tx::max_pool<2, 2>(x0, tx::stride<1, 1>, tx::widths<1, 0>, tx::widths<1, 0>, tx::channels_first);
        },
        of<float, 1, 1, 4, 4>("-1.5 .25 2 2 .75 .75 2 2 .75 .75 1.75 1.75 .5 2.25 2.25 1.75"), wave<float, 1, 1, 4, 4>(1));
    check_open(
        "maxpool_2d_ceil", in_float, [](auto const& x0) { return tx::max_pool<3, 3>(x0, tx::stride<2, 2>, tx::ceil_mode); },
        of<float, 1, 2, 2, 1>("11 12 15 16"), count<float, 1, 4, 4, 1>(1));
    check_now(
        "maxpool_2d_ceil_output_size_reduce_by_one", in_float,
        [](auto const& x0) { return tx::max_pool<1, 1>(x0, tx::stride<2, 2>, tx::ceil_mode, tx::channels_first); },
        of<float, 1, 1, 1, 1>("1"), of<float, 1, 1, 2, 2>("1 2 3 4"));
    check_now(
        "maxpool_3d_dilations", in_float,
        [](auto const& x0) { return tx::max_pool<2, 2, 2>(x0, tx::stride<1, 1, 1>, tx::dilation<2, 2, 2>); },
        of<float, 1, 2, 2, 2, 1>("11 12 15 16 11 12 15 16"),
        of<float, 1, 4, 4, 4, 1>(
            "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 2 3 4 5 6 7 8 9 10 11 "
            "12 13 14 15 16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"));
    check_open(
        "maxpool_3d_dilations_use_ref_impl_large", in_float,
        [](auto const& x0) {
            return tx::max_pool<5, 5, 5>(x0, tx::stride<3, 3, 3>, tx::dilation<2, 2, 2>, tx::ceil_mode, tx::channels_first);
        },
        of<float, 1, 1, 3, 3, 3>(
            "2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 2.25 "
            "2.25 2.25 2.25 2.25 2.25 2.25 2.25"),
        wave<float, 1, 1, 13, 13, 13>(1));
    check_now(
        "maxunpool_export_without_output_shape", in_float,
        [](auto const& x0, auto const& x1) { return tx::max_unpool<2, 2>(x0, x1, tx::stride<2, 2>, tx::channels_first); },
        of<float, 1, 1, 4, 4>("0 0 0 0 0 1 0 2 0 0 0 0 0 3 0 4"), of<float, 1, 1, 2, 2>("1 2 3 4"),
        of<std::int64_t, 1, 1, 2, 2>("5 7 13 15"));
}

TEST_CASE("ONNX: AveragePool, LpPool") {
    check_now(
        "averagepool_2d_precomputed_pads", in_float,
        [](auto const& x0) {
            return tx::average_pool<5, 5>(x0, tx::stride<1, 1>, tx::widths<2, 2>, tx::widths<2, 2>, tx::channels_first);
        },
        of<float, 1, 1, 5, 5>("7 7.5 8 8.5 9 9.5 10 10.5 11 11.5 12 12.5 13 13.5 14 14.5 15 15.5 16 16.5 17 17.5 18 18.5 19"),
        count<float, 1, 1, 5, 5>(1));
    check_open(
        "averagepool_2d_precomputed_pads_count_include_pad", in_float,
        [](auto const& x0) {
            return tx::average_pool<5, 5>(x0, tx::stride<1, 1>, tx::widths<2, 2>, tx::widths<2, 2>, tx::count_padding);
        },
        of<float, 1, 5, 5, 1>(
            "2.52 3.6 4.8 4.08 3.24 4.56 6.4 8.4 7.04 5.52 7.2 10 13 10.8 8.4 6.96 9.6 12.4 10.24 7.92 6.12 8.4 "
            "10.8 8.88 6.84"),
        count<float, 1, 5, 5, 1>(1));
    check_now(
        "averagepool_2d_same_lower", in_float,
        [](auto const& x0) {
            return tx::average_pool<2, 2>(x0, tx::stride<1, 1>, tx::widths<1, 0>, tx::widths<1, 0>, tx::channels_first);
        },
        of<float, 1, 1, 4, 4>("-1.5 -.625 1.125 .5 -.375 -.6875 -.125 .4375 -.5 -.8125 -.25 .3125 -.625 .25 .8125 .1875"),
        wave<float, 1, 1, 4, 4>(1));
    check_now(
        "averagepool_2d_ceil", in_float,
        [](auto const& x0) { return tx::average_pool<3, 3>(x0, tx::stride<2, 2>, tx::ceil_mode); },
        of<float, 1, 2, 2, 1>("6 7.5 12 13.5"), count<float, 1, 4, 4, 1>(1));
    check_open(
        "averagepool_2d_ceil_last_window_starts_on_pad", in_float,
        [](auto const& x0) {
            return tx::average_pool<3, 3>(x0, tx::stride<3, 3>, tx::widths<1, 1>, tx::widths<1, 1>, tx::ceil_mode,
                                          tx::count_padding, tx::channels_first);
        },
        of<float, 1, 3, 1, 1>("-.02777778 -.08333334 -.1388889"), wave<float, 1, 3, 2, 2>(1));
    check_now(
        "averagepool_2d_dilations", in_float,
        [](auto const& x0) { return tx::average_pool<2, 2>(x0, tx::stride<1, 1>, tx::dilation<2, 2>, tx::ceil_mode); },
        of<float, 1, 2, 2, 1>("6 7 10 11"), count<float, 1, 4, 4, 1>(1));
    check_now(
        "averagepool_3d_dilations_large_count_include_pad_is_0_ceil_mode_is_True", in_float,
        [](auto const& x0) {
            return tx::average_pool<5, 5, 5>(x0, tx::stride<3, 3, 3>, tx::dilation<2, 2, 2>, tx::ceil_mode, tx::channels_first);
        },
        of<float, 1, 1, 3, 3, 3>(
            ".04 -.03 .05 -.034 .086 -.0525 .0275 -.09 .0375 -.086 .034 0 .03 -.04 -.0075 .0725 .0025 .046875 "
            "-.0275 .045 -.053125 .06 -.01 .034375 -.0875 -.003125 .0234375"),
        wave<float, 1, 1, 13, 13, 13>(1));
    check_open(
        "averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True", in_float,
        [](auto const& x0) {
            return tx::average_pool<5, 5, 5>(x0, tx::stride<3, 3, 3>, tx::dilation<2, 2, 2>, tx::ceil_mode, tx::count_padding);
        },
        of<float, 1, 3, 3, 3, 1>(
            ".04 -.03 .05 -.034 .086 -.0525 .0275 -.09 .0375 -.086 .034 0 .03 -.04 -.0075 .0725 .0025 .046875 "
            "-.0275 .045 -.053125 .06 -.01 .034375 -.0875 -.003125 .0234375"),
        wave<float, 1, 13, 13, 13, 1>(1));
    check_now(
        "lppool_1d_default", in_float, [](auto const& x0) { return tx::lp_pool<3, 2>(x0, tx::stride<1>); },
        of<float, 1, 5, 2>("1.502311 1.276117 2.001301 1.940984 2.080084 1.75 1.124485 1.75 2.277442 1.940984"),
        of<float, 1, 6, 2>("-1.5 -.5 .25 1.25 2 -1.75 -1 0 .75 1.75 -2.25 -1.25"));
    check_open(
        "lppool_2d_pads", in_float,
        [](auto const& x0) {
            return tx::lp_pool<3, 3, 3>(x0, tx::stride<1, 1>, tx::widths<2, 2>, tx::widths<2, 2>, tx::channels_first);
        },
        of<float, 1, 1, 6, 6>(
            "1.5 1.502311 2.25 2.081287 2.080084 1 1.560063 2.477294 2.857327 2.822454 2.229233 1.434698 2.092052 "
            "2.73963 3.2411 3.100204 2.639564 1.699221 1.807607 3.061241 3.258361 3.226657 2.211271 1.699221 "
            "1.763501 2.564964 2.829628 2.720061 2.059415 1.434698 .5 2.2582 2.285447 2.339975 1.124485 1"),
        wave<float, 1, 1, 4, 4>(1));
    check_now(
        "lppool_2d_dilations", in_float,
        [](auto const& x0) { return tx::lp_pool<2, 2, 2>(x0, tx::stride<1, 1>, tx::dilation<2, 2>); },
        of<float, 1, 2, 2, 1>("14.56022 16.24808 21.63331 23.49468"), count<float, 1, 4, 4, 1>(1));
}

TEST_CASE("ONNX: GlobalAveragePool, Col2Im, LRN") {
    check_open(
        "globalaveragepool_precomputed", in_float,
        [](auto const& x0) { return tx::global_average_pool(x0, tx::keepdims, tx::channels_first); }, of<float, 1, 1, 1, 1>("5"),
        count<float, 1, 1, 3, 3>(1));
    check_now(
        "col2im_strides", in_float,
        [](auto const& x0) {
            return tx::fold<3, 3>(x0, tx::output_extents<5, 5>, tx::stride<2, 2>, tx::dilation<1, 1>, tx::channels_first);
        },
        of<float, 1, 1, 5, 5>("0 1 1 1 1 1 0 1 0 0 0 2 1 2 1 1 0 1 0 0 0 1 0 1 0"),
        of<float, 1, 9, 4>("0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 0 0 0 0"));
    check_open(
        "col2im_pads", in_float,
        [](auto const& x0) {
            return tx::fold<1, 5>(x0, tx::output_extents<5, 5>, tx::stride<1, 1>, tx::dilation<1, 1>, tx::widths<0, 0>,
                                  tx::widths<1, 1>, tx::channels_first);
        },
        of<float, 1, 1, 5, 5>("8 21 24 27 24 38 66 69 72 54 68 111 114 117 84 98 156 159 162 114 128 201 204 207 144"),
        of<float, 1, 5, 15>(
            "1 6 11 16 21 26 31 36 41 46 51 56 61 66 71 2 7 12 17 22 27 32 37 42 47 52 57 62 67 72 3 8 13 18 23 28 "
            "33 38 43 48 53 58 63 68 73 4 9 14 19 24 29 34 39 44 49 54 59 64 69 74 5 10 15 20 25 30 35 40 45 50 55 "
            "60 65 70 75"));
    check_now(
        "col2im_dilations", in_float,
        [](auto const& x0) {
            return tx::fold<2, 2>(x0, tx::output_extents<6, 6>, tx::stride<1, 1>, tx::dilation<1, 5>, tx::channels_first);
        },
        of<float, 1, 1, 6, 6>("1 0 0 0 0 2 8 0 0 0 0 10 16 0 0 0 0 18 24 0 0 0 0 26 32 0 0 0 0 34 19 0 0 0 0 20"),
        of<float, 1, 4, 5>("1 5 9 13 17 2 6 10 14 18 3 7 11 15 19 4 8 12 16 20"));
    check_now(
        "col2im_5d", in_float,
        [](auto const& x0) {
            return tx::fold<1, 1, 5>(x0, tx::output_extents<3, 4, 5>, tx::stride<1, 1, 1>, tx::dilation<1, 1, 1>,
                                     tx::channels_first);
        },
        count<float, 1, 2, 3, 4, 5>(1),
        of<float, 1, 10, 12>(
            "1 6 11 16 21 26 31 36 41 46 51 56 2 7 12 17 22 27 32 37 42 47 52 57 3 8 13 18 23 28 33 38 43 48 53 58 "
            "4 9 14 19 24 29 34 39 44 49 54 59 5 10 15 20 25 30 35 40 45 50 55 60 61 66 71 76 81 86 91 96 101 106 "
            "111 116 62 67 72 77 82 87 92 97 102 107 112 117 63 68 73 78 83 88 93 98 103 108 113 118 64 69 74 79 84 "
            "89 94 99 104 109 114 119 65 70 75 80 85 90 95 100 105 110 115 120"));
    check_open(
        "lrn", in_float, [](auto const& x0) { return tx::local_response_norm<3>(x0, 0.0002, 0.5, 2.0, tx::channels_first); },
        of<float, 1, 5, 2, 2>("-1.060611 .1767616 1.414113 -.7070765 .5303301 -1.59099 -.3535534 .8838835 -1.237437 0 1.237437 "
                              "-.8838835 .3535534 1.59099 -.5303301 .7071068 -1.414214 -.1767767 1.06066 -1.06066"),
        wave<float, 1, 5, 2, 2>(1));
    check_now(
        "lrn_default", in_float, [](auto const& x0) { return tx::local_response_norm<3>(x0); },
        of<float, 1, 2, 2, 5>("-1.499895 .7498899 -1.749831 .4999086 -1.999788 .249968 -2.249712 0 2.249712 -.249968 1.999788 "
                              "-.4999086 1.749831 -.7498899 1.499895 -.9999359 1.249871 -1.249871 .9998797 -1.499878"),
        of<float, 1, 2, 2, 5>("-1.5 .75 -1.75 .5 -2 .25 -2.25 0 2.25 -.25 2 -.5 1.75 -.75 1.5 -1 1.25 -1.25 1 -1.5"));
}
