// This file runs the steps of a plan that are not loops in a device's memory: concatenation, padding, scans, lookups, updates,
// products of matrices, decompositions, random numbers. They mean what simd::run_call means (backends/calls/calls.hpp), and are
// launched in the device's queue.
#pragma once

#include <tracexpr/thrust/call_cublas.hpp>
#include <tracexpr/thrust/call_decompositions.hpp>
#include <tracexpr/thrust/call_extremes.hpp>
#include <tracexpr/thrust/call_factors.hpp>
#include <tracexpr/thrust/call_host.hpp>
#include <tracexpr/thrust/call_lookups.hpp>
#include <tracexpr/thrust/call_order.hpp>
#include <tracexpr/thrust/call_products.hpp>
#include <tracexpr/thrust/call_random.hpp>
#include <tracexpr/thrust/call_scans.hpp>
#include <tracexpr/thrust/call_updates.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

template <op Code, class T> void scan(device_queue& queue, simd::call_operand const& in, T* out, int axis) {
    simd::detail::split_extents const s(in.extents, axis);
    auto const* const from = device_numbers(simd::detail::elements<T>(in));
    auto* const to = device_numbers(out);
    if constexpr (Code == op::cumsum) scan_along<plus>(queue, s.outer, s.along, s.inner, from, to);
    else if constexpr (Code == op::cumprod) scan_along<times>(queue, s.outer, s.along, s.inner, from, to);
    else if constexpr (Code == op::cummax) scan_along<maximum_or_nan>(queue, s.outer, s.along, s.inner, from, to);
    else scan_along<minimum_or_nan>(queue, s.outer, s.along, s.inner, from, to);
}

template <class T>
void matmul(device_queue& queue, simd::call_operand const& a, simd::call_operand const& b, T* out, dims const& extents) {
    T const *const left = simd::detail::elements<T>(a), *const right = simd::detail::elements<T>(b);
#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUBLAS)
    if constexpr (cublas_type<T>::is_known) return matmul_with_cublas(queue, a, b, out, extents);
#endif
    product_shape const shape = product_of(a, b, extents);
    if constexpr (on_gpu) {
        multiply_by_tiles(queue, shape, device_numbers(left), device_numbers(right), device_numbers(out));
    } else {
        multiply_rows_on_host<T> const rows{shape, left, right, out};
        if (shape.size() > 0) for_each_index(queue, shape.batches * rows.blocks(), rows);
    }
}

#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUBLAS)
inline constexpr bool solves_any_system = true;
#else
inline constexpr bool solves_any_system = false;
#endif
// Can the libraries that are linked process many matrices at once?
constexpr bool are_taken_by_libraries([[maybe_unused]] op code) {
#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUSOLVER)
    return code == op::cholesky || (code == op::lu && solves_any_system) || (code == op::eigh && takes_many_symmetric);
#else
    return false;
#endif
}

// Computes factors on the device; returns false where the host should compute them. A device's single thread is slow, so a thread
// for each matrix beats the host and libraries only for many small matrices.
template <op Code, class T> bool factor(device_queue& queue, matrix_batch<T> const& a, decomposed<T> const& out) {
    std::int64_t const rows = a.rows(), count = matrices_in(a.shape);
    if (count * rows * a.columns() == 0) return true;
    bool const are_many = count >= 128, by_threads = are_many && rows <= (are_taken_by_libraries(Code) ? 16 : 64);
    if (by_threads && Code == op::cholesky) return cholesky_by_threads(queue, a, out.matrices), true;
    if (by_threads && Code == op::lu) return lu_by_threads(queue, a, out), true;
#if TRACEXPR_CALLS_LIBRARIES && defined(TRACEXPR_USE_CUSOLVER)
    if (rows * a.columns() < 64 * 64 && !(are_many && are_taken_by_libraries(Code))) return false;
    if constexpr (Code == op::cholesky) return cholesky_with_cusolver(queue, a, out.matrices);
    else if constexpr (Code == op::lu) return lu_with_cusolver(queue, a, out);
    else if constexpr (Code == op::eigh) return eigh_with_cusolver(queue, a, out);
    else if constexpr (Code == op::qr) return qr_with_cusolver(queue, a, out);
    else return svd_with_cusolver(queue, a, out);
#else
    return false;
#endif
}

