// Writes reductions, scans, sorts, lookups, updates and products as nodes of ONNX.
#pragma once

#include <tracexpr/onnx/export/pointwise.hpp>
#include <tracexpr/onnx/export/views.hpp>

namespace tx::onnx::detail {

// Returns the dtype to which an array is cast for operators that ONNX Runtime doesn't have for small or unsigned integers.
inline dtype wide_integer(dtype type) {
    if (type == dtype::bfloat16) return dtype::float32;
    if (type == dtype::boolean || (is_integer(type) && size_in_bytes(type) < 4)) return dtype::int32;
    return is_unsigned_integer(type) ? dtype::int64 : type;
}

inline value_name write_reduced(exporter& e, std::string_view op, value_name const& x) {
    attribute_span const axes = e.attributes().subspan(1);
    if (axes.empty()) return x;
    return e.add(op, {x, e.integers(axes)}, {{"keepdims", e.attributes()[0] & 1}});
}
inline value_name write_reduction(exporter& e) {
    op const code = e.at().code;
    dtype const type = wide_integer(e.type(0));
    value_name const x = e.cast(e[0], e.type(0), type);
    if (code != op::nanmax && code != op::nanmin) return e.cast(write_reduced(e, info(code).onnx, x), type, e.made_type());
    pointwise_writer w(e, type);
    double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    value_name const missing = w.is_nan(x), is_there = e.cast(w.of("Not", missing), dtype::boolean, dtype::int32);
    value_name const most = write_reduced(e, code == op::nanmax ? "ReduceMax" : "ReduceMin",
                                          w.choose(missing, w.number(code == op::nanmax ? -inf : inf), x));
    value_name const any = e.cast(write_reduced(e, "ReduceMax", is_there), dtype::int32, dtype::boolean);
    return e.cast(w.choose(any, most, w.number(nan)), type, e.made_type());
}
// Several axes are merged into one, the last. The first NaN wins: if there is one, the place is looked for among the NaN.
inline value_name write_place_of_extreme(exporter& e) {
    int const rank = e.rank(0);
    dtype const type = wide_integer(e.type(0));
    value_name x = e.cast(e[0], e.type(0), type);
    std::uint32_t gone = 0;
    for (std::int64_t const axis : e.attributes().subspan(1)) gone |= 1u << axis;
    std::vector<std::int64_t> order;
    std::vector<int> along;
    std::vector<value_name> extents, kept;
    for (int axis = 0; axis < rank; ++axis) {
        bool const is_gone = (gone >> axis & 1u) != 0;
        value_name const extent = is_gone ? e.integers({1}) : e.extent_of(e[0], e.shape(0), axis);
        if (!is_gone) order.push_back(axis), extents.push_back(extent);
        kept.push_back(extent);
    }
    for (int axis = 0; axis < rank; ++axis)
        if (gone >> axis & 1u) order.push_back(axis), along.push_back(axis);
    extents.push_back(e.size_along(e[0], e.shape(0), along));
    x = e.reshape(e.transpose(x, order), e.joined(extents));
    int const last = static_cast<int>(extents.size()) - 1;
    auto const place = [&](value_name const& of, char const* op) { return e.add(op, {of}, {{"axis", last}, {"keepdims", 0}}); };
    value_name out = place(x, e.at().code == op::argmax ? "ArgMax" : "ArgMin");
    if (is_floating(type)) {
        value_name const missing = e.cast(e.add("IsNaN", {x}), dtype::boolean, dtype::int32);
        value_name const any = e.add("ReduceMax", {missing, e.integers({last})}, {{"keepdims", 0}});
        out = e.add("Where", {e.cast(any, dtype::int32, dtype::boolean), place(missing, "ArgMax"), out});
    }
    return e.attributes()[0] & 1 ? e.reshape(out, e.joined(kept)) : out;
}

// Returns the sorted elements along an axis and their places; equal elements keep their order.
inline std::vector<value_name> write_ordered(exporter& e, value_name const& x, dtype type, int axis, bool descending,
                                             value_name const& count) {
    dtype const wide = wide_integer(type);
    return e.out().add("TopK", {e.cast(x, type, wide), count}, 2, {{"axis", axis}, {"largest", descending}, {"sorted", 1}});
}
inline value_name write_sort(exporter& e) {
    attribute_span const a = e.attributes();
    op const code = e.at().code;
    e.rank(0);
    int const axis = static_cast<int>(a[0]);
    value_name const all = e.extent_of(e[0], e.shape(0), axis);
    if (code == op::argselect) {
        value_name const places = write_ordered(e, e[0], e.type(0), axis, false, all)[1];
        return e.add(e.shape(1).rank == 1 ? "Gather" : "GatherElements", {places, e[1]}, {{"axis", axis}});
    }
    bool const some = code == op::argsort && a[2] != order_of_all;
    auto const made = write_ordered(e, e[0], e.type(0), axis, a[1] != 0, some ? e.integers({a[2]}) : all);
    return code == op::argsort ? made[1] : e.cast(made[0], wide_integer(e.type(0)), e.made_type());
}

// Writes cumprod, cummax and cummin as a Scan over the axis whose state is the result so far.
inline value_name write_running(exporter& e, value_name const& x, dtype type, int axis) {
    // This reduction combines two elements as the scan does.
    op const code = e.at().code == op::cumprod ? op::prod : e.at().code == op::cummax ? op::max : op::min;
    std::string_view const by = info(info(code).combines.by).onnx;
    int const rank = e.rank(0);
    std::vector<std::int64_t> order{axis}, back;
    for (int a = 0; a < rank; ++a)
        if (a != axis) order.push_back(a);
    for (int a = 0; a < rank; ++a) back.push_back(a < axis ? a + 1 : a == axis ? 0 : a);
    value_name const rows = e.transpose(x, order);
    value_name const shape = e.add("Slice", {e.shape_of(rows), e.integers({1}), e.integers({rank}), e.integers({0})});
    value_name const state = e.add("Expand", {e.number(type, info(code).combines.start), shape});
    value_name const so_far = e.out().new_name(), row = e.out().new_name();
    std::string const body = e.out().graph_within([&] {
        value_name const next = e.add(by, {so_far, row});
        wire_writer rest;
        dims const any{{}, dims::unknown_rank};
        rest.bytes(11, value_message_of(so_far, type, &any)).bytes(11, value_message_of(row, type, &any));
        e.add_output(rest, next, type, &any), e.add_output(rest, next, type, &any);
        return rest;
    });
    value_name const made =
        e.out().add("Scan", {state, rows}, 2, {written_attribute::graph("body", body), {"num_scan_inputs", 1}})[1];
    return e.transpose(made, back);
}
inline value_name write_scan_along(exporter& e) {
    op const code = e.at().code;
    dtype const type = wide_integer(e.type(0));
    int const axis = static_cast<int>(e.attributes()[0]);
    value_name const x = e.cast(e[0], e.type(0), type);
    value_name const made = code == op::cumsum
                                ? e.add("CumSum", {x, e.literal(dtype::int64, {static_cast<std::uint64_t>(axis), 0})})
                                : write_running(e, x, type, axis);
    return e.cast(made, type, e.made_type());
}

// Casts indices to a dtype that ONNX takes.
inline value_name write_indices(exporter& e, std::size_t k) {
    return e.type(k) == dtype::int32 ? e[k] : e.cast(e[k], e.type(k), dtype::int64);
}
inline value_name write_lookup(exporter& e) {
    return e.add(e.at().code == op::take ? "Gather" : "GatherElements", {e[0], write_indices(e, 1)},
                 {{"axis", e.attributes()[0]}});
}
// Writes an update. x is flattened; the op that reads elements of x is applied to their numbers, which gives the places to
// update.
inline value_name write_update(exporter& e) {
    op const code = e.at().code;
    e.rank(0);
    value_name const shape = e.shape_of(e[0]), size = e.add("Size", {e[0]}), numbers = e.reshape(e.range(size), shape);
    attribute_span const a = e.attributes();
    value_name const places = updates_view(code) ? write_view_of(e, added_view(a), numbers, e.shape(0), a.subspan(1))
                                                 : e.add(updates_taken(code) ? "Gather" : "GatherElements",
                                                         {numbers, write_indices(e, 2)}, {{"axis", a[0]}});
    dtype const type = wide_integer(e.made_type());
    char const* const reduction = sets_elements(code) ? "none" : keeps_greatest(code) ? "max" : keeps_least(code) ? "min" : "add";
    value_name const x = e.cast(e[0], e.made_type(), type), added = e.cast(e[1], e.made_type(), type);
    value_name const made =
        e.add("ScatterElements", {e.flat(x), e.flat(places), e.flat(added)}, {{"axis", 0}, {"reduction", reduction}});
    return e.cast(e.reshape(made, shape), type, e.made_type());
}
inline value_name write_matmul(exporter& e) {
    dtype const type = wide_integer(e.type(0));
    value_name const made = e.add("MatMul", {e.cast(e[0], e.type(0), type), e.cast(e[1], e.type(1), type)});
    return e.cast(made, type, e.made_type());
}

} // namespace tx::onnx::detail
