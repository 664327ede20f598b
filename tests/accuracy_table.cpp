// Prints a Markdown table: the largest error of every math function in units of the last place, measured against long double.
//   accuracy_table [stride [samples [name...]]]
// float32 visits every stride-th bit pattern (1: all of them), float64 `samples` random arguments and the edges of every binade.
#include <tracexpr/backends/math.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

namespace math = tx::simd::math;
constexpr std::size_t block = 4096;

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
// Enough precision that the reference counts as exact: its own error is below 0.01 units.
template <class T> using exact = std::conditional_t<sizeof(T) == 4, double, long double>;

struct worst {
    double ulps = 0;
    long double at = 0, at2 = 0;
};

// |got - want| in units of the last place of T at `want`; infinite where a NaN, an infinity or the sign of a zero is wrong.
template <class T, class R> double error_in_ulps(T got, R want) {
    constexpr double wrong = std::numeric_limits<double>::infinity();
    if (std::isnan(want)) return std::isnan(got) ? 0 : wrong;
    if (std::isnan(got)) return wrong;
    T const rounded = static_cast<T>(want);
    if (std::isinf(rounded) && std::isinf(got)) return got == rounded ? 0 : wrong;
    if (rounded == 0 && got == 0) return std::signbit(got) == std::signbit(want) ? 0 : wrong;
    if (std::isinf(want)) return wrong;
    int const digits = std::numeric_limits<T>::digits;
    int const lowest = std::numeric_limits<T>::min_exponent - 1;
    int exponent = want == 0 ? lowest : std::max(std::ilogb(want), lowest);
    exponent = std::min(exponent, std::numeric_limits<T>::max_exponent - 1);
    R const finite = std::isinf(got) ? std::copysign(std::ldexp(R(1), std::numeric_limits<T>::max_exponent), R(got)) : R(got);
    return static_cast<double>(std::ldexp(std::fabs(finite - want), digits - 1 - exponent));
}

template <class T> T from_bits(std::uint64_t bits) { return std::bit_cast<T>(static_cast<bits_of<T>>(bits)); }

template <class T, class F, class Ref>
void check(std::vector<T> const& x, F f, Ref reference, worst& out) {
    using batch = xsimd::batch<T>;
    for (std::size_t i = 0; i + batch::size <= x.size(); i += batch::size) {
        T got[batch::size];
        f(batch::load_unaligned(&x[i])).store_unaligned(got);
        for (std::size_t lane = 0; lane < batch::size; ++lane) {
            double const ulps = error_in_ulps(got[lane], reference(exact<T>(x[i + lane])));
            if (ulps > out.ulps) out = {ulps, x[i + lane], 0};
        }
    }
}

template <class T, class F, class Ref>
void check(std::vector<T> const& x, std::vector<T> const& y, F f, Ref reference, worst& out) {
    using batch = xsimd::batch<T>;
    for (std::size_t i = 0; i + batch::size <= x.size(); i += batch::size) {
        T got[batch::size];
        f(batch::load_unaligned(&x[i]), batch::load_unaligned(&y[i])).store_unaligned(got);
        for (std::size_t lane = 0; lane < batch::size; ++lane) {
            double const ulps = error_in_ulps(got[lane], reference(exact<T>(x[i + lane]), exact<T>(y[i + lane])));
            if (ulps > out.ulps) out = {ulps, x[i + lane], y[i + lane]};
        }
    }
}

// Half the arguments have a random bit pattern, half are spread evenly over the magnitudes where functions bend.
template <class T> T random_argument(std::mt19937_64& random) {
    if (random() & 1) return from_bits<T>(random());
    T const span = std::ldexp(T(1), static_cast<int>(random() % 14) - 3);
    return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random)) * span;
}

template <class T> std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    std::vector<T> out{T(0), limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min(), T(0.5), T(1.5)};
    for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; ++e)
        for (int step = -1; step <= 1; ++step) {
            T const power = std::ldexp(T(1), e);
            out.push_back(step == 0 ? power : std::nextafter(power, step < 0 ? T(0) : limits::max()));
        }
    for (std::size_t i = 0, n = out.size(); i < n; ++i) out.push_back(-out[i]);
    while (out.size() % block != 0) out.push_back(T(1));
    return out;
}

struct settings {
    std::uint64_t stride = 257, samples = 200000;
    std::vector<std::string_view> names;
    bool wants(std::string_view name) const {
        if (names.empty()) return true;
        for (std::string_view wanted : names)
            if (wanted == name) return true;
        return false;
    }
};

