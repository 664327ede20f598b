// This file tests runs that equal an earlier one, which CUDA records and launches as one: which plans can be recorded, and what
// they give.
#include <doctest/doctest.h>
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using vec = tx::tensor<float, tx::shape<tx::dyn>>;
using places = tx::tensor<int, tx::shape<tx::dyn>>;
template <class F, class... A> constexpr bool is_recordable = tx::detail::is_recordable<tx::detail::stages<tx::detail::compile_time_trace<F, A...>>>;

// The median distance from the mean, with running sums of what is sorted.
struct sorted_sums {
    constexpr auto operator()(auto x) const { return tx::cumsum(tx::sort(tx::abs(x - tx::mean(x)))); }
};
struct squared {
    constexpr auto operator()(auto x) const { return x * x; }
};
struct looked_up {
    constexpr auto operator()(auto x, auto at) const { return tx::cumsum(tx::take(x, at) * 2.0f); }
};
struct added {
    constexpr auto operator()(auto x, auto at) const { return tx::sort(tx::add_at(x, x, at)); }
};
struct solved {
    constexpr auto operator()(auto a) const { return tx::sort(tx::linalg::cholesky(a) * 2.0f); }
};
struct shown {
    constexpr auto operator()(auto x) const {
        tx::print("x {}", x);
        return tx::sort(x) + tx::cumsum(x);
    }
};

static_assert(is_recordable<sorted_sums, vec>);
static_assert(!is_recordable<squared, vec>); // one launch already
static_assert(!is_recordable<looked_up, vec, places> && !is_recordable<added, vec, places>); // the host looks at indices
static_assert(!is_recordable<solved, tx::tensor<float, tx::shape<4, 4>>>);
static_assert(!is_recordable<shown, vec>);

} // namespace

TEST_CASE("replay: the same call again and again, and with other elements at the same place") {
    constexpr tx::thrust_points gpu{};
    auto const f = tx::on(gpu, sorted_sums{});
    constexpr std::int64_t n = 1000;
    vec out = tx::to(gpu, vec(tx::zeros<float>(n)));
    for (int round = 0; round < 6; ++round) {
        vec x = tx::zeros<float>(n);
        for (std::int64_t i = 0; i < n; ++i) x.mutable_data()[i] = static_cast<float>((i * 37 + 11 * (round / 2)) % 1009) / 64;
        vec const there = tx::to(gpu, x);
        f.into(out, there);
        double mean = 0, sum = 0, far = 0;
        std::vector<double> wanted;
        for (std::int64_t i = 0; i < n; ++i) mean += double{x(i)} / n;
        for (std::int64_t i = 0; i < n; ++i) wanted.push_back(std::abs(double{x(i)} - mean));
        std::sort(wanted.begin(), wanted.end());
        for (std::int64_t i = 0; i < n; ++i) {
            sum += wanted[static_cast<std::size_t>(i)];
            far = std::max(far, std::abs(double{out(i)} - sum) / (1 + sum));
        }
        CHECK(far < 1e-4);
    }
}
