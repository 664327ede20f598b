// Runs the examples in the docstrings of NumPy's functions on samples, of scipy.stats and of TensorFlow, and ONNX's of places.
#include <tracexpr/arrays.hpp>
#include <tracexpr/statistics.hpp>

#include <peer_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("numpy: percentile, digitize, order") {
    check_now(
        "percentile", in_double, [](auto const& x0) { return tx::percentile(x0, 50); }, of<double>("3.5"),
        of<double, 2, 3>("10 7 4 3 2 1"));
    check_now(
        "percentile_k", in_double, [](auto const& x0) { return tx::percentile(x0, 50, tx::axis<1>, tx::keepdims); },
        of<double, 2, 1>("7 2"), of<double, 2, 3>("10 7 4 3 2 1"));
    check_now(
        "percentile_q", in_double, [](auto const& x0, auto const& x1) { return tx::percentile(x0, x1, tx::axis<0>); },
        of<double, 3, 3>("3 2 1 5.1 3.5 1.9 10 7 4"), of<double, 2, 3>("10 7 4 3 2 1"), of<double, 3>("0 30 100"));
    check_now(
        "percentile_lower", in_double, [](auto const& x0, auto const& x1) { return tx::percentile(x0, x1, tx::method::lower); },
        of<double, 9>("0 0 0 1 1 1 2 2 3"), of<double, 4>("0 1 2 3"), of<double, 9>("0 10 25 40 50 60 75 90 100"));
    check_now(
        "percentile_nearest", in_double,
        [](auto const& x0, auto const& x1) { return tx::percentile(x0, x1, tx::method::nearest); },
        of<double, 9>("0 0 1 1 2 2 2 3 3"), of<double, 4>("0 1 2 3"), of<double, 9>("0 10 25 40 50 60 75 90 100"));
    check_now(
        "nanpercentile_0", in_double, [](auto const& x0) { return tx::nanpercentile(x0, 50, tx::axis<0>); },
        of<double, 3>("6.5 2 2.5"), of<double, 2, 3>("10 nan 4 3 2 1"));
    check_now(
        "nanquantile", in_double, [](auto const& x0) { return tx::nanquantile(x0, 0.5, tx::axis<0>); },
        of<double, 3>("6.5 2 2.5"), of<double, 2, 3>("10 nan 4 3 2 1"));
    check_now(
        "digitize", in_double, [](auto const& x0, auto const& x1) { return tx::digitize(x0, x1); },
        of<std::int64_t, 4>("1 4 3 2"), of<double, 4>(".2 6.4 3 1.6"), of<double, 5>("0 1 2.5 4 10"));
    check_now(
        "digitize_down", in_double, [](auto const& x0, auto const& x1) { return tx::digitize(x0, x1); },
        of<std::int64_t, 4>("4 1 2 3"), of<double, 4>(".2 6.4 3 1.6"), of<double, 5>("10 4 2.5 1 0"));
    check_now(
        "digitize_down_right", in_double, [](auto const& x0, auto const& x1) { return tx::digitize(x0, x1, tx::right); },
        of<std::int64_t, 6>("4 3 2 2 5 1"), of<double, 6>("1 2.5 3 4 0 10"), of<double, 5>("10 4 2.5 1 0"));
    check_now(
        "digitize_right", in_double, [](auto const& x0, auto const& x1) { return tx::digitize(x0, x1, tx::right); },
        of<std::int64_t, 5>("1 2 3 4 4"), of<double, 5>("1.2 10 12.4 15.5 20"), count<double, 5>(0, 5));
    check_now(
        "unique_nan", in_double, [](auto const& x0) { return tx::unique(x0); }, of<double, 3>("1 3 nan"),
        of<double, 5>("nan 1 nan 3 1"));
    check_now(
        "lexsort", in_double, [](auto const& x0, auto const& x1) { return tx::lexsort(x0, x1); },
        of<std::int64_t, 7>("2 0 4 6 5 3 1"), of<std::int64_t, 7>("9 4 0 4 0 2 1"), of<std::int64_t, 7>("1 5 1 4 3 4 4"));
    check_now(
        "partition", in_double, [](auto const& x0) { return tx::sort(tx::slice(tx::partition<4>(x0), tx::range<0, 4>)); },
        of<std::int64_t, 4>("0 1 1 2"), of<std::int64_t, 14>("7 1 7 7 1 5 7 2 3 2 6 2 3 0"));
    check_now(
        "argpartition", in_double,
        [](auto const& x0) { return tx::sort(tx::take(x0, tx::slice(tx::argpartition<3>(tx::cast<double>(x0)), tx::range<0, 4>))); },
        of<std::int64_t, 4>("0 1 1 2"), of<std::int64_t, 14>("7 1 7 7 1 5 7 2 3 2 6 2 3 0"));
    check_now(
        "isin", in_double, [](auto const& x0, auto const& x1) { return tx::isin(x0, x1); }, of<bool, 2, 2>("0 1 1 0"),
        of<std::int64_t, 2, 2>("0 2 4 6"), of<std::int64_t, 4>("1 2 4 8"));
    check_now(
        "histogram2d_0", in_double,
        [](auto const& x0, auto const& x1) { return std::get<0>(tx::histogram2d<2, 4>(x0, x1, 0, 1, 0, 2)); },
        of<std::int64_t, 2, 4>("1 0 0 0 1 0 1 2"), of<double, 6>(".1 .5 .5 .9 1 2"), of<double, 6>("0 1 .3 1.9 2 1"));
}