template <class F, class Ref> worst sweep_f32(settings const& s, F f, Ref reference) {
    worst out;
    std::vector<float> x(block);
    for (std::uint64_t bits = 0; bits < (std::uint64_t(1) << 32);) {
        for (float& v : x) v = from_bits<float>(bits), bits += s.stride;
        check(x, f, reference, out);
    }
    check(edges<float>(), f, reference, out);
    return out;
}

template <class F, class Ref> worst sample_f64(settings const& s, F f, Ref reference) {
    worst out;
    std::mt19937_64 random(1);
    std::vector<double> x(block);
    for (std::uint64_t done = 0; done < s.samples; done += block) {
        for (double& v : x) v = random_argument<double>(random);
        check(x, f, reference, out);
    }
    check(edges<double>(), f, reference, out);
    return out;
}

template <class T, class F, class Ref> worst sample_pairs(settings const& s, F f, Ref reference) {
    worst out;
    std::mt19937_64 random(1);
    std::vector<T> x(block), y(block);
    for (std::uint64_t done = 0; done < s.samples; done += block) {
        for (std::size_t i = 0; i < block; ++i) {
            x[i] = random_argument<T>(random);
            y[i] = random_argument<T>(random);
            if (i % 4 == 0) y[i] = x[i] * (1 + random_argument<T>(random) * std::numeric_limits<T>::epsilon()); // nearly equal
        }
        check(x, y, f, reference, out);
    }
    std::vector<T> const e = edges<T>();
    for (T first : {T(0), T(1), T(2), T(-3), T(0.5), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()})
        for (T sign : {T(1), T(-1)}) {
            std::vector<T> const constant(e.size(), sign * first);
            check(constant, e, f, reference, out);
            check(e, constant, f, reference, out);
        }
    return out;
}

void print_row(std::string_view name, worst const& single, worst const& twice, bool two) {
    auto where = [two](worst const& w, char* text, std::size_t size) {
        if (two)
            std::snprintf(text, size, "%.9Lg, %.9Lg", w.at, w.at2);
        else
            std::snprintf(text, size, "%.17Lg", w.at);
    };
    char a[96], b[96];
    where(single, a, sizeof a);
    where(twice, b, sizeof b);
    std::printf("| %.*s | %.3f | %s | %.3f | %s |\n", static_cast<int>(name.size()), name.data(), single.ulps, a, twice.ulps, b);
    std::fflush(stdout);
}

template <class F, class Ref> void row1(settings const& s, std::string_view name, F f, Ref reference) {
    if (s.wants(name)) print_row(name, sweep_f32(s, f, reference), sample_f64(s, f, reference), false);
}
template <class F, class Ref> void row2(settings const& s, std::string_view name, F f, Ref reference) {
    if (s.wants(name)) print_row(name, sample_pairs<float>(s, f, reference), sample_pairs<double>(s, f, reference), true);
}

template <class R> R exact_lgamma(R x) {
    int sign = 0;
    return static_cast<R>(::lgammal_r(x, &sign));
}
// glibc's powl takes even exponents from 2^63 on for odd ones.
template <class R> R exact_pow(R x, R y) {
    R const power = std::pow(x, y);
    return std::fabs(y) > R(0x1p60) ? std::fabs(power) : power;
}
// These differ from the scalar functions in calling none of them in the precision under test.
template <class R> R exact_remainder(R x, R y) {
    R const rest = std::fmod(x, y);
    return rest == 0 ? std::copysign(R(0), y) : (rest < 0) != (y < 0) ? rest + y : rest;
}
template <class R> R exact_floor_divide(R x, R y) {
    if (y == 0) return x / y;
    if (std::isinf(y) && std::isfinite(x)) return x != 0 && std::signbit(x) != std::signbit(y) ? R(-1) : std::copysign(R(0), x / y);
    R const quotient = (x - exact_remainder(x, y)) / y;
    return quotient == 0 ? std::copysign(R(0), x / y) : std::isinf(quotient) ? quotient : std::round(quotient);
}
template <class R> R exact_logaddexp(R x, R y) {
    if (x == y) return x + std::log(R(2));
    R const difference = std::fabs(x - y);
    return std::isnan(difference) ? difference : std::fmax(x, y) + std::log1p(std::exp(-difference));
}

