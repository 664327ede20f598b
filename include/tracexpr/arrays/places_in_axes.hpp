// This file reads and updates elements at places in several axes together, as gather_nd and scatter_nd of TensorFlow and ONNX do.
// It also holds reverse_sequence.
#pragma once

#include <tracexpr/arrays/place_of_axis.hpp>

namespace tx {
namespace detail {

// Returns what is wrong with the indices, or nullptr. Their last axis must have a place for each of the first axes of x behind
// `batch` common axes.
TRACEXPR_ONCE constexpr char const* places_problem(dims const& x, builder_spec const& indices, int batch) {
    dims const& d = indices.shape;
    if (!is_integer(indices.type)) return "indices must be integers";
    if (d.rank < 0) return nullptr;
    if (d.rank < batch + 1) return "indices must have the common axes and a last one for the places";
    if (d[d.rank - 1] == dyn) return "the extent of the last axis of indices must be known";
    if (x.rank < 0) return nullptr;
    if (d[d.rank - 1] > x.rank - batch) return "indices must have at most as many places as x has axes";
    if (d.rank - 1 + x.rank - batch - d[d.rank - 1] > max_rank) return "what is found must have at most 8 axes";
    for (int a = 0; a < batch; ++a)
        if (d[a] != x[a] && d[a] != dyn && x[a] != dyn) return "x and indices must have the same extents on the common axes";
    return nullptr;
}
// Gives the shape of what is found: the axes of the indices except the last, then the axes of x that have no places.
TRACEXPR_ONCE constexpr dims found_dims(dims const& x, dims const& indices, int batch) {
    dims out;
    for (int a = 0; a + 1 < indices.rank; ++a) out.push_back(indices[a]);
    for (int a = batch + static_cast<int>(indices[indices.rank - 1]); a < x.rank; ++a) out.push_back(x[a]);
    return out;
}

// `rows` is x with the common axes and those that have places merged into one axis, and `numbers` are the places as numbers along
// it.
struct flat_places {
    node_id rows, numbers;
};
TRACEXPR_ONCE constexpr node_id rows_for_places(lowering& low, node_id x, int axes) {
    if (axes == 0) return low.expand(x, 0);
    std::int64_t count = 1;
    for (int a = 0; a < axes; ++a) count = count == dyn || low.extent(x, a) == dyn ? dyn : count * low.extent(x, a);
    attribute_list target(count);
    for (int a = axes; a < low.rank(x); ++a) target.push_back(low.copied(x, a));
    return axes == 1 ? x : low.reshape(x, target);
}
// Gives the pad widths that add one place at the end of the last axis, so that a slice of one place exists even if the axis is
// empty.
TRACEXPR_ONCE constexpr attribute_list last_grown(int last) {
    attribute_list widths;
    for (int a = 0; a < last; ++a) widths.push_back(0), widths.push_back(0);
    widths.push_back(0), widths.push_back(1);
    return widths;
}
TRACEXPR_ONCE constexpr flat_places flattened_places(lowering& low, node_id x, node_id indices, int batch) {
    int const last = low.rank(indices) - 1, places = static_cast<int>(low.extent(indices, last));
    node_id const given = low.as(indices, dtype::int64), zero = low.literal(std::int64_t{0});
    node_id const first = low.squeeze(low.slice(low.append(op::pad, given, zero, last_grown(last)), last, 0, 1), last);
    node_id number = zero;
    for (int a = 0; a < batch + places; ++a) {
        axis_length const n = length_of_axis(low, x, a);
        node_id place{};
        if (a < batch) place = low.iota_like<std::int64_t>(first, a);
        else place = low.squeeze(low.slice(given, last, a - batch, a - batch + 1), last);
        if (a >= batch) place = place_of_axis(low, place, n, a);
        number = a == 0 ? place : low.append(op::add, low.append(op::multiply, number, n.number), place);
    }
    if (batch + places == 0) number = low.append(op::multiply, first, zero);
    return {rows_for_places(low, x, batch + places), number};
}
template <int Batch> struct gather_nd_builder {
    static constexpr char const* called = "gather_nd";
    static constexpr char const* problem(builder_specs given) { return places_problem(given[0].shape, given[1], Batch); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{found_dims(given[0].shape, given[1].shape, Batch)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        flat_places const flat = flattened_places(low, x[0], x[1], Batch);
        return std::array<node_id, 1>{low.append(op::take, flat.rows, flat.numbers, attribute_list(0))};
    }
};

TRACEXPR_ONCE constexpr char const* scatter_problem(builder_spec const& x, builder_spec const& indices,
                                                    builder_spec const& updates, op how) {
    if (char const* const wrong = places_problem(x.shape, indices, 0)) return wrong;
    if (how == op::index_add && (x.type == dtype::boolean || x.type == dtype::string)) return "adds numbers";
    if (indices.shape.rank < 0 || x.shape.rank < 0 || updates.shape.rank < 0) return nullptr;
    bool const fits = may_equal(found_dims(x.shape, indices.shape, 0), updates.shape);
    return fits ? nullptr : "updates must have the shape of what the indices find";
}
TRACEXPR_ONCE constexpr node_id record_scatter(lowering& low, op how, node_id x, node_id indices, node_id updates) {
    flat_places const flat = flattened_places(low, x, indices, 0);
    node_id const operands[]{flat.rows, low.as(updates, low.type(x)), flat.numbers};
    node_id const next = low.append(how, low.type(x), operands, attribute_list(0));
    int const places = static_cast<int>(low.extent(indices, low.rank(indices) - 1));
    if (places == 0) return low.squeeze(next, 0);
    dims const d = low.shape(x);
    if (places == 1) return next;
    return d.is_static() ? low.append(op::reshape, next, attribute_span(d.extent, static_cast<std::size_t>(d.rank)))
                         : low.append(op::reshape, next, x);
}
// The operands are x, indices and updates.
template <op How> struct scatter_nd_builder {
    static constexpr char const* called = How == op::index_add ? "scatter_nd_add" : "scatter_nd_set";
    static constexpr char const* problem(builder_specs given) { return scatter_problem(given[0], given[1], given[2], How); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_scatter(low, How, x[0], x[1], x[2])};
    }
};
// The operands are indices and updates.
template <class Shape> struct scatter_into_builder {
    static constexpr dims of = dims_of<Shape>;
    static constexpr char const* called = "scatter_nd";
    static constexpr char const* problem(builder_specs given) {
        return scatter_problem({given[1].type, of}, given[0], given[1], op::index_add);
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[1].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{of}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_into(low, of, x[0], x[1])};
    }
    static constexpr node_id record_into(lowering& low, dims const& d, node_id indices, node_id updates) {
        node_id const zeros =
            low.append(op::broadcast_to, low.zero_like(updates), attribute_span(d.extent, static_cast<std::size_t>(d.rank)));
        return record_scatter(low, op::index_add, zeros, indices, updates);
    }
};

TRACEXPR_ONCE constexpr char const* sequence_problem(builder_spec const& x, builder_spec const& lengths, int axis, int batch) {
    if (!is_integer(lengths.type)) return "the lengths must be integers";
    if (lengths.shape.rank >= 0 && lengths.shape.rank != 1) return "the lengths must be a vector";
    if (x.shape.rank < 0) return nullptr;
    if (!are_axes(normalized_axes(x.shape.rank, axis, batch), x.shape.rank))
        return "the two axes must differ and lie within the rank of x";
    std::int64_t const n = x.shape[normalized_axis(batch, x.shape.rank)];
    bool const fits = lengths.shape.rank < 0 || n == dyn || lengths.shape[0] == dyn || n == lengths.shape[0];
    return fits ? nullptr : "there must be a length for each element of the batch axis";
}
TRACEXPR_ONCE constexpr node_id record_reversed(lowering& low, node_id x, node_id lengths, int along, int of_batch) {
    int const rank = low.rank(x), axis = normalized_axis(along, rank), batch = normalized_axis(of_batch, rank);
    node_id length = low.as(lengths, dtype::int64);
    for (int a = 0; a < rank; ++a)
        if (a != batch) length = low.expand(length, a);
    node_id const place = low.iota_like<std::int64_t>(x, axis), one = low.literal(std::int64_t{1});
    node_id const mirrored = low.append(op::subtract, low.append(op::subtract, length, one), place);
    node_id const from = low.choose(low.test(op::less, place, length), mirrored, place);
    return low.append(op::take_along_axis, x, from, attribute_list(axis));
}
template <int Axis, int Batch> struct reverse_sequence_builder {
    static constexpr char const* called = "reverse_sequence";
    static constexpr char const* problem(builder_specs given) { return sequence_problem(given[0], given[1], Axis, Batch); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_reversed(low, x[0], x[1], Axis, Batch)};
    }
};

} // namespace detail