TEST_CASE("numpy: gradient, trapezoid, unwrap, interp") {
    check_now(
        "gradient_x", in_double, [](auto const& x0, auto const& x1) { return tx::gradient(x0, x1); },
        of<double, 6>("1 3 3.5 6.7 6.9 2.5"), of<double, 6>("1 2 4 7 11 16"), of<double, 6>("0 1 1.5 3.5 4 6"));
    check_now(
        "gradient_x2", in_double, [](auto const& x0, auto const& x1) { return tx::gradient(x0, x1, tx::edge_order<2>); },
        of<double, 6>("-1 3 3.5 6.7 6.9 -1.9"), of<double, 6>("1 2 4 7 11 16"), of<double, 6>("0 1 1.5 3.5 4 6"));
    check_open(
        "gradient_e2", in_double, [](auto const& x0) { return tx::gradient(x0, tx::edge_order<2>); }, count<double, 6>(0, 2),
        of<double, 6>("0 1 4 9 16 25"));
    check_now(
        "trapezoid_back", in_double, [](auto const& x0, auto const& x1) { return tx::trapezoid(x0, x1); }, of<double>("-8"),
        of<double, 3>("1 2 3"), of<double, 3>("8 6 4"));
    check_now(
        "trapezoid_1", in_double, [](auto const& x0) { return tx::trapezoid(x0, tx::axis<1>); }, of<double, 2>("2 8"),
        count<double, 2, 3>(0));
    check_now(
        "cumulative_trapezoid", in_double, [](auto const& x0) { return tx::cumulative_trapezoid(x0, x0, tx::initial_zero); },
        of<double, 9>("0 -.875 -1.5 -1.875 -2 -1.875 -1.5 -.875 0"), of<double, 9>("-2 -1.5 -1 -.5 0 .5 1 1.5 2"));
    check_now(
        "unwrap_d", in_double, [](auto const& x0) { return tx::unwrap(x0, 360); }, count<double, 19>(-180, 40),
        of<double, 19>("-180 -140 -100 -60 -20 20 60 100 140 -180 -140 -100 -60 -20 20 60 100 140 -180"));
    check_now(
        "interp_v", in_double, [](auto const& x0, auto const& x1, auto const& x2) { return tx::interp(x0, x1, x2); },
        of<double, 5>("3 3 2.5 .56 0"), of<double, 5>("0 1 1.5 2.72 3.14"), of<double, 3>("1 2 3"), of<double, 3>("3 2 0"));
    check_now(
        "interp_lr", in_double, [](auto const& x0, auto const& x1, auto const& x2) { return tx::interp(x0, x1, x2, -99, -98); },
        of<double, 5>("-99 3 2.5 .56 -98"), of<double, 5>("0 1 1.5 2.72 3.14"), of<double, 3>("1 2 3"), of<double, 3>("3 2 0"));
    check_now(
        "cubic_spline", in_double,
        [](auto const& x0, auto const& x1) { return tx::interp(x0, x1, tx::sin(x1), tx::interpolation::cubic); },
        of<double, 7>("0 .9881530259261 -.1897920422845 -.9589242746631 .3736715438232 .8831006347069 -.5440211108894"),
        of<double, 7>("0 1.666666666667 3.333333333333 5 6.666666666667 8.333333333333 10"), count<double, 11>(0));
    check_now(
        "interp1d_nearest", in_double,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::interp(x0, x1, x2, tx::interpolation::nearest); },
        of<double, 4>("1 .7165313105738 .1888756028376 .04978706836786"), of<double, 4>(".3 .7 4.6 9.4"), count<double, 11>(0),
        of<double, 11>("1 .7165313105738 .5134171190326 .3678794411714 .2635971381157 .1888756028376 .1353352832366 "
                       ".09697196786441 .0694834512228 .04978706836786 .03567399334725"));
}

