#include <thrust/interpreter_ops.hpp>

using namespace tx::testing;

namespace {
constexpr std::uint32_t types = tx::detail::interpreted_dtypes<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
}

TEST_CASE("interpreter: pointwise ops of integers") { check_pointwise<types>(); }
TEST_CASE("interpreter: casts of integers") { check_casts<types>(); }
TEST_CASE("interpreter: reductions of integers") { check_reductions<types>(); }
TEST_CASE("interpreter: indices and lookups of integers") { check_places<types>(); }
