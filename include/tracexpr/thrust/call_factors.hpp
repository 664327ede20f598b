// This file computes eigenvectors, Q R and singular values by cuSOLVER, through call_cusolver.hpp. Each matrix is first divided
// by a number of about the size of its largest element, so that no square of an element overflows.
#pragma once

#include <tracexpr/thrust/call_cusolver.hpp>

#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUSOLVER)

#include <tracexpr/thrust/call_numbers.hpp>

#include <cmath>
#include <limits>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// Finds the largest absolute value in each of `parts` interleaved parts of a matrix; NaN if an element is NaN.
template <class T> struct largest_of_parts {
    std::int64_t each, parts;
    T const* elements;
    T* largest;
    TRACEXPR_HD void operator()(std::int64_t number) const {
        std::int64_t matrix = number;
        T found = T(0);
        for (std::int64_t i = divide(matrix, parts); i < each; i += parts)
            found = maximum_or_nan{}(found, std::abs(elements[matrix * each + i]));
        largest[number] = found;
    }
};
// Finds the power of two that a matrix is divided by; and `nan_if_invalid`, which is 0, or NaN where an element of the matrix is
// not finite.
template <class T> struct find_scales {
    std::int64_t parts;
    T const* largest;
    T *scales, *nan_if_invalid;
    TRACEXPR_HD void operator()(std::int64_t matrix) const {
        T found = T(0);
        for (std::int64_t i = 0; i < parts; ++i) found = maximum_or_nan{}(found, largest[matrix * parts + i]);
        bool const is_finite = found <= std::numeric_limits<T>::max();
        scales[matrix] = is_finite && found > T(0) ? std::ldexp(T(1), std::ilogb(found)) : T(1);
        nan_if_invalid[matrix] = is_finite ? T(0) : std::numeric_limits<T>::quiet_NaN();
    }
};
// Divides elements by their matrix's scale. With `clears` the elements of a matrix that is not finite become zeros, as a NaN may
// keep an iterative method from ending.
template <class T> struct divide_by_scale {
    std::int64_t each;
    T const *scales, *nan_if_invalid;
    bool clears;
    T* elements;
    TRACEXPR_HD void operator()(std::int64_t element) const {
        std::int64_t matrix = element;
        divide(matrix, each);
        bool const is_finite = nan_if_invalid[matrix] == T(0);
        elements[element] = is_finite || !clears ? elements[element] / scales[matrix] : T(0);
    }
};
template <class T> class matrix_scales {
public:
    matrix_scales(device_queue& queue, std::int64_t count, std::int64_t each, T const* elements)
        : count_{count}, memory_(queue, 2 * count * static_cast<std::int64_t>(sizeof(T))) {
        std::int64_t const parts = std::min<std::int64_t>(each, 1024);
        device_block const memory(queue, count * parts * static_cast<std::int64_t>(sizeof(T)));
        T* const largest = reinterpret_cast<T*>(memory.data());
        for_each_index(queue, count * parts, largest_of_parts<T>{each, parts, elements, largest});
        for_each_index(queue, count, find_scales<T>{parts, largest, scales(), nan_if_invalid()});
    }
    divide_by_scale<T> division(std::int64_t each, T* of, bool clears) const {
        return {each, scales(), nan_if_invalid(), clears, of};
    }
    T* scales() const { return reinterpret_cast<T*>(memory_.data()); }
    T* nan_if_invalid() const { return scales() + count_; }

private:
    std::int64_t count_;
    device_block memory_;
};
// Multiplies results that grow with the matrix by its scale, which undoes the division.
template <class T> struct multiply_by_scale {
    std::int64_t each;
    T const *scales, *nan_if_invalid;
    T* numbers;
    TRACEXPR_HD void operator()(std::int64_t number) const {
        std::int64_t matrix = number;
        divide(matrix, each);
        numbers[number] = numbers[number] * scales[matrix] + nan_if_invalid[matrix];
    }
};

