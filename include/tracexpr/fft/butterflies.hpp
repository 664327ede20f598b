// This file has transforms of 2 to 8 and of 16 complex numbers, in place and in order, on whole units (lanes.hpp). The constants
// are cos and sin of 2 pi k / r.
#pragma once

#include <tracexpr/fft/lanes.hpp>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

template <class T, int W> TRACEXPR_INLINE void add_and_subtract(unit<T, W>& a, unit<T, W>& b) {
    unit<T, W> const sum{a.re + b.re, a.im + b.im}, difference{a.re - b.re, a.im - b.im};
    a = sum, b = difference;
}
// Multiplies a by -i.
template <class T, int W> TRACEXPR_INLINE void turn_back(unit<T, W>& a) { a = unit<T, W>{a.im, -a.re}; }
// Multiplies all numbers of a by re + i im, which are vectors or numbers for all lanes.
template <class T, int W, class F> TRACEXPR_INLINE void multiply(unit<T, W>& a, F const& re, F const& im) {
    TRACEXPR_FUSES
    a = unit<T, W>{a.re * re - a.im * im, a.re * im + a.im * re};
}

template <int R, class T, int W> struct butterfly;

template <class T, int W> struct butterfly<1, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>*) {}
};
template <class T, int W> struct butterfly<2, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>* a) { add_and_subtract(a[0], a[1]); }
};
template <class T, int W> struct butterfly<3, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>* a) {
        TRACEXPR_FUSES
        constexpr T s = T(0.866025403784438646763723170752936183L), half = T(0.5);
        unit<T, W> t = a[1], u = a[2];
        add_and_subtract(t, u);
        unit<T, W> const m{a[0].re - half * t.re, a[0].im - half * t.im};
        a[0].re += t.re, a[0].im += t.im;
        a[1] = unit<T, W>{m.re + s * u.im, m.im - s * u.re};
        a[2] = unit<T, W>{m.re - s * u.im, m.im + s * u.re};
    }
};
template <class T, int W> TRACEXPR_INLINE void of_four(unit<T, W>& a, unit<T, W>& b, unit<T, W>& c, unit<T, W>& d) {
    add_and_subtract(a, c);
    add_and_subtract(b, d);
    add_and_subtract(a, b); // a is number 0 and b number 2.
    unit<T, W> const one{c.re + d.im, c.im - d.re}, three{c.re - d.im, c.im + d.re};
    unit<T, W> const two = b;
    b = one, c = two, d = three;
}
template <class T, int W> struct butterfly<4, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>* a) { of_four(a[0], a[1], a[2], a[3]); }
};
template <class T, int W> struct butterfly<5, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>* a) {
        TRACEXPR_FUSES
        constexpr T c1 = T(0.309016994374947424102293417182819059L), c2 = T(-0.809016994374947424102293417182819059L);
        constexpr T s1 = T(0.951056516295153572116439333379382143L), s2 = T(0.587785252292473129168705954639072769L);
        unit<T, W> p = a[1], q = a[4], r = a[2], s = a[3];
        add_and_subtract(p, q);
        add_and_subtract(r, s);
        unit<T, W> const m{a[0].re + c1 * p.re + c2 * r.re, a[0].im + c1 * p.im + c2 * r.im};
        unit<T, W> const n{a[0].re + c2 * p.re + c1 * r.re, a[0].im + c2 * p.im + c1 * r.im};
        unit<T, W> const u{s1 * q.re + s2 * s.re, s1 * q.im + s2 * s.im}, v{s2 * q.re - s1 * s.re, s2 * q.im - s1 * s.im};
        a[0].re += p.re + r.re, a[0].im += p.im + r.im;
        a[1] = unit<T, W>{m.re + u.im, m.im - u.re}, a[4] = unit<T, W>{m.re - u.im, m.im + u.re};
        a[2] = unit<T, W>{n.re + v.im, n.im - v.re}, a[3] = unit<T, W>{n.re - v.im, n.im + v.re};
    }
};
template <class T, int W> struct butterfly<7, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>* a) {
        TRACEXPR_FUSES
        constexpr T c1 = T(0.623489801858733530525004884004239810L), s1 = T(0.781831482468029808708444526674057750L);
        constexpr T c2 = T(-0.222520933956314404288902564496794759L), s2 = T(0.974927912181823607018131682993931217L);
        constexpr T c3 = T(-0.900968867902419126236102319507445051L), s3 = T(0.433883739117558120475768332848358754L);
        unit<T, W> p = a[1], q = a[6], r = a[2], s = a[5], t = a[3], u = a[4];
        add_and_subtract(p, q);
        add_and_subtract(r, s);
        add_and_subtract(t, u);
        unit<T, W> const z = a[0];
        a[0].re += p.re + r.re + t.re, a[0].im += p.im + r.im + t.im;
        auto const put = [&](int k, T x, T y, T w, T i, T j, T l) TRACEXPR_INLINE_LAMBDA {
            TRACEXPR_FUSES
            unit<T, W> const m{z.re + x * p.re + y * r.re + w * t.re, z.im + x * p.im + y * r.im + w * t.im};
            unit<T, W> const v{i * q.re + j * s.re + l * u.re, i * q.im + j * s.im + l * u.im};
            a[k] = unit<T, W>{m.re + v.im, m.im - v.re}, a[7 - k] = unit<T, W>{m.re - v.im, m.im + v.re};
        };
        put(1, c1, c2, c3, s1, s2, s3);
        put(2, c2, c3, c1, s2, -s3, -s1);
        put(3, c3, c1, c2, s3, -s1, s2);
    }
};
template <class T, int W> struct butterfly<8, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>* a) {
        TRACEXPR_FUSES
        constexpr T h = T(0.707106781186547524400844362104849039L);
        of_four(a[0], a[2], a[4], a[6]);
        of_four(a[1], a[3], a[5], a[7]);
        a[3] = unit<T, W>{h * (a[3].re + a[3].im), h * (a[3].im - a[3].re)};
        turn_back(a[5]);
        a[7] = unit<T, W>{h * (a[7].im - a[7].re), -h * (a[7].re + a[7].im)};
        add_and_subtract(a[0], a[1]);
        add_and_subtract(a[2], a[3]);
        add_and_subtract(a[4], a[5]);
        add_and_subtract(a[6], a[7]);
        unit<T, W> const one = a[2], two = a[4], three = a[6], four = a[1], five = a[3], six = a[5];
        a[1] = one, a[2] = two, a[3] = three, a[4] = four, a[5] = five, a[6] = six;
    }
};
template <class T, int W> struct butterfly<16, T, W> {
    static TRACEXPR_INLINE void run(unit<T, W>* a) {
        constexpr T c = T(0.923879532511286756128183189396788287L), s = T(0.382683432365089771728459984030398867L);
        constexpr T h = T(0.707106781186547524400844362104849039L);
        unrolled<4>([&](auto k) TRACEXPR_INLINE_LAMBDA { of_four(a[k], a[k + 4], a[k + 8], a[k + 12]); });
        // Number 4 j + k is multiplied by exp(-2 pi i j k / 16).
        multiply(a[5], c, -s), multiply(a[6], h, -h), multiply(a[7], s, -c);
        multiply(a[9], h, -h), turn_back(a[10]), multiply(a[11], -h, -h);
        multiply(a[13], s, -c), multiply(a[14], -h, -h), multiply(a[15], -c, s);
        unit<T, W> sums[16]; // Result j + 4 k is sum k of four j.
        unrolled<4>([&](auto j) TRACEXPR_INLINE_LAMBDA {
            unrolled<4>([&](auto k) TRACEXPR_INLINE_LAMBDA { sums[4 * j + k] = a[4 * j + k]; });
            butterfly<4, T, W>::run(sums + 4 * j);
        });
        unrolled<16>([&](auto i) TRACEXPR_INLINE_LAMBDA { a[i] = sums[i % 4 * 4 + i / 4]; });
    }
};

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
