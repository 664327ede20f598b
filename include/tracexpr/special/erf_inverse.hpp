// This file holds the normal distribution function, and the inverses of it, of erf and of erfc. Polynomials interpolate at
// Chebyshev points, in the manner of Giles (Approximating the erfinv function, 2010): in the tails they are polynomials of
// sqrt(-log y).
#pragma once

#include <tracexpr/special/values.hpp>

namespace tx::detail::special_functions {

inline constexpr double half_sqrt_pi = 0.88622692545275801365, sqrt_2 = 1.4142135623730950488, sqrt_2_pi = 2.5066282746310005024,
                        sqrt_2_over_pi = 0.79788456080286535588;

// This polynomial of 8 x^2 - 1 gives erfinv(x) / x for |x| <= 1 / 2.
inline constexpr double erfinv_near[]{
    0.9174083670522701,     0.03356743029704947,    0.0026140273452602484,  0.0002522747551745645, 2.6977001015419183e-05,
    3.0637436243944157e-06, 3.619863812309669e-07,  4.3982773297839775e-08, 5.456632770776933e-09, 6.879441319663008e-10,
    8.772068185412855e-11,  1.1319201712761551e-11, 1.5684287601914327e-12, 2.058034962675998e-13};
// These polynomials give erfcinv(y) / w with w = sqrt(-log y), on [0.83, 2.25], [2.25, 6.125] and [6.125, 27.5]; the last one is
// a polynomial of 1 / w.
inline constexpr double erfcinv_upper[]{
    0.7705081123623662,     0.12487222669882192,     -0.05064021849297199,   0.017270092407045766,    -0.00494534640134427,
    0.0010781959891003462,  -9.18171317997218e-05,   -7.055223692514432e-05, 5.4819745372026875e-05,  -2.5472385753413813e-05,
    9.060571693433629e-06,  -2.4330864677158934e-06, 3.4989472742468894e-07, 1.0594583172490445e-07,  -1.1849608971545536e-07,
    6.363545619270866e-08,  -2.514685235406992e-08,  7.332728075202427e-09,  -1.5434491383981318e-09, 1.8022291595876052e-10,
    2.9705776150953674e-10, -3.1195404335684053e-10, 9.009638368444052e-11};
inline constexpr double erfcinv_middle[]{
    0.9420141896020884,      0.04084757798596465,    -0.022499760092058577,   0.011213273013747036,    -0.005273963340299463,
    0.0023814279081193954,   -0.0010405880726197321, 0.0004415623882436054,   -0.00018211267497164214, 7.29028887573259e-05,
    -2.8222552321036988e-05, 1.0490542745287716e-05, -3.69597373055893e-06,   1.2043743759645511e-06,  -3.4079276566341023e-07,
    6.440295767193156e-08,   5.836266293202595e-09,  -1.1271833104722078e-08, 1.0979812057683451e-08,  -1.2302619799608604e-08,
    5.752615075315457e-09,   6.568448408540312e-10,  1.1897584284186343e-11,  -1.3094951950901394e-09, 5.108075716430851e-10};
inline constexpr double erfcinv_lower[]{
    0.9856127567672508,      -0.015167348503982167,  -0.0028480263484410955, 0.0004105790495259291,  -6.705657695799287e-05,
    1.7175566683237486e-05,  -5.513389178778462e-06, 2.002669713806121e-06,  -7.94460725706246e-07,  3.3626909760286335e-07,
    -1.495154470496469e-07,  6.932699900949863e-08,  -3.30615587422921e-08,  1.5385116287215352e-08, -7.629304713542475e-09,
    5.562772318475518e-09,   -2.957474822052896e-09, -9.241127336276212e-10, 5.786138339461403e-10,  2.115716261362604e-09,
    -1.2025069902930062e-09, -8.674323733114442e-10, 4.989275239082895e-10,  2.772417670037082e-10,  -1.5800717813730399e-10};
// This polynomial of (z - 3.7) / (z + 2.3) gives (1 + 2 z) erfcx(z) for z >= 0.7.
inline constexpr double erfcx_far[]{
    1.2384539793123546,      -0.11373336969906556,   -0.02088760874435613,   0.04160744823837958,    -0.022542109940440064,
    0.005716955813168681,    0.00023440699833876793, -0.0005700460316760109, 5.5483168413284516e-05, 5.880573275011942e-05,
    -9.075002453657202e-06,  -7.63057994269748e-06,  9.52538015841669e-07,   1.182385387799192e-06,  -2.0868548490504754e-08,
    -1.9283306656134953e-07, -2.736458714654162e-08, 2.8806269145950063e-08, 1.0193314593678904e-08, -3.3134945608256048e-09,
    -2.1491715069178004e-09, 2.0971722403036593e-10, 2.2620527002088984e-10};

TRACEXPR_ONCE constexpr value erfinv_around_zero(value const& x) {
    value const inside = clamp(x, -0.5, 0.5);
    return inside * polynomial(8 * ad::square(inside) - 1, erfinv_near);
}
// Computes the inverse of erfc at y for 0 < y <= 1 / 2; unless `all` is true, y must be at least 1e-16.
TRACEXPR_ONCE constexpr value erfcinv_of_tail(value const& y, bool all) {
    value const w = ad::sqrt(-ad::log(clamp(y, all ? 4.9406564584124654e-324 : 1e-16, 0.5)));
    value out = choose(less(w, 2.25), polynomial(from_interval(w, 0.83, 2.25), erfcinv_upper),
                       polynomial(from_interval(w, 2.25, 6.125), erfcinv_middle));
    if (all) {
        value const far = polynomial(from_interval(1 / maximum(w, 6.125), 1 / 27.5, 1 / 6.125), erfcinv_lower);
        out = choose(less(w, 6.125), out, far);
    }
    return w * out;
}

struct erfinv_fn {
    static constexpr char const* called = "erfinv";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const size = absolute(x[0]), tail = erfcinv_of_tail(1 - size, false);
        value const outside = choose(equal(size, 1), infinity, x[0].like(not_a_number));
        value const inside = choose(less(size, 1), tail, outside);
        return choose(less(size, 0.5), erfinv_around_zero(x[0]), with_sign_of(inside, x[0]));
    }
    static constexpr value slope(trace_scope&, value const*, value const& y, std::size_t) {
        return half_sqrt_pi * ad::exp(ad::square(y));
    }
    static constexpr definition recorded{compute, slope};
};

