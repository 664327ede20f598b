// This file holds the result of clustering: loops, steps, and where each node's value is stored.
#pragma once

#include <tracexpr/graph/axis_map.hpp>
#include <tracexpr/graph/graph.hpp>

#include <bit>
#include <limits>

namespace tx {

enum class storage_of : std::uint8_t {
    none,   // computed where it is used
    loop,   // computed by a loop, into its own buffer
    call,   // computed by a call of its own, into its own buffer
    given,  // a parameter, capture or constant
    alias,  // a reshape of something contiguous
    result, // computed by the call that it is a further result of
};

struct loop_info {
    std::int32_t stage = 0;
    std::uint32_t space = 0;   // a node of these extents
    std::uint32_t reduced = 0; // bits of the axes that its reductions reduce
    std::int32_t nest = -1;
};

// A step is one call, or one or more loops. A call of a lookup in a loop only checks the indices. Several loops are a row nest:
// they run one after the other for each index of `space` without its `row_axes`, so that a row stays in the cache from its
// reduction to what is computed with the result (softmax, layer norm, batch norm).
struct step {
    node_id call = node_id::none;
    stretch loops; // indices into `clusters::order`
    std::int32_t stage = 0;
    std::uint32_t space = 0;
    std::uint32_t row_axes = 0; // a bit for each; 0: no nest
};

template <template <class> class Table> struct cluster_tables {
    Table<storage_of> storage;   // for each node
    Table<std::uint32_t> space;  // for each node: the first node with its extents
    Table<std::int32_t> loop_of; // the loop that stores each node; else -1
    Table<loop_info> loops;
    Table<std::int32_t> order; // loops, step after step
    Table<step> steps;

    template <class F> constexpr auto with_tables(F f) const { return f(storage, space, loop_of, loops, order, steps); }
    constexpr cluster_tables<table_view> view() const { return {storage, space, loop_of, loops, order, steps}; }
};
using clusters = cluster_tables<buffer>;
using clusters_view = cluster_tables<table_view>;

namespace detail {

// Does a loop reduce to the node?
TRACEXPR_ONCE constexpr bool is_reduced_by_loop(op code, storage_of storage) {
    return info(code).kind == kind::reduction || (info(code).kind == kind::arg_reduction && storage == storage_of::loop);
}

// row_form says how a value in a row nest is laid out: `whole` has the last axes of the nest's space (axes that are missing are
// leading ones), `without_rows` has all its axes except those of the rows.
enum class row_form : std::uint8_t { none, whole, without_rows };
constexpr std::int32_t outer_axes(dims const& space, std::uint32_t row_axes) { return space.rank - std::popcount(row_axes); }
// Is axis `axis` of such a value, which has `rank` axes, an axis of a row?
constexpr bool is_row_axis(dims const& space, std::uint32_t row_axes, std::int32_t rank, int axis) {
    return rank != outer_axes(space, row_axes) && (row_axes >> (axis + space.rank - rank) & 1u);
}
// Returns the axes that a loop reduces, if others remain, the last axis is among them, and a row has enough elements to be worth
// a nest; else 0.
TRACEXPR_ONCE constexpr std::uint32_t row_axes_of(graph_view const& g, loop_info const& l) {
    constexpr std::int64_t long_row = 32, cached = 1 << 16;
    dims const& d = g.shape_of(to_id(l.space));
    std::uint32_t const all = (1u << d.rank) - 1u;
    std::int64_t tail = 1, row = 1;
    int axis = d.rank;
    for (; axis > 0 && (l.reduced >> (axis - 1) & 1u); --axis) tail = d[axis - 1] == dyn ? long_row : tail * d[axis - 1];
    if (axis == d.rank || l.reduced == all) return 0;
    if (l.reduced == all - ((1u << axis) - 1u)) return l.reduced;
    for (int k = 0; k < d.rank; ++k) row *= l.reduced >> k & 1u && d[k] != dyn ? d[k] : 1;
    return tail >= long_row && row <= cached ? l.reduced : 0;
}
// Returns how many axes a loop reduces if they are the last ones and others remain; else 0.
TRACEXPR_ONCE constexpr std::int32_t trailing_axes(graph_view const& g, loop_info const& l) {
    int const rank = g.shape_of(to_id(l.space)).rank;
    std::int32_t count = 0;
    while (count < rank && (l.reduced >> (rank - 1 - count) & 1u)) ++count;
    bool const only = l.reduced == ((1u << rank) - 1u) - ((1u << (rank - count)) - 1u);
    return only && count < rank ? count : 0;
}
// Returns the axis along which many rows of 2 to `longest` elements follow each other, if a loop reduces such rows; else -1.
// Short rows are computed many at once, not in a row nest.
TRACEXPR_ONCE constexpr std::int32_t axis_of_short_rows(graph_view const& g, loop_info const& l, std::int64_t longest) {
    constexpr std::int64_t many = 16;
    dims const& d = g.shape_of(to_id(l.space));
    std::int32_t const along = d.rank - 1 - trailing_axes(g, l);
    std::int64_t row = 1;
    for (int axis = along + 1; axis < d.rank; ++axis) row = d[axis] == dyn ? longest + 1 : row * d[axis];
    bool const is_short = row > 1 && row <= longest && (d[along] == dyn || d[along] >= many);
    return is_short ? along : -1;
}

// operand_layout says how an operand of a call may lie in its buffer. Contractions and lookups in a loop take any strides
// (`strided`); concatenations take runs of elements that lie side by side (`sliced`); a scan takes a contiguous range of leading
// indices (`leading`); other calls take the whole buffer (`packed`).
enum class operand_layout { packed, leading, sliced, strided };
TRACEXPR_ONCE constexpr operand_layout layout_for(node const& call) {
    kind const k = info(call.code).kind;
    return k == kind::contraction  ? operand_layout::strided
           : k == kind::structure  ? operand_layout::sliced
           : call.code == op::scan ? operand_layout::leading
                                   : operand_layout::packed;
}
// Does a slice take consecutive indices of the first axis, and all of the other axes?
TRACEXPR_ONCE constexpr bool is_leading(graph_view const& g, node const& slice) {
    attribute_span const attributes = g.attributes_of(slice);
    dims const& d = g.shape_of(g.operand(slice, 0));
    for (std::size_t k = 0; k < attributes.size(); k += 3) {
        std::int64_t const extent = d[static_cast<int>(k / 3)];
        bool const begins = attributes[k] == slice_open || attributes[k] == 0;
        bool const ends = attributes[k + 1] == slice_open || (extent != dyn && attributes[k + 1] == extent);
        if (attributes[k + 2] != 1 || (k > 0 && !(begins && ends))) return false;
    }
    return true;
}
// Does what a view takes of a buffer lie as a call wants it, if the buffer's elements do?
TRACEXPR_ONCE constexpr bool keeps_layout(graph_view const& g, operand_layout wanted, node const& view) {
    if (view.code == op::expand_dims || view.code == op::squeeze) return true;
    attribute_span const attributes = g.attributes_of(view);
    if (wanted == operand_layout::leading) return view.code == op::slice && is_leading(g, view);
    if (wanted == operand_layout::sliced)
        return view.code == op::slice && !attributes.empty() && attributes[attributes.size() - 1] == 1;
    return wanted == operand_layout::strided && info(view.code).kind == kind::view && view.code != op::broadcast_to &&
           view.code != op::sum_to;
}

// Counts how many operands and outputs use each node's elements.
TRACEXPR_ONCE constexpr buffer<std::int32_t> value_uses(graph_view const& g) {
    buffer<std::int32_t> uses(g.size(), 0);
    for (node const& n : g)
        for (std::size_t k = 0, count = value_operands(n); k < count; ++k) ++uses[index(g.operand(n, k))];
    for (node_id id : g.outputs) ++uses[index(id)];
    return uses;
}
// Can the loop that computes the compared values find the place of the extreme? It counts places along one axis, in lanes as wide
// as the values'.
inline constexpr std::int64_t most_narrow_places = std::numeric_limits<std::int32_t>::max();
TRACEXPR_ONCE constexpr bool is_found_by_loop(graph_view const& g, node const& n) {
    if (g.attributes_of(n).size() != 2 || g.shape_of(n).size() == 1) return false;
    node_id const id = g.operand(n, 0);
    dtype const t = g[id].type;
    std::int64_t const extent = g.shape_of(id)[static_cast<int>(g.attributes_of(n)[1])];
    bool const fits = accepts(domain::ordered, t) && !is_dual(t) && (size_in_bytes(t) == 4 || size_in_bytes(t) == 8);
    return fits && info(g[id].code).kind == kind::pointwise && extent <= most_narrow_places;
}
// Is the node a transpose of short columns into rows that several others read? A copy transposes blocks, which is faster than
// loops that read columns one by one.
TRACEXPR_ONCE constexpr bool gives_rows(graph_view const& g, node const& n, std::int32_t uses) {
    constexpr std::int32_t several = 4;
    constexpr std::int64_t longest_column = 64;
    if (n.code != op::transpose || uses < several || size_in_bytes(n.type) < 4) return false;
    dims const& d = g.shape_of(n);
    return d.rank == 2 && d[0] != dyn && d[0] <= longest_column && (d[1] == dyn || d[1] > longest_column);
}

} // namespace detail
} // namespace tx
