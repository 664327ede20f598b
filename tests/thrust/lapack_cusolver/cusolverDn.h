// This file stands in for the part of cuSOLVER's dense routines that tracexpr calls: it works on this machine's memory, by
// LAPACK. Matrices are column-major. As in cuSOLVER, routines overwrite what they say they may, need as much memory as they have
// asked for, and take matrices of some forms only.
#pragma once

#include <cublas_v2.h>

#include <algorithm>
#include <limits>

#define CUSOLVER_VERSION 12004
enum cusolverStatus_t { CUSOLVER_STATUS_SUCCESS = 0, CUSOLVER_STATUS_INVALID_VALUE = 3, CUSOLVER_STATUS_NOT_SUPPORTED = 9 };
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };
struct cusolverDnContext {};
struct cusolverDnParams {};
using cusolverDnHandle_t = cusolverDnContext*;
using cusolverDnParams_t = cusolverDnParams*;

inline cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
    static cusolverDnContext only;
    *handle = &only;
    return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* parameters) {
    static cusolverDnParams only;
    *parameters = &only;
    return CUSOLVER_STATUS_SUCCESS;
}

namespace stand_in {

// Gives the memory that routines ask for: some on the device and some on the host, of a size that follows from the extents.
inline cusolverStatus_t ask(std::int64_t elements, std::size_t* on_device, std::size_t* on_host) {
    *on_device = static_cast<std::size_t>(elements) * sizeof(double) + 40;
    *on_host = 24;
    return CUSOLVER_STATUS_SUCCESS;
}
struct room {
    void* on_device;
    std::size_t device_bytes;
    void* on_host;
    std::size_t host_bytes;

    // Is there as much memory as was asked for? Then it is overwritten.
    bool is_enough(std::int64_t elements) const {
        std::size_t device_wanted = 0, host_wanted = 0;
        ask(elements, &device_wanted, &host_wanted);
        if (device_bytes < device_wanted || host_bytes < host_wanted) return false;
        std::memset(on_device, 0xFF, device_wanted);
        std::memset(on_host, 0xFF, host_wanted);
        return true;
    }
};
template <class T> std::vector<T> numbers(std::int64_t count) { return std::vector<T>(static_cast<std::size_t>(std::max<std::int64_t>(count, 1))); }

template <class T> int potrf(int n, T* a, int lda) {
    int info = 0;
    if constexpr (std::is_same_v<T, float>) tracexpr_spotrf("U", &n, a, &lda, &info, 1);
    else tracexpr_dpotrf("U", &n, a, &lda, &info, 1);
    return info;
}
// The part below the diagonal serves as memory.
template <class T> cusolverStatus_t potrf_batched(cublasFillMode_t part, int n, T* matrices[], int lda, int* info, int count) {
    ++calls["potrfBatched"];
    if (part != CUBLAS_FILL_MODE_UPPER) return CUSOLVER_STATUS_NOT_SUPPORTED;
    if (n < 0 || lda < std::max(n, 1) || count < 0) return CUSOLVER_STATUS_INVALID_VALUE;
    for (int k = 0; k < count; ++k) {
        info[k] = outcome(potrf(n, matrices[k], lda), k);
        for (std::ptrdiff_t j = 0; j < n; ++j) std::fill_n(matrices[k] + j * lda + j + 1, n - j - 1, std::numeric_limits<T>::quiet_NaN());
    }
    return CUSOLVER_STATUS_SUCCESS;
}
template <class T> int syevd(int n, T* a, int lda, T* values) {
    auto work = numbers<T>(1 + 6 * std::int64_t{n} + 2 * std::int64_t{n} * n);
    auto more = numbers<int>(3 + 5 * std::int64_t{n});
    int const size = static_cast<int>(work.size()), more_size = static_cast<int>(more.size());
    int info = 0;
    if constexpr (std::is_same_v<T, float>) tracexpr_ssyevd("V", "U", &n, a, &lda, values, work.data(), &size, more.data(), &more_size, &info, 1, 1);
    else tracexpr_dsyevd("V", "U", &n, a, &lda, values, work.data(), &size, more.data(), &more_size, &info, 1, 1);
    return info;
}
template <class T> int geqrf(int m, int n, T* a, int lda, T* factors) {
    auto work = numbers<T>(std::int64_t{n} * 32);
    int const size = static_cast<int>(work.size());
    int info = 0;
    if constexpr (std::is_same_v<T, float>) tracexpr_sgeqrf(&m, &n, a, &lda, factors, work.data(), &size, &info);
    else tracexpr_dgeqrf(&m, &n, a, &lda, factors, work.data(), &size, &info);
    return info;
}
inline int orgqr_size(int m, int n) { return 3 * n + m % 7; }
template <class T> cusolverStatus_t orgqr(int m, int n, int k, T* a, int lda, T const* factors, T* work, int size, int* info) {
    ++calls["orgqr"];
    if (m < n || n < k || lda < std::max(m, 1) || size < orgqr_size(m, n)) return CUSOLVER_STATUS_INVALID_VALUE;
    std::fill_n(work, size, std::numeric_limits<T>::quiet_NaN());
    if constexpr (std::is_same_v<T, float>) tracexpr_sorgqr(&m, &n, &k, a, &lda, factors, work, &size, info);
    else tracexpr_dorgqr(&m, &n, &k, a, &lda, factors, work, &size, info);
    return CUSOLVER_STATUS_SUCCESS;
}
template <class T> int gesvd(int m, int n, T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt) {
    auto work = numbers<T>(4 * std::int64_t{n} * n + 32 * (std::int64_t{m} + n));
    auto more = numbers<int>(8 * std::int64_t{n});
    int const size = static_cast<int>(work.size());
    int info = 0;
    if constexpr (std::is_same_v<T, float>) tracexpr_sgesdd("S", &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work.data(), &size, more.data(), &info, 1);
    else tracexpr_dgesdd("S", &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work.data(), &size, more.data(), &info, 1);
    for (std::ptrdiff_t j = 0; j < n; ++j) std::fill_n(a + j * lda, m, std::numeric_limits<T>::quiet_NaN());
    return info;
}

// Calls call(T{}) for the type that all of the enumerators name.
template <class Call> cusolverStatus_t with_types(std::initializer_list<cudaDataType_t> types, bool is_right, Call const& call) {
    if (!is_right || std::count(types.begin(), types.end(), *types.begin()) != static_cast<std::ptrdiff_t>(types.size()))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return with_type(*types.begin(), CUSOLVER_STATUS_NOT_SUPPORTED, [&](auto number) {
        call(number);
        return CUSOLVER_STATUS_SUCCESS;
    });
}
inline bool is_stride(std::int64_t stride, std::int64_t rows) { return rows >= 0 && stride >= std::max<std::int64_t>(rows, 1); }

} // namespace stand_in

