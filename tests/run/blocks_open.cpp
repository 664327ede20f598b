// This file tests blocks with extents that only a run knows, which then chooses the size of a block.
#include <run/blocks_checks.hpp>

using namespace tx::testing;

namespace {

constexpr auto nearness = [](auto x, auto y) {
    auto const d = tx::square(tx::expand_dims<1>(x) - tx::expand_dims<0>(y));
    auto const k = tx::exp(-d);
    return std::tuple(tx::sum(k, tx::axis<0>), tx::sum(k, tx::axis<1>), tx::matmul(k, tx::expand_dims<1>(y)), tx::sum(k * d));
};
auto points(std::int64_t n, int seed) {
    auto out = tx::tensor<float, tx::shape<tx::dyn>>::uninitialized(tx::dims{{n}, 1});
    for (std::int64_t i = 0; i < n; ++i) out.mutable_data()[i] = static_cast<float>((i * 7919 + seed) % 1009) / 500 - 1;
    return out;
}
template <class F, class... X> void check_open(F const& f, tx::function<F> const& function, X const&... x) {
    auto const want = f(tx::cast<double>(x)...);
    check_near(function(x...), want, 2e-5);
    CHECK(bits_of(tx::on(tx::cpu{.threads = 3}, f)(x...)) == bits_of(function(x...)));
}

} // namespace

TEST_CASE("blocks: as many places as the run chooses") {
    tx::function const function{nearness};
    for (std::int64_t const n : {0, 1, 2, 15, 100, 701})
        for (std::int64_t const m : {0, 1, 3, 500}) {
            CAPTURE(n);
            CAPTURE(m);
            check_open(nearness, function, points(n, 1), points(m, 2));
        }
}
TEST_CASE("blocks: some extents known") {
    tx::function const function{forces};
    for (std::int64_t const n : {0, 1, 50, 523}) {
        auto x = tx::tensor<float, tx::shape<tx::dyn, 3>>::uninitialized(tx::dims{{n, 3}, 2});
        auto const flat = points(3 * n, 3);
        std::copy_n(flat.data(), 3 * n, x.mutable_data());
        check_open(forces, function, x, points(n, 4));
    }
}
