// This file stands in for the part of cuBLAS that tracexpr calls: it works on this machine's memory, by CBLAS and LAPACK. Names,
// numbers and the order of parameters are those of NVIDIA's header; wrong arguments are refused as there.
#pragma once

#include <tracexpr/blas/lapack.hpp>

#include <cstring>
#include <map>
#include <string>

enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_C_32F = 4, CUDA_C_64F = 5, CUDA_R_16BF = 14 };
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_NOT_SUPPORTED = 15 };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };
struct cublasContext {};
using cublasHandle_t = cublasContext*;

// For the tests: how often each routine has been called, and the number of the matrix that is to fail (-1: none).
namespace stand_in {
inline std::map<std::string, int> calls;
inline int fails = -1;

inline int outcome(int info, std::int64_t matrix) { return info == 0 && matrix == fails ? 1 : info; }
} // namespace stand_in

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    static cublasContext only;
    *handle = &only;
    return CUBLAS_STATUS_SUCCESS;
}
inline char const* cublasGetStatusString(cublasStatus_t) { return "of the stand-in"; }

namespace stand_in {
template <class T> cublasStatus_t getrf_batched(int n, T* const matrices[], int lda, int* pivots, int* info, int count) {
    ++calls["getrfBatched"];
    if (n < 0 || lda < std::max(n, 1) || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    for (int k = 0; k < count; ++k) {
        if constexpr (std::is_same_v<T, float>) tracexpr_sgetrf(&n, &n, matrices[k], &lda, pivots + std::ptrdiff_t{k} * n, info + k);
        else tracexpr_dgetrf(&n, &n, matrices[k], &lda, pivots + std::ptrdiff_t{k} * n, info + k);
        info[k] = outcome(info[k], k);
    }
    return CUBLAS_STATUS_SUCCESS;
}
inline CBLAS_TRANSPOSE form_of(cublasOperation_t form) { return form == CUBLAS_OP_T ? CblasTrans : CblasNoTrans; }
template <class T> cublasStatus_t gemm(cublasOperation_t form_a, cublasOperation_t form_b, std::int64_t m, std::int64_t n, std::int64_t k,
                                       void const* alpha, void const* a, std::int64_t lda, void const* b, std::int64_t ldb, void const* beta,
                                       void* c, std::int64_t ldc) {
    if (lda < std::max<std::int64_t>(form_a == CUBLAS_OP_N ? m : k, 1) || ldb < std::max<std::int64_t>(form_b == CUBLAS_OP_N ? k : n, 1) ||
        ldc < std::max<std::int64_t>(m, 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    T const scale = *static_cast<T const*>(alpha), keep = *static_cast<T const*>(beta);
    int const rows = static_cast<int>(m), columns = static_cast<int>(n), inner = static_cast<int>(k);
    if constexpr (std::is_same_v<T, float>)
        cblas_sgemm(CblasColMajor, form_of(form_a), form_of(form_b), rows, columns, inner, scale, static_cast<T const*>(a),
                    static_cast<int>(lda), static_cast<T const*>(b), static_cast<int>(ldb), keep, static_cast<T*>(c), static_cast<int>(ldc));
    else
        cblas_dgemm(CblasColMajor, form_of(form_a), form_of(form_b), rows, columns, inner, scale, static_cast<T const*>(a),
                    static_cast<int>(lda), static_cast<T const*>(b), static_cast<int>(ldb), keep, static_cast<T*>(c), static_cast<int>(ldc));
    return CUBLAS_STATUS_SUCCESS;
}
// Calls call(T{}) with the type that the enumerator names.
template <class Status, class Call> Status with_type(cudaDataType_t type, Status unknown, Call const& call) {
    if (type == CUDA_R_32F) return call(float{});
    if (type == CUDA_R_64F) return call(double{});
    return unknown;
}
template <class T> cublasStatus_t trsm(cublasSideMode_t side, cublasFillMode_t part, cublasOperation_t form, cublasDiagType_t diagonal,
                                       std::int64_t m, std::int64_t n, T const* alpha, T const* a, std::int64_t lda, T* b, std::int64_t ldb) {
    ++calls["trsm"];
    if (lda < std::max<std::int64_t>(side == CUBLAS_SIDE_LEFT ? m : n, 1) || ldb < std::max<std::int64_t>(m, 1)) return CUBLAS_STATUS_INVALID_VALUE;
    auto const of_side = side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
    auto const of_part = part == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
    auto const of_diagonal = diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
    int const rows = static_cast<int>(m), columns = static_cast<int>(n), pace = static_cast<int>(lda), pace_b = static_cast<int>(ldb);
    if constexpr (std::is_same_v<T, float>)
        cblas_strsm(CblasColMajor, of_side, of_part, form_of(form), of_diagonal, rows, columns, *alpha, a, pace, b, pace_b);
    else cblas_dtrsm(CblasColMajor, of_side, of_part, form_of(form), of_diagonal, rows, columns, *alpha, a, pace, b, pace_b);
    return CUBLAS_STATUS_SUCCESS;
}
} // namespace stand_in

inline cublasStatus_t cublasSgetrfBatched(cublasHandle_t, int n, float* const A[], int lda, int* P, int* info, int batchSize) {
    return stand_in::getrf_batched(n, A, lda, P, info, batchSize);
}
inline cublasStatus_t cublasDgetrfBatched(cublasHandle_t, int n, double* const A[], int lda, int* P, int* info, int batchSize) {
    return stand_in::getrf_batched(n, A, lda, P, info, batchSize);
}
inline cublasStatus_t cublasStrsm_64(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                                     std::int64_t m, std::int64_t n, float const* alpha, float const* A, std::int64_t lda, float* B,
                                     std::int64_t ldb) {
    return stand_in::trsm(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb);
}
inline cublasStatus_t cublasDtrsm_64(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                                     std::int64_t m, std::int64_t n, double const* alpha, double const* A, std::int64_t lda, double* B,
                                     std::int64_t ldb) {
    return stand_in::trsm(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb);
}
inline cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, std::int64_t m,
                                                    std::int64_t n, std::int64_t k, void const* alpha, void const* A, cudaDataType_t Atype,
                                                    std::int64_t lda, long long strideA, void const* B, cudaDataType_t, std::int64_t ldb,
                                                    long long strideB, void const* beta, void* C, cudaDataType_t, std::int64_t ldc,
                                                    long long strideC, std::int64_t batchCount, cublasComputeType_t, cublasGemmAlgo_t) {
    ++stand_in::calls["gemmStridedBatched"];
    return stand_in::with_type(Atype, CUBLAS_STATUS_NOT_SUPPORTED, [&](auto number) {
        using T = decltype(number);
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        for (std::int64_t i = 0; i < batchCount && status == CUBLAS_STATUS_SUCCESS; ++i)
            status = stand_in::gemm<T>(transa, transb, m, n, k, alpha, static_cast<T const*>(A) + i * strideA, lda,
                                       static_cast<T const*>(B) + i * strideB, ldb, beta, static_cast<T*>(C) + i * strideC, ldc);
        return status;
    });
}
inline cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, std::int64_t m, std::int64_t n,
                                             std::int64_t k, void const* alpha, void const* const Aarray[], cudaDataType_t Atype,
                                             std::int64_t lda, void const* const Barray[], cudaDataType_t, std::int64_t ldb, void const* beta,
                                             void* const Carray[], cudaDataType_t, std::int64_t ldc, std::int64_t batchCount,
                                             cublasComputeType_t, cublasGemmAlgo_t) {
    ++stand_in::calls["gemmBatched"];
    return stand_in::with_type(Atype, CUBLAS_STATUS_NOT_SUPPORTED, [&](auto number) {
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        for (std::int64_t i = 0; i < batchCount && status == CUBLAS_STATUS_SUCCESS; ++i)
            status = stand_in::gemm<decltype(number)>(transa, transb, m, n, k, alpha, Aarray[i], lda, Barray[i], ldb, beta, Carray[i], ldc);
        return status;
    });
}