TEST_CASE("numpy: polynomials, means") {
    check_now(
        "polyfit", in_double, [](auto const& x0, auto const& x1) { return tx::polyfit<3>(x0, x1); },
        of<double, 4>(".08703703703704 -.8134920634921 1.693121693122 -.03968253968253"), count<double, 6>(0),
        of<double, 6>("0 .8 .9 .1 -.8 -1"));
    check_now(
        "polyfit_w", near{1e-09, 1e-13},
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::polyfit<2>(x0, x1, x2); },
        of<double, 3>("-.1537046662729 .4916420555227 .3405694034259"), count<double, 6>(0), of<double, 6>("0 .8 .9 .1 -.8 -1"),
        of<double, 6>("1 2 1 .5 1 3"));
    check_now(
        "polymul", in_double, [](auto const& x0, auto const& x1) { return tx::polymul(x0, x1); },
        of<std::int64_t, 5>("9 23 38 17 3"), of<double, 3>("1 2 3"), of<double, 3>("9 5 1"));
    check_now(
        "polyder2", in_double, [](auto const& x0) { return tx::polyder<2>(x0); }, of<double, 2>("6 2"), of<double, 4>("1 1 1 1"));
    check_now(
        "polyder4", in_double, [](auto const& x0) { return tx::polyder<4>(x0); }, of<double, 0>(""), of<double, 4>("1 1 1 1"));
    check_open(
        "polyint_k", in_double, [](auto const& x0, auto const& x1) { return tx::polyint<3>(x0, x1); },
        of<double, 6>(".01666666666667 .04166666666667 .1666666666667 3 5 3"), of<double, 3>("1 1 1"), of<double, 3>("6 5 3"));
    check_now(
        "average_axis", in_double, [](auto const& x0, auto const& x1) { return tx::average(x0, x1, tx::axis<1>); },
        of<double, 3>(".75 2.75 4.75"), count<double, 3, 2>(0), of<double, 2>(".25 .75"));
    check_open(
        "average_axes", in_double, [](auto const& x0, auto const& x1) { return tx::average(x0, x1, tx::axis<0, 1>); },
        of<double, 2>("3.4 4.4"), count<double, 2, 2, 2>(0), of<double, 2, 2>(".25 .75 1 .5"));
    check_now(
        "kurtosis_b", in_double, [](auto const& x0) { return tx::kurtosis(x0); }, of<double>("-1.666001075284"),
        of<double, 8>("2 8 0 4 1 9 9 0"));
}

