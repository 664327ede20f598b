// This file compares pointwise ops on whole tensors, static and traced at run time, with the same op on one element after the
// other.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace tx::testing {

template <class T> auto tensor_of(std::vector<T> const& values) {
    return tx::from_data<tx::shape<tx::dyn>>(values.data(), std::ssize(values));
}

// Are they the same number, also where it is NaN or 0? `slack` allows that many epsilons of its size; for complex numbers it is
// the size of both parts.
template <class T> bool same_number(T const& a, T const& b, double slack) {
    if constexpr (requires { a.imag(); }) {
        using R = typename T::value_type;
        if (same_number(a.real(), b.real(), 0) && same_number(a.imag(), b.imag(), 0)) return true;
        bool const finite =
            std::isfinite(a.real()) && std::isfinite(a.imag()) && std::isfinite(b.real()) && std::isfinite(b.imag());
        using wide = long double;
        wide const error = std::hypot(wide(a.real()) - wide(b.real()), wide(a.imag()) - wide(b.imag())),
                   size = std::hypot(wide(b.real()), wide(b.imag()));
        return finite && error <= slack * std::numeric_limits<R>::epsilon() * size + slack * std::numeric_limits<R>::denorm_min();
    } else if constexpr (requires { a.bits; }) {
        return a.bits == b.bits || (std::isnan(a.value()) && std::isnan(b.value()));
    } else if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
        if (a == b) return slack > 0 || std::signbit(a) == std::signbit(b);
        return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= slack * std::numeric_limits<T>::epsilon() * std::abs(b);
    } else {
        return a == b;
    }
}
template <class T> std::string shown(T const& x) {
    std::ostringstream out;
    out.precision(17);
    if constexpr (std::is_integral_v<T>) out << +x;
    else out << x;
    return out.str();
}

// Compares got[i] with wanted(i); says where the first differs.
template <class T, class Wanted> void check_all(T const* got, std::size_t n, Wanted wanted, double slack = 0) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        T const want = wanted(i);
        if (same_number(got[i], want, slack)) continue;
        if (wrong++ > 2) continue;
        FAIL_CHECK("element " << i << ": " << shown(got[i]) << ", not " << shown(want));
    }
    CHECK(wrong == 0);
}

template <class T, op Code, class Got>
void check_binary_op(Got const& got, std::vector<T> const& a, std::vector<T> const& b, double slack = 0) {
    using R = typename std::remove_cvref_t<Got>::value_type;
    INFO(info(Code).name);
    check_all(got.data(), a.size(), [&](std::size_t i) { return static_cast<R>(simd::apply<Code>(a[i], b[i])); }, slack);
}

// All pairs of the values.
template <class T> struct pairs {
    std::vector<T> a, b;
    explicit pairs(std::vector<T> const& of) {
        for (T const x : of)
            for (T const y : of) a.push_back(x), b.push_back(y);
    }
};

// Gives the limits of all integer types, and the numbers beside them, that T can hold.
template <class T> std::vector<T> integer_extremes() {
    std::vector<T> out;
    for (int bits = 0; bits <= static_cast<int>(8 * sizeof(T)); ++bits)
        for (int by = -2; by <= 2; ++by) {
            std::uint64_t const power = bits == 64 ? 0 : std::uint64_t{1} << bits;
            out.push_back(static_cast<T>(power + static_cast<std::uint64_t>(by)));
            out.push_back(static_cast<T>(std::uint64_t{0} - power + static_cast<std::uint64_t>(by)));
        }
    for (int i = 0; i < 70; ++i) out.push_back(static_cast<T>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> (i % 60)));
    return out;
}
// Gives all bytes; for wider integers the extremes.
template <class T> std::vector<T> integer_values() {
    if constexpr (sizeof(T) > 1) return integer_extremes<T>();
    std::vector<T> all;
    for (int i = 0; i < 256; ++i) all.push_back(static_cast<T>(i));
    return all;
}
template <class T> std::vector<T> floating_extremes() {
    using limits = std::numeric_limits<T>;
    std::vector<T> out{
        T(0),          T(-0.0),          limits::quiet_NaN(), -limits::quiet_NaN(), limits::infinity(),   -limits::infinity(),
        limits::max(), limits::lowest(), limits::min(),       limits::denorm_min(), -limits::denorm_min()};
    for (int bits : {0, 1, 7, 8, 10, 11, 14, 15, 16, 23, 24, 25, 31, 32, 52, 53, 62, 63, 64, 65, 100})
        for (T const sign : {T(1), T(-1)}) {
            T const power = std::ldexp(sign, bits);
            for (T const by : {T(-1), T(-0.5), T(-0.25), T(0), T(0.25), T(0.5), T(0.75), T(1)}) out.push_back(power + by);
            out.push_back(std::nextafter(power, T(0))), out.push_back(std::nextafter(power, 2 * power)),
                out.push_back(T(1) / power);
        }
    return out;
}

// Casts everything to each of these types.
template <class... To> struct cast_to_all {
    template <class X> constexpr auto operator()(X const& x) const { return std::tuple(tx::cast<To>(x)...); }
};
template <class T, class... To> void check_casts(std::vector<T> const& values) {
    auto const x = tensor_of(values);
    in_both_traces(cast_to_all<To...>{}, [&](auto const& f) {
        std::apply(
            [&](auto const&... got) {
                (
                    [&] {
                        INFO("to " << name(dtype_of<To>));
                        check_all(got.data(), values.size(), [&](std::size_t i) { return simd::cast_element<To>(values[i]); });
                    }(),
                    ...);
            },
            f(x));
    });
}

} // namespace tx::testing