// Where the elements of a batch of adjacent matrices are.
template <class T> struct matrix_places {
    std::int64_t rows, columns, row_step, column_step;
    T const* first;
    TRACEXPR_HD T at(std::int64_t matrix, std::int64_t i, std::int64_t j) const {
        return first[matrix * rows * columns + i * row_step + j * column_step];
    }
};
template <class T> matrix_places<T> places_in_rows(std::int64_t rows, std::int64_t columns, T const* first) {
    return {rows, columns, columns, 1, first};
}
template <class T> matrix_places<T> places_in_columns(std::int64_t rows, std::int64_t columns, T const* first) {
    return {rows, columns, 1, rows, first};
}
// Finds the sign of each column of these matrices, by the same rule as write_eigenvectors and choose_signs.
template <class T> struct signs_of_columns {
    matrix_places<T> vectors;
    T small;
    T* signs;
    TRACEXPR_HD void operator()(std::int64_t number) const {
        std::int64_t matrix = number, first = 0;
        std::int64_t const j = divide(matrix, vectors.columns);
        while (first + 1 < vectors.rows && std::abs(vectors.at(matrix, first, j)) < small) ++first;
        signs[number] = vectors.at(matrix, first, j) < T(0) ? T(-1) : T(1);
    }
};
template <class T> device_block find_signs(device_queue& queue, std::int64_t count, matrix_places<T> const& vectors) {
    device_block memory(queue, count * vectors.columns * static_cast<std::int64_t>(sizeof(T)));
    T const small = static_cast<T>(1 / (2 * std::sqrt(static_cast<double>(vectors.rows))));
    for_each_index(queue, count * vectors.columns, signs_of_columns<T>{vectors, small, reinterpret_cast<T*>(memory.data())});
    return memory;
}
// Writes columns, or rows, times their sign; all are NaN where the matrix was not finite. It works in place where the steps are
// those of the result.
template <class T> struct write_signed {
    matrix_places<T> from;
    T const *signs, *nan_if_invalid;
    bool of_rows;
    T* out;
    TRACEXPR_HD void operator()(std::int64_t element) const {
        std::int64_t matrix = element;
        std::int64_t const j = divide(matrix, from.columns), i = divide(matrix, from.rows);
        T const sign = of_rows ? signs[matrix * from.rows + i] : signs[matrix * from.columns + j];
        out[element] = from.at(matrix, i, j) * sign + nan_if_invalid[matrix]; // adding 0 makes -0 a 0
    }
};
template <class T> void write_with_signs(device_queue& queue, std::int64_t count, matrix_places<T> const& from,
                                         device_block const& signs, bool of_rows, matrix_scales<T> const& scales, T* out) {
    for_each_index(queue, count * from.rows * from.columns,
                   write_signed<T>{from, reinterpret_cast<T const*>(signs.data()), scales.nan_if_invalid(), of_rows, out});
}

// Can cuSOLVER process many symmetric matrices at once? Before 11.7.3 it expects memory that was cleared, which is not
// documented.
inline constexpr bool takes_many_symmetric = CUSOLVER_VERSION >= 11703;

