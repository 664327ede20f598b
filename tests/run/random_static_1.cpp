#include <random_static.hpp>

TEST_CASE("static executor: random graphs, part 1") {
    tx::testing::check_seeds<TRACEXPR_FIRST_SEED + 12>(std::make_integer_sequence<std::uint64_t, 12>{});
}
