// This file holds products of matrices, large triangular systems, and L U of many matrices at once by cuBLAS, where the CMake
// target defines TRACEXPR_USE_CUBLAS. float is multiplied as float; with TRACEXPR_USE_TF32 as TF32, whose mantissas have 10 bits.
#pragma once

#include <tracexpr/thrust/call_products.hpp>
#include <tracexpr/thrust/call_triangles.hpp>

#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUBLAS)

#include <cublas_v2.h>

#include <array>
#include <mutex>
#include <string>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

inline void check_cublas(char const* what, cublasStatus_t status) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw_device_error(what, std::string("cuBLAS: ") + cublasGetStatusString(status));
}

// Access to a queue's cuBLAS handle, which it locks: no other thread has the handle while this object lives.
class cublas_access {
public:
    explicit cublas_access(device_queue& queue) : here_(queue.index()), state_{state_for<state>(queue)}, lock_(state_.busy) {
        if (!state_.handle) check_cublas("matmul", cublasCreate(&state_.handle));
#if TRACEXPR_ON_GPU
        check_cublas("matmul", cublasSetStream(state_.handle, queue.stream()));
#endif
    }
    cublasHandle_t handle() const { return state_.handle; }

private:
    struct state {
        std::mutex busy;
        cublasHandle_t handle = nullptr;
    };
    device_scope here_;
    state& state_;
    std::lock_guard<std::mutex> lock_;
};

#if defined(TRACEXPR_USE_TF32)
inline constexpr cublasComputeType_t float_products = CUBLAS_COMPUTE_32F_FAST_TF32;
#else
inline constexpr cublasComputeType_t float_products = CUBLAS_COMPUTE_32F;
#endif
// For an element type: cuBLAS's name for it, the type that cuBLAS computes in, and the type of the factors 1 and 0.
struct cublas_unknown {
    static constexpr bool is_known = false;
};
template <cudaDataType_t Data, cublasComputeType_t Compute, class Scale> struct cublas_known {
    static constexpr bool is_known = true;
    static constexpr cudaDataType_t data = Data;
    static constexpr cublasComputeType_t compute = Compute;
    using scale = Scale;
};
template <class T> struct cublas_type : cublas_unknown {};
template <> struct cublas_type<float> : cublas_known<CUDA_R_32F, float_products, float> {};
template <> struct cublas_type<double> : cublas_known<CUDA_R_64F, CUBLAS_COMPUTE_64F, double> {};
template <> struct cublas_type<half> : cublas_known<CUDA_R_16F, CUBLAS_COMPUTE_32F, float> {};
template <> struct cublas_type<bfloat16> : cublas_known<CUDA_R_16BF, CUBLAS_COMPUTE_32F, float> {};
template <> struct cublas_type<std::complex<float>> : cublas_known<CUDA_C_32F, float_products, std::complex<float>> {};
template <> struct cublas_type<std::complex<double>> : cublas_known<CUDA_C_64F, CUBLAS_COMPUTE_64F, std::complex<double>> {};

// How a matrix is described to cuBLAS, which is column-major: a row-major product is passed as that of the transposed matrices, b
// first.
struct cublas_layout {
    bool fits;
    cublasOperation_t operation;
    std::int64_t leading;
};
inline cublas_layout layout_of(std::int64_t rows, std::int64_t columns, std::int64_t row_step, std::int64_t column_step) {
    if ((columns == 1 || column_step == 1) && (rows == 1 || row_step >= columns))
        return {true, CUBLAS_OP_N, rows == 1 ? columns : row_step};
    if ((rows == 1 || row_step == 1) && (columns == 1 || column_step >= rows))
        return {true, CUBLAS_OP_T, columns == 1 ? rows : column_step};
    return {false, CUBLAS_OP_N, 0};
}

// Writes the addresses of each product's matrices: all of b's, then all of a's, then all results'.
struct place_matrices {
    product_shape shape;
    std::byte const *a, *b;
    std::byte* out;
    std::int64_t element_bytes;
    void const** places;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        places[i] = b + shape.b_batches.offset(i) * element_bytes;
        places[shape.batches + i] = a + shape.a_batches.offset(i) * element_bytes;
        places[2 * shape.batches + i] = out + i * shape.m * shape.n * element_bytes;
    }
};

