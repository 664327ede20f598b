// This file tests large constants that follow from a few numbers: zeros, ones, full, eye, arange, linspace, and masks made of
// them.
#include <run/large_constants.hpp>

namespace {

using tx::shape;
using tx::testing::check_large_constants;

template <std::int64_t N> constexpr auto filled = [] {
    return std::tuple(tx::zeros<float>(shape<N, N>{}), tx::ones<double>(shape<N, N>{}), tx::full<std::int8_t>(shape<N, N>{}, -3), tx::ones<bool>(shape<N, N>{}),
                      tx::eye<float>(shape<N, N>{}), tx::eye<int>(shape<N, 3>{}, -2), tx::eye<double>(N, N, 1), tx::full<float, shape<tx::dyn, N>>(-0.0f, N, N),
                      tx::full_like(tx::ones<float>(shape<N, N>{}), 2), tx::full<std::complex<float>>(shape<N, N>{}, std::complex<float>(1, -2)));
};
template <std::int64_t N> constexpr auto counted = [] {
    return std::tuple(tx::arange<float, N * N>(), tx::arange<double, N * N>(5, -0.5), tx::arange<std::uint8_t, N * N>(250, 3), tx::arange<int>(7, 7 + 5 * N * N, 5),
                      tx::arange<tx::half, N>(1, 2), tx::linspace<float, N * N>(-1, 3), tx::linspace<float>(0, 1, N * N));
};
template <std::int64_t N> constexpr auto masks = [] {
    auto const ones = tx::ones<float>(shape<N, N>{});
    auto const places = tx::arange<int, N>();
    return std::tuple(tx::tril(ones), tx::triu<2>(ones), tx::tril<-1>(tx::eye<float>(shape<N, N>{}) * 2.0f - ones), tx::one_hot(places, tx::depth<N>), tx::diag(places),
                      tx::expand_dims<1>(places) > tx::expand_dims<0>(places), tx::cast<float>(places % 3 == 0), tx::where(tx::tril(tx::ones<bool>(shape<N, N>{})), 0.0f, -__builtin_inff()));
};

} // namespace

TEST_CASE("large constants: filled") {
    check_large_constants(filled<4>);
    check_large_constants(filled<512>);
}
TEST_CASE("large constants: counted") { check_large_constants(counted<200>); }
TEST_CASE("large constants: masks") {
    check_large_constants(masks<4>);
    check_large_constants(masks<128>);
}
TEST_CASE("large constants: they take part in a loop, and no memory") {
    constexpr auto masked = [](auto x) { return x * tx::tril(tx::ones<float>(shape<1024, 1024>{})); };
    tx::function const f{masked};
    auto const c = f.concrete<tx::spec<float, shape<1024, 1024>>>();
    CHECK(c.trace().size() < 20);
    auto const x = tx::full<float>(shape<1024, 1024>{}, 3.0f);
    CHECK(tx::equal(f(x), tx::tril(x)));
}
