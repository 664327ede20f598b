#include <thrust/interpreter_ops.hpp>

using namespace tx::testing;

namespace {
constexpr std::uint32_t types = tx::detail::interpreted_dtypes<std::complex<float>, std::complex<double>>();
}

TEST_CASE("interpreter: pointwise ops of complex numbers") { check_pointwise<types>(); }
TEST_CASE("interpreter: casts of complex numbers") { check_casts<types>(); }
TEST_CASE("interpreter: reductions of complex numbers") { check_reductions<types>(); }
TEST_CASE("interpreter: indices and lookups of complex numbers") { check_places<types>(); }