inline cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, std::int64_t n, cudaDataType_t,
                                                    void const*, std::int64_t, cudaDataType_t, std::size_t* on_device, std::size_t* on_host) {
    return stand_in::ask(n, on_device, on_host);
}
inline cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t uplo, std::int64_t n, cudaDataType_t dataTypeA,
                                         void* A, std::int64_t lda, cudaDataType_t computeType, void* bufferOnDevice,
                                         std::size_t workspaceInBytesOnDevice, void* bufferOnHost, std::size_t workspaceInBytesOnHost, int* info) {
    ++stand_in::calls["Xpotrf"];
    bool const is_right = uplo == CUBLAS_FILL_MODE_UPPER && stand_in::is_stride(lda, n) &&
                          stand_in::room{bufferOnDevice, workspaceInBytesOnDevice, bufferOnHost, workspaceInBytesOnHost}.is_enough(n);
    return stand_in::with_types({dataTypeA, computeType}, is_right, [&](auto number) {
        *info = stand_in::outcome(stand_in::potrf(static_cast<int>(n), static_cast<decltype(number)*>(A), static_cast<int>(lda)), 0);
    });
}
inline cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t, cublasFillMode_t uplo, int n, float* Aarray[], int lda, int* infoArray,
                                                int batchSize) {
    return stand_in::potrf_batched(uplo, n, Aarray, lda, infoArray, batchSize);
}
inline cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t, cublasFillMode_t uplo, int n, double* Aarray[], int lda, int* infoArray,
                                                int batchSize) {
    return stand_in::potrf_batched(uplo, n, Aarray, lda, infoArray, batchSize);
}

