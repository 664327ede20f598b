// Complex numbers in the definitions of pointwise ops: two vectors, the real parts and the imaginary ones.
#pragma once

#include <tracexpr/backends/vectors/packs.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Target, class R> struct complex_pack {
    using part = pack<Target, R>;
    part re, im;

    TRACEXPR_INLINE complex_pack(part const& a, part const& b) : re(a), im(b) {}
    TRACEXPR_INLINE explicit complex_pack(complex_lanes<R, Target::lanes> const& x) : re(x.re), im(x.im) {}
    TRACEXPR_INLINE explicit complex_pack(R x) : re(x), im(R(0)) {}
    TRACEXPR_INLINE part const& real() const { return re; }
    TRACEXPR_INLINE part const& imag() const { return im; }
};
template <class Target, class R> struct element_of_value<complex_pack<Target, R>> {
    using type = std::complex<R>;
};

// What single numbers decide: what infinities and NaN make of products and quotients (C, annex G).
template <op Code, class R, int W>
TRACEXPR_NOINLINE void by_elements(complex_lanes<R, W>& out, complex_lanes<R, W> const& a, complex_lanes<R, W> const& b) {
    for (int i = 0; i < W; ++i) {
        std::complex<R> const x = Code == op::multiply ? a[i] * b[i] : a[i] / b[i];
        out.re[i] = x.real(), out.im[i] = x.imag();
    }
}
template <op Code, class D, class R>
TRACEXPR_INLINE complex_pack<D, R> reconsidered(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    complex_lanes<R, D::lanes> const x{a.re.v, a.im.v}, y{b.re.v, b.im.v};
    complex_lanes<R, D::lanes> out;
    by_elements<Code, R, D::lanes>(out, x, y);
    return complex_pack<D, R>(out);
}

template <class D, class R> TRACEXPR_INLINE complex_pack<D, R> operator-(complex_pack<D, R> const& a) { return {-a.re, -a.im}; }
template <class D, class R>
TRACEXPR_INLINE complex_pack<D, R> operator+(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    TRACEXPR_FUSES
    return {pack<D, R>(a.re.v + b.re.v), pack<D, R>(a.im.v + b.im.v)};
}
template <class D, class R>
TRACEXPR_INLINE complex_pack<D, R> operator-(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    TRACEXPR_FUSES
    return {pack<D, R>(a.re.v - b.re.v), pack<D, R>(a.im.v - b.im.v)};
}
template <class D, class R>
TRACEXPR_INLINE complex_pack<D, R> operator*(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    TRACEXPR_FUSES
    complex_pack<D, R> product{pack<D, R>(a.re.v * b.re.v - a.im.v * b.im.v), pack<D, R>(a.re.v * b.im.v + a.im.v * b.re.v)};
    if (any_nan<R, D::lanes>(product.re.v, product.im.v)) [[unlikely]]
        product = reconsidered<op::multiply>(a, b);
    return product;
}
template <class D, class R> TRACEXPR_INLINE auto operator==(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    return both(a.re == b.re, a.im == b.im);
}
template <class D, class R> TRACEXPR_INLINE auto operator!=(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    return either(a.re != b.re, a.im != b.im);
}
template <class D, class R> TRACEXPR_INLINE complex_pack<D, R> conjugate(complex_pack<D, R> const& x) { return {x.re, -x.im}; }

// float computes in double, whose range no product leaves. double does where no scaling is needed, else number by number.
template <class D, class R>
TRACEXPR_INLINE complex_pack<D, R> operator/(complex_pack<D, R> const& x, complex_pack<D, R> const& y) {
    TRACEXPR_FUSES
    constexpr int W = D::lanes;
    complex_pack<D, R> quotient(R(0));
    if constexpr (sizeof(R) == 4) {
        lanes<double, W> a, b, c, d;
        convert_into<W>(a, x.re.v), convert_into<W>(b, x.im.v), convert_into<W>(c, y.re.v), convert_into<W>(d, y.im.v);
        lanes<double, W> const by = 1 / (c * c + d * d), re = (a * c + b * d) * by, im = (b * c - a * d) * by;
        convert_into<W>(quotient.re.v, re), convert_into<W>(quotient.im.v, im);
    } else {
        lanes<R, W> const a = x.re.v, b = x.im.v, c = y.re.v, d = y.im.v, size = c * c + d * d;
        // The larger part of each is 0 or neither large nor small.
        auto const size_of = [](complex_pack<D, R> const& z)
                                 TRACEXPR_INLINE_LAMBDA { return larger(larger(z.re, -z.re), larger(z.im, -z.im)); };
        pack<D, R> const most(R(0x1p400)), least(R(0x1p-400)), p = size_of(x), q = size_of(y);
        auto const plain = both(both(p < most, either(p > least, p == pack<D, R>(R(0)))), both(q<most, q> least));
        pack<D, R> const none(std::numeric_limits<R>::quiet_NaN());
        quotient = {choose(plain, pack<D, R>((a * c + b * d) / size), none), pack<D, R>((b * c - a * d) / size)};
    }
    if (any_nan<R, W>(quotient.re.v, quotient.im.v)) [[unlikely]]
        quotient = reconsidered<op::divide>(x, y);
    return quotient;
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
