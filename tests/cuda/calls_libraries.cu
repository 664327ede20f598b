// Compiles products by cuBLAS, for each type that it knows, and decompositions by cuSOLVER.
#define TRACEXPR_USE_CUBLAS
#define TRACEXPR_USE_CUSOLVER
#include <tracexpr/thrust/calls.hpp>

namespace {

template <class T, tx::op... Codes>
void give(std::byte* const* results, tx::table_view<tx::simd::call_operand> operands, tx::dims const& shape) {
    auto& queue = tx::detail::device_queue::of(0);
    (tx::detail::run_device_call<Codes, T, std::int64_t>(queue, operands, results, shape, {}), ...);
}

} // namespace

void give_calls(std::byte* const* results, tx::table_view<tx::simd::call_operand> operands, tx::dims const& shape) {
    using enum tx::op;
    give<float, matmul, cholesky, lu, eigh, qr, svd, solve, solve_triangular>(results, operands, shape);
    give<double, matmul, cholesky, lu, eigh, qr, svd, solve, solve_triangular>(results, operands, shape);
    give<tx::half, matmul>(results, operands, shape);
    give<tx::bfloat16, matmul>(results, operands, shape);
    give<std::complex<float>, matmul>(results, operands, shape);
    give<std::complex<double>, matmul>(results, operands, shape);
    give<std::int32_t, matmul>(results, operands, shape);
}