template <class T> void multiply_with_cublas(device_queue& queue, product_shape const& s, T const* a, T const* b, T* out) {
    using type = cublas_type<T>;
    typename type::scale const one = 1, zero = 0;
    cublas_layout const left = layout_of(s.m, s.k, s.a_row, s.a_column), right = layout_of(s.k, s.n, s.b_row, s.b_column);
    if (s.a_batches.rank <= 1 && s.b_batches.rank <= 1) {
        cublas_access const blas(queue);
        check_cublas("matmul", cublasGemmStridedBatchedEx_64(blas.handle(), right.operation, left.operation, s.n, s.m, s.k, &one,
                                                             b, type::data, right.leading, s.b_batches.step[0], a, type::data,
                                                             left.leading, s.a_batches.step[0], &zero, out, type::data, s.n,
                                                             s.m * s.n, s.batches, type::compute, CUBLAS_GEMM_DEFAULT));
        return;
    }
    device_block const memory(queue, 3 * s.batches * static_cast<std::int64_t>(sizeof(void*)));
    auto** const places = reinterpret_cast<void const**>(memory.data());
    for_each_index(queue, s.batches,
                   place_matrices{s, reinterpret_cast<std::byte const*>(a), reinterpret_cast<std::byte const*>(b),
                                  reinterpret_cast<std::byte*>(out), static_cast<std::int64_t>(sizeof(T)), places});
    cublas_access const blas(queue);
    check_cublas("matmul", cublasGemmBatchedEx_64(blas.handle(), right.operation, left.operation, s.n, s.m, s.k, &one, places,
                                                  type::data, right.leading, places + s.batches, type::data, left.leading, &zero,
                                                  const_cast<void**>(places + 2 * s.batches), type::data, s.n, s.batches,
                                                  type::compute, CUBLAS_GEMM_DEFAULT));
}

// An operand that cuBLAS can read: a contiguous copy where the elements are contiguous along neither axis.
struct cublas_operand {
    simd::call_operand as;
    device_block memory;
    std::array<std::int64_t, max_rank> steps{};

    void make_contiguous(device_queue& queue, std::int64_t element_bytes) {
        memory = device_block(queue, as.extents.size() * element_bytes);
        copy_contiguous(queue, as, element_bytes, memory.data());
        steps = row_major_strides(as.extents);
        as.data = memory.data(), as.strides = steps.data();
    }
};
template <class T> void matmul_with_cublas(device_queue& queue, simd::call_operand const& a, simd::call_operand const& b, T* out,
                                           dims const& extents) {
    constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(T));
    if (extents.size() == 0) return;
    if (a.extents[a.extents.rank - 1] == 0) return queue.clear(out, extents.size() * element_bytes);
    cublas_operand left{a, {}, {}}, right{b, {}, {}};
    product_shape shape = product_of(a, b, extents);
    bool const left_fits = layout_of(shape.m, shape.k, shape.a_row, shape.a_column).fits;
    bool const right_fits = layout_of(shape.k, shape.n, shape.b_row, shape.b_column).fits;
    if (!left_fits) left.make_contiguous(queue, element_bytes);
    if (!right_fits) right.make_contiguous(queue, element_bytes);
    if (!left_fits || !right_fits) shape = product_of(left.as, right.as, extents);
    multiply_with_cublas(queue, shape, simd::detail::elements<T>(left.as), simd::detail::elements<T>(right.as), out);
}

// Solves op(a) x = b for row-major x (n, columns) in place. For column-major cuBLAS it is x^T op(a)^T = b^T.
inline cublasStatus_t cublas_solve(cublasHandle_t handle, cublasFillMode_t part, cublasOperation_t operation,
                                   cublasDiagType_t diagonal, std::int64_t columns, std::int64_t n, float const* a, float* x) {
    float const one = 1;
    return cublasStrsm_64(handle, CUBLAS_SIDE_RIGHT, part, operation, diagonal, columns, n, &one, a, n, x, columns);
}
inline cublasStatus_t cublas_solve(cublasHandle_t handle, cublasFillMode_t part, cublasOperation_t operation,
                                   cublasDiagType_t diagonal, std::int64_t columns, std::int64_t n, double const* a, double* x) {
    double const one = 1;
    return cublasDtrsm_64(handle, CUBLAS_SIDE_RIGHT, part, operation, diagonal, columns, n, &one, a, n, x, columns);
}
template <class T> void solve_with_cublas(device_queue& queue, triangular_batch const& batch, T const* a, T* x) {
    triangle const form = batch.form;
    cublas_access const blas(queue);
    for (std::int64_t k = 0; k < batch.batches; ++k)
        check_cublas("solve", cublas_solve(blas.handle(), form.lower ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,
                                           form.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                                           form.unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, batch.columns, batch.n,
                                           a + batch.a_batches.offset(k), x + k * batch.n * batch.columns));
}

// Computes L U of `count` matrices (n, n), each in place. `swaps` gives for each row i the row, counted from 1, that it is
// swapped with.
inline cublasStatus_t cublas_lu(cublasHandle_t handle, int n, float* const* matrices, int* swaps, int* failed, int count) {
    return cublasSgetrfBatched(handle, n, matrices, n, swaps, failed, count);
}
inline cublasStatus_t cublas_lu(cublasHandle_t handle, int n, double* const* matrices, int* swaps, int* failed, int count) {
    return cublasDgetrfBatched(handle, n, matrices, n, swaps, failed, count);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls

#endif
