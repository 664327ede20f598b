// This file represents complex numbers in the definitions of pointwise ops by two vectors: the real parts and the imaginary
// parts.
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

// Computes the lanes whose result is NaN as single numbers, which handle infinities, NaN and the ends of the range (C, annex G).
template <op Code, class R, int W, class... V> TRACEXPR_NOINLINE void by_elements(complex_lanes<R, W>& out, V const&... v) {
    for (int i = 0; i < W; ++i) {
        if (out.re[i] == out.re[i] && out.im[i] == out.im[i]) continue;
        std::complex<R> const x = apply<Code>(v[i]...);
        out.re[i] = x.real(), out.im[i] = x.imag();
    }
}
template <op Code, class D, class R, class... More>
TRACEXPR_INLINE complex_pack<D, R> considered(complex_pack<D, R> const& result, More const&... of) {
    if (!any_nan<R, D::lanes>(result.re.v, result.im.v)) [[likely]]
        return result;
    complex_lanes<R, D::lanes> out{result.re.v, result.im.v};
    by_elements<Code, R, D::lanes>(out, complex_lanes<R, D::lanes>{of.re.v, of.im.v}...);
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
    complex_pack<D, R> const product{pack<D, R>(a.re.v * b.re.v - a.im.v * b.im.v),
                                     pack<D, R>(a.re.v * b.im.v + a.im.v * b.re.v)};
    return considered<op::multiply>(product, a, b);
}
template <class D, class R> TRACEXPR_INLINE auto operator==(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    return both(a.re == b.re, a.im == b.im);
}
template <class D, class R> TRACEXPR_INLINE auto operator!=(complex_pack<D, R> const& a, complex_pack<D, R> const& b) {
    return either(a.re != b.re, a.im != b.im);
}
template <class D, class R> TRACEXPR_INLINE complex_pack<D, R> conjugate(complex_pack<D, R> const& x) { return {x.re, -x.im}; }

// Divides in double, whose range no product of floats exceeds.
template <class D>
TRACEXPR_INLINE complex_pack<D, float> divided_in_double(complex_pack<D, float> const& x, complex_pack<D, float> const& y) {
    TRACEXPR_FUSES
    constexpr int W = D::lanes;
    lanes<double, W> a, b, c, d;
    convert_into<W>(a, x.re.v), convert_into<W>(b, x.im.v), convert_into<W>(c, y.re.v), convert_into<W>(d, y.im.v);
    lanes<double, W> const by = 1 / (c * c + d * d), re = (a * c + b * d) * by, im = (b * c - a * d) * by;
    complex_pack<D, float> quotient(0.0f);
    convert_into<W>(quotient.re.v, re), convert_into<W>(quotient.im.v, im);
    return quotient;
}
// Bounds for squares of absolute values, for which no product or quotient of two overflows or underflows by much.
template <class R> inline constexpr R least_square = sizeof(R) == 4 ? R(0x1p-100) : R(0x1p-900);
template <class R> inline constexpr R largest_square = 1 / least_square<R>;
// Computes the quotient again for lanes in which an absolute value is large, small or not a number.
template <class D, class R> TRACEXPR_NOINLINE void
divide_again(complex_lanes<R, D::lanes>& out, complex_lanes<R, D::lanes> const& of, complex_lanes<R, D::lanes> const& by) {
    TRACEXPR_FUSES
    using part = pack<D, R>;
    complex_pack<D, R> const x(of), y(by), quotient(out);
    auto const is_plain = [](complex_pack<D, R> const& z) TRACEXPR_INLINE_LAMBDA {
        part const square(z.re.v * z.re.v + z.im.v * z.im.v);
        return both(square >= part(least_square<R>), square < part(largest_square<R>));
    };
    part const zero(R(0)), none(std::numeric_limits<R>::quiet_NaN());
    auto const plain = both(is_plain(y), either(is_plain(x), both(x.re == zero, x.im == zero)));
    complex_pack<D, R> other{none, none};
    if constexpr (sizeof(R) == 4) other = divided_in_double(x, y);
    complex_pack<D, R> const all{choose(plain, quotient.re, other.re), choose(plain, quotient.im, other.im)};
    complex_pack<D, R> const result = considered<op::divide>(all, x, y);
    out = {result.re.v, result.im.v};
}
// x / y = x conj(y) / |y|^2.
template <class D, class R>
TRACEXPR_INLINE complex_pack<D, R> operator/(complex_pack<D, R> const& x, complex_pack<D, R> const& y) {
    TRACEXPR_FUSES
    constexpr int W = D::lanes;
    lanes<R, W> const a = x.re.v, b = x.im.v, c = y.re.v, d = y.im.v, x_square = a * a + b * b, y_square = c * c + d * d;
    lanes<R, W> const by = 1 / y_square;
    complex_lanes<R, W> quotient{(a * c + b * d) * by, (b * c - a * d) * by};
    if (!all_between<R, W>(x_square, y_square, least_square<R>, largest_square<R>)) [[unlikely]] {
        // This is a variable of its own, so that the quotient stays in registers.
        complex_lanes<R, W> corrected = quotient;
        divide_again<D, R>(corrected, {a, b}, {c, d});
        return complex_pack<D, R>(corrected);
    }
    return complex_pack<D, R>(quotient);
}

inline constexpr bool has_complex_batches(op code) {
    return code == op::exp || code == op::log || code == op::log10 || code == op::sqrt || code == op::sinh || code == op::cosh ||
           code == op::tanh || code == op::sin || code == op::cos || code == op::tan || code == op::power;
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 // see packs.hpp
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
template <class D, class R> TRACEXPR_INLINE auto to_batches(complex_pack<D, R> const& x) {
    using arch = typename D::arch;
    return math::complex_batch<R, arch>{to_batch<arch, D::lanes, R>(x.re.v), to_batch<arch, D::lanes, R>(x.im.v)};
}
// This is not inlined: it would be much code in every loop, and takes longer than its call.
template <op Code, class D, class R, class... More>
TRACEXPR_NOINLINE void by_complex_batches(complex_lanes<R, D::lanes>& out, More const&... of) {
    auto const [re, im] = function_of_batches<Code>{}(to_batches(complex_pack<D, R>(of))...);
    pack<D, R> const real(from_batch<D::lanes>(re)), imaginary(from_batch<D::lanes>(im));
    complex_pack<D, R> const result = considered<Code>(complex_pack<D, R>{real, imaginary}, complex_pack<D, R>(of)...);
    out = {result.re.v, result.im.v};
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