// Replaces symmetric matrices by their eigenvectors, one vector after the other.
template <class T> void find_eigenvectors(cusolver_access& solver, std::int64_t n, std::int64_t count, T* matrices, T* values) {
    constexpr cudaDataType_t type = cusolver_type<T>;
    constexpr cusolverEigMode_t wanted = CUSOLVER_EIG_MODE_VECTOR;
    constexpr cublasFillMode_t part = CUBLAS_FILL_MODE_UPPER;
#if CUSOLVER_VERSION >= 11703
    std::int64_t const most = std::min(most_at_once(n), count);
    if (are_taken_at_once(n, count))
        return solver.run(
            most,
            [&](auto... sizes) {
                return cusolverDnXsyevBatched_bufferSize(solver.handle(), solver.parameters(), wanted, part, n, type, matrices, n,
                                                         type, values, type, sizes..., most);
            },
            [&](std::int64_t k, std::int64_t some, auto... rest) {
                return cusolverDnXsyevBatched(solver.handle(), solver.parameters(), wanted, part, n, type, matrices + k * n * n,
                                              n, type, values + k * n, type, rest..., some);
            });
#endif
    solver.run(
        1,
        [&](auto... sizes) {
            return cusolverDnXsyevd_bufferSize(solver.handle(), solver.parameters(), wanted, part, n, type, matrices, n, type,
                                               values, type, sizes...);
        },
        [&](std::int64_t k, std::int64_t, auto... rest) {
            return cusolverDnXsyevd(solver.handle(), solver.parameters(), wanted, part, n, type, matrices + k * n * n, n, type,
                                    values + k * n, type, rest...);
        });
}
template <class T> bool eigh_with_cusolver(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    std::int64_t const n = a.rows(), each = n * n, count = matrices_in(a.shape);
    matrix_scales<T> const scales(queue, count, each, a.data);
    device_block const memory(queue, count * each * static_cast<std::int64_t>(sizeof(T)));
    T* const vectors = reinterpret_cast<T*>(memory.data());
    for_each_index(queue, count * each, copy_symmetric<T>{n, a.data, vectors});
    for_each_index(queue, count * each, scales.division(each, vectors, true));
    cusolver_access solver(queue, count);
    find_eigenvectors(solver, n, count, vectors, out.numbers);
    matrix_places<T> const columns = places_in_columns(n, n, vectors);
    device_block const signs = find_signs(queue, count, columns);
    write_with_signs(queue, count, columns, signs, false, scales, out.matrices);
    for_each_index(queue, count * n, multiply_by_scale<T>{n, scales.scales(), scales.nan_if_invalid(), out.numbers});
    return solver.all_done();
}

// Replaces the reflections that cusolverDnXgeqrf leaves by the columns that they make of the unit matrix's.
inline cusolverStatus_t cusolver_reflect(cusolverDnHandle_t handle, int rows, int columns, float* a, float const* factors,
                                         float* memory, int size, int* failed) {
    return cusolverDnSorgqr(handle, rows, columns, columns, a, rows, factors, memory, size, failed);
}
inline cusolverStatus_t cusolver_reflect(cusolverDnHandle_t handle, int rows, int columns, double* a, double const* factors,
                                         double* memory, int size, int* failed) {
    return cusolverDnDorgqr(handle, rows, columns, columns, a, rows, factors, memory, size, failed);
}
inline cusolverStatus_t cusolver_reflect_size(cusolverDnHandle_t handle, int rows, int columns, float const* a,
                                              float const* factors, int* size) {
    return cusolverDnSorgqr_bufferSize(handle, rows, columns, columns, a, rows, factors, size);
}
inline cusolverStatus_t cusolver_reflect_size(cusolverDnHandle_t handle, int rows, int columns, double const* a,
                                              double const* factors, int* size) {
    return cusolverDnDorgqr_bufferSize(handle, rows, columns, columns, a, rows, factors, size);
}
// Writes R in row-major order, from columns of m elements that contain it on and above the diagonal.
template <class T> struct write_upper {
    std::int64_t m, n, k;
    T const *columns, *scales;
    T* out;
    TRACEXPR_HD void operator()(std::int64_t element) const {
        std::int64_t matrix = element;
        std::int64_t const j = divide(matrix, n), i = divide(matrix, k);
        out[element] = i <= j ? columns[(matrix * n + j) * m + i] * scales[matrix] : T(0);
    }
};
template <class T> bool qr_with_cusolver(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    constexpr cudaDataType_t type = cusolver_type<T>;
    std::int64_t const m = a.rows(), n = a.columns(), k = std::min(m, n), each = m * n, count = matrices_in(a.shape);
    if (!is_narrow(m)) return false;
    matrix_scales<T> const scales(queue, count, each, a.data);
    device_block const memory(queue, count * each * static_cast<std::int64_t>(sizeof(T)));
    device_block const more(queue, count * k * static_cast<std::int64_t>(sizeof(T)));
    T *const columns = reinterpret_cast<T*>(memory.data()), *const factors = reinterpret_cast<T*>(more.data());
    copy_transposed(queue, count, n, m, a.data, each, columns);
    for_each_index(queue, count * each, scales.division(each, columns, false));
    cusolver_access solver(queue, count);
    solver.run(
        1,
        [&](auto... sizes) {
            return cusolverDnXgeqrf_bufferSize(solver.handle(), solver.parameters(), m, n, type, columns, m, type, factors, type,
                                               sizes...);
        },
        [&](std::int64_t matrix, std::int64_t, auto... rest) {
            return cusolverDnXgeqrf(solver.handle(), solver.parameters(), m, n, type, columns + matrix * each, m, type,
                                    factors + matrix * k, type, rest...);
        });
    for_each_index(queue, count * k * n, write_upper<T>{m, n, k, columns, scales.scales(), out.factors});
    auto const rows = static_cast<int>(m), wanted = static_cast<int>(k);
    int size = 0;
    solver.run(
        1,
        [&](std::size_t* on_device, std::size_t*) {
            cusolverStatus_t const status = cusolver_reflect_size(solver.handle(), rows, wanted, columns, factors, &size);
            *on_device = static_cast<std::size_t>(size) * sizeof(T);
            return status;
        },
        [&](std::int64_t matrix, std::int64_t, std::byte* room, std::size_t, std::byte*, std::size_t, int* failed) {
            return cusolver_reflect(solver.handle(), rows, wanted, columns + matrix * each, factors + matrix * k,
                                    reinterpret_cast<T*>(room), size, failed);
        });
    copy_transposed(queue, count, m, k, columns, each, out.matrices);
    return solver.all_done();
}

