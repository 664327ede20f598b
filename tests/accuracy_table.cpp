// Prints a Markdown table: the largest error of every math function in units in the last place, measured against double for
// float32 and against long double for float64.
//   accuracy_table [stride [samples [name...]]]
// float32 visits every stride-th bit pattern (1: all of them), float64 `samples` random arguments and the edges of every binade.
#include <math_reference.hpp>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

namespace {

using namespace math_reference;
constexpr std::size_t block = 4096;

struct worst {
    double ulps = 0;
    long double at = 0, at2 = 0;
};

template <class T, class F, class Ref> void check(std::vector<T> const& x, F f, Ref reference, worst& out) {
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

template <class T> std::vector<T> padded(std::vector<T> x) {
    while (x.size() % block != 0) x.push_back(T(1));
    return x;
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
    check(padded(edges<float>()), f, reference, out);
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
    check(padded(edges<double>()), f, reference, out);
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
    std::vector<T> const e = padded(edges<T>());
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
        if (two) std::snprintf(text, size, "%.9Lg, %.9Lg", w.at, w.at2);
        else std::snprintf(text, size, "%.17Lg", w.at);
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

} // namespace

int main(int argc, char** argv) {
    settings s;
    if (argc > 1) s.stride = std::strtoull(argv[1], nullptr, 10);
    if (argc > 2) s.samples = std::strtoull(argv[2], nullptr, 10);
    for (int i = 3; i < argc; ++i) s.names.emplace_back(argv[i]);
    std::printf("| function | float32 ULP | at | float64 ULP | at |\n| --- | --- | --- | --- | --- |\n");
    for_each_unary([&s](std::string_view name, auto f, auto reference) { row1(s, name, f, reference); });
    for_each_binary([&s](std::string_view name, auto f, auto reference) { row2(s, name, f, reference); });
}
