// This file adds to a part of a tensor, or sets it, in place. Updates of one element are applied in the same order as on the CPU,
// never atomically, so results are the same on any device. Where indices may repeat, a thread handles a column with all its
// indices or, where columns are few, indices are sorted and a thread handles all equal ones.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/thrust/call_lookups.hpp>
#include <tracexpr/thrust/call_numbers.hpp>
#include <tracexpr/thrust/sort_by_key.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// The new value of an element that is set. Join below is this, plus, or an extreme.
struct replaced {
    template <class T> TRACEXPR_HD T operator()(T const&, T const& next) const { return next; }
};
template <op Code> using join_of = std::conditional_t<
    sets_elements(Code), replaced,
    std::conditional_t<keeps_greatest(Code), maximum_or_nan, std::conditional_t<keeps_least(Code), minimum_or_nan, plus>>>;

// The values that are added or set: elements in device memory, one there that stands for all (pace is 0), or a number (from is
// null).
template <class T> struct added_elements {
    T const* from;
    std::int64_t pace;
    T number;
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD T at(std::int64_t i) const { return from ? from[i * pace] : number; }
};

// Updates a view that has no element twice, with a thread for each element.
template <class T, class Join> struct add_to_view {
    point_axes axes;
    added_elements<T> added;
    T* out; // points to the view's first element
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t i) const {
        T& to = out[axes.offset(i)];
        to = Join{}(to, added.at(i));
    }
};

// Updates overlapping windows, with a thread for each element of the tensor, which visits all windows that contain the element,
// the first one first.
template <class T, class Join> struct add_windows {
    std::int64_t extent[max_rank], places[max_rank]; // of the tensor; the number of places where windows begin
    std::int64_t axis[max_rank], size[max_rank];     // the windows' axes and sizes
    std::int64_t inside, part_step[2 * max_rank];    // the elements of a window; the steps of the added values
    int rank, windows;
    added_elements<T> added;
    T* out;

    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t index[max_rank], rest = i;
        for (int k = rank - 1; k >= 0; --k) index[k] = divide(rest, extent[k]);
        T sum = out[i];
        for (std::int64_t number = inside - 1; number >= 0; --number) {
            std::int64_t begin[max_rank], at = 0;
            for (int k = 0; k < rank; ++k) begin[k] = index[k];
            rest = number;
            for (int k = windows - 1; k >= 0; --k) {
                std::int64_t const within = divide(rest, size[k]);
                begin[axis[k]] -= within;
                at += within * part_step[rank + k];
            }
            bool exists = true;
            for (int k = 0; k < rank; ++k) {
                exists = exists && begin[k] >= 0 && begin[k] < places[k];
                at += begin[k] * part_step[k];
            }
            if (exists) sum = Join{}(sum, added.at(at));
        }
        out[i] = sum;
    }
};
template <class Join, class T> void add_to_windows(device_queue& queue, T* out, added_elements<T> const& added,
                                                   dims const& extents, dims const& part, table_view<std::int64_t> pairs) {
    add_windows<T, Join> all{{}, {}, {}, {}, 1, {}, extents.rank, static_cast<int>(pairs.size() / 2), added, out};
    auto const steps = row_major_strides(part);
    for (int k = 0; k < extents.rank; ++k) all.extent[k] = extents[k], all.places[k] = part[k];
    for (int k = 0; k < all.windows; ++k) {
        all.axis[k] = pairs[2 * static_cast<std::size_t>(k)], all.size[k] = part[extents.rank + k];
        all.inside *= all.size[k];
    }
    for (int k = 0; k < part.rank; ++k) all.part_step[k] = steps[static_cast<std::size_t>(k)];
    if (part.size() > 0) for_each_index(queue, extents.size(), all);
}

// Indices along the middle axis of (outer, n, inner), for (outer, count, inner) added values. There is an index for each value,
// or one for each i that all (outer, inner) share.
template <class Index> struct index_space {
    Index const* indices;
    std::int64_t n, count, inner;
    bool for_elements;
};

// Updates element (o, j) of each row.
template <class T, class Index, class Join> struct add_column {
    index_space<Index> space;
    added_elements<T> added;
    T* out;
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t column) const {
        std::int64_t const j = divide(column, space.inner);
        for (std::int64_t i = 0; i < space.count; ++i) {
            std::int64_t const at = (column * space.count + i) * space.inner + j;
            std::int64_t const row = position_of(space.indices[space.for_elements ? at : i], space.n);
            T& to = out[(column * space.n + row) * space.inner + j];
            to = Join{}(to, added.at(at));
        }
    }
};

