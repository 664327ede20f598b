#include <op_families.hpp>

TEST_CASE("ops: traced at run time") { tx::testing::check_families<tx::testing::run_time_executor>(tx::testing::all_families{}); }
TEST_CASE("ops: eager, on tensors of open rank") { tx::testing::check_families<tx::testing::open_rank_executor>(tx::testing::view_families{}); }
