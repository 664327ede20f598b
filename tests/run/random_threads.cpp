// This file tests that any number of threads gives the same numbers, to the bit.
#include <run/on_checks.hpp>

namespace rnd = tx::random;
using tx::shape;

namespace {
constexpr std::int64_t n = 300007; // a run of bits is cut from 2^17 words on
} // namespace

TEST_CASE("random: threads share a run of bits") {
    auto const f = [](auto k) {
        return std::tuple(rnd::stateless_bits<std::uint32_t>(k, shape<n>{}),
                          rnd::stateless_bits<std::uint64_t>(k, shape<3, 70001>{}), rnd::stateless_normal<float>(k, shape<n>{}),
                          rnd::stateless_permutation<1001>(k));
    };
    tx::testing::check_on_threads(f, rnd::key(3));
    auto const [words, pairs, normal, order] = f(rnd::key(3));
    for (std::int64_t i = 0; i < n; i += 997) CHECK(words(i) == tx::philox::element(3, 0, static_cast<std::uint64_t>(i), 1));
}
TEST_CASE("random: and of traces made at run time") {
    int const kept = 2;
    tx::testing::check_on_threads(
        [kept](auto k) {
            return std::tuple(rnd::stateless_uniform<double>(rnd::fold_in(k, kept), shape<n>{}),
                              rnd::stateless_bits<std::uint32_t>(k, shape<n>{}));
        },
        rnd::key(4));
}