TEST_CASE("numpy: arrays") {
    check_now(
        "insert", in_double, [](auto const& x0, auto const& x1) { return tx::insert<1>(x0, x1, tx::axis<1>); },
        of<double, 3, 3>("0 6 1 2 6 3 4 6 5"), count<double, 3, 2>(0), of<double, 3, 1>("6 6 6"));
    check_traced(
        "insert_rows", in_double,
        [](auto const& x0, auto const& x1, auto const& x2) { return tx::insert(x0, x1, x2, tx::axis<1>); },
        of<double, 3, 3>("0 7 1 2 8 3 4 9 5"), count<double, 3, 2>(0), of<std::int64_t, 1>("1"), of<double, 3, 1>("7 8 9"));
    check_traced(
        "insert_two", in_double, [](auto const& x0, auto const& x1, auto const& x2) { return tx::insert(x0, x1, x2); },
        of<double, 8>("0 1 6 7 2 3 4 5"), count<double, 6>(0), of<std::int64_t, 2>("2 2"), of<double, 2>("6 7"));
    check_now(
        "delete_cols", in_double, [](auto const& x0) { return tx::delete_at<1, 3>(x0, tx::axis<1>); }, count<double, 3, 2>(1, 2),
        count<double, 3, 4>(1));
    check_now(
        "delete_t", in_double, [](auto const& x0, auto const& x1) { return tx::delete_at(x0, x1); }, of<double, 3>("0 2 4"),
        count<double, 6>(0), of<std::int64_t, 3>("1 3 5"));
    check_now(
        "dstack", in_double, [](auto const& x0, auto const& x1) { return tx::dstack(x0, x1); },
        of<double, 1, 3, 2>("1 4 2 5 3 6"), of<double, 3>("1 2 3"), of<double, 3>("4 5 6"));
    check_now(
        "array_split2_3_2", in_double, [](auto const& x0) { return std::get<2>(tx::array_split<3>(x0)); }, of<double, 0>(""),
        of<double, 2>("0 1"));
    check_now(
        "rot90_-1", in_double, [](auto const& x0) { return tx::rot90<-1>(x0); }, of<double, 2, 2>("3 1 4 2"),
        of<double, 2, 2>("1 2 3 4"));
    check_now(
        "unravel_1", in_double, [](auto const& x0) { return std::get<1>(tx::unravel_index(x0, tx::shape<7, 6>{})); },
        of<std::int64_t, 3>("4 5 1"), of<std::int64_t, 3>("22 41 37"));
    check_open(
        "ravel_wrap", in_double,
        [](auto const& x0, auto const& x1) {
            return tx::ravel_multi_index(std::tuple(x0, x1), tx::shape<4, 4>{}, tx::wrap_places);
        },
        of<std::int64_t, 3>("12 9 9"), of<std::int64_t, 3>("3 6 6"), of<std::int64_t, 3>("4 5 1"));
    check_now(
        "pad_long_reflect", in_double, [](auto const& x0) { return tx::pad(x0, tx::widths<7, 8>, tx::reflect); },
        of<double, 18>("2 3 2 1 2 3 2 1 2 3 2 1 2 3 2 1 2 3"), of<double, 3>("1 2 3"));
    check_open(
        "pad_long_wrap", in_double, [](auto const& x0) { return tx::pad(x0, tx::widths<7, 8>, tx::wrap); },
        of<double, 18>("3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2"), of<double, 3>("1 2 3"));
    check_now(
        "pad_long_symmetric", in_double, [](auto const& x0) { return tx::pad(x0, tx::widths<7, 8>, tx::symmetric); },
        of<double, 18>("1 1 2 3 3 2 1 1 2 3 3 2 1 1 2 3 3 2"), of<double, 3>("1 2 3"));
}

TEST_CASE("tensorflow: segments, places") {
    check_traced(
        "segment_prod", in_double, [](auto const& x0, auto const& x1) { return tx::segment_prod<2>(x0, x1); },
        of<double, 2, 4>("5 12 21 32 9 10 11 12"), count<double, 3, 4>(1), of<std::int64_t, 3>("0 0 1"));
    check_now(
        "segment_max", in_double, [](auto const& x0, auto const& x1) { return tx::segment_max<2>(x0, x1); },
        count<double, 2, 4>(5), count<double, 3, 4>(1), of<std::int64_t, 3>("0 0 1"));
    check_now(
        "gather_nd_tf", in_double, [](auto const& x0, auto const& x1) { return tx::gather_nd(x0, x1); }, of<double, 2>("10 40"),
        of<double, 2, 2>("10 20 30 40"), of<std::int64_t, 2, 2>("0 0 1 1"));
    check_traced(
        "scatter_nd_tf", in_double, [](auto const& x0, auto const& x1) { return tx::scatter_nd(x0, x1, tx::shape<8>{}); },
        of<double, 8>("0 11 0 10 9 0 0 12"), of<std::int64_t, 4, 1>("4 3 1 7"), of<double, 4>("9 10 11 12"));
    check_open(
        "reverse_sequence_tf", in_double,
        [](auto const& x0, auto const& x1) { return tx::reverse_sequence(x0, x1, tx::axis<1>); },
        of<double, 4, 7>("6 5 4 3 2 1 0 8 7 9 10 11 12 13 16 15 14 17 18 19 20 25 24 23 22 21 26 27"), count<double, 4, 7>(0),
        of<std::int64_t, 4>("7 2 3 5"));
}

