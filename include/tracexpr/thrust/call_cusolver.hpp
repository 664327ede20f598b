// This file computes L L^T and L U of square matrices by cuSOLVER, where the CMake target defines TRACEXPR_USE_CUSOLVER; its
// other decompositions are in call_factors.hpp. Matrices are row-major, which for cuSOLVER is the transpose. Each function
// returns whether it has the result; where not, the host computes it or throws.
#pragma once

#include <tracexpr/thrust/call_decompositions.hpp>

#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUSOLVER)

#include <cusolverDn.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

inline void check_cusolver(cusolverStatus_t status) {
    if (status == CUSOLVER_STATUS_SUCCESS) return;
    throw_device_error("decomposition", "cuSOLVER: status " + std::to_string(static_cast<int>(status)));
}
template <class T> inline constexpr cudaDataType_t cusolver_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

// Some routines process many matrices at once, each on a part of the device; others process one matrix with all of the device.
// The former are faster for several matrices of which none is large.
constexpr bool are_taken_at_once(std::int64_t n, std::int64_t count) { return count > 1 && n <= 512 && n <= 128 * count; }
// How many matrices one batched call is given: cusolverDnXsyevBatched refuses more than about 32,000, and other routines count
// elements in an int.
constexpr std::int64_t most_at_once(std::int64_t n) {
    return std::min<std::int64_t>(16384, std::max<std::int64_t>(widest_narrow / (n * n), 1));
}
// Calls f(first matrix, how many) for all matrices, at most `at_once` at a time.
template <class F> void for_matrices(std::int64_t count, std::int64_t at_once, F const& f) {
    for (std::int64_t first = 0; first < count; first += at_once) f(first, std::min(at_once, count - first));
}

// Access to a queue's cuSOLVER handle, which it locks for this thread while it lives, and the memory that calls need beside their
// operands.
class cusolver_access {
public:
    cusolver_access(device_queue& queue, std::int64_t matrices)
        : here_(queue.index()), state_{state_for<state>(queue)}, lock_(state_.busy), queue_{queue}, matrices_{matrices},
          failed_(queue, matrices * static_cast<std::int64_t>(sizeof(int))) {
        if (!state_.handle) check_cusolver(cusolverDnCreate(&state_.handle));
        if (!state_.parameters) check_cusolver(cusolverDnCreateParams(&state_.parameters));
#if TRACEXPR_ON_GPU
        check_cusolver(cusolverDnSetStream(state_.handle, queue.stream()));
#endif
    }
    // After an error calls that were given to the queue may still read the host's memory, so it waits for them.
    ~cusolver_access() {
        if (on_host_.empty() || is_done_) return;
        try {
            queue_.finish();
        } catch (device_error const&) { // the device has failed, and the next call reports it
        }
    }
    cusolver_access(cusolver_access const&) = delete;
    cusolver_access& operator=(cusolver_access const&) = delete;
    cusolverDnHandle_t handle() const { return state_.handle; }
    cusolverDnParams_t parameters() const { return state_.parameters; }
    int* failed(std::int64_t matrix) const { return reinterpret_cast<int*>(failed_.data()) + matrix; }

    // Makes calls of the 64-bit interface for all matrices, `at_once` at a time. `size` asks how much memory a call needs, given
    // pointers for the answers; `call` gets the first matrix, how many there are, and the last arguments of such calls.
    template <class Size, class Call> void run(std::int64_t at_once, Size const& size, Call const& call) {
        std::size_t on_device = 0, on_host = 0;
        check_cusolver(size(&on_device, &on_host));
        device_block const memory(queue_, static_cast<std::int64_t>(on_device));
        on_host_.resize(on_host);
        for_matrices(matrices_, at_once, [&](std::int64_t first, std::int64_t count) {
            check_cusolver(call(first, count, memory.data(), on_device, on_host_.data(), on_host, failed(first)));
        });
    }
    // Waits for the queue, and returns whether all matrices have a result.
    bool all_done() {
        bool const done = !first_found(queue_, matrices_, matrix_that_failed{failed(0)});
        is_done_ = true;
        return done;
    }

private:
    struct state {
        std::mutex busy;
        cusolverDnHandle_t handle = nullptr;
        cusolverDnParams_t parameters = nullptr;
    };
    device_scope here_;
    state& state_;
    std::lock_guard<std::mutex> lock_;
    device_queue& queue_;
    std::int64_t matrices_;
    device_block failed_;
    std::vector<std::byte> on_host_; // stays until the queue has been waited for
    bool is_done_ = false;
};

// Writes the address of each matrix of a batch.
template <class T> struct note_places {
    T* first;
    std::int64_t each;
    T** places;
    TRACEXPR_HD void operator()(std::int64_t matrix) const { places[matrix] = first + matrix * each; }
};
template <class T> device_block places_of_matrices(device_queue& queue, std::int64_t count, std::int64_t each, T* first) {
    device_block memory(queue, count * static_cast<std::int64_t>(sizeof(T*)));
    for_each_index(queue, count, note_places<T>{first, each, reinterpret_cast<T**>(memory.data())});
    return memory;
}

