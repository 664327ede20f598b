#include <op_families.hpp>

TEST_CASE("kernels::tiles: ops that the compiler traced") {
    tx::testing::check_families<tx::testing::tiles_executor>(tx::testing::all_families{});
}