void unary(settings const& s) {
    row1(s, "exp", [](auto x) { return math::exp(x); }, [](auto x) { return std::exp(x); });
    row1(s, "exp2", [](auto x) { return math::exp2(x); }, [](auto x) { return std::exp2(x); });
    row1(s, "expm1", [](auto x) { return math::expm1(x); }, [](auto x) { return std::expm1(x); });
    row1(s, "log", [](auto x) { return math::log(x); }, [](auto x) { return std::log(x); });
    row1(s, "log2", [](auto x) { return math::log2(x); }, [](auto x) { return std::log2(x); });
    row1(s, "log10", [](auto x) { return math::log10(x); }, [](auto x) { return std::log10(x); });
    row1(s, "log1p", [](auto x) { return math::log1p(x); }, [](auto x) { return std::log1p(x); });
    row1(s, "sin", [](auto x) { return math::sin(x); }, [](auto x) { return std::sin(x); });
    row1(s, "cos", [](auto x) { return math::cos(x); }, [](auto x) { return std::cos(x); });
    row1(s, "tan", [](auto x) { return math::tan(x); }, [](auto x) { return std::tan(x); });
    row1(s, "asin", [](auto x) { return math::asin(x); }, [](auto x) { return std::asin(x); });
    row1(s, "acos", [](auto x) { return math::acos(x); }, [](auto x) { return std::acos(x); });
    row1(s, "atan", [](auto x) { return math::atan(x); }, [](auto x) { return std::atan(x); });
    row1(s, "sinh", [](auto x) { return math::sinh(x); }, [](auto x) { return std::sinh(x); });
    row1(s, "cosh", [](auto x) { return math::cosh(x); }, [](auto x) { return std::cosh(x); });
    row1(s, "tanh", [](auto x) { return math::tanh(x); }, [](auto x) { return std::tanh(x); });
    row1(s, "asinh", [](auto x) { return math::asinh(x); }, [](auto x) { return std::asinh(x); });
    row1(s, "acosh", [](auto x) { return math::acosh(x); }, [](auto x) { return std::acosh(x); });
    row1(s, "atanh", [](auto x) { return math::atanh(x); }, [](auto x) { return std::atanh(x); });
    row1(s, "erf", [](auto x) { return math::erf(x); }, [](auto x) { return std::erf(x); });
    row1(s, "erfc", [](auto x) { return math::erfc(x); }, [](auto x) { return std::erfc(x); });
    row1(s, "lgamma", [](auto x) { return math::lgamma(x); }, [](auto x) { return exact_lgamma(x); });
    row1(s, "sigmoid", [](auto x) { return math::sigmoid(x); }, [](auto x) { return 1 / (1 + std::exp(-x)); });
    row1(s, "cbrt", [](auto x) { return math::cbrt(x); }, [](auto x) { return std::cbrt(x); });
    row1(s, "rsqrt", [](auto x) { return math::rsqrt(x); }, [](auto x) { return 1 / std::sqrt(x); });
}

void binary(settings const& s) {
    row2(s, "atan2", [](auto y, auto x) { return math::atan2(y, x); }, [](auto y, auto x) { return std::atan2(y, x); });
    row2(s, "pow", [](auto x, auto y) { return math::pow(x, y); }, [](auto x, auto y) { return exact_pow(x, y); });
    row2(s, "hypot", [](auto x, auto y) { return math::hypot(x, y); }, [](auto x, auto y) { return std::hypot(x, y); });
    row2(s, "logaddexp", [](auto x, auto y) { return math::logaddexp(x, y); }, [](auto x, auto y) { return exact_logaddexp(x, y); });
    row2(s, "fmod", [](auto x, auto y) { return math::fmod(x, y); }, [](auto x, auto y) { return std::fmod(x, y); });
    row2(s, "remainder", [](auto x, auto y) { return math::remainder(x, y); }, [](auto x, auto y) { return exact_remainder(x, y); });
    row2(s, "floor_divide", [](auto x, auto y) { return math::floor_divide(x, y); }, [](auto x, auto y) { return exact_floor_divide(x, y); });
}

} // namespace

int main(int argc, char** argv) {
    settings s;
    if (argc > 1) s.stride = std::strtoull(argv[1], nullptr, 10);
    if (argc > 2) s.samples = std::strtoull(argv[2], nullptr, 10);
    for (int i = 3; i < argc; ++i) s.names.emplace_back(argv[i]);
    std::printf("| function | float32 ULP | at | float64 ULP | at |\n| --- | --- | --- | --- | --- |\n");
    unary(s);
    binary(s);
}
