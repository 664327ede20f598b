// This file tests ops on large constants alone: totals and products, and single elements of them.
#include <run/large_constants.hpp>

namespace {

using tx::shape;
using tx::testing::check_large_constants;

// Sums of whole numbers, which no order of adding changes.
template <std::int64_t N> constexpr auto totals = [] {
    auto const a = tx::reshape(tx::arange<std::int64_t, N * N>(), shape<N, N>{});
    auto const ones = tx::ones<double>(shape<N, N>{});
    return std::tuple(tx::sum(a), tx::sum(tx::arange<double, N * N>()), tx::mean(ones), tx::max(a, tx::axis<0>), tx::argmin(a, tx::axis<1>), tx::cumsum(a, tx::axis<1>),
                      tx::matmul(ones, tx::eye<double>(shape<N, N>{})), tx::any(a > 5), tx::sum(ones, tx::axis<1>) + tx::cast<double>(tx::sum(a)));
};

struct layer {
    tx::tensor<float, shape<32, 32>> weights = tx::eye<float>(shape<32, 32>{}) * 2.0f;
    tx::tensor<float, shape<>> scale = tx::sum(tx::arange<float, 2000>());
    constexpr auto operator()(auto x) const { return tx::matmul(weights, x) * scale; }
};

} // namespace

TEST_CASE("large constants: totals") {
    check_large_constants(totals<4>);
    check_large_constants(totals<128>);
}
TEST_CASE("large constants: of several traces, and some of no use") {
    constexpr auto f = [](auto x) {
        auto const total = tx::sum(tx::arange<float, 3000>());
        auto const mean = tx::mean(tx::ones<float>(shape<64, 64>{}) * 3.0f);
        auto const product = total * mean, again = mean * total;
        auto const parts = tx::unstack(tx::sum(tx::ones<float>(shape<3, 40, 40>{}), tx::axis<1, 2>));
        auto const idle = tx::tril(tx::ones<float>(shape<100, 100>{}));
        static_cast<void>(idle);
        return x * product - again + parts[1] + mean;
    };
    CHECK(tx::detail::statically_traceable<decltype(f), tx::tensor<float, shape<>>>);
    CHECK(tx::function{f}(tx::tensor<float, shape<>>(2)).item() == 3 * 4498500.0f + 1603);
}
TEST_CASE("large constants: functions of <cmath>, infinities and NaN are left to the run") {
    constexpr auto f = [](auto x) { return x + tx::exp(tx::ones<float>(shape<2>{})) + tx::sqrt(tx::arange<float, 2>()) + tx::cumsum(tx::arange<float, 2>() / 0.0f); };
    CHECK(tx::detail::statically_traceable<decltype(f), tx::tensor<float, shape<2>>>);
    auto const got = tx::function{f}(tx::zeros<float>(shape<2>{}));
    CHECK(std::isnan(got(0)));
    CHECK(std::isnan(got(1)));
}
TEST_CASE("large constants: numbers of them decide what is traced") {
    constexpr auto f = [](auto x) {
        auto const steps = tx::arange<float, 100000>();
        auto weights = tx::full<float, shape<tx::dyn>>(0.5f, 100);
        weights.mutable_data()[1] = 2;
        tx::tensor<float, shape<100>> const fixed{weights};
        return steps(-1) == 99999 && steps.size() == 100000 && fixed(1) == 2 ? x * weights : x;
    };
    using vec = tx::tensor<float, shape<100>>;
    CHECK(tx::detail::statically_traceable<decltype(f), vec>);
    CHECK(tx::function{f}(vec{tx::ones<float>(shape<100>{})})(1) == 2);
}
TEST_CASE("large constants: what fits a constexpr variable is computed") {
    constexpr auto total = tx::sum(tx::arange<int, 300>());
    static_assert(total.item() == 44850);
    static_assert(tx::arange<float>(0, 1000)(999) == 999);
    static_assert(tx::equal(tx::ones<int>(shape<200>{}) * 2, tx::full<int>(shape<200>{}, 2)));
}
TEST_CASE("large constants: the members of a callable may be made of them") {
    using vec = tx::tensor<float, shape<32>>;
    CHECK(tx::detail::statically_traceable<layer, vec>);
    CHECK(tx::function{layer{}}(tx::ones<float>(shape<32>{}))(31) == 2 * 1999000.0f);
}
