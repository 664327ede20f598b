// This file tests tx::random::choice: which parts it chooses, and how often.
#include "distributions_checks.hpp"

#include <cstdint>

namespace {

namespace r = tx::random;
using tx::testing::check_probabilities;
constexpr tx::shape<20000> many{};
r::key const key{13u};
using vec = tx::tensor<double, tx::shape<5>>;
vec const weights{1, 0, 3, 2, 4};

} // namespace

TEST_CASE("choice: each element as often as any other") {
    check_probabilities(r::stateless_choice(key, 5, many), 0, {0.2, 0.2, 0.2, 0.2});
    check_probabilities(r::stateless_choice(key, vec{3, 4, 5, 6, 7}, many), 3, {0.2, 0.2, 0.2, 0.2});
}
TEST_CASE("choice: numbers of a range that no memory has room for") {
    constexpr std::int64_t n = std::int64_t{1} << 50;
    auto const x = r::stateless_choice(key, n, tx::shape<64>{});
    CHECK(tx::all(tx::logical_and(x >= 0, x < n)).item());
    CHECK(tx::max(x).item() > n / 2);
}
TEST_CASE("choice: by weights, of which 0 is never chosen") {
    auto const x = r::stateless_choice(key, 5, many, weights);
    check_probabilities(tx::where(x == 0, std::int64_t{1}, x), 1, {0.1, 0.3, 0.2});
    CHECK(!tx::any(x == 1).item());
    auto const single = r::stateless_choice(key, vec{0, 1, 2, 3, 4}, many, tx::cast<float>(weights));
    CHECK(!tx::any(single == 1.0).item());
}
TEST_CASE("choice: without replacement each element once") {
    auto const x = r::stateless_choice(key, 10, tx::shape<2, 5>{}, r::without_replacement);
    CHECK(tx::equal(tx::sort(tx::reshape<10>(x)), tx::arange<std::int64_t>(10)));
    double firsts[5]{}, seconds[5]{};
    for (std::uint64_t k = 0; k < 2000; ++k) {
        auto const two = r::stateless_choice(r::key{k}, 5, tx::shape<2>{}, r::without_replacement, weights);
        CHECK(two(0) != two(1));
        ++firsts[two(0)], ++seconds[two(1)];
    }
    CHECK(firsts[1] == 0);
    CHECK(seconds[1] == 0);
    CHECK(std::abs(firsts[4] / 2000 - 0.4) < 0.04);
    // P(second is 4) = sum over other firsts w of w / 10 * 4 / (10 - w)
    CHECK(std::abs(seconds[4] / 2000 - (0.1 * 4 / 9 + 0.3 * 4 / 7 + 0.2 * 4 / 8)) < 0.04);
}
TEST_CASE("choice: parts along an axis, and shapes") {
    tx::tensor<int, tx::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
    auto const rows = r::stateless_choice(key, x, tx::shape<7>{});
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(rows)>, tx::tensor<int, tx::shape<7, 3>>>);
    CHECK(tx::all(tx::slice(rows, tx::range<>, tx::at<1>) == tx::slice(rows, tx::range<>, tx::at<0>) + 1).item());
    auto const columns = r::stateless_choice(key, x, tx::shape<2, 2>{}, tx::axis<-1>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(columns)>, tx::tensor<int, tx::shape<2, 2, 2>>>);
    CHECK(tx::all(tx::slice(columns, tx::at<1>) == tx::slice(columns, tx::at<0>) + 3).item());
    auto const shuffled = r::stateless_choice(key, x, tx::shape<3>{}, r::without_replacement, tx::axis<1>);
    CHECK(tx::sum(shuffled).item() == 21);
    CHECK(r::stateless_choice(key, x, tx::shape<>{}).size() == 3);
}
TEST_CASE("choice: the same in a function, of open extents, and under vmap") {
    auto const f = [](auto k, auto x, auto w) { return r::stateless_choice(k, x, tx::shape<6>{}, w); };
    auto const number = key.number;
    vec const x{1, 2, 3, 4, 5};
    auto const want = f(number, x, weights);
    CHECK(tx::equal(tx::function{f}(number, x, weights), want));
    CHECK(tx::equal(tx::function{f}(number, tx::testing::with_open_extents(x), tx::testing::with_open_extents(weights)), want));
    auto const batch = tx::vmap(f)(tx::stack(tx::axis<0>, number, number + 1), tx::stack(tx::axis<0>, x, x), tx::stack(tx::axis<0>, weights, weights));
    CHECK(tx::equal(tx::slice(batch, tx::at<0>), want));
    CHECK(tx::equal(tx::slice(batch, tx::at<1>), f(number + 1, x, weights)));
}
TEST_CASE("choice: derivatives go to the parts that are chosen") {
    auto const slope = tx::grad([](auto x) { return tx::sum(r::stateless_choice(r::key{1u}, x, tx::shape<5>{}, r::without_replacement)); });
    CHECK(tx::equal(slope(weights), vec{1, 1, 1, 1, 1}));
}
