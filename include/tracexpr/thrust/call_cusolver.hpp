// Large matrices taken apart by cuSOLVER, where the CMake target defines TRACEXPR_USE_CUSOLVER. Matrices lie row after row, which
// for cuSOLVER is the transpose. Each function says whether it has the result; where not, the host finds it, or what is wrong.
#pragma once

#include <tracexpr/thrust/call_decompositions.hpp>

#if TRACEXPR_ON_GPU && defined(TRACEXPR_USE_CUSOLVER)

#include <cusolverDn.h>

#include <mutex>
#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

inline void check_cusolver(cusolverStatus_t status) {
    if (status == CUSOLVER_STATUS_SUCCESS) return;
    throw_device_error("decomposition", "cuSOLVER: status " + std::to_string(static_cast<int>(status)));
}
template <class T> inline constexpr cudaDataType_t cusolver_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

// A queue's handle, while one lives for this thread alone, and what calls with it need beside their operands.
class cusolver_access {
public:
    cusolver_access(device_queue& queue, std::int64_t matrices)
        : here_(queue.index()), kept_{kept_for<kept>(queue)}, lock_(kept_.busy), queue_{queue}, matrices_{matrices},
          failed_(queue, matrices * static_cast<std::int64_t>(sizeof(int))) {
        if (kept_.handle) return;
        check_cusolver(cusolverDnCreate(&kept_.handle));
        check_cusolver(cusolverDnSetStream(kept_.handle, queue.stream()));
        check_cusolver(cusolverDnCreateParams(&kept_.parameters));
    }
    cusolverDnHandle_t handle() const { return kept_.handle; }
    cusolverDnParams_t parameters() const { return kept_.parameters; }

    void make_room(std::size_t device_bytes, std::size_t host_bytes) {
        on_device_ = device_block(queue_, static_cast<std::int64_t>(device_bytes));
        on_host_.resize(host_bytes);
    }
    void* on_device() const { return on_device_.data(); }
    void* on_host() { return on_host_.data(); }
    std::size_t bytes_on_device() const { return static_cast<std::size_t>(on_device_.bytes()); }
    std::size_t bytes_on_host() const { return on_host_.size(); }
    int* failed(std::int64_t matrix) const { return reinterpret_cast<int*>(failed_.data()) + matrix; }
    // Waits for the queue.
    bool all_done() { return !first_found(queue_, matrices_, matrix_that_failed{failed(0)}); }

private:
    struct kept {
        std::mutex busy;
        cusolverDnHandle_t handle = nullptr;
        cusolverDnParams_t parameters = nullptr;
    };
    device_scope here_;
    kept& kept_;
    std::lock_guard<std::mutex> lock_;
    device_queue& queue_;
    std::int64_t matrices_;
    device_block failed_, on_device_;
    std::vector<std::byte> on_host_;
};

// Zeros above the diagonal.
template <class T> struct clear_above {
    std::int64_t n;
    T* matrices;
    TRACEXPR_HD void operator()(std::int64_t element) const {
        std::int64_t rest = element;
        std::int64_t const j = divide(rest, n), i = divide(rest, n);
        if (j > i) matrices[element] = T(0);
    }
};
template <class T> bool cholesky_with_cusolver(device_queue& queue, matrix_batch<T> const& a, T* out) {
    constexpr cudaDataType_t type = cusolver_type<T>;
    std::int64_t const n = a.rows(), count = matrices_in(a.shape);
    for_each_index(queue, count * n * n, copy_symmetric<T>{n, a.data, out});
    cusolver_access solver(queue, count);
    std::size_t on_device = 0, on_host = 0;
    check_cusolver(cusolverDnXpotrf_bufferSize(solver.handle(), solver.parameters(), CUBLAS_FILL_MODE_UPPER, n, type, out, n,
                                               type, &on_device, &on_host));
    solver.make_room(on_device, on_host);
    for (std::int64_t k = 0; k < count; ++k)
        check_cusolver(cusolverDnXpotrf(solver.handle(), solver.parameters(), CUBLAS_FILL_MODE_UPPER, n, type, out + k * n * n, n,
                                        type, solver.on_device(), solver.bytes_on_device(), solver.on_host(),
                                        solver.bytes_on_host(), solver.failed(k)));
    for_each_index(queue, count * n * n, clear_above<T>{n, out});
    return solver.all_done();
}

