// This file tests loops that reduce, on Thrust's host system: pieces, columns, several reductions at once, accuracy.
#include <thrust/loops.hpp>

using namespace tx::testing;

namespace {
struct totals {
    constexpr auto operator()(auto x, auto y) const { return std::tuple(tx::sum(x * y), tx::max(x), tx::min(y), tx::sum(x)); }
};
struct of_axes {
    constexpr auto operator()(auto x) const { return std::tuple(tx::sum(x, tx::axis<0>), tx::max(x, tx::axis<0>), tx::sum(x, tx::axis<1>), tx::sum(tx::square(x))); }
};
struct between {
    constexpr auto operator()(auto x) const { return std::tuple(tx::sum(x, tx::axis<0, 2>), tx::max(x, tx::axis<1>), tx::sum(x, tx::axis<0, 1>)); }
};
struct total {
    constexpr auto operator()(auto x) const { return tx::sum(x); }
};
} // namespace

TEST_CASE("thrust loops: several reductions of all elements") {
    for (int n : {1, 2, 3, 7, 31, 1000, 4096, 70001}) check_loops<totals, open_row<>, open_row<>>({array_of<float>(n), array_of<float>(n)});
}
TEST_CASE("thrust loops: rows and columns") {
    for (auto [m, n] : {std::pair(1, 1), {33, 17}, {1000, 3}, {3, 1000}, {20000, 2}, {2, 20000}, {64, 64}, {100, 1}, {3000, 516}, {700, 33}})
        check_loops<of_axes, open_matrix<>>({array_of<float>(m, n)});
    check_loops<of_axes, floats<33, 16>>({array_of<float>(33, 16)});
}
TEST_CASE("thrust loops: reductions over axes on both sides") {
    using open = tx::tensor<float, tx::shape<tx::dyn, tx::dyn, tx::dyn>>;
    for (auto [l, m, n] : {std::tuple(3, 5, 8), {2, 1, 3}, {1, 4, 1}, {7, 9, 16}}) check_loops<between, open>({array_of<float>(l, m, n)});
}
TEST_CASE("thrust loops: a sum of nothing") { check_loops<total, open_row<>>({array_of<float>(0)}); }

TEST_CASE("thrust loops: the rounding error of ten million terms") {
    std::vector<float> x(10'000'000);
    double wanted = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>((i * 2654435761u) % 1000) * 1e-3f;
        wanted += static_cast<double>(x[i]);
    }
    auto const run = [&] {
        auto const results = run_on_thrust<tx::detail::compile_time_trace<total, open_row<>>>({{x.data(), tx::dtype::float32, extents(x.size())}});
        float out = 0;
        std::memcpy(&out, results[0].bytes.data(), sizeof out);
        return out;
    };
    float const first = run(), second = run();
    CHECK(std::abs(static_cast<double>(first) - wanted) / wanted < 1e-6);
    CHECK(first == second);
}