TEST_CASE("ONNX: places and order") {
    check_now(
        "gathernd_example_float32", in_float, [](auto const& x0, auto const& x1) { return tx::gather_nd(x0, x1); },
        of<float, 2, 1, 2>("2 3 4 5"), count<float, 2, 2, 2>(0), of<std::int64_t, 2, 1, 2>("0 1 1 0"));
    check_traced(
        "gathernd_example_int32_batch_dim1", in_float,
        [](auto const& x0, auto const& x1) { return tx::gather_nd(x0, x1, tx::batch_dims<1>); }, of<int, 2, 2>("2 3 4 5"),
        count<int, 2, 2, 2>(0), of<std::int64_t, 2, 1>("1 0"));
    check_traced(
        "scatternd", in_float, [](auto const& x0, auto const& x1, auto const& x2) { return tx::scatter_nd_set(x0, x1, x2); },
        of<float, 4, 2, 2>("5 5 6 6 1 2 5 6 1 1 2 2 8 7 4 3"), of<float, 4, 2, 2>("1 2 5 6 1 2 5 6 8 7 4 3 8 7 4 3"),
        of<std::int64_t, 2, 1>("0 2"), of<float, 2, 2, 2>("5 5 6 6 1 1 2 2"));
    check_open(
        "reversesequence_time", in_float,
        [](auto const& x0, auto const& x1) { return tx::reverse_sequence(x0, x1, tx::axis<0, 1>); },
        of<float, 4, 4>("3 6 9 12 2 5 8 13 1 4 10 14 0 7 11 15"), of<float, 4, 4>("0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15"),
        of<std::int64_t, 4>("4 3 2 1"));
    check_now(
        "unique_sorted_without_axis_0", in_float, [](auto const& x0) { return std::get<0>(tx::unique_all(x0)); },
        of<float, 4>("1 2 3 4"), of<float, 6>("2 1 1 3 4 3"));
    check_now(
        "unique_sorted_without_axis_1", in_float, [](auto const& x0) { return std::get<1>(tx::unique_all(x0)); },
        of<std::int64_t, 4>("1 0 3 4"), of<float, 6>("2 1 1 3 4 3"));
    check_open(
        "top_k_smallest_values", in_float, [](auto const& x0) { return std::get<0>(tx::topk<3>(x0, tx::axis<1>, tx::smallest)); },
        of<float, 3, 3>("0 1 2 4 5 6 8 9 10"), of<float, 3, 4>("0 1 2 3 4 5 6 7 11 10 9 8"));
    check_open(
        "top_k_smallest_places", in_float, [](auto const& x0) { return std::get<1>(tx::topk<3>(x0, tx::axis<1>, tx::smallest)); },
        of<std::int64_t, 3, 3>("0 1 2 0 1 2 3 2 1"), of<float, 3, 4>("0 1 2 3 4 5 6 7 11 10 9 8"));
    check_now(
        "top_k_same_values_values", in_float, [](auto const& x0) { return std::get<0>(tx::topk<3>(x0, tx::axis<0>)); },
        of<std::int64_t, 3>("0 0 0"), of<std::int64_t, 4>("0 0 0 0"));
    check_now(
        "top_k_same_values_places", in_float, [](auto const& x0) { return std::get<1>(tx::topk<3>(x0, tx::axis<0>)); },
        of<std::int64_t, 3>("0 1 2"), of<std::int64_t, 4>("0 0 0 0"));
    check_now(
        "tril_neg", in_float, [](auto const& x0) { return tx::tril<-1>(x0); },
        of<std::int64_t, 4, 5>("0 0 0 0 0 16 0 0 0 0 13 1 0 0 0 10 17 5 0 0"),
        of<std::int64_t, 4, 5>("0 7 14 2 9 16 4 11 18 6 13 1 8 15 3 10 17 5 12 0"));
    check_now(
        "triu_square_neg", in_float, [](auto const& x0) { return tx::triu<-1>(x0); },
        of<std::int64_t, 2, 3, 3>("0 7 14 2 9 16 0 11 18 6 13 1 8 15 3 0 17 5"),
        of<std::int64_t, 2, 3, 3>("0 7 14 2 9 16 4 11 18 6 13 1 8 15 3 10 17 5"));
    check_now(
        "onehot_with_axis", in_float,
        [](auto const& x0) {
            return tx::moveaxis(tx::one_hot<float>(x0, tx::depth<10>, float(3.0), float(1.0)), tx::axis<-1>, tx::axis<1>);
        },
        of<float, 2, 10, 2>("1 1 3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3 1 1 1 1 3 1 1 1 1 3 1 1 1 1 1 1 1 1 1 1"),
        of<std::int64_t, 2, 2>("1 9 2 4"));
}