// From which row each one was swapped with, counted from 1, to which row of a it was.
template <class T> struct follow_swaps {
    std::int64_t n;
    std::int64_t const* swaps;
    std::int64_t* places;
    T* signs;
    TRACEXPR_HD void operator()(std::int64_t matrix) const {
        std::int64_t* const place = places + matrix * n;
        for (std::int64_t i = 0; i < n; ++i) place[i] = i;
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t const other = swaps[matrix * n + i] - 1, kept = place[i];
            place[i] = place[other], place[other] = kept;
            signs[matrix * n + i] = other == i ? T(1) : T(-1);
        }
    }
};
template <class T> void copy_transposed(device_queue& queue, std::int64_t count, std::int64_t n, T const* from, T* to) {
    std::int64_t const steps[max_rank]{n * n, 1, n};
    copy_contiguous(queue, {reinterpret_cast<std::byte const*>(from), {{count, n, n}, 3}, steps},
                    static_cast<std::int64_t>(sizeof(T)), reinterpret_cast<std::byte*>(to));
}
template <class T> bool lu_with_cusolver(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    constexpr cudaDataType_t type = cusolver_type<T>;
    std::int64_t const n = a.rows(), count = matrices_in(a.shape);
    device_block const memory(queue, count * n * n * static_cast<std::int64_t>(sizeof(T)));
    device_block const swaps(queue, count * n * static_cast<std::int64_t>(sizeof(std::int64_t)));
    T* const columns = reinterpret_cast<T*>(memory.data());
    auto* const swapped = reinterpret_cast<std::int64_t*>(swaps.data());
    copy_transposed(queue, count, n, a.data, columns);
    cusolver_access solver(queue, count);
    std::size_t on_device = 0, on_host = 0;
    check_cusolver(
        cusolverDnXgetrf_bufferSize(solver.handle(), solver.parameters(), n, n, type, columns, n, type, &on_device, &on_host));
    solver.make_room(on_device, on_host);
    for (std::int64_t k = 0; k < count; ++k)
        check_cusolver(cusolverDnXgetrf(solver.handle(), solver.parameters(), n, n, type, columns + k * n * n, n, swapped + k * n,
                                        type, solver.on_device(), solver.bytes_on_device(), solver.on_host(),
                                        solver.bytes_on_host(), solver.failed(k)));
    copy_transposed(queue, count, n, columns, out.matrices);
    for_each_index(queue, count, follow_swaps<T>{n, swapped, out.places, out.numbers});
    return solver.all_done();
}

// From vectors in rows to columns, of the sign that write_eigenvectors gives them.
template <class T> struct write_vector {
    std::int64_t n;
    T const* rows;
    T* out;
    T small;
    TRACEXPR_HD void operator()(std::int64_t number) const {
        std::int64_t matrix = number;
        std::int64_t const j = divide(matrix, n);
        T const* const v = rows + number * n;
        std::int64_t first = 0;
        while (first + 1 < n && std::abs(v[first]) < small) ++first;
        for (std::int64_t i = 0; i < n; ++i) out[(matrix * n + i) * n + j] = (v[first] < T(0) ? -v[i] : v[i]) + T(0); // no -0
    }
};
template <class T> struct size_of_element {
    T const* elements;
    TRACEXPR_HD T operator()(std::int64_t i) const { return std::abs(elements[i]); }
};
// Are squares of elements neither too large nor too small, so that matrices need no scaling before?
template <class T> bool squares_fit(device_queue& queue, std::int64_t count, T const* elements) {
    T const largest = reduced_numbers<maximum_or_nan>(queue, count, size_of_element<T>{elements}, T(0));
    return largest >= T(1e-12) && largest <= T(1e12);
}
template <class T> bool eigh_with_cusolver(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    constexpr cudaDataType_t type = cusolver_type<T>;
    std::int64_t const n = a.rows(), count = matrices_in(a.shape);
    if (!squares_fit(queue, count * n * n, a.data)) return false;
    device_block const memory(queue, count * n * n * static_cast<std::int64_t>(sizeof(T)));
    T* const vectors = reinterpret_cast<T*>(memory.data());
    for_each_index(queue, count * n * n, copy_symmetric<T>{n, a.data, vectors});
    cusolver_access solver(queue, count);
    std::size_t on_device = 0, on_host = 0;
    check_cusolver(cusolverDnXsyevd_bufferSize(solver.handle(), solver.parameters(), CUSOLVER_EIG_MODE_VECTOR,
                                               CUBLAS_FILL_MODE_UPPER, n, type, vectors, n, type, out.numbers, type, &on_device,
                                               &on_host));
    solver.make_room(on_device, on_host);
    for (std::int64_t k = 0; k < count; ++k)
        check_cusolver(cusolverDnXsyevd(solver.handle(), solver.parameters(), CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n,
                                        type, vectors + k * n * n, n, type, out.numbers + k * n, type, solver.on_device(),
                                        solver.bytes_on_device(), solver.on_host(), solver.bytes_on_host(), solver.failed(k)));
    T const small = static_cast<T>(1 / (2 * std::sqrt(static_cast<double>(n))));
    for_each_index(queue, count * n, write_vector<T>{n, vectors, out.matrices, small});
    return solver.all_done();
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls

#endif
