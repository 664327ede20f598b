// Compares the graph's derivatives, of orders 1 and 2, with those of dual numbers, an independent implementation, on the same
// generic code.
#include <ad/derivative_checks.hpp>
#include <tracexpr/base/dual.hpp>

using namespace tx::testing;

namespace {

struct anywhere {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(-x, x + x, x * x - x, 2.0 / x, fabs_of(x), cbrt(x), exp(x), exp2(x), expm1(x), sin(x), cos(x), tan(x), atan(x), sinh(x), cosh(x), tanh(x), asinh(x), erf(x), erfc(x),
                          lgamma(x), pow(x, 3), pow(x, -2), pow(2.0, x), atan2(x, x * x), hypot(x, x * x), fmod(x * x, x * 0.7), copysign(x, x - 1.0), fma(x, x, x), floor(x) * x,
                          ceil(x) + x, trunc(x) * x);
    }
    template <class X> static constexpr auto fabs_of(X const& x) { return abs(x); }
};
struct positive {
    template <class X> constexpr auto operator()(X const& x) const { return std::tuple(sqrt(x), log(x), log2(x), log10(x), log1p(x), acosh(x + 1.0), pow(x, x), lgamma(x * x)); }
};
struct inside_one {
    template <class X> constexpr auto operator()(X const& x) const { return std::tuple(asin(x), acos(x), atanh(x), asin(x * acos(x) * 0.3)); }
};

using number = tx::dual<double>;
using twice = tx::dual<number>;
using points = tx::tensor<double, tx::shape<5>>;

template <class F> void check_against_duals(std::vector<double> const& at) {
    leaf_list const x{array_of<double>({{5}, 1}, at)}, one{array_of<double>({{5}, 1}, std::vector<double>(5, 1))}, none{array_of<double>({{5}, 1}, std::vector<double>(5, 0))};
    using pushforward = pushforward_of<F>;
    leaf_list const y = traced_program<F, points>()(x), first = traced_program<pushforward, points, points>()({x[0], one[0]});
    leaf_list const second = traced_program<pushforward_of<pushforward>, points, points, points, points>()({x[0], one[0], one[0], none[0]});
    std::size_t const count = y.size();
    for (std::size_t i = 0; i < 5; ++i) {
        CAPTURE(at[i]);
        std::size_t k = 0;
        auto const compare = [&](twice const& d) {
            CAPTURE(k);
            auto const near = [](double a, double b) { return std::abs(a - b) <= 1e-13 * (1 + std::abs(b)); };
            CHECK(near(y[k].data<double>()[i], d.value.value));
            CHECK(near(first[count + k].data<double>()[i], d.tangent.value));
            CHECK(near(second[3 * count + k].data<double>()[i], d.tangent.tangent));
            ++k;
        };
        std::apply([&](auto const&... d) { (compare(d), ...); }, F{}(twice{{at[i], 1}, {1, 0}}));
    }
}

} // namespace

TEST_CASE("derivatives: the graph's and dual numbers'") {
    check_against_duals<anywhere>({0.7, -1.45, 1.3, -0.5, 2.6});
    check_against_duals<positive>({0.7, 1.4, 2.6, 9, 0.01});
    check_against_duals<inside_one>({0.7, 0.1, -0.3, -0.75, 0.5});
}
