// This file checks the math functions against their references, for tests/backends/math*.cpp.
#pragma once

#include <math_reference.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string_view>

namespace math_reference {

// Gives the largest error allowed. Where terms cancel, logaddexp loses as much as its formula must; lgamma is the C library's
// own; a quotient of floor_divide that its significand can't hold is rounded twice, as NumPy's.
inline double limit_of(std::string_view name, bool single) {
    if (name == "lgamma") return single ? 1 : 8;
    if (name == "floor_divide") return 2.5;
    return 2;
}

template <class T> std::vector<T> sweep(std::uint64_t stride) {
    std::vector<T> out = edges<T>();
    std::mt19937_64 random(7);
    if constexpr (sizeof(T) == 4)
        for (std::uint64_t bits = 0; bits < (std::uint64_t(1) << 32); bits += stride) out.push_back(from_bits<T>(bits));
    for (std::uint64_t i = 0; i < (std::uint64_t(1) << 30) / stride; ++i) out.push_back(random_argument<T>(random));
    while (out.size() % 64 != 0) out.push_back(T(1));  // whole batches of any instruction set
    return out;
}

// Computes f on x, or on x and y, by batches of an instruction set; x must consist of whole batches.
template <class Arch = xsimd::default_arch, class T, class F>
std::vector<T> mapped(F f, std::vector<T> const& x, std::vector<T> const& y = {}) {
    using batch = xsimd::batch<T, Arch>;
    std::vector<T> out(x.size());
    for (std::size_t i = 0; i + batch::size <= x.size(); i += batch::size) {
        batch const first = batch::load_unaligned(&x[i]);
        if constexpr (std::is_invocable_v<F, batch, batch>) f(first, batch::load_unaligned(&y[i])).store_unaligned(&out[i]);
        else f(first).store_unaligned(&out[i]);
    }
    return out;
}

struct worst_case {
    double ulps = 0;
    std::size_t index = 0;
    void take(double error, std::size_t i) {
        if (error > ulps) ulps = error, index = i;
    }
};

template <class Arch = xsimd::default_arch, class T, class F, class Ref>
void check_unary(std::string_view name, F f, Ref reference, std::vector<T> const& x) {
    std::vector<T> const got = mapped<Arch>(f, x);
    worst_case worst;
    for (std::size_t i = 0; i < x.size(); ++i) worst.take(error_in_ulps(got[i], reference(exact<T>(x[i]))), i);
    INFO(name, "(", x[worst.index], ") = ", got[worst.index]);
    CHECK(worst.ulps <= limit_of(name, sizeof(T) == 4));
}

template <class Arch = xsimd::default_arch, class T, class F, class Ref>
void check_binary(std::string_view name, F f, Ref reference, std::vector<T> const& x, std::vector<T> const& y) {
    std::vector<T> const got = mapped<Arch>(f, x, y);
    worst_case worst;
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto const want = reference(exact<T>(x[i]), exact<T>(y[i]));
        if (name == "logaddexp" && std::isfinite(want) && std::fabs(want) < exact<T>(std::fmax(std::fabs(x[i]), std::fabs(y[i]))))
            continue;
        worst.take(error_in_ulps(got[i], want), i);
    }
    INFO(name, "(", x[worst.index], ", ", y[worst.index], ") = ", got[worst.index]);
    CHECK(worst.ulps <= limit_of(name, sizeof(T) == 4));
}

} // namespace math_reference
