// This file holds the modified Bessel functions of orders 0 and 1. Small arguments use a power series of x^2 / 4, large ones
// polynomials of 1 / x times exp(x) / sqrt(x), which interpolate at Chebyshev points. (Abramowitz and Stegun, 9.6.12, 9.6.13,
// 9.7.1, 9.7.2)
#pragma once

#include <tracexpr/special/values.hpp>

namespace tx::detail::special_functions {

// The `near` polynomials of x^2 / 4 give I_0(x) and I_1(x) / x for |x| <= 8; the `far` polynomials of 16 / x - 1 give I(x)
// exp(-x) sqrt(x).
inline constexpr double i0_near[]{1.0,
                                  1.0,
                                  0.2500000000000001,
                                  0.027777777777777565,
                                  0.0017361111111113758,
                                  6.944444444424399e-05,
                                  1.9290123457790406e-06,
                                  3.936759885673581e-08,
                                  6.151187413177668e-10,
                                  7.594056846699174e-12,
                                  7.594079950279469e-14,
                                  6.275862820937522e-16,
                                  4.3600362269175774e-18,
                                  2.5698743857514957e-20,
                                  1.35095827969477e-22,
                                  4.940670282542572e-25,
                                  3.6454386812677436e-27};
inline constexpr double i1_near[]{0.5,
                                  0.25000000000000006,
                                  0.04166666666666652,
                                  0.0034722222222225343,
                                  0.00017361111111076753,
                                  5.78703703726566e-06,
                                  1.3778659602015222e-07,
                                  2.460474960769327e-09,
                                  3.4173256472461263e-11,
                                  3.797039283580161e-13,
                                  3.451729636836005e-15,
                                  2.6159960799896376e-17,
                                  1.6705022348546468e-19,
                                  9.455144020393155e-22,
                                  3.706605520277272e-24,
                                  2.916825666594092e-26};
inline constexpr double i0_far[]{
    0.4021765094450081,      0.003360551983667854,    0.00013621607439232746, 1.1143033791556743e-05,  1.4838475473607391e-06,
    2.973598432479169e-07,   8.87225351128584e-08,    3.932602459703109e-08,  2.1545177650836005e-08,  7.553516470355896e-09,
    -6.729724111923548e-09,  -1.3404241991980871e-08, -5.4685974495866e-09,   7.540601378890834e-09,   7.58022133915272e-09,
    -3.4857887470034955e-09, -6.188265090497361e-09,  1.497880830187091e-09,  3.881151253996067e-09,   -5.562201990080394e-10,
    -1.7789375042917173e-09, 1.4672236659214398e-10,  5.181936971288284e-10,  -1.9216763724933513e-11, -7.06893851181878e-11};
inline constexpr double i1_far[]{
    0.38939845902587233,    -0.009749577193235728,   -0.00021923576383430274, -1.5038547201176271e-05, -1.8349101134666435e-06,
    -3.483855609009937e-07, -1.0001323461066435e-07, -4.312935369971356e-08,  -2.337059627111857e-08,  -8.426622829598154e-09,
    6.715795128085017e-09,  1.4029693589852716e-08,  6.040877342160988e-09,   -7.630751970065577e-09,  -8.044231276166508e-09,
    3.406636130196794e-09,  6.4870195719816896e-09,  -1.4171698018664596e-09, -4.047785403711858e-09,  5.146498826087142e-10,
    1.8513716745511988e-09, -1.342266320082222e-10,  -5.388285995923524e-10,  1.7502497778701306e-11,  7.347992441734663e-11};
// The first terms of the power series give I_0(x) and I_1(x) / x for x <= 2.
inline constexpr double i0_series[]{1.0,
                                    1.0,
                                    0.25,
                                    0.027777777777777776,
                                    0.001736111111111111,
                                    6.944444444444444e-05,
                                    1.9290123456790124e-06,
                                    3.936759889140842e-08,
                                    6.151187326782565e-10,
                                    7.594058428126624e-12,
                                    7.594058428126623e-14,
                                    6.276081345559193e-16,
                                    4.358389823304995e-18};
inline constexpr double i1_series[]{0.5,
                                    0.25,
                                    0.041666666666666664,
                                    0.003472222222222222,
                                    0.00017361111111111112,
                                    5.787037037037037e-06,
                                    1.3778659611992944e-07,
                                    2.460474930713026e-09,
                                    3.417326292656981e-11,
                                    3.7970292140633116e-13,
                                    3.451844740057556e-15,
                                    2.615033893982997e-17,
                                    1.676303778194229e-19};
// The `near` polynomials of x^2 / 4 give K_0(x) + log(x / 2) I_0(x), and (K_1(x) - 1 / x - log(x / 2) I_1(x)) / x, for x <= 2;
// the `far` polynomials of 4 / x - 1 give K(x) exp(x) sqrt(x).
inline constexpr double k0_near[]{-0.5772156649015329,    0.4227843350984672,     0.23069608377461445,   0.03489215745646892,
                                  0.002614787618610217,   0.00011848039436836223, 3.612622452747443e-06, 7.935328137352067e-08,
                                  1.3147877336324059e-09, 1.8015293331696398e-11};
inline constexpr double k1_near[]{
    0.03860783245076643,     -0.16819608377461678,    -0.0453937917402138,     -0.004795547459834027,  -0.00027883987298262935,
    -1.0355619256757906e-05, -2.6788640230692813e-07, -5.1133219873757516e-09, -7.496061672679994e-11, -9.163035769956707e-13};
inline constexpr double k0_far[]{
    1.2185953385133905,      -0.031071461824889554,  0.0030328918102751935,   -0.0004797690567629981,  9.956054742546008e-05,
    -2.473520464665274e-05,  7.002245564109627e-06,  -2.1911767539401716e-06, 7.427807838466459e-07,   -2.689135887009184e-07,
    1.0295120376495239e-07,  -4.131061283701578e-08, 1.7056674605334674e-08,  -7.3618275080282515e-09, 3.791192703615846e-09,
    -1.8006773523392004e-09, 6.837018659348517e-11,  3.233433692180319e-11,   7.977983533091815e-10,   -4.506683106759898e-10,
    -3.0539020868001565e-10, 1.7977981899954878e-10, 1.0806290149518295e-10,  -6.183509185741941e-11};
inline constexpr double k1_far[]{1.363151890371342,       0.10334973775386527,    -0.005566729880074451,   0.0007357241549046456,
                                 -0.00013959021956830856, 3.284386565057862e-05,  -8.961207299463647e-06,  2.730040312895642e-06,
                                 -9.067094776630646e-07,  3.2298873862640425e-07, -1.220284967173793e-07,  4.843094038201199e-08,
                                 -1.9827457966367164e-08, 8.49114322410236e-09,   -4.313336112817399e-09,  2.0346220468711174e-09,
                                 -1.0584430289297026e-10, -2.104015257574649e-11, -8.740019154894709e-10,  4.921710202548386e-10,
                                 3.3153918291421876e-10,  -1.948680720152238e-10, -1.1801191034535537e-10, 6.73716173849808e-11};

// Computes I_order(|x|), or I_order(|x|) exp(-|x|) if scaled.
TRACEXPR_ONCE constexpr value bessel_i(int order, value const& x, bool scaled) {
    value const size = absolute(x), small = minimum(size, 8), large = maximum(size, 8), quarter = 0.25 * ad::square(small);
    value near = order == 0 ? polynomial(quarter, i0_near) : small * polynomial(quarter, i1_near);
    value const t = 16 / large - 1;
    value far = (order == 0 ? polynomial(t, i0_far) : polynomial(t, i1_far)) / ad::sqrt(large);
    if (scaled) {
        near = near * ad::exp(-small);
    } else {
        value const root = ad::exp(half(minimum(large, 750))); // exp(x) may overflow where I(x) doesn't
        far = choose(greater(large, 750), infinity, far * root * root);
    }
    return choose(less(size, 8), near, far);
}
// Computes K_order(x) for x >= 0, or K_order(x) exp(x) if scaled; it is NaN for x < 0.
TRACEXPR_ONCE constexpr value bessel_k(int order, value const& x, bool scaled) {
    value const small = minimum(x, 2), large = maximum(x, 2), quarter = 0.25 * ad::square(small);
    value const safe = choose(less(small, 1e-300), 1e-300, small), log = ad::log(half(safe));
    value near;
    if (order == 0) near = polynomial(quarter, k0_near) - log * polynomial(quarter, i0_series);
    else near = fused(small, fused(log, polynomial(quarter, i1_series), polynomial(quarter, k1_near)), 1 / safe);
    value const t = 4 / large - 1;
    value far = (order == 0 ? polynomial(t, k0_far) : polynomial(t, k1_far)) / ad::sqrt(large);
    if (scaled) near = near * ad::exp(small);
    else far = far * ad::exp(-large);
    value const outside = choose(equal(x, 0), infinity, x.like(not_a_number));
    return choose(greater(x, 0), choose(less(x, 2), near, far), outside);
}

struct i0_fn {
    static constexpr char const* called = "i0";
    static constexpr value compute(value const* x) { return bessel_i(0, x[0], false); }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t k);
    static constexpr definition recorded{compute, slope};
};
struct i0e_fn {
    static constexpr char const* called = "i0e";
    static constexpr value compute(value const* x) { return bessel_i(0, x[0], true); }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t k);
    static constexpr definition recorded{compute, slope};
};
// Computes y / x, which has the limit y'(0) = 1 / 2 at 0.
constexpr value over_x(value const& y, value const& x) { return choose(equal(x, 0), 0.5, y * reciprocal_but_at_zero(x)); }
struct i1_fn {
    static constexpr char const* called = "i1";
    static constexpr value compute(value const* x) { return with_sign_of(bessel_i(1, x[0], false), x[0]); }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
        return call(scope, i0_fn::recorded, x[0]) - over_x(y, x[0]);
    }
    static constexpr definition recorded{compute, slope};
};
struct i1e_fn {
    static constexpr char const* called = "i1e";
    static constexpr value compute(value const* x) { return with_sign_of(bessel_i(1, x[0], true), x[0]); }
    TRACEXPR_ONCE static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
        return call(scope, i0e_fn::recorded, x[0]) - over_x(y, x[0]) - ad::sign(x[0]) * y;
    }
    static constexpr definition recorded{compute, slope};
};
constexpr value i0_fn::slope(trace_scope& scope, value const* x, value const&, std::size_t) {
    return call(scope, i1_fn::recorded, x[0]);
}
constexpr value i0e_fn::slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
    return call(scope, i1e_fn::recorded, x[0]) - ad::sign(x[0]) * y;
}

struct k1_fn {
    static constexpr char const* called = "k1";
    static constexpr value compute(value const* x) { return bessel_k(1, x[0], false); }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t k);
    static constexpr definition recorded{compute, slope};
};
struct k0_fn {
    static constexpr char const* called = "k0";
    static constexpr value compute(value const* x) { return bessel_k(0, x[0], false); }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t) {
        return -call(scope, k1_fn::recorded, x[0]);
    }
    static constexpr definition recorded{compute, slope};
};
constexpr value k1_fn::slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
    return -call(scope, k0_fn::recorded, x[0]) - y / x[0];
}
struct k1e_fn {
    static constexpr char const* called = "k1e";
    static constexpr value compute(value const* x) { return bessel_k(1, x[0], true); }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t k);
    static constexpr definition recorded{compute, slope};
};
struct k0e_fn {
    static constexpr char const* called = "k0e";
    static constexpr value compute(value const* x) { return bessel_k(0, x[0], true); }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
        return y - call(scope, k1e_fn::recorded, x[0]);
    }
    static constexpr definition recorded{compute, slope};
};
constexpr value k1e_fn::slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
    return y - call(scope, k0e_fn::recorded, x[0]) - y / x[0];
}

} // namespace tx::detail::special_functions
