// This file runs steps that are not loops: concatenation, padding, scans, lookups, matrix products, decompositions, random
// numbers. Operands are buffers (those of a product and of a concatenation may be strided views of one), and the result is
// contiguous.
#pragma once

#include <tracexpr/backends/calls/decomposition_calls.hpp>
#include <tracexpr/backends/calls/extremes.hpp>
#include <tracexpr/backends/calls/gather.hpp>
#include <tracexpr/backends/calls/joining.hpp>
#include <tracexpr/backends/calls/lanes_calls.hpp>
#include <tracexpr/backends/calls/products.hpp>
#include <tracexpr/backends/calls/random.hpp>
#include <tracexpr/backends/calls/scan.hpp>
#include <tracexpr/backends/calls/select.hpp>
#include <tracexpr/backends/calls/triangles.hpp>
#include <tracexpr/backends/calls/update.hpp>
#include <tracexpr/base/element.hpp>
#include <tracexpr/graph/graph.hpp>

#include <cstring>
#include <memory>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {
// Finds argmax or argmin over the axes whose bits are set in `reduced`. With several axes the result is the place in their
// row-major order.
template <op Code, class Arch, class T>
void extreme_positions(T const* in, dims const& extents, std::uint32_t reduced, std::int64_t* out) {
    int first = 0, last = extents.rank;
    while (first < last && !(reduced >> first & 1u)) ++first;
    while (last > first && !(reduced >> (last - 1) & 1u)) --last;
    dims reordered; // the other axes' extents come first, then those of the reduced ones
    auto const strides = row_major_strides(extents);
    std::int64_t steps[max_rank]{};
    bool needs_copy = false;
    for (bool const is_reduced : {false, true})
        for (int axis = 0; axis < extents.rank; ++axis) {
            if ((reduced >> axis & 1u) != is_reduced) continue;
            needs_copy = needs_copy || (!is_reduced && axis > first && axis < last);
            steps[reordered.rank] = strides[static_cast<std::size_t>(axis)];
            reordered.push_back(extents[axis]);
        }
    split_extents s(extents, first, last);
    std::unique_ptr<T[]> copy;
    if (needs_copy) {
        std::int64_t const size = extents.size();
        copy = std::make_unique<T[]>(static_cast<std::size_t>(size));
        for (std::int64_t to = 0; to < size; ++to) {
            std::int64_t from = 0, rest = to;
            for (int axis = reordered.rank - 1; axis >= 0; rest /= reordered[axis--])
                from += rest % reordered[axis] * steps[axis];
            copy[static_cast<std::size_t>(to)] = in[from];
        }
        in = copy.get();
        int kept_rank = 0;
        for (int axis = 0; axis < extents.rank; ++axis) kept_rank += !(reduced >> axis & 1u);
        s = split_extents(reordered, kept_rank, reordered.rank);
    }
    if (s.outer * s.inner == 0) return;
    if constexpr (Code == op::argmax) argmax<T, Arch>(s.outer, s.along, s.inner, in, out);
    else argmin<T, Arch>(s.outer, s.along, s.inner, in, out);
}