inline cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, cudaDataType_t,
                                                    void const*, std::int64_t, cudaDataType_t, std::size_t* on_device, std::size_t* on_host) {
    return stand_in::ask(m + n, on_device, on_host);
}
inline cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, cudaDataType_t dataTypeA, void* A,
                                         std::int64_t lda, std::int64_t* ipiv, cudaDataType_t computeType, void* bufferOnDevice,
                                         std::size_t workspaceInBytesOnDevice, void* bufferOnHost, std::size_t workspaceInBytesOnHost, int* info) {
    ++stand_in::calls["Xgetrf"];
    bool const is_right = n >= 0 && stand_in::is_stride(lda, m) &&
                          stand_in::room{bufferOnDevice, workspaceInBytesOnDevice, bufferOnHost, workspaceInBytesOnHost}.is_enough(m + n);
    return stand_in::with_types({dataTypeA, computeType}, is_right, [&](auto number) {
        using T = decltype(number);
        auto pivots = stand_in::numbers<int>(std::min(m, n));
        int const rows = static_cast<int>(m), columns = static_cast<int>(n), stride = static_cast<int>(lda);
        if constexpr (std::is_same_v<T, float>) tracexpr_sgetrf(&rows, &columns, static_cast<T*>(A), &stride, pivots.data(), info);
        else tracexpr_dgetrf(&rows, &columns, static_cast<T*>(A), &stride, pivots.data(), info);
        std::copy_n(pivots.begin(), std::min(m, n), ipiv);
        *info = stand_in::outcome(*info, 0);
    });
}

inline cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t, std::int64_t n,
                                                    cudaDataType_t, void const*, std::int64_t, cudaDataType_t, void const*, cudaDataType_t,
                                                    std::size_t* on_device, std::size_t* on_host) {
    return stand_in::ask(2 * n, on_device, on_host);
}
inline cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t jobz, cublasFillMode_t uplo, std::int64_t n,
                                         cudaDataType_t dataTypeA, void* A, std::int64_t lda, cudaDataType_t dataTypeW, void* W,
                                         cudaDataType_t computeType, void* bufferOnDevice, std::size_t workspaceInBytesOnDevice, void* bufferOnHost,
                                         std::size_t workspaceInBytesOnHost, int* info) {
    ++stand_in::calls["Xsyevd"];
    bool const is_right = jobz == CUSOLVER_EIG_MODE_VECTOR && uplo == CUBLAS_FILL_MODE_UPPER && stand_in::is_stride(lda, n) &&
                          stand_in::room{bufferOnDevice, workspaceInBytesOnDevice, bufferOnHost, workspaceInBytesOnHost}.is_enough(2 * n);
    return stand_in::with_types({dataTypeA, dataTypeW, computeType}, is_right, [&](auto number) {
        using T = decltype(number);
        *info = stand_in::outcome(stand_in::syevd(static_cast<int>(n), static_cast<T*>(A), static_cast<int>(lda), static_cast<T*>(W)), 0);
    });
}
inline cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t, std::int64_t n,
                                                          cudaDataType_t, void const*, std::int64_t, cudaDataType_t, void const*, cudaDataType_t,
                                                          std::size_t* on_device, std::size_t* on_host, std::int64_t batchSize) {
    return stand_in::ask(2 * n * batchSize, on_device, on_host);
}
// It refuses as many matrices as the library is known to refuse (about 32,000).
inline cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t jobz, cublasFillMode_t uplo, std::int64_t n,
                                               cudaDataType_t dataTypeA, void* A, std::int64_t lda, cudaDataType_t dataTypeW, void* W,
                                               cudaDataType_t computeType, void* bufferOnDevice, std::size_t workspaceInBytesOnDevice,
                                               void* bufferOnHost, std::size_t workspaceInBytesOnHost, int* info, std::int64_t batchSize) {
    ++stand_in::calls["XsyevBatched"];
    bool const is_right = jobz == CUSOLVER_EIG_MODE_VECTOR && uplo == CUBLAS_FILL_MODE_UPPER && stand_in::is_stride(lda, n) && batchSize < 32000 &&
                          stand_in::room{bufferOnDevice, workspaceInBytesOnDevice, bufferOnHost, workspaceInBytesOnHost}.is_enough(2 * n * batchSize);
    return stand_in::with_types({dataTypeA, dataTypeW, computeType}, is_right, [&](auto number) {
        using T = decltype(number);
        for (std::int64_t k = 0; k < batchSize; ++k)
            info[k] = stand_in::outcome(stand_in::syevd(static_cast<int>(n), static_cast<T*>(A) + k * lda * n, static_cast<int>(lda),
                                                        static_cast<T*>(W) + k * n),
                                        k);
    });
}

