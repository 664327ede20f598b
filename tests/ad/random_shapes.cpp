// This file tests derivatives of orders 1 and 2 for random shapes that broadcast. Seeds are printed where a check fails;
// TRACEXPR_SEEDS=first:last tries others.
#include <ad/array_functors.hpp>
#include <ad/derivative_checks.hpp>

#include <cstdio>
#include <cstdlib>
#include <random>

using namespace tx::testing;
using namespace tx::testing::arrays;

namespace {

struct broadcasting {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(x * y, x / y, tx::pow(tx::abs(x), y), tx::maximum(x, y), tx::where(x < y, x * y, x), tx::fma(x, y, x), tx::hypot(x, y));
    }
};
constexpr std::int64_t n = tx::dyn;
using first = real_of_shape<n, n, n>;
using second = real_of_shape<n, n>;

// Two shapes that broadcast: any axis of either may be 1. Numbers keep away from 0, where some ops have no derivative.
leaf_list random_arguments(std::mt19937_64& bits) {
    auto const up_to = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + bits() % most); };
    tx::dims const whole{{up_to(3), up_to(3), up_to(4)}, 3};
    tx::dims x = whole, y{{whole[1], whole[2]}, 2};
    for (int axis = 0; axis < 3; ++axis) {
        auto const choice = bits() % 4;
        if (choice == 0) x[axis] = 1;
        if (choice == 1 && axis > 0) y[axis - 1] = 1;
    }
    leaf_list out;
    for (tx::dims const& shape : {x, y}) {
        std::vector<double> numbers = random_numbers(static_cast<std::size_t>(shape.size()), bits, 0.3, 1.7);
        for (double& v : numbers) v *= bits() % 2 ? 1 : -1;
        out.push_back(array_of<double>(shape, numbers));
    }
    return out;
}
template <class F> void check_random_shapes() {
    unsigned long from = 0, to = 12;
    if (char const* const text = std::getenv("TRACEXPR_SEEDS")) std::sscanf(text, "%lu:%lu", &from, &to);
    for (unsigned long seed = from; seed < to; ++seed) {
        std::mt19937_64 bits(seed);
        leaf_list const x = random_arguments(bits);
        INFO("seed ", seed, ", shapes ", tx::to_string(x[0].shape), " ", tx::to_string(x[1].shape));
        check_derivatives<F, first, second>(x);
    }
}

} // namespace

TEST_CASE("derivatives of random shapes: operands that broadcast") { check_random_shapes<broadcasting>(); }
TEST_CASE("derivatives of random shapes: reductions") { check_random_shapes<reducing>(); }
TEST_CASE("derivatives of random shapes: views, scans and products") { check_random_shapes<moving>(); }
