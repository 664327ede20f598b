// This file tests keys: static functions, traces made at run time, eager tensors, constants and captures must draw the same
// numbers.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>

#include <cstdint>
#include <set>

namespace rnd = tx::random;
using tx::shape;
using tx::tensor;
using words = tensor<std::uint32_t, shape<11>>;

namespace {

struct state {
    tensor<float, shape<11>> x;
    rnd::key next;
};
constexpr auto draws = [](auto key) { return rnd::stateless_bits<std::uint32_t>(key, shape<11>{}); };
rnd::key global{42};
constexpr rnd::key fixed{42};
constexpr auto halves = rnd::split(rnd::key{42});

std::uint64_t number(rnd::key const& k) { return k.number.item(); }

} // namespace

TEST_CASE("random: a key is an argument, a member, a result, a constant, a capture") {
    words const want = draws(rnd::key(42));
    CHECK(want(0) == tx::philox::element(42, 0, 0, 1));
    CHECK(want(10) == tx::philox::element(42, 0, 10, 1));
    tx::function const known{draws};
    static_assert(decltype(known)::is_static);
    CHECK(tx::equal(known(rnd::key(42)), want));
    CHECK(tx::equal(known(fixed), want));
    CHECK(tx::equal(tx::function{[](auto x) { return draws(rnd::key{42}) + x; }}(0u), want));
    CHECK(tx::equal(tx::function{[](auto x) { return draws(global) + x; }}(0u), want));
    rnd::key const held(42);
    CHECK(tx::equal(tx::function{[held](auto x) { return draws(held) + x; }}(0u), want));
    CHECK(tx::equal(tx::function{[k = tx::capture(held.number)](auto x) { return draws(k) + x; }}(0u), want));

    tx::function const step{[](state s) {
        auto const [now, next] = rnd::split(s.next);
        return state{s.x + tx::cast<float>(rnd::stateless_bits<std::uint32_t>(now, shape<11>{}) >> 28), next};
    }};
    static_assert(decltype(step)::is_static);
    state const after = step(step(state{tx::zeros<float>(shape<11>{}), rnd::key{42}}));
    CHECK(number(after.next) == number(rnd::split(halves[1])[1]));
    CHECK(tx::equal(after.x, tx::cast<float>(draws(halves[0]) >> 28) + tx::cast<float>(draws(rnd::split(halves[1])[0]) >> 28)));
}

TEST_CASE("random: in traces made at run time and of open shapes") {
    int const n = 3;
    tx::function const traced{[n](auto key, auto x) {
        auto const k = rnd::fold_in(key, n);
        return std::tuple(draws(k), rnd::stateless_bits<std::uint64_t>(k, shape<tx::dyn, 2>{}, tx::extent<0>(x), 2),
                          rnd::stateless_shuffle(k, x), rnd::stateless_permutation(k, tx::size(x)));
    }};
    static_assert(!decltype(traced)::is_static);
    tx::function const open{[](auto key, auto x) {
        auto const k = rnd::fold_in(key, 3);
        return std::tuple(draws(k), rnd::stateless_bits<std::uint64_t>(k, shape<tx::dyn, 2>{}, tx::extent<0>(x), 2),
                          rnd::stateless_shuffle(k, x), rnd::stateless_permutation(k, tx::size(x)));
    }};
    static_assert(decltype(open)::is_static);
    rnd::key const key(7), k = rnd::fold_in(key, 3);
    auto const check = [&](auto const& got) {
        CHECK(tx::equal(std::get<0>(got), draws(k)));
        CHECK(tx::equal(std::get<1>(got), rnd::stateless_bits<std::uint64_t>(k, shape<5, 2>{})));
        auto const order = rnd::stateless_permutation<5>(k);
        CHECK(tx::equal(std::get<2>(got), tx::take(tensor<float, shape<5>>{0, 10, 20, 30, 40}, order, tx::axis<0>)));
        CHECK(tx::equal(std::get<3>(got), order));
    };
    tensor<float, shape<tx::dyn>> const x{0, 10, 20, 30, 40};
    check(traced(key, x));
    check(open(key, x));
    check(traced(key, tensor<float>(x)));
    check(open(key, tensor<float>(x)));
    CHECK(rnd::stateless_bits<std::uint32_t>(key, shape<tx::dyn>{}, 0).size() == 0);
    CHECK(rnd::stateless_bits<std::uint32_t>(key, tx::any_shape{}, 2, 3).rank() == 2);
    CHECK(message_of([&] { (void)rnd::stateless_bits<std::uint32_t>(key, shape<tx::dyn>{}, -1); }) ==
          "tx: random: extents must not be negative, nor ask for more memory than can be addressed; given (-1,)");
}

TEST_CASE("random: keys that are split or folded differ") {
    static_assert(halves.size() == 2);
    rnd::key const key(42);
    CHECK(number(halves[0]) == number(rnd::split(key)[0]));
    CHECK(tx::equal(rnd::keys<3>(key), rnd::keys(key, 3)));
    CHECK(rnd::keys<3>(key)(1) == number(halves[1]));
    std::set<std::uint64_t> all;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        all.insert(seed);
        for (auto const& k : rnd::split<5>(rnd::key(seed))) all.insert(number(k));
        for (int n = -3; n < 4; ++n) all.insert(number(rnd::fold_in(rnd::key(seed), n)));
    }
    CHECK(all.size() == 100 * 13);
    tx::function const folded{[](auto k, auto step) { return rnd::fold_in(k, step); }};
    static_assert(decltype(folded)::is_static);
    CHECK(number(folded(key, 5)) == number(rnd::fold_in(key, 5)));
}

TEST_CASE("random: under vmap each key draws what it draws alone") {
    auto const of_one = [](auto k, auto x) {
        auto const [a, b] = rnd::split(k);
        return std::pair(rnd::stateless_bits<std::uint32_t>(a, shape<5>{}) + x, rnd::stateless_shuffle(b, x));
    };
    tensor<std::uint32_t, shape<3, 5>> const x = tx::reshape<3, 5>(tx::arange<std::uint32_t>(15));
    auto const keys = rnd::keys<3>(rnd::key(1));
    auto const [sums, shuffled] = tx::vmap(of_one)(keys, x);
    auto const traced = tx::function{tx::vmap(of_one)}(keys, x);
    for (int i = 0; i < 3; ++i) {
        auto const [sum, order] =
            of_one(rnd::key{keys(i)}, tensor<std::uint32_t, shape<5>>{x(i, 0), x(i, 1), x(i, 2), x(i, 3), x(i, 4)});
        for (int j = 0; j < 5; ++j) {
            CHECK(sums(i, j) == sum(j));
            CHECK(shuffled(i, j) == order(j));
            CHECK(traced.first(i, j) == sum(j));
        }
    }
    // One key for all, and extents that only the run knows.
    auto const shared = tx::vmap<tx::none, 0>([](auto k, auto row) {
        return row + rnd::stateless_bits<std::uint32_t>(k, shape<tx::dyn>{}, tx::extent<0>(row));
    })(rnd::key(1).number, tensor<std::uint32_t, shape<tx::dyn, tx::dyn>>(x));
    CHECK(shared(2, 4) == 14 + rnd::stateless_bits<std::uint32_t>(rnd::key(1), shape<5>{})(4));
}
