// This file tests functions of complex numbers: special values against std::complex, others against long double.
#include <run/dtypes_every_value.hpp>

#include <cstring>
#include <random>

using namespace tx::testing;

namespace {

using wide = std::complex<long double>;

struct exponentials {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(tx::exp(x), tx::log(x), tx::log10(x), tx::sqrt(x));
    }
    static std::array<wide, 4> truth(wide x) { return {std::exp(x), std::log(x), std::log10(x), std::sqrt(x)}; }
    template <class T> static std::array<T, 4> standard(T x) { return {std::exp(x), std::log(x), std::log10(x), std::sqrt(x)}; }
};
struct circular {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(tx::sin(x), tx::cos(x), tx::tan(x), tx::sinh(x), tx::cosh(x), tx::tanh(x));
    }
    static std::array<wide, 6> truth(wide x) { return standard(x); }
    template <class T> static std::array<T, 6> standard(T x) {
        return {std::sin(x), std::cos(x), std::tan(x), std::sinh(x), std::cosh(x), std::tanh(x)};
    }
};

template <class Wanted, class... Got>
void check_each(std::size_t n, Wanted wanted, double slack, std::tuple<Got...> const& results) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (check_all(std::get<K>(results).data(), n, [&](std::size_t i) { return wanted(i)[K]; }, slack), ...);
    }(std::index_sequence_for<Got...>{});
}

template <class R> std::vector<std::complex<R>> special_arguments() {
    using limits = std::numeric_limits<R>;
    R const parts[]{R(0),
                    R(-0.0),
                    R(1),
                    R(-1),
                    R(-2.5),
                    R(0.3),
                    R(1e-3),
                    R(20),
                    R(-25),
                    R(90),
                    R(-90),
                    R(720),
                    R(-720),
                    R(1.5707963267948966),
                    R(1e6),
                    R(-3e9),
                    limits::infinity(),
                    -limits::infinity(),
                    limits::quiet_NaN(),
                    limits::max(),
                    limits::min(),
                    limits::denorm_min(),
                    std::sqrt(limits::max()) / 3,
                    std::sqrt(limits::min()) * 5};
    std::vector<std::complex<R>> out;
    for (R const re : parts)
        for (R const im : parts) out.push_back({re, im});
    return out;
}
// Of sizes around 1 and far from it; on the unit circle, where the logarithm's real part is what rounding left; beside 1.
template <class R> std::vector<std::complex<R>> random_arguments() {
    std::mt19937_64 bits(7);
    std::uniform_real_distribution<double> number(-3, 3);
    std::vector<std::complex<R>> out;
    for (int i = 0; i < 4000; ++i) {
        double const a = number(bits), b = number(bits), tiny = std::exp(-20 + 6 * number(bits));
        out.push_back({static_cast<R>(a), static_cast<R>(b)});
        out.push_back({static_cast<R>(a * std::exp(5 * b)), static_cast<R>(b * std::exp(-2 * a))});
        out.push_back({static_cast<R>(std::cos(2 * a)), static_cast<R>(std::sin(2 * a))});
        out.push_back({static_cast<R>(1 + a * tiny), static_cast<R>(b * tiny)});
    }
    return out;
}

template <class F, class T> void check_function(F const& f) {
    auto const special = special_arguments<typename T::value_type>(), random = random_arguments<typename T::value_type>();
    auto const x = tensor_of(special), y = tensor_of(random);
    long double const limit = std::numeric_limits<typename T::value_type>::max() / 8;
    // Beside a NaN a number has the same result as anywhere.
    auto mixed = random;
    for (std::size_t i = 0; i < mixed.size(); i += 3) mixed[i] = special[i % special.size()];
    auto const z = tensor_of(mixed);
    in_both_traces(f, [&](auto const& computed) {
        check_each(special.size(), [&](std::size_t i) { return F::standard(special[i]); }, 16, computed(x));
        auto const plain = computed(y), beside = computed(z);
        check_each(
            random.size(),
            [&](std::size_t i) {
                auto const exact = F::truth(wide(random[i]));
                auto out = F::standard(random[i]); // near the end of the range
                for (std::size_t k = 0; k < exact.size(); ++k)
                    if (std::abs(exact[k]) < limit) out[k] = T(exact[k]);
                return out;
            },
            3.5, plain);
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (
                [&] {
                    for (std::size_t i = 0; i < random.size(); ++i)
                        if (i % 3 != 0 &&
                            std::memcmp(std::get<K>(plain).data() + i, std::get<K>(beside).data() + i, sizeof(T)) != 0) {
                            FAIL_CHECK("function " << K << ", element " << i);
                            return;
                        }
                }(),
                ...);
        }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(plain)>>>{});
    });
}

} // namespace

TEST_CASE_TEMPLATE("dtypes: exponentials of complex numbers", R, float, double) {
    check_function<exponentials, std::complex<R>>({});
}
TEST_CASE_TEMPLATE("dtypes: circular functions of complex numbers", R, float, double) {
    check_function<circular, std::complex<R>>({});
}
TEST_CASE_TEMPLATE("dtypes: logarithms near 1", R, float, double) {
    // Each part, not only the size of both.
    auto const numbers = random_arguments<R>();
    auto const x = tensor_of(numbers);
    in_both_traces([](auto const& a) { return tx::log(a); },
                   [&](auto const& log) {
                       auto const got = log(x);
                       double worst = 0;
                       for (std::size_t i = 0; i < numbers.size(); ++i) {
                           wide const exact = std::log(wide(numbers[i]));
                           if (std::abs(exact.real()) < std::numeric_limits<R>::min()) continue;
                           worst = std::max(worst,
                                            static_cast<double>(std::abs(
                                                (static_cast<long double>(got.data()[i].real()) - exact.real()) / exact.real())));
                       }
                       CHECK(worst < 2 * static_cast<double>(std::numeric_limits<R>::epsilon()));
                   });
}
// Of small whole numbers, whose powers are exact enough to compare.
TEST_CASE_TEMPLATE("dtypes: complex powers", R, float, double) {
    using T = std::complex<R>;
    std::vector<T> base, exponent;
    for (int re = -3; re <= 3; ++re)
        for (int im = -3; im <= 3; ++im)
            for (int p = -2; p <= 3; ++p)
                for (int q = -1; q <= 1; ++q) base.push_back({R(re), R(im)}), exponent.push_back({R(p), R(q)});
    auto const a = tensor_of(base), b = tensor_of(exponent);
    in_both_traces([](auto const& x, auto const& y) { return tx::pow(x, y); },
                   [&](auto const& pow) {
                       auto const got = pow(a, b);
                       check_all(
                           got.data(), base.size(),
                           [&](std::size_t i) { return tx::simd::apply<tx::op::power>(base[i], exponent[i]); }, 24);
                   });
}