// cuSOLVER takes matrices with at least as many rows as columns. A row-major wide matrix is for it the transpose, V diag(s) U^T,
// and V and U^T are then row-major, too. A tall matrix is copied to column-major order first.
template <class T> bool svd_with_cusolver(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    constexpr cudaDataType_t type = cusolver_type<T>;
    constexpr signed char wanted = 'S';
    std::int64_t const m = a.rows(), n = a.columns(), each = m * n, count = matrices_in(a.shape);
    std::int64_t const large = std::max(m, n), k = std::min(m, n);
    bool const is_tall = m > n;
    auto const numbers = [&](std::int64_t size) { return device_block(queue, size * static_cast<std::int64_t>(sizeof(T))); };
    device_block const given = numbers(count * each), left_memory = numbers(is_tall ? count * m * k : 0),
                       right_memory = numbers(is_tall ? count * k * n : 0);
    T* const matrices = reinterpret_cast<T*>(given.data());
    T* const left = is_tall ? reinterpret_cast<T*>(left_memory.data()) : out.factors;
    T* const right = is_tall ? reinterpret_cast<T*>(right_memory.data()) : out.matrices;
    matrix_scales<T> const scales(queue, count, each, a.data);
    if (is_tall) copy_transposed(queue, count, n, m, a.data, each, matrices);
    else queue.within(matrices, a.data, count * each * static_cast<std::int64_t>(sizeof(T)));
    for_each_index(queue, count * each, scales.division(each, matrices, true));
    cusolver_access solver(queue, count);
    solver.run(
        1,
        [&](auto... sizes) {
            return cusolverDnXgesvd_bufferSize(solver.handle(), solver.parameters(), wanted, wanted, large, k, type, matrices,
                                               large, type, out.numbers, type, left, large, type, right, k, type, sizes...);
        },
        [&](std::int64_t matrix, std::int64_t, auto... rest) {
            return cusolverDnXgesvd(solver.handle(), solver.parameters(), wanted, wanted, large, k, type,
                                    matrices + matrix * each, large, type, out.numbers + matrix * k, type, left + matrix * each,
                                    large, type, right + matrix * k * k, k, type, rest...);
        });
    matrix_places<T> const u = is_tall ? places_in_columns(m, k, left) : places_in_rows(m, k, right);
    matrix_places<T> const vh = is_tall ? places_in_columns(k, n, right) : places_in_rows(k, n, left);
    device_block const signs = find_signs(queue, count, u);
    write_with_signs(queue, count, u, signs, false, scales, out.matrices);
    write_with_signs(queue, count, vh, signs, true, scales, out.factors);
    for_each_index(queue, count * k, multiply_by_scale<T>{k, scales.scales(), scales.nan_if_invalid(), out.numbers});
    return solver.all_done();
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls

#endif