// Updates `out`, which has a copy of the first operand already, with the elements `from`: a pointer or same_elements.
template <op Code, class Arch, class T, class Index, class Added>
void update_with(T* out, Added from, index_origin origin, table_view<call_operand> operands, dims const& extents,
                 table_view<std::int64_t> attributes) {
    using join = join_of<Code>;
    if constexpr (updates_view(Code)) {
        strided_place const place = place_in(extents, updated_map(extents, attributes));
        update_strided<join>(from, operands[1].extents, out, place.offset, place.stride);
    } else {
        int const axis = static_cast<int>(attributes[0]);
        split_extents const s(extents, axis);
        Index const* const indices = elements<Index>(operands[2]);
        if constexpr (updates_taken(Code))
            update_indexed<join, Arch>(s.outer, s.along, s.inner, out, operands[2].extents.size(), indices, origin, from);
        else update_scattered<join>(s.outer, s.along, s.inner, out, operands[2].extents[axis], indices, origin, from);
    }
}
// True if an operand of an update is one element broadcast to all places; it is contiguous if not.
inline bool is_spread(call_operand const& a) {
    for (int axis = 0; axis < a.extents.rank; ++axis)
        if (a.extents[axis] > 1) return a.strides[axis] == 0 && a.extents.size() > 0;
    return false;
}
// A plan may have arranged that the elements which view_set writes to a box are in the result already (passes/parts.hpp). Then
// this copies only what is around the box. Returns false if they are not there.
template <class T>
bool set_around(table_view<call_operand> operands, T* out, dims const& extents, table_view<std::int64_t> attributes) {
    axis_map const map = updated_map(extents, attributes);
    bool const is_there = added_view(attributes) == op::slice && extents.rank > 0 && operands[1].extents.size() > 0 &&
                          elements<T>(operands[1]) == out + place_in(extents, map).offset && !is_spread(operands[1]);
    if (!is_there) return false;
    T const* const base = elements<T>(operands[0]);
    auto const steps = row_major_strides(extents);
    if (base != out)
        for_each_run_around(extents, steps.data(), map.start, operands[1].extents,
                            [&](std::int64_t at, std::int64_t count) { std::copy_n(base + at, count, out + at); });
    return true;
}
// Updates a part of the first operand. This happens in place if the plan has given that operand the result's buffer.
template <op Code, class Arch, class T, class Index>
void update(table_view<call_operand> operands, T* out, dims const& extents, table_view<std::int64_t> attributes) {
    call_operand const &base = operands[0], &added = operands[1];
    index_origin origin{};
    if constexpr (updates_indexed(Code)) {
        int const axis = static_cast<int>(attributes[0]);
        origin = check_indices<Index, Arch>(elements<Index>(operands[2]), operands[2].extents.size(), extents[axis], axis,
                                            info(Code).name.data());
    }
    if constexpr (Code == op::view_set)
        if (set_around(operands, out, extents, attributes)) return;
    if (base.data != reinterpret_cast<std::byte const*>(out)) std::copy_n(elements<T>(base), extents.size(), out);
    T const* const from = elements<T>(added);
    if (is_spread(added)) update_with<Code, Arch, T, Index>(out, same_elements<T>{*from}, origin, operands, extents, attributes);
    else update_with<Code, Arch, T, Index>(out, from, origin, operands, extents, attributes);
}

template <op Code, class T, class Arch> void order_rows(split_extents const& s, table_view<call_operand> operands, std::byte* to,
                                                        dims const& extents, table_view<std::int64_t> attributes) {
    int const axis = static_cast<int>(attributes[0]);
    T const* const in = elements<T>(operands[0]);
    auto* const out = reinterpret_cast<std::conditional_t<Code == op::sort, T, std::int64_t>*>(to);
    if constexpr (Code == op::argselect) {
        std::int64_t const* const ranks = elements<std::int64_t>(operands[1]);
        argselect<T, Arch>(s.outer, s.along, s.inner, in, {ranks, extents[axis], operands[1].extents.rank == 1}, axis, out);
    } else if (orders_around(Code, attributes)) {
        partition<Code, T, Arch>(s.outer, s.along, s.inner, in, attributes[order_attributes(Code)], axis, out);
    } else if constexpr (Code == op::sort) {
        sort<T, Arch>(s.outer, s.along, s.inner, in, attributes[1] != 0, out);
    } else {
        argsort<T, Arch>(s.outer, s.along, s.inner, in, attributes[1] != 0, extents[axis], out);
    }
}
} // namespace detail

// These methods call LAPACK if the program has it and it takes the dtype, and the plain loops otherwise.
struct decomposition_methods {
    using plain_methods = tx::detail::plain_methods;

    template <class T> static bool cholesky(std::int64_t n, T const* a, T* out) {
        return by_lapack<T>([&](auto& lapack) { return lapack.cholesky(n, a, out); }) || plain_methods::cholesky(n, a, out);
    }
    template <class T> static void lu(std::int64_t n, T* a, std::int64_t* places, T* signs) {
        if (!by_lapack<T>([&](auto& lapack) { return lapack.lu(n, a, places, signs); })) plain_methods::lu(n, a, places, signs);
    }
    template <class T> static bool eigh(std::int64_t n, T const* a, T* values, T* vectors) {
        return by_lapack<T>([&](auto& lapack) { return lapack.eigh(n, a, values, vectors); }) ||
               plain_methods::eigh(n, a, values, vectors);
    }
    template <class T> static void qr(std::int64_t m, std::int64_t n, T const* a, T* q, T* r) {
        if (!by_lapack<T>([&](auto& lapack) { return lapack.qr(m, n, a, q, r); })) plain_methods::qr(m, n, a, q, r);
    }
    template <class T> static bool svd(std::int64_t m, std::int64_t n, T const* a, T* u, T* s, T* vh) {
        return by_lapack<T>([&](auto& lapack) { return lapack.svd(m, n, a, u, s, vh); }) || plain_methods::svd(m, n, a, u, s, vh);
    }
    template <class T>
    static void solve_triangular(std::int64_t n, std::int64_t k, T const* a, std::int64_t stride, triangle form, T* x) {
        constexpr std::int64_t small = 64; // calls of LAPACK take longer than systems of this size
        constexpr bool has_vectors = TRACEXPR_HAS_VECTORS && (std::is_same_v<T, float> || std::is_same_v<T, double>);
        if (!(has_vectors && n <= small) && by_lapack<T>([&](auto& lapack) {
                return lapack.solve_triangular(n, k, a, stride, form.lower, form.transposed, form.unit, x);
            }))
            return;
        if constexpr (has_vectors) detail::triangular_system<T, simd::default_arch>(n, k, a, stride, form, x).solve();
        else plain_methods::solve_triangular(n, k, a, stride, form, x);
    }

private:
    template <class T, class Call> static bool by_lapack(Call const& call) {
        if constexpr (tx::detail::lapack_takes_apart<T>) {
            auto const* const lapack = tx::detail::calls_of_program<tx::detail::lapack_methods<T>>();
            return lapack && call(*lapack);
        } else {
            return false;
        }
    }
};