// Combines the inverse at y of a function that falls from infinity at 0 to -infinity at `end` from its values in the middle and
// in a tail.
TRACEXPR_ONCE constexpr value by_tails(value const& y, double end, value const& middle, value const& tail) {
    value const size = minimum(y, end - y), left = less(y, 0.5 * end);
    value const beyond = choose(equal(size, 0), infinity, y.like(not_a_number));
    value const outer = choose(greater(size, 0), tail, beyond);
    return choose(greater(size, 0.25 * end), middle, choose(left, outer, -outer));
}
struct erfcinv_fn {
    static constexpr char const* called = "erfcinv";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        return by_tails(x[0], 2, erfinv_around_zero(1 - x[0]), erfcinv_of_tail(minimum(x[0], 2 - x[0]), true));
    }
    static constexpr value slope(trace_scope&, value const*, value const& y, std::size_t) {
        return -half_sqrt_pi * ad::exp(ad::square(y));
    }
    static constexpr definition recorded{compute, slope};
};
struct ndtri_fn {
    static constexpr char const* called = "ndtri";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const tail = erfcinv_of_tail(2 * minimum(x[0], 1 - x[0]), true);
        return -sqrt_2 * by_tails(x[0], 1, erfinv_around_zero(1 - 2 * x[0]), tail);
    }
    static constexpr value slope(trace_scope&, value const*, value const& y, std::size_t) {
        return sqrt_2_pi * ad::exp(half(ad::square(y)));
    }
    static constexpr definition recorded{compute, slope};
};

// Computes erfc(x / sqrt 2) / 2. The rounding error of x / sqrt 2, which is amplified by 2 x^2, is corrected.
TRACEXPR_ONCE constexpr value upper_tail(value const& x) {
    constexpr double root = 0.70710678118654752440, root_low = -4.8336466567264567e-17;
    value const z = x * root, near = both(greater(z, 0.5), less(z, 28)), inside = choose(near, x, 1.0), at = inside * root;
    value const low = lost_by_product(inside, root, at) + inside * root_low;
    value const missing = choose(near, low * (2 * ad::exp(-ad::square(at))) * (0.5 / half_sqrt_pi), 0.0);
    return half(ad::unary(op::erfc, z) - missing);
}
struct ndtr_fn {
    static constexpr char const* called = "ndtr";
    static constexpr value compute(value const* x) { return upper_tail(-x[0]); }
    static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t) {
        return ad::exp(-0.5 * ad::square(x[0])) * (1 / sqrt_2_pi);
    }
    static constexpr definition recorded{compute, slope};
};
// Computes exp(z^2) erfc(z) for z >= 0.7. (Shepherd and Laframboise, Mathematics of Computation 36, 1981)
TRACEXPR_ONCE constexpr value erfcx_of_large(value const& z) {
    value const x = clamp(z, 0.7, 1e100);
    return polynomial((x - 3.7) / (x + 2.3), erfcx_far) / (1 + 2 * x);
}
// Computes the normal density divided by the distribution function, which is the slope of log_ndtr.
struct mills_fn {
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const low = less(x[0], -1), near = choose(low, 0.0, x[0]);
        value const upper = ad::exp(-0.5 * ad::square(near)) * (1 / sqrt_2_pi) / upper_tail(-near);
        return choose(low, sqrt_2_over_pi / erfcx_of_large(x[0] * (-1 / sqrt_2)), upper);
    }
    static constexpr value slope(trace_scope&, value const* x, value const& y, std::size_t) { return -y * (x[0] + y); }
    static constexpr definition recorded{compute, slope};
};
struct log_ndtr_fn {
    static constexpr char const* called = "log_ndtr";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const low = less(x[0], -1), near = choose(low, 0.0, x[0]);
        value const tail = ad::log(half(erfcx_of_large(x[0] * (-1 / sqrt_2)))) - half(ad::square(x[0]));
        return choose(low, tail, ad::unary(op::log1p, -upper_tail(near)));
    }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t) {
        return call(scope, mills_fn::recorded, x[0]);
    }
    static constexpr definition recorded{compute, slope};
};

} // namespace tx::detail::special_functions
