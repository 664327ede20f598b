// This file tests results while they are made: members whose initialisers call functions, and allocations that fail.
#include <failing_memory.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;
using open = tensor<double, shape<dyn>>;

namespace {

open ones(std::int64_t n) { return tx::ones<double, shape<dyn>>(n); }

bool calls_others = false;
open call_others();
struct outcome {
    open scaled = call_others();
    open more{};
};
constexpr auto in_struct = [](auto x) { return outcome{tx::exp(x) * 2, x + 1}; };
// Calls the function for more extents than a thread keeps plans of.
open call_others() {
    if (std::exchange(calls_others, false)) {
        tx::function const f{in_struct};
        for (std::int64_t n = 1; n < 20; ++n) CHECK(f(ones(n)).more(n - 1) == 2);
    }
    return {};
}

open weights;
open assign_weights();
struct weighted {
    open product = assign_weights();
    open total{};
};
constexpr auto with_weights = [](auto x) {
    return weighted{tx::sum(tx::expand_dims(x, tx::axis<1>) * weights, tx::axis<1>), x + 1};
};
open assign_weights() {
    weights = ones(weights.size() + 5);
    return {};
}

} // namespace

TEST_CASE("results made: a member's initialiser calls the same function") {
    tx::function const f{in_struct};
    static_assert(decltype(f)::is_static);
    calls_others = true;
    outcome const out = f(ones(100));
    CHECK(!calls_others);
    CHECK(out.scaled.extent(0) == 100);
    CHECK(out.more(99) == 2);
}

TEST_CASE("results made: a member's initialiser assigns to what the callable captures") {
    tx::function const f{with_weights};
    static_assert(decltype(f)::is_static);
    for (int k = 1; k < 4; ++k) {
        weighted const out = f(ones(3));
        CHECK(out.product(2) == static_cast<double>(weights.size()));
        CHECK(out.total(0) == 2);
    }
}

TEST_CASE("results made: into that lacks memory changes no result") {
    tx::function const f{[](auto x) { return std::pair{tx::exp(x) * 0 + 2, std::pair{x * 3, tx::sum(x)}}; }};
    auto out = f(ones(100));
    open const x = ones(300);
    auto const expected = f(x); // with a plan that is known no other allocations than those of results can fail
    auto const check = [&](bool failed) {
        std::int64_t const n = failed ? 100 : 300;
        REQUIRE(tx::equal(out.first, expected.first(0) * ones(n)));
        REQUIRE(tx::equal(out.second.first, expected.second.first(0) * ones(n)));
        REQUIRE(out.second.second.item() == static_cast<double>(n));
    };
    CHECK(tx::testing::fail_everywhere([&] { f.into(out, x); }, check) >= 2);
}