// The type of tx::batch_dims<n>.
template <int Axes> struct batch_dims_t {};
// An argument of gather_nd that tells how many leading axes its operands have in common: tx::batch_dims<1>.
template <int Axes> inline constexpr batch_dims_t<Axes> batch_dims{};

inline namespace TRACEXPR_CALLS {

// Gives the elements at places in several axes: the last axis of indices has a place for each of the first axes of x, and what
// stands there in x replaces that axis: gather_nd(x, indices), x (a, b, ...), indices (n, 2) -> (n, ...). With tx::batch_dims<k>
// the first k axes of both go together. A place below 0 counts from the end. Throws shape_error for a place outside. (TensorFlow,
// ONNX: GatherND)
template <array_operand A, array_operand I, int Batch = 0>
[[nodiscard]] constexpr auto gather_nd(A const& x, I const& indices, batch_dims_t<Batch> = {}) {
    using builder = detail::gather_nd_builder<Batch>;
    constexpr bool fits = Batch >= 0 && detail::built_problem<builder, A, I> == nullptr;
    static_assert(fits,
                  "tx: gather_nd: indices must be integers, whose last axis, of known extent, has a place for each of the first "
                  "axes of x behind the common ones");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, indices);
}
// Gives zeros of this shape with each update added where gather_nd would find it: scatter_nd(indices, updates, tx::shape<8>{}),
// indices (n, 1), updates (n). Several updates for one place are summed. Throws shape_error for a place outside. (TensorFlow)
template <array_operand I, array_operand U, std::int64_t... E>
[[nodiscard]] constexpr auto scatter_nd(I const& indices, U const& updates, shape<E...>) {
    constexpr bool is_static = ((E >= 0) && ...);
    static_assert(is_static, "tx: scatter_nd: the shape must be static; scatter_nd_add takes a tensor to add to");
    using builder = detail::scatter_into_builder<shape<E...>>;
    constexpr bool fits = detail::built_problem<builder, I, U> == nullptr;
    static_assert(fits,
                  "tx: scatter_nd: indices must be integers, whose last axis has a place for each of the first axes, and updates "
                  "numbers of the shape that gather_nd would find");
    return detail::apply_if<(is_static && fits)>(detail::built_fn<builder>{}, indices, updates);
}
// Gives x with each update added where gather_nd(x, indices) would find it. (TensorFlow: tensor_scatter_nd_add; ONNX: ScatterND)
template <array_operand A, array_operand I, array_operand U>
[[nodiscard]] constexpr auto scatter_nd_add(A const& x, I const& indices, U const& updates) {
    using builder = detail::scatter_nd_builder<op::index_add>;
    constexpr bool fits = detail::built_problem<builder, A, I, U> == nullptr;
    static_assert(fits,
                  "tx: scatter_nd_add: indices must be integers, whose last axis has a place for each of the first axes of x, "
                  "and updates numbers of the shape that gather_nd would find");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, indices, updates);
}
// Gives x with the updates in place of what gather_nd(x, indices) would find; of several updates for one place the last stays.
// (TensorFlow: tensor_scatter_nd_update; ONNX: ScatterND)
template <array_operand A, array_operand I, array_operand U>
[[nodiscard]] constexpr auto scatter_nd_set(A const& x, I const& indices, U const& updates) {
    using builder = detail::scatter_nd_builder<op::index_set>;
    constexpr bool fits = detail::built_problem<builder, A, I, U> == nullptr;
    static_assert(fits,
                  "tx: scatter_nd_set: indices must be integers, whose last axis has a place for each of the first axes of x, "
                  "and updates must have the shape that gather_nd would find");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, indices, updates);
}
// Reverses the first lengths[b] elements along an axis for each b of the batch axis, which is the first unless it is named:
// reverse_sequence(x, lengths, tx::axis<1>), reverse_sequence(x, lengths, tx::axis<0, 1>). The other elements stay. Throws
// shape_error for a length that is greater than the extent of the axis. (TensorFlow)
template <array_operand A, array_operand L, int Axis, int... Batch> requires(sizeof...(Batch) <= 1)
[[nodiscard]] constexpr auto reverse_sequence(A const& x, L const& lengths, axes_t<Axis, Batch...>) {
    using builder = detail::reverse_sequence_builder<Axis, (0 + ... + Batch)>;
    constexpr bool fits = detail::built_problem<builder, A, L> == nullptr;
    static_assert(fits, "tx: reverse_sequence: takes an axis of x and a batch axis, which differ, and an integer length for each "
                        "element of the batch axis");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, lengths);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
