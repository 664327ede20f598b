// This file tests the calls of cuBLAS that a GPU makes, as calls_cusolver.cpp does for cuSOLVER.
#define TRACEXPR_USE_CUBLAS 1
#define TRACEXPR_LIBRARIES_ON_HOST
#include <tracexpr/blas/lapack.hpp>
#include <tracexpr/thrust/calls.hpp>

#include <thrust/lapack_cusolver/checks.hpp>

using namespace tx;
using namespace tx::testing;

TEST_CASE("cuBLAS: products of any layout, as on the CPU") {
    stand_in::calls.clear();
    held_operand const a = some_operand<float>({{2, 3, 4, 5}, 4}, 1), b = some_operand<float>({{2, 3, 5, 6}, 4}, 2);
    dims const extents{{2, 3, 4, 6}, 4};
    check_call<op::matmul, float>({a, b}, extents, {});
    check_call<op::matmul, float>({permuted(some_operand<float>({{2, 3, 5, 4}, 4}, 1), {0, 1, 3, 2}), b}, extents, {});
    check_call<op::matmul, float>({a, permuted(some_operand<float>({{6, 2, 3, 5}, 4}, 1), {1, 2, 3, 0})}, extents, {});
    check_call<op::matmul, float>({permuted(some_operand<float>({{3, 2, 4, 5}, 4}, 1), {1, 0, 2, 3}), b}, extents, {});
    check_call<op::matmul, double>({reversed(some_operand<double>({{4, 5}, 2}, 1), 1, 8), some_operand<double>({{5, 1}, 2}, 1)}, {{4, 1}, 2}, {});
    CHECK(calls_of("gemmStridedBatched") == 4);
    CHECK(calls_of("gemmBatched") == 1);
}
TEST_CASE("cuBLAS: large triangular systems, as on the CPU") {
    stand_in::calls.clear();
    dims const square{{2, 300, 300}, 3}, right{{2, 300, 2}, 3};
    held_operand a = matrices<double>(square, 3, spread_kind::symmetric);
    for (std::int64_t i = 0; i < square.size(); ++i)
        if (i / 300 % 300 != i % 300) number_at<double>(a, i) /= 100; // so that solutions stay small also where the diagonal counts as 1
    held_operand const b = as_operand<double>(right, random_matrices(right, 4));
    for (std::int64_t flags = 0; flags < 8; ++flags)
        check_on_device<op::solve_triangular, double>({a, b}, right, {flags & 1, flags >> 1 & 1, flags >> 2}, 1e-11);
    CHECK(calls_of("trsm") == 16);
    held_operand const places = made_operand<std::int64_t>({{2, 300}, 2}, [](std::int64_t i) { return (i * 7 + 2) % 300; });
    for (std::int64_t transposed : {0, 1}) check_on_device<op::solve, double>({a, b, a, places}, right, {transposed}, 1e-11);
    CHECK(calls_of("trsm") == 8);
}
