#include <thrust/interpreter_ops.hpp>

using namespace tx::testing;

namespace {
constexpr std::uint32_t types = tx::detail::interpreted_dtypes<tx::half, tx::bfloat16, float, double>();
}

TEST_CASE("interpreter: pointwise ops of floating numbers") { check_pointwise<types>(); }
TEST_CASE("interpreter: casts of floating numbers") { check_casts<types>(); }
TEST_CASE("interpreter: reductions of floating numbers") { check_reductions<types>(); }
TEST_CASE("interpreter: indices and lookups of floating numbers") { check_places<types>(); }
