// This file tests the tape's derivatives of orders 1 and 2 against those of a traced function, for ops that are not pointwise.
#include <ad/array_functors.hpp>
#include <ad/tape_checks.hpp>

using namespace tx::testing;
using namespace tx::testing::arrays;

namespace {
using first = real_of_shape<2, 3, 4>;
using second = real_of_shape<3, 4>;
leaf_list const x{spread({{2, 3, 4}, 3}, 0.4, 1.6, 1), spread({{3, 4}, 2}, -1.5, -0.3, 2)};
} // namespace

TEST_CASE("tape and graph: reductions") { check_tape<reducing, first, second>(x); }
TEST_CASE("tape and graph: views, scans and products") { check_tape<moving, first, second>(x); }
TEST_CASE("tape and graph: joins, pads and lookups") { check_tape<joining, first, second>(x); }