inline cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, cudaDataType_t, void const*,
                                                    std::int64_t, cudaDataType_t, void const*, cudaDataType_t, std::size_t* on_device,
                                                    std::size_t* on_host) {
    return stand_in::ask(m + n, on_device, on_host);
}
inline cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, cudaDataType_t dataTypeA, void* A,
                                         std::int64_t lda, cudaDataType_t dataTypeTau, void* tau, cudaDataType_t computeType, void* bufferOnDevice,
                                         std::size_t workspaceInBytesOnDevice, void* bufferOnHost, std::size_t workspaceInBytesOnHost, int* info) {
    ++stand_in::calls["Xgeqrf"];
    bool const is_right = n >= 0 && stand_in::is_stride(lda, m) &&
                          stand_in::room{bufferOnDevice, workspaceInBytesOnDevice, bufferOnHost, workspaceInBytesOnHost}.is_enough(m + n);
    return stand_in::with_types({dataTypeA, dataTypeTau, computeType}, is_right, [&](auto number) {
        using T = decltype(number);
        *info = stand_in::geqrf(static_cast<int>(m), static_cast<int>(n), static_cast<T*>(A), static_cast<int>(lda), static_cast<T*>(tau));
    });
}
inline cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int, float const*, int, float const*, int* lwork) {
    return *lwork = stand_in::orgqr_size(m, n), CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int, double const*, int, double const*, int* lwork) {
    return *lwork = stand_in::orgqr_size(m, n), CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t, int m, int n, int k, float* A, int lda, float const* tau, float* work, int lwork,
                                         int* info) {
    return stand_in::orgqr(m, n, k, A, lda, tau, work, lwork, info);
}
inline cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t, int m, int n, int k, double* A, int lda, double const* tau, double* work, int lwork,
                                         int* info) {
    return stand_in::orgqr(m, n, k, A, lda, tau, work, lwork, info);
}

inline cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char, std::int64_t m, std::int64_t n,
                                                    cudaDataType_t, void const*, std::int64_t, cudaDataType_t, void const*, cudaDataType_t, void const*,
                                                    std::int64_t, cudaDataType_t, void const*, std::int64_t, cudaDataType_t, std::size_t* on_device,
                                                    std::size_t* on_host) {
    return stand_in::ask(m + 3 * n, on_device, on_host);
}
// Matrices have at least as many rows as columns. A is overwritten.
inline cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t, cusolverDnParams_t, signed char jobu, signed char jobvt, std::int64_t m, std::int64_t n,
                                         cudaDataType_t dataTypeA, void* A, std::int64_t lda, cudaDataType_t dataTypeS, void* S,
                                         cudaDataType_t dataTypeU, void* U, std::int64_t ldu, cudaDataType_t dataTypeVT, void* VT, std::int64_t ldvt,
                                         cudaDataType_t computeType, void* bufferOnDevice, std::size_t workspaceInBytesOnDevice, void* bufferOnHost,
                                         std::size_t workspaceInBytesOnHost, int* info) {
    ++stand_in::calls["Xgesvd"];
    bool const is_right = jobu == 'S' && jobvt == 'S' && m >= n && stand_in::is_stride(lda, m) && stand_in::is_stride(ldu, m) &&
                          stand_in::is_stride(ldvt, n) &&
                          stand_in::room{bufferOnDevice, workspaceInBytesOnDevice, bufferOnHost, workspaceInBytesOnHost}.is_enough(m + 3 * n);
    return stand_in::with_types({dataTypeA, dataTypeS, dataTypeU, dataTypeVT, computeType}, is_right, [&](auto number) {
        using T = decltype(number);
        *info = stand_in::outcome(stand_in::gesvd(static_cast<int>(m), static_cast<int>(n), static_cast<T*>(A), static_cast<int>(lda),
                                                  static_cast<T*>(S), static_cast<T*>(U), static_cast<int>(ldu), static_cast<T*>(VT),
                                                  static_cast<int>(ldvt)),
                                  0);
    });
}
