// This file holds the Bessel functions of orders 0 and 1. Up to 5 they are polynomials of x^2, from which the zeros of J are
// factored out; beyond 5 they use modulus and phase (Abramowitz and Stegun, 9.2.5, 9.2.6), with the polynomials P and Q of 1 /
// x^2. All polynomials interpolate at Chebyshev points.
#pragma once

#include <tracexpr/special/values.hpp>

namespace tx::detail::special_functions {

// These polynomials of 2 x^2 / 25 - 1 give J_0(x) / (x^2 - r^2), J_1(x) / (x^2 - r^2) / x, Y_0(x) - 2 / pi log(x) J_0(x), and
// (Y_1(x) - 2 / pi (log(x) J_1(x) - 1 / x)) / x, where r is the first zero of J.
inline constexpr double j0_near[]{-0.05728080421634534,    0.07436630462755323,   -0.03277786210789048,    0.0073758943041960226,
                                  -0.0010134053469850017,  9.414473580694953e-05, -6.31931861832307e-06,   3.2115623534330415e-07,
                                  -1.2795360167965494e-08, 4.105688303742839e-10, -1.0840781824695533e-11, 2.3996022403365534e-13,
                                  -4.5083190128242885e-15};
inline constexpr double j1_near[]{-0.01587595431164548,   0.013090777521810029,  -0.004240225993395723,   0.0007552540432951285,
                                  -8.592956232067133e-05, 6.814683895177347e-06, -3.991381172349697e-07,  1.799515992374399e-08,
                                  -6.443125533715618e-10, 1.877381214599579e-11, -4.5448929602915886e-13, 9.268080204743411e-15};
inline constexpr double y0_near[]{0.4837248578102995,     -0.4326558222855125,    -0.47057636552972876,   0.38851639956570944,
                                  -0.11151682184328655,   0.017635345389338752,   -0.0018028096665503853, 0.00012994629092083859,
                                  -6.985504374076987e-06, 2.9142206886821627e-07, -9.72095520811079e-09,  2.6539977501003325e-10,
                                  -6.049936925443629e-12, 1.1665346489650883e-13};
inline constexpr double y1_near[]{0.13974939033568806,     0.09108650838448444,   -0.16312020358118715,    0.06634695354779108,
                                  -0.013433433740818165,   0.001668803132863594,  -0.00014141835794484212, 8.733098304849315e-06,
                                  -4.1137780795312214e-07, 1.528890182483862e-08, -4.6013010745671044e-10, 1.1448944556867688e-11,
                                  -2.397782335135821e-13,  4.2776864260420625e-15};
// These polynomials of 50 / x^2 - 1 give P(x) and x Q(x).
inline constexpr double phase_p0[]{
    0.9986347659091991,     -0.0013274931272003446,  3.4917305810915766e-05, -2.4599633242216923e-06, 2.975900989096833e-07,
    -5.086428409883204e-08, 1.105832711236427e-08,   -2.870792244429867e-09, 8.561284476621563e-10,   -2.843404232046865e-10,
    9.74682627637317e-11,   -3.6990044251542916e-11, 2.4563632799612557e-11, -1.189461787537485e-11,  -3.5821210474962445e-12,
    2.411441866647587e-12,  3.5736949521760605e-12,  -1.9975016566739445e-12};
inline constexpr double phase_q0[]{
    -0.12361496352611864,    0.0013142139729102461,  -6.338715442541734e-05, 6.239113169779241e-06,   -9.409875196669173e-07,
    1.8870297528745062e-07,  -4.639800391029722e-08, 1.3296600564096351e-08, -4.294062487656627e-09,  1.5281326450467186e-09,
    -5.882025871105973e-10,  2.345506043343466e-10,  -1.004148306737784e-10, 6.421398295180069e-11,   -3.359501561424717e-11,
    -1.4688653973478042e-11, 1.13799642949046e-11,   2.8664306652475865e-11, -1.8518447560695812e-11, -1.3865693497289675e-11,
    9.176958424667603e-12,   4.271033177458574e-12,  -2.7618080907966064e-12};
inline constexpr double phase_p1[]{
    1.0022906462560661,      0.0022414632139171322,   -4.5782806529543783e-05, 2.97862110803436e-06,   -3.4667191185744856e-07,
    5.791663725419715e-08,   -1.2402728629933329e-08, 3.1852202992251782e-09,  -9.42108465131188e-10,  3.1088775918767203e-10,
    -1.0618042040803036e-10, 4.0144908940086184e-11,  -2.6348219236772803e-11, 1.2711568738317182e-11, 3.749133511692303e-12,
    -2.530760445033384e-12,  -3.7946206140880125e-12, 2.1173575182340737e-12};
inline constexpr double phase_q1[]{
    0.3730474331740802,      -0.001864849621841231,   7.898094177972238e-05,   -7.369927953913392e-06,  1.0798853844438713e-06,
    -2.1266727479894664e-07, 5.164154996988851e-08,   -1.4665578811212324e-08, 4.7033027636616916e-09,  -1.6567269593951687e-09,
    6.32848600734026e-10,    -2.7758256253151096e-10, 1.2375002645863873e-10,  -1.854885856511523e-11,  3.475677955109186e-12,
    -5.011071335870982e-11,  3.0330329715038467e-11,  2.2160827936692544e-11,  -1.4321526134962363e-11, -8.86347063753487e-12,
    5.499288063650921e-12};

inline constexpr double two_over_pi = 0.63661977236758134308, sqrt_1_over_pi = 0.56418958354775628695;

// Computes J_order(x) for 0 <= x <= 5.
TRACEXPR_ONCE constexpr value bessel_j_near(int order, value const& x) {
    constexpr double root[]{2.404825557695773, 3.8317059702075125}; // the first zeros; `low` is their rounding error
    double const low = order == 0 ? -1.176691651530894e-16 : -1.5269184090088067e-16, r = root[order];
    value const t = (2.0 / 25) * ad::square(x) - 1, factor = (x - r - low) * (x + r);
    return order == 0 ? factor * polynomial(t, j0_near) : factor * polynomial(t, j1_near) * x;
}
// Computes J_order(x) or Y_order(x) for x >= 5, which are sqrt(2 / (pi x)) (P cos c - Q sin c) and sqrt(2 / (pi x)) (P sin c + Q
// cos c). The sine and cosine of c = x - (2 order + 1) pi / 4 are sums of those of x.
TRACEXPR_ONCE constexpr value bessel_far(int order, value const& given, bool first_kind) {
    value const ended = equal(given, infinity), x = choose(ended, 5.0, given), t = 2 * ad::square(5 / x) - 1;
    value const s = ad::sin(x), c = ad::cos(x), sum = s + c, difference = s - c;
    value const p = order == 0 ? polynomial(t, phase_p0) : polynomial(t, phase_p1),
                q = (order == 0 ? polynomial(t, phase_q0) : polynomial(t, phase_q1)) / x;
    value const cosine = order == 0 ? sum : difference, sine = order == 0 ? difference : -sum;
    value const wave = first_kind ? p * cosine - q * sine : p * sine + q * cosine;
    return choose(ended, 0.0, wave * sqrt_1_over_pi / ad::sqrt(x));
}
TRACEXPR_ONCE constexpr value bessel_j(int order, value const& x) {
    value const size = absolute(x);
    return choose(less(size, 5), bessel_j_near(order, minimum(size, 5)), bessel_far(order, maximum(size, 5), true));
}
TRACEXPR_ONCE constexpr value bessel_y(int order, value const& x) {
    value const small = minimum(x, 5), safe = choose(less(small, 1e-300), 1e-300, small), log = ad::log(safe),
                t = (2.0 / 25) * ad::square(small) - 1, j = bessel_j_near(order, small);
    value const near = order == 0 ? fused(two_over_pi * log, j, polynomial(t, y0_near))
                                  : fused(small, polynomial(t, y1_near), two_over_pi * (log * j - 1 / safe));
    value const outside = choose(equal(x, 0), -infinity, x.like(not_a_number));
    return choose(greater(x, 0), choose(less(x, 5), near, bessel_far(order, maximum(x, 5), false)), outside);
}

struct j1_fn {
    static constexpr char const* called = "j1";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const size = bessel_j(1, x[0]);
        return choose(less(x[0], 0), -size, size);
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t k);
    static constexpr definition recorded{compute, slope};
};
struct j0_fn {
    static constexpr char const* called = "j0";
    static constexpr value compute(value const* x) { return choose(equal(x[0], 0), 1.0, bessel_j(0, x[0])); }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t) {
        return -call(scope, j1_fn::recorded, x[0]);
    }
    static constexpr definition recorded{compute, slope};
};
// The slope uses J_1(x) / x, which is 1 / 2 at 0.
TRACEXPR_ONCE constexpr value j1_fn::slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
    value const ratio = choose(equal(x[0], 0), 0.5, y * reciprocal_but_at_zero(x[0]));
    return call(scope, j0_fn::recorded, x[0]) - ratio;
}
struct y1_fn {
    static constexpr char const* called = "y1";
    static constexpr value compute(value const* x) { return bessel_y(1, x[0]); }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t k);
    static constexpr definition recorded{compute, slope};
};
struct y0_fn {
    static constexpr char const* called = "y0";
    static constexpr value compute(value const* x) { return bessel_y(0, x[0]); }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t) {
        return -call(scope, y1_fn::recorded, x[0]);
    }
    static constexpr definition recorded{compute, slope};
};
constexpr value y1_fn::slope(trace_scope& scope, value const* x, value const& y, std::size_t) {
    return call(scope, y0_fn::recorded, x[0]) - y / x[0];
}

} // namespace tx::detail::special_functions
