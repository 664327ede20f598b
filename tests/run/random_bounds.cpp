// This file tests that uniform numbers lie in [lo, hi), whatever rounding does to them.
#include <run/random_checks.hpp>

#include <limits>

using namespace tx::testing;
namespace rnd = tx::random;
using tx::shape;

namespace {

constexpr std::int64_t n = 20000;
rnd::key const k(11);

template <class T> struct uniform_numbers {
    template <class K, class L, class H> constexpr auto operator()(K const& key, L const& lo, H const& hi) const {
        return rnd::stateless_uniform<T>(key, shape<n>{}, lo, hi);
    }
};
template <class A> void check_between(A const& drawn, double lo, double hi) {
    auto const x = as_doubles(drawn);
    CHECK(*std::min_element(x.begin(), x.end()) >= lo);
    CHECK(*std::max_element(x.begin(), x.end()) < hi);
}
template <class T> T number(double x) {
    if constexpr (sizeof(T) == 2) return T(static_cast<float>(x));
    else return static_cast<T>(x);
}
// Of bounds that T has.
template <class T> void check_bounds(double lo, double hi) {
    CAPTURE(lo);
    CAPTURE(hi);
    uniform_numbers<T> const draw;
    check_between(draw(k, lo, hi), lo, hi);
    check_between(draw(k, tx::tensor<T, shape<>>(number<T>(lo)), tx::full<T>(shape<n>{}, number<T>(hi))), lo, hi);
    static tx::static_function const known{draw};
    static tx::function const at_run_time{[draw, kept = 1](auto const& key, auto const& l, auto const& h) {
        static_cast<void>(kept);
        return draw(key, l, h);
    }};
    tx::tensor<T, shape<tx::dyn>> const first(tx::tensor<T, shape<1>>{number<T>(lo)}), end(tx::tensor<T, shape<1>>{number<T>(hi)});
    check_between(known(k.number, first, end), lo, hi);
    check_between(at_run_time(k.number, first, end), lo, hi);
}

} // namespace

TEST_CASE_TEMPLATE("random: uniform numbers are less than the upper bound", T, float, double, tx::half, tx::bfloat16) {
    double const step = sizeof(T) == 8 ? 0x1p-52 : sizeof(T) == 4 ? 0x1p-23 : std::is_same_v<T, tx::half> ? 0x1p-10 : 0x1p-7;
    check_bounds<T>(0, 1);
    check_bounds<T>(1, 1 + step); // neighbours: each number is the lower bound
    check_bounds<T>(-1, -1 + 2 * step);
    check_bounds<T>(-1 - step, -1);
    check_bounds<T>(1 - step, 1);
    check_bounds<T>(-4 * step, 0);
    double const least = sizeof(T) == 8 ? 0x1p-1074 : sizeof(T) == 4 ? 0x1p-149 : std::is_same_v<T, tx::half> ? 0x1p-24 : 0x1p-133;
    check_bounds<T>(0, least);
    check_bounds<T>(-least, 0);
    double const normal = least / step; // the least number with all its digits
    check_bounds<T>(normal - least, normal);
    check_bounds<T>(2 * normal - least, 2 * normal);
    check_bounds<T>(4 * normal - 2 * least, 4 * normal);
    check_between(rnd::uniform<T>(shape<n>{}, 0, 1), 0, 1);
    auto const equal = uniform_numbers<T>{}(k, 3, 3); // there is none
    CHECK(tx::all(equal == number<T>(3)).item());
}
TEST_CASE_TEMPLATE("random: uniform numbers between bounds whose difference is out of the range", T, float, double, tx::bfloat16) {
    double const most = sizeof(T) == 8 ? 1.5 * 0x1p1023 : 1.5 * 0x1p127;
    check_bounds<T>(-most, most);
    auto const x = tx::cast<double>(uniform_numbers<T>{}(k, -most, most)) / most;
    check_moments(x, 0, 1 / 3., 1 / 5.);
}
TEST_CASE("random: bounds are rounded to the dtype first") {
    auto const x = rnd::stateless_uniform<tx::half>(k, shape<n>{}, 0.1, 0.2);
    check_between(x, static_cast<double>(static_cast<float>(tx::half(0.1f))), static_cast<double>(static_cast<float>(tx::half(0.2f))));
}