// Runs the op on operands of dtype T; lookups take indices of dtype Index. `results` has the address of each result. IsFull adds
// code of its own for the smallest matrices.
template <op Code, class T, class Index, class Arch, bool IsFull = true> void
run_call(table_view<call_operand> operands, std::byte* const* results, dims const& extents, table_view<std::int64_t> attributes) {
    T* const out = reinterpret_cast<T*>(results[0]);
    call_operand const& a = operands[0];
    T const* const in = detail::elements<T>(a);
    if constexpr (Code == op::concatenate) {
        detail::concatenate(operands, out, extents, static_cast<int>(attributes[0]));
    } else if constexpr (Code == op::pad) {
        detail::pad(a, *detail::elements<T>(operands[1]), out, extents, attributes);
    } else if constexpr (info(Code).kind == kind::update) {
        detail::update<Code, Arch, T, Index>(operands, out, extents, attributes);
    } else if constexpr (info(Code).kind == kind::random) {
        static_assert(std::is_same_v<T, std::uint64_t>);
        draw<Code, Arch>({in, static_cast<std::size_t>(a.extents.size())}, results[0], extents, attributes);
    } else if constexpr (Code == op::matmul) {
        detail::matmul<Arch>(a, operands[1], out, extents);
    } else if constexpr (info(Code).kind == kind::decomposition) {
        constexpr std::size_t count = Code == op::solve ? 3 : static_cast<std::size_t>(info(Code).arity);
        matrix_batch<T> batches[count];
        for (std::size_t k = 0; k < count; ++k) batches[k] = {detail::elements<T>(operands[k]), operands[k].extents};
        decomposed<T> const to = decomposed_into<T>(Code, results);
        std::int64_t const* places = nullptr;
        if constexpr (Code == op::solve) places = detail::elements<std::int64_t>(operands[3]);
        table_view<matrix_batch<T>> const matrices(batches);
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
            if (detail::decompose_in_lanes<Code, IsFull, Arch>(matrices, places, to, extents, attributes)) return;
        decompose<decomposition_methods>(Code, matrices, places, to, extents, attributes);
    } else if constexpr (Code == op::argmax || Code == op::argmin) {
        std::uint32_t reduced = 0;
        for (std::int64_t axis : attributes.subspan(1)) reduced |= 1u << axis;
        detail::extreme_positions<Code, Arch>(in, a.extents, reduced, reinterpret_cast<std::int64_t*>(results[0]));
    } else {
        detail::split_extents const s(a.extents, static_cast<int>(attributes[0]));
        if constexpr (Code == op::cumsum) cumsum<T, Arch>(s.outer, s.along, s.inner, in, out);
        else if constexpr (Code == op::cumprod) cumprod<T, Arch>(s.outer, s.along, s.inner, in, out);
        else if constexpr (Code == op::cummax) cummax<T, Arch>(s.outer, s.along, s.inner, in, out);
        else if constexpr (Code == op::cummin) cummin<T, Arch>(s.outer, s.along, s.inner, in, out);
        else if constexpr (info(Code).kind == kind::order)
            detail::order_rows<Code, T, Arch>(s, operands, results[0], extents, attributes);
        else if constexpr (Code == op::take)
            gather<T, Index, Arch>(s.outer, s.along, s.inner, in, operands[1].extents.size(),
                                   detail::elements<Index>(operands[1]), out, static_cast<int>(attributes[0]));
        else if constexpr (Code == op::take_along_axis)
            take_along_axis<T, Index, Arch>(s.outer, s.along, s.inner, in, operands[1].extents[static_cast<int>(attributes[0])],
                                            detail::elements<Index>(operands[1]), out, static_cast<int>(attributes[0]));
        else static_assert(always_false<T>, "tx: an op without a call");
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