inline cusolverStatus_t cusolver_cholesky(cusolverDnHandle_t handle, int n, float** matrices, int* failed, int count) {
    return cusolverDnSpotrfBatched(handle, CUBLAS_FILL_MODE_UPPER, n, matrices, n, failed, count);
}
inline cusolverStatus_t cusolver_cholesky(cusolverDnHandle_t handle, int n, double** matrices, int* failed, int count) {
    return cusolverDnDpotrfBatched(handle, CUBLAS_FILL_MODE_UPPER, n, matrices, n, failed, count);
}
// Sets the elements above the diagonal to 0.
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
    if (are_taken_at_once(n, count)) {
        device_block const memory = places_of_matrices(queue, count, n * n, out);
        T** const places = reinterpret_cast<T**>(memory.data());
        for_matrices(count, most_at_once(n), [&](std::int64_t first, std::int64_t some) {
            check_cusolver(cusolver_cholesky(solver.handle(), static_cast<int>(n), places + first, solver.failed(first),
                                             static_cast<int>(some)));
        });
    } else {
        solver.run(
            1,
            [&](auto... sizes) {
                return cusolverDnXpotrf_bufferSize(solver.handle(), solver.parameters(), CUBLAS_FILL_MODE_UPPER, n, type, out, n,
                                                   type, sizes...);
            },
            [&](std::int64_t k, std::int64_t, auto... rest) {
                return cusolverDnXpotrf(solver.handle(), solver.parameters(), CUBLAS_FILL_MODE_UPPER, n, type, out + k * n * n, n,
                                        type, rest...);
            });
    }
    for_each_index(queue, count * n * n, clear_above<T>{n, out});
    return solver.all_done();
}

// Follows the row swaps, counted from 1, to the row of a that each row was. For a matrix with a NaN a swap may name no row; then
// it has failed.
template <class T, class Index> struct follow_swaps {
    std::int64_t n;
    Index const* swaps;
    std::int64_t* places;
    T* signs;
    int* failed;
    TRACEXPR_HD void operator()(std::int64_t matrix) const {
        std::int64_t* const place = places + matrix * n;
        for (std::int64_t i = 0; i < n; ++i) place[i] = i;
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t const other = static_cast<std::int64_t>(swaps[matrix * n + i]) - 1;
            if (other < i || other >= n) {
                failed[matrix] = 1;
                return;
            }
            std::int64_t const before = place[i];
            place[i] = place[other], place[other] = before;
            signs[matrix * n + i] = other == i ? T(1) : T(-1);
        }
    }
};
// Transposes matrices (columns, rows), which start `each` elements apart, to matrices (rows, columns).
template <class T> void copy_transposed(device_queue& queue, std::int64_t count, std::int64_t rows, std::int64_t columns,
                                        T const* from, std::int64_t each, T* to) {
    std::int64_t const steps[max_rank]{each, 1, rows};
    copy_contiguous(queue, {reinterpret_cast<std::byte const*>(from), {{count, rows, columns}, 3}, steps},
                    static_cast<std::int64_t>(sizeof(T)), reinterpret_cast<std::byte*>(to));
}
template <class T> bool lu_with_cusolver(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    constexpr cudaDataType_t type = cusolver_type<T>;
    std::int64_t const n = a.rows(), count = matrices_in(a.shape);
    device_block const memory(queue, count * n * n * static_cast<std::int64_t>(sizeof(T)));
    device_block const swaps(queue, count * n * static_cast<std::int64_t>(sizeof(std::int64_t)));
    T* const columns = reinterpret_cast<T*>(memory.data());
    copy_transposed(queue, count, n, n, a.data, n * n, columns);
    cusolver_access solver(queue, count);
    auto const finish = [&](auto const* swapped) {
        copy_transposed(queue, count, n, n, columns, n * n, out.matrices);
        for_each_index(
            queue, count,
            follow_swaps<T, std::remove_cvref_t<decltype(*swapped)>>{n, swapped, out.places, out.numbers, solver.failed(0)});
        return solver.all_done();
    };
#if defined(TRACEXPR_USE_CUBLAS)
    if (are_taken_at_once(n, count)) {
        device_block const at = places_of_matrices(queue, count, n * n, columns);
        T** const places = reinterpret_cast<T**>(at.data());
        int* const swapped = reinterpret_cast<int*>(swaps.data());
        cublas_access const blas(queue);
        for_matrices(count, most_at_once(n), [&](std::int64_t first, std::int64_t some) {
            check_cublas("lu", cublas_lu(blas.handle(), static_cast<int>(n), places + first, swapped + first * n,
                                         solver.failed(first), static_cast<int>(some)));
        });
        return finish(swapped);
    }
#endif
    auto* const swapped = reinterpret_cast<std::int64_t*>(swaps.data());
    solver.run(
        1,
        [&](auto... sizes) {
            return cusolverDnXgetrf_bufferSize(solver.handle(), solver.parameters(), n, n, type, columns, n, type, sizes...);
        },
        [&](std::int64_t k, std::int64_t, auto... rest) {
            return cusolverDnXgetrf(solver.handle(), solver.parameters(), n, n, type, columns + k * n * n, n, swapped + k * n,
                                    type, rest...);
        });
    return finish(swapped);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls

#endif
