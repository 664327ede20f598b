#include <thrust/calls_helper.hpp>

using namespace tx;
using namespace tx::testing;

namespace {
held_operand const one_key = some_operand<std::uint64_t>(dims{}, 5, 1000);
held_operand const keys = some_operand<std::uint64_t>({{2, 3}, 2}, 6, 1000);
} // namespace

TEST_CASE("device calls: random numbers are the CPU's") {
    for (std::int64_t stream : {std::int64_t{0}, std::int64_t{7}, std::int64_t{0xffffffff}})
        for (std::int64_t count : {0, 1, 2, 3, 4, 5, 63, 64, 1001})
            for (std::int64_t words : {1, 2}) {
                check_call<op::random_bits, std::uint64_t>({one_key}, {{count}, 1}, {stream, words});
                check_call<op::random_bits, std::uint64_t>({keys}, {{2, 3, count}, 3}, {stream, words});
            }
}
TEST_CASE("device calls: random permutations are the CPU's, drawn there or on the device") {
    for (std::int64_t n : {0, 1, 2, 3, 17, 1000}) {
        check_call<op::random_permutation, std::uint64_t>({one_key}, {{n}, 1}, {3, 2});
        check_call<op::random_permutation, std::uint64_t>({keys}, {{2, 3, n}, 3}, {3, 2});
        std::vector<std::int64_t> wanted(static_cast<std::size_t>(6 * n)), got = wanted;
        auto const* const key = reinterpret_cast<std::uint64_t const*>(keys.bytes.data());
        for (std::int64_t k = 0; k < 6; ++k) philox::permute(key[k], 3, n, wanted.data() + k * n);
        calls::permute_on_host(queue(), key, 6, 3, n, got.data());
        CHECK(got == wanted);
    }
}
