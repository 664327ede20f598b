#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: integers, bool, casts, known extents") { check_families<known_extents_executor>(exact_families{}); }
TEST_CASE("ops: views, structure, leaves, known extents") { check_families<known_extents_executor>(view_families{}); }
