// This file tests Philox against the known answers that Random123 publishes (kat_vectors), and the numbers that are made of its
// blocks.
#include <tracexpr/base/philox.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace philox = tx::philox;

namespace {
// A counter is the number of a block, 0 and a stream: philox4x32-10 of the counter {1, 2, 0, 3}.
constexpr philox::block numbered = philox::encrypted({1, 2, 0, 3}, 99);
} // namespace

TEST_CASE("philox: known answers") {
    static_assert(philox::encrypted({0, 0, 0, 0}, 0) == philox::block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox::encrypted({0, 0, 0, 0}, 0) == philox::block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox::encrypted({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff) ==
          philox::block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox::encrypted({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
          philox::block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: elements are words of blocks, in order") {
    CHECK(philox::block_of(99, 3, (std::uint64_t{2} << 32) + 1) == numbered);
    std::uint64_t const block = (std::uint64_t{2} << 32) + 1;
    for (std::size_t k = 0; k < 4; ++k) CHECK(philox::element(99, 3, block * 4 + k, 1) == numbered[k]);
    for (std::size_t k = 0; k < 2; ++k)
        CHECK(philox::element(99, 3, block * 2 + k, 2) == (numbered[2 * k] | std::uint64_t{numbered[2 * k + 1]} << 32));
}

TEST_CASE("philox: permutations have every place once, and every order comes as often") {
    for (std::int64_t n : {0, 1, 2, 7, 64, 65, 1000}) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
        philox::permute(5, 0, n, order.data());
        std::set<std::int64_t> const places(order.begin(), order.end());
        CHECK(places.size() == order.size());
        if (n > 0) CHECK((*places.begin() == 0 && *places.rbegin() == n - 1));
    }
    int counts[24]{};
    std::int64_t order[4];
    constexpr int draws = 24000;
    for (std::uint64_t key = 0; key < draws; ++key) {
        philox::permute(key, 0, 4, order);
        int number = 0; // in the factorial base
        for (int i = 0; i < 4; ++i) {
            int behind = 0;
            for (int j = i + 1; j < 4; ++j) behind += order[j] < order[i];
            number = number * (4 - i) + behind;
        }
        ++counts[number];
    }
    double chi = 0;
    for (int const c : counts) chi += (c - draws / 24.0) * (c - draws / 24.0) / (draws / 24.0);
    CHECK(chi < 49.7); // 23 degrees of freedom, 1 in 1000
}