// Computes a decomposition of float or double on the device; returns false where it has not done so.
template <op Code, class T> bool decompose_on_device(device_queue& queue, table_view<simd::call_operand> operands,
                                                     std::byte* const* results, dims const& extents,
                                                     table_view<std::int64_t> attributes) {
    auto const matrices = [&](std::size_t k) {
        return matrix_batch<T>{simd::detail::elements<T>(operands[k]), operands[k].extents};
    };
    decomposed<T> const to = decomposed_into<T>(Code, results);
    if constexpr (Code == op::solve_triangular || Code == op::solve) {
        matrix_batch<T> const a = matrices(Code == op::solve ? 2 : 0);
        if (!solves_any_system && !batch_for(a, extents, 0).suits_threads()) return false;
        if constexpr (Code == op::solve)
            solve_by_threads(queue, a, simd::detail::elements<std::int64_t>(operands[3]), matrices(1), to.matrices, extents,
                             attributes[0] != 0);
        else
            solve_triangular_by_threads(queue, a, matrices(1), to.matrices, extents,
                                        {attributes[0] != 0, attributes[1] != 0, attributes[2] != 0});
        return true;
    } else {
        return factor<Code>(queue, matrices(0), to);
    }
}

template <class Queue> void pad_call(Queue& queue, table_view<simd::call_operand> operands, void const* number,
                                     std::int64_t element_bytes, std::byte* out, dims const& extents,
                                     table_view<std::int64_t> widths) {
    device_block value;
    if (number) {
        value = device_block(queue, element_bytes);
        queue.to_device(value.data(), number, element_bytes);
    }
    pad(queue, operands[0], number ? value.data() : operands[1].data, element_bytes, out, extents, widths);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls

namespace tx::detail::inline TRACEXPR_DEVICE {

// Runs the op on operands of dtype T in the device's memory; lookups take indices of dtype Index. `results` holds the address of
// each result. `number` is an element on the host that stands for all of operand 1 of an update or pad, which then has no memory.
// Indices are checked before anything is written, and errors are those of simd::run_call.
template <op Code, class T, class Index>
void run_device_call(device_queue& queue, table_view<simd::call_operand> operands, std::byte* const* results, dims const& extents,
                     table_view<std::int64_t> attributes, stored<T> const* number = nullptr) {
    using S = stored<T>;
    constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(S));
    simd::call_operand const& a = operands[0];
    std::byte* const to = results[0];
    if constexpr (on_gpu && std::is_same_v<S, interned>) {
        throw_device_error(info(Code).name, "elements of dtype string are the host's alone; run it there");
    } else if constexpr (Code == op::concatenate) {
        calls::concatenate(queue, operands, element_bytes, to, extents, static_cast<int>(attributes[0]));
    } else if constexpr (Code == op::pad) {
        calls::pad_call(queue, operands, number, element_bytes, to, extents, attributes);
    } else if constexpr (Code == op::take) {
        calls::take<Index>(queue, a, operands[1], element_bytes, to, static_cast<int>(attributes[0]));
    } else if constexpr (Code == op::take_along_axis) {
        calls::take_along_axis<Index>(queue, a, operands[1], element_bytes, to, static_cast<int>(attributes[0]));
    } else if constexpr (info(Code).kind == kind::update) {
        calls::update<Code, S, Index>(queue, operands, to, extents, attributes, number);
    } else if constexpr (info(Code).kind == kind::random) {
        static_assert(std::is_same_v<S, std::uint64_t>);
        calls::draw<Code>(queue, a, to, extents, attributes);
    } else if constexpr (Code == op::matmul) {
        calls::matmul(queue, a, operands[1], reinterpret_cast<S*>(to), extents);
    } else if constexpr (info(Code).kind == kind::scan) {
        calls::scan<Code>(queue, a, reinterpret_cast<S*>(to), static_cast<int>(attributes[0]));
    } else if constexpr (info(Code).kind == kind::arg_reduction) {
        std::uint32_t reduced = 0;
        for (std::int64_t const axis : attributes.subspan(1)) reduced |= 1u << axis;
        using rule = std::conditional_t<Code == op::argmax, calls::greatest, calls::least>;
        calls::extreme_positions<rule>(queue, simd::detail::elements<S>(a), a.extents, reduced,
                                       reinterpret_cast<std::int64_t*>(to));
    } else {
        if constexpr (on_gpu && info(Code).kind == kind::order)
            if (calls::can_order(a.extents)) return calls::order<Code, S>(queue, operands, to, extents, attributes);
        if constexpr (on_gpu && info(Code).kind == kind::decomposition && std::is_floating_point_v<S>)
            if (calls::decompose_on_device<Code, S>(queue, operands, results, extents, attributes)) return;
        calls::run_on_host<Code, S, Index>(queue, operands, results, extents, attributes, number);
    }
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
