// Steps that are calls compile to CUDA kernels, for elements of every kind.
#include <tracexpr/thrust/calls.hpp>

namespace {

struct given_call {
    std::byte* const* results;
    tx::table_view<tx::simd::call_operand> operands;
    tx::dims shape;
    tx::table_view<std::int64_t> attributes;
};
template <tx::op Code, class T, class Index = std::int64_t> void give(given_call const& c) {
    tx::detail::run_device_call<Code, T, Index>(tx::detail::device_queue::of(0), c.operands, c.results, c.shape, c.attributes);
}
template <class T, tx::op... Codes> void give_all(given_call const& c) {
    (give<Codes, T>(c), ...);
}

} // namespace

void give_calls(given_call const& c) {
    using enum tx::op;
    give_all<float, concatenate, pad, cumsum, cummax, argmax, matmul, view_add, index_add, scatter_add, take_along_axis, sort, argsort>(c);
    give_all<double, cumprod, argmin, matmul, cholesky, lu, eigh, qr, svd, solve, solve_triangular>(c);
    give_all<std::int32_t, cumsum, argmax, matmul, index_add>(c);
    give_all<tx::half, cumsum, matmul, scatter_add, sort>(c);
    give_all<std::complex<float>, cumprod, matmul, view_add>(c);
    give_all<tx::dual<double>, cummax, matmul, argmin, cholesky, argsort>(c);
    give_all<bool, matmul, take>(c);
    give_all<std::uint64_t, random_bits, random_permutation>(c);
    give<take, float, std::int32_t>(c);
    give<take, std::string>(c);
}
