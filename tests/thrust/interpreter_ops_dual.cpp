#include <thrust/interpreter_ops.hpp>

using namespace tx::testing;

namespace {
constexpr std::uint32_t types = tx::detail::interpreted_dtypes<tx::dual<float>, tx::dual<tx::dual<double>>>();
}

TEST_CASE("interpreter: sets of dtypes hold what their numbers are made of") {
    CHECK(tx::detail::has_dtype(types, tx::dtype::dual_float64));
    CHECK(tx::detail::has_dtype(types, tx::dtype::float64));
    CHECK(tx::detail::has_dtype(tx::detail::interpreted_dtypes<std::complex<double>>(), tx::dtype::float64));
    CHECK(tx::detail::cell_bytes(tx::detail::interpreted_dtypes<float>()) == 8);
    CHECK(tx::detail::cell_bytes(tx::detail::interpreted_dtypes<std::complex<double>>()) == 16);
    CHECK(tx::detail::cell_bytes(types) == 32);
}
TEST_CASE("interpreter: pointwise ops of dual numbers") { check_pointwise<types>(); }
TEST_CASE("interpreter: casts of dual numbers") { check_casts<types>(); }
TEST_CASE("interpreter: reductions of dual numbers") { check_reductions<types>(); }
TEST_CASE("interpreter: indices and lookups of dual numbers") { check_places<types>(); }
