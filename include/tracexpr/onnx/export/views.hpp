// Writes leaves, views and ops that join arrays as nodes of ONNX.
#pragma once

#include <tracexpr/onnx/export/exporter.hpp>

namespace tx::onnx::detail {

// Returns the shape of a node as an int64 vector, of known extents and of extents of its operands.
inline value_name write_reshaped_shape(exporter& e) {
    if (e.operands() == 2) return e.shape_of(e[1]);
    dims const &made = e.made_shape(), given = e.shape(0);
    attribute_span const target = e.attributes();
    std::vector<value_name> extents;
    value_name others;
    int open = -1;
    for (std::size_t k = 0; k < target.size(); ++k) {
        std::int64_t const code = target[k], known = made[static_cast<int>(k)];
        value_name const extent = known != dyn ? e.integers({known})
                                  : code < -1  ? e.extent_of(e[0], given, static_cast<int>(-2 - code))
                                               : value_name();
        if (extent.empty()) open = static_cast<int>(k);
        else others = others.empty() ? extent : e.add("Mul", {others, extent});
        extents.push_back(extent);
    }
    if (open >= 0) { // ONNX can't compute it for an empty tensor if another extent is 0
        value_name const size = e.vector(e.add("Size", {e[0]}));
        value_name const some = others.empty() ? others : e.add("Max", {others, e.integers({1})});
        extents[static_cast<std::size_t>(open)] = some.empty() ? size : e.add("Div", {size, some});
    }
    return e.joined(extents);
}
inline value_name write_shape(exporter& e) {
    dims const& made = e.made_shape();
    if (made.is_static()) return e.integers(attribute_span(made.extent, static_cast<std::size_t>(made.rank)));
    return write_reshaped_shape(e);
}
inline value_name write_broadcast(exporter& e) {
    if (e.operands() == 2 && !e.made_shape().is_static()) return e.add("Expand", {e[0], e.shape_of(e[1])});
    std::vector<std::int64_t> to; // an extent of 1 keeps the operand's extent
    for (int axis = 0; axis < e.made_shape().rank; ++axis) to.push_back(e.made_shape()[axis] == dyn ? 1 : e.made_shape()[axis]);
    return e.add("Expand", {e[0], e.integers(to)});
}
// Sums over all axes that the second operand doesn't have, or where it has one element; which these are may be known only when
// the model runs.
inline value_name write_sum_to(exporter& e) {
    int const rank = e.rank(0), kept = e.rank(1);
    value_name const shape = e.shape_of(e[1]), own = e.shape_of(e[0]);
    value_name const padded = e.joined({e.integers(std::vector<std::int64_t>(static_cast<std::size_t>(rank - kept), 1)), shape});
    value_name const differs = e.add("Not", {e.add("Equal", {padded, own})});
    value_name const axes = e.add("Squeeze", {e.add("NonZero", {differs}), e.integers({0})});
    value_name const sum = e.add("ReduceSum", {e[0], axes}, {{"keepdims", 1}, {"noop_with_empty_axes", 1}});
    return e.reshape(sum, shape);
}
inline value_name write_slice(exporter& e, value_name const& x, attribute_span bounds) {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> starts, stops, axes, steps;
    for (std::size_t axis = 0; 3 * axis < bounds.size(); ++axis) {
        std::int64_t const start = bounds[3 * axis], stop = bounds[3 * axis + 1], step = bounds[3 * axis + 2];
        if (start == slice_open && stop == slice_open && step == 1) continue;
        axes.push_back(static_cast<std::int64_t>(axis));
        starts.push_back(start != slice_open ? start : step > 0 ? 0 : most);
        stops.push_back(stop != slice_open ? stop : step > 0 ? most : least);
        steps.push_back(step);
    }
    if (axes.empty()) return x;
    return e.add("Slice", {x, e.integers(starts), e.integers(stops), e.integers(axes), e.integers(steps)});
}
// Merges the two axes into one, of which every (columns + 1)th element is taken.
inline value_name write_diagonal(exporter& e, value_name const& x, dims const& d, attribute_span attributes) {
    int const first = static_cast<int>(attributes[1]), second = static_cast<int>(attributes[2]);
    std::int64_t const below = attributes[0] < 0 ? -attributes[0] : 0, above = attributes[0] > 0 ? attributes[0] : 0;
    std::vector<std::int64_t> order;
    std::vector<value_name> extents;
    for (int axis = 0; axis < d.rank; ++axis)
        if (axis != first && axis != second) order.push_back(axis), extents.push_back(e.extent_of(x, d, axis));
    order.push_back(first), order.push_back(second);
    extents.push_back(e.size_along(x, d, {first, second}));
    value_name const rows = e.extent_of(x, d, first), columns = e.extent_of(x, d, second);
    value_name const length =
        e.add("Max", {e.add("Min", {e.add("Sub", {rows, e.integers({below})}), e.add("Sub", {columns, e.integers({above})})}),
                      e.integers({0})});
    value_name const numbers = e.range(e.scalar(length)), step = e.add("Add", {columns, e.integers({1})});
    value_name const start = e.add("Add", {e.add("Mul", {e.integers({below}), columns}), e.integers({above})});
    value_name const places = e.add("Add", {e.add("Mul", {numbers, step}), start});
    value_name const both = e.reshape(e.transpose(x, order), e.joined(extents));
    return e.add("Gather", {both, places}, {{"axis", d.rank - 2}});
}
inline value_name write_windows(exporter& e, value_name x, dims const& d, attribute_span pairs) {
    int rank = d.rank;
    dims extents = d;
    for (std::size_t k = 0; k < pairs.size(); k += 2) {
        int const axis = static_cast<int>(pairs[k]);
        value_name const last = e.add("Sub", {e.extent_of(x, extents, axis), e.integers({pairs[k + 1] - 1})});
        value_name const places =
            e.add("Add", {e.add("Unsqueeze", {e.range(e.scalar(last)), e.integers({1})}),
                          e.add("Unsqueeze", {e.range(e.literal(dtype::int64, {static_cast<std::uint64_t>(pairs[k + 1]), 0})),
                                              e.integers({0})})});
        x = e.add("Gather", {x, places}, {{"axis", axis}});
        std::vector<std::int64_t> order;
        for (int a = 0; a <= rank; ++a)
            if (a != axis + 1) order.push_back(a);
        order.push_back(axis + 1);
        x = e.transpose(x, order);
        if (extents[axis] != dyn) extents[axis] -= pairs[k + 1] - 1;
        extents.push_back(pairs[k + 1]);
        ++rank;
    }
    return x;
}
// Writes a view of one operand.
inline value_name write_view_of(exporter& e, op code, value_name const& x, dims const& d, attribute_span attributes) {
    switch (code) {
    case op::transpose: return e.transpose(x, std::vector<std::int64_t>(attributes.begin(), attributes.end()));
    case op::expand_dims: return e.add("Unsqueeze", {x, e.integers(attributes)});
    case op::squeeze: return attributes.empty() ? x : e.add("Squeeze", {x, e.integers(attributes)});
    case op::slice: return write_slice(e, x, attributes);
    case op::diagonal: return write_diagonal(e, x, d, attributes);
    case op::sliding_window_view: return write_windows(e, x, d, attributes);
    default: return e.fail();
    }
}
inline value_name write_view(exporter& e) {
    switch (e.at().code) {
    case op::reshape: return e.reshape(e[0], write_shape(e));
    case op::broadcast_to: return write_broadcast(e);
    case op::barrier: return e[0];
    case op::sum_to: return write_sum_to(e);
    default: e.rank(0); return write_view_of(e, e.at().code, e[0], e.shape(0), e.attributes());
    }
}

inline value_name write_concatenate(exporter& e) {
    std::vector<value_name> parts;
    for (std::size_t k = 0; k < e.operands(); ++k) parts.push_back(e[k]);
    return e.add("Concat", parts, {{"axis", e.attributes()[0]}});
}
inline value_name write_pad(exporter& e) {
    std::vector<std::int64_t> widths;
    for (std::size_t side = 0; side < 2; ++side)
        for (std::size_t k = side; k < e.attributes().size(); k += 2) widths.push_back(e.attributes()[k]);
    bool const is_bfloat = e.made_type() == dtype::bfloat16;
    dtype const type = is_bfloat ? dtype::float32 : e.made_type();
    value_name const padded =
        e.add("Pad", {e.cast(e[0], e.made_type(), type), e.integers(widths), e.cast(e[1], e.made_type(), type)});
    return e.cast(padded, type, e.made_type());
}

// Returns the numbers along an axis, in the shape of an operand, or in one that is known.
inline value_name write_iota(exporter& e) {
    int const axis = static_cast<int>(e.attributes()[0]), rank = e.made_shape().rank;
    if (rank < 0) return e.fail("an array of unknown rank");
    bool const is_like = e.operands() > 0 && !e.made_shape().is_static();
    value_name const shape = is_like ? e.shape_of(e[0]) : write_shape(e);
    value_name const count =
        e.made_shape()[axis] != dyn ? e.integers({e.made_shape()[axis]}) : e.extent_of(e[0], e.shape(0), axis);
    value_name out = e.cast(e.range(e.scalar(count)), dtype::int64, e.made_type());
    std::vector<std::int64_t> behind;
    for (int a = axis + 1; a < rank; ++a) behind.push_back(a - axis);
    if (!behind.empty()) out = e.add("Unsqueeze", {out, e.integers(behind)});
    return rank == 1 ? out : e.add("Expand", {out, shape});
}
inline value_name write_axis_size(exporter& e) {
    value_name size;
    if (e.attributes().empty()) {
        size = e.add("Size", {e[0]});
    } else {
        std::vector<int> axes;
        for (std::int64_t const axis : e.attributes()) axes.push_back(static_cast<int>(axis));
        e.rank(0);
        size = e.scalar(e.size_along(e[0], e.shape(0), axes));
    }
    return e.cast(size, dtype::int64, e.made_type());
}
// Returns an array of false, in a shape that the attributes give.
inline value_name write_extents(exporter& e) {
    std::vector<value_name> extents;
    for (std::int64_t const code : e.attributes()) {
        std::size_t const k = static_cast<std::size_t>(-1 - code);
        extents.push_back(code >= 0 ? e.integers({code}) : e.vector(e.cast(e[k], e.type(k), dtype::int64)));
    }
    written_tensor no;
    no.type = dtype::boolean, no.shape = dims{{1}, 1};
    std::string const value = no.message_without_raw() + wire_writer().bytes(9, std::string_view("\0", 1)).message();
    return e.add("ConstantOfShape", {e.joined(extents)}, {written_attribute::tensor("value", value)});
}
inline value_name write_literal(exporter& e) {
    node const& n = e.at();
    value_name const one = e.literal(n.type, {n.bits[0], n.bits[1]});
    return e.made_shape().rank == 0 ? one : e.add("Expand", {one, write_shape(e)});
}
inline value_name write_constant(exporter& e) {
    node const& n = e.at();
    return e.elements(n.type, e.made_shape(), e.graph().blob.subspan(n.bits[0], n.bits[1]));
}
inline value_name write_capture(exporter& e) {
    captured const& c = e.graph().captures[e.at().bits[0]];
    return e.out().add_weights(e.at().type, c.shape(c.address), c.data(c.address));
}

} // namespace tx::onnx::detail