// For each added value the place that it goes to, the sort's key, and its number.
using sorted_number = std::uint32_t;
template <class Index> struct note_index {
    index_space<Index> space;
    sorted_number *keys, *numbers;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t at = position_of(space.indices[i], space.n), rest = i;
        if (space.for_elements) {
            std::int64_t const j = divide(rest, space.inner);
            divide(rest, space.count);
            at = (rest * space.n + at) * space.inner + j;
        }
        keys[i] = static_cast<sorted_number>(at), numbers[i] = static_cast<sorted_number>(i);
    }
};
// The thread of the first of equal keys handles all of them. The `count` keys are used for each (outer, inner) of the tensor.
template <class T, class Join> struct add_sorted {
    sorted_number const *keys, *numbers;
    std::int64_t count, n, inner;
    added_elements<T> added;
    T* out;
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t const j = divide(i, inner), first = divide(i, count);
        sorted_number const key = keys[first];
        if (first > 0 && keys[first - 1] == key) return;
        T& to = out[(i * n + key) * inner + j];
        T sum = to;
        for (std::int64_t k = first; k < count && keys[k] == key; ++k)
            sum = Join{}(sum, added.at((i * count + numbers[k]) * inner + j));
        to = sum;
    }
};

// Does what add_column does, for all columns, by sorting the indices.
template <class Join, class T, class Index> void
add_by_sorting(device_queue& queue, std::int64_t outer, index_space<Index> const& space, added_elements<T> const& added, T* out) {
    bool const each = space.for_elements; // then all elements form one column with as many indices
    std::int64_t const count = each ? outer * space.count * space.inner : space.count;
    device_block const memory(queue, 2 * count * static_cast<std::int64_t>(sizeof(sorted_number)));
    sorted_number *const keys = reinterpret_cast<sorted_number*>(memory.data()), *const numbers = keys + count;
    for_each_index(queue, count, note_index<Index>{space, keys, numbers});
    sort_by_key(queue, keys, count, numbers);
    for_each_index(queue, each ? count : outer * count * space.inner,
                   add_sorted<T, Join>{keys, numbers, count, each ? 0 : space.n, each ? 1 : space.inner, added, out});
}

// Are there too few columns for a thread each? Sorting is worth it on a GPU only.
inline bool is_sorted_first(std::int64_t outer, std::int64_t n, std::int64_t count, std::int64_t inner) {
    std::int64_t const columns = outer * inner;
    return on_gpu && count > 32 && (columns < 1 << 14 || count > 1 << 10) && is_narrow(columns * n) && is_narrow(columns * count);
}

// `number` is a value on the host that stands for the second operand where that has no memory.
template <op Code, class T, class Index> void update(device_queue& queue, table_view<simd::call_operand> operands,
                                                     std::byte* result, dims const& extents, table_view<std::int64_t> attributes,
                                                     T const* number) {
    simd::call_operand const &base = operands[0], &more = operands[1];
    using N = device_number<T>;
    N* const out = reinterpret_cast<N*>(result);
    using join = join_of<Code>;
    constexpr bool finds = updates_indexed(Code);
    std::int64_t const indices = finds ? operands[finds ? 2 : 0].extents.size() : 0;
    int const axis = finds ? static_cast<int>(attributes[0]) : 0;
    Index const* const at = finds ? simd::detail::elements<Index>(operands[finds ? 2 : 0]) : nullptr;
    if constexpr (finds) check_device_indices(queue, at, indices, extents[axis], axis, info(Code).name.data());
    if (base.data != result) queue.within(result, base.data, extents.size() * static_cast<std::int64_t>(sizeof(T)));
    added_elements<N> added{device_numbers(simd::detail::elements<T>(more)), 1, N{}};
    if (!number) added.pace = simd::detail::is_spread(more) ? 0 : 1;
    else added.from = nullptr, std::memcpy(static_cast<void*>(&added.number), number, sizeof(T));
    if constexpr (finds) {
        simd::detail::split_extents const s(extents, axis);
        bool const each = !updates_taken(Code);
        std::int64_t const count = each ? operands[2].extents[axis] : indices;
        index_space<Index> const space{at, s.along, count, s.inner, each};
        if (is_sorted_first(s.outer, s.along, count, s.inner)) add_by_sorting<join>(queue, s.outer, space, added, out);
        else if (count > 0) for_each_index(queue, s.outer * s.inner, add_column<N, Index, join>{space, added, out});
    } else if (added_view(attributes) == op::sliding_window_view) {
        add_to_windows<join>(queue, out, added, extents, more.extents, attributes.subspan(1));
    } else {
        strided_place const place = place_in(extents, updated_map(extents, attributes));
        point_axes const axes = axes_of(more.extents, place.stride);
        for_each_index(queue, more.extents.size(), add_to_view<N, join>{axes, added, out + place.offset});
    }
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
