// This file holds `lowering`, which records functions as several nodes whose number or kind depends on extents and ranks, without
// a C++ type for each step. Shapes are inferred as the trace knows them; operands that don't fit throw shape_error.
#pragma once

#include <tracexpr/graph/regions.hpp>
#include <tracexpr/trace/axes.hpp>

namespace tx::detail {

constexpr node_id append_inferred_here(graph& g, op code, dtype type, table_view<node_id> operands, attribute_span attributes) {
    return g.append(code, type, inferred_shape(g, code, operands, attributes), operands, attributes);
}
TRACEXPR_HERE_OR_ONCE(node_id, append_inferred, append_inferred_here,
                      (graph & g, op code, dtype type, table_view<node_id> operands, attribute_span attributes),
                      (g, code, type, operands, attributes))

class lowering {
public:
    constexpr explicit lowering(graph& g) : graph_{g} {}
    constexpr explicit lowering(trace_scope& scope) : graph_{scope.recorded}, scope_{&scope} {}

    // The trace that is recorded into; only for a lowering that was made with one.
    constexpr trace_scope& scope() const { return *scope_; }

    constexpr dims shape(node_id x) const { return graph_.shape_of(x); }
    constexpr dtype type(node_id x) const { return graph_[x].type; }
    constexpr int rank(node_id x) const { return graph_.shape_of(x).rank; }
    constexpr std::int64_t extent(node_id x, int a) const { return graph_.shape_of(x)[a]; }
    // Throws where the rank is unknown.
    constexpr void require_rank(op code, node_id x) const {
        if (rank(x) < 0) throw_unknown_rank(code);
    }

    constexpr node_id append(op code, dtype type, table_view<node_id> operands, attribute_span attributes = {}) {
        return append_inferred(graph_, code, type, operands, attributes);
    }
    // Appends an op on one operand, or two; the result has the dtype of the first.
    constexpr node_id append(op code, node_id x, attribute_span attributes = {}) {
        node_id const operands[]{x};
        return append(code, graph_[x].type, operands, attributes);
    }
    TRACEXPR_ONCE constexpr node_id append(op code, node_id a, node_id b, attribute_span attributes = {}) {
        node_id const operands[]{a, b};
        return append(code, graph_[a].type, operands, attributes);
    }

    // Appends a comparison, or another op whose result is bool.
    constexpr node_id test(op code, node_id a, node_id b) {
        node_id const operands[]{a, b};
        return append(code, dtype::boolean, operands);
    }
    // Casts x to that dtype where it has another.
    TRACEXPR_ONCE constexpr node_id as(node_id x, dtype wanted) {
        node_id const operand[]{x};
        return type(x) == wanted ? x : append(op::cast, wanted, operand);
    }
    // Gives `yes` where the condition holds, else `no`.
    TRACEXPR_ONCE constexpr node_id choose(node_id condition, node_id yes, node_id no) {
        node_id const operands[]{condition, yes, no};
        return append(op::where, graph_[yes].type, operands);
    }

    // Gives result k of a node that has several.
    constexpr node_id result(node_id of, std::size_t k) { return append_result(graph_, of, k); }

    TRACEXPR_ONCE constexpr node_id reshape(node_id x, attribute_list const& target) {
        dims const d = shape(x);
        bool same = target.count == static_cast<std::size_t>(d.rank);
        for (int a = 0; same && a < d.rank; ++a) {
            std::int64_t const code = target[static_cast<std::size_t>(a)];
            same = code == -2 - a || (code >= 0 && code == d[a]);
        }
        return same ? x : append(op::reshape, x, target);
    }
    TRACEXPR_ONCE constexpr node_id transpose(node_id x, attribute_list const& permutation) {
        for (std::size_t i = 0; i < permutation.count; ++i)
            if (permutation[i] != static_cast<std::int64_t>(i)) return append(op::transpose, x, permutation);
        return x;
    }
    TRACEXPR_ONCE constexpr node_id swap_last_axes(node_id x) {
        attribute_list order = every_axis(rank(x));
        std::swap(order.value[order.count - 2], order.value[order.count - 1]);
        return transpose(x, order);
    }
    constexpr node_id expand(node_id x, int a) { return append(op::expand_dims, x, attribute_list(a)); }
    constexpr node_id squeeze(node_id x, int a) { return append(op::squeeze, x, attribute_list(a)); }
    TRACEXPR_ONCE constexpr node_id reduce(op code, node_id x, attribute_list const& axes) {
        attribute_list form(0);
        for (std::size_t i = 0; i < axes.count; ++i) form.push_back(axes[i]);
        return axes.count ? append(code, x, form) : x;
    }
    // x[..., start:stop:step, ...] on axis a.
    constexpr node_id slice(node_id x, int a, std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
        return append(op::slice, x, bounds_along(x, a, start, stop, step));
    }
    TRACEXPR_ONCE constexpr attribute_list bounds_along(node_id x, int a, std::int64_t start, std::int64_t stop,
                                                        std::int64_t step) const {
        attribute_list bounds;
        for (int other = 0; other < rank(x); ++other) {
            bounds.push_back(other == a ? start : slice_open);
            bounds.push_back(other == a ? stop : slice_open);
            bounds.push_back(other == a ? step : 1);
        }
        return bounds;
    }
    // Appends view_add or view_set of the part that a slice with these bounds reads.
    TRACEXPR_ONCE constexpr node_id update(op code, node_id x, node_id part, attribute_list const& bounds) {
        attribute_list form(static_cast<std::int64_t>(op::slice));
        for (std::size_t k = 0; k < bounds.count; ++k) form.push_back(bounds[k]);
        return append(code, x, part, form);
    }
    TRACEXPR_ONCE constexpr node_id concatenate(table_view<node_id> parts, int a) {
        return parts.size() == 1 ? parts[0] : append(op::concatenate, graph_[parts[0]].type, parts, attribute_list(a));
    }

    // The following members append scalars and ranges of numbers, in dtype T.
    template <class T> constexpr node_id literal(T value) {
        return graph_.append(op::literal, dtype_of<T>, dims{}, {}, {}, to_literal(value));
    }
    // Appends 0 in the dtype of x.
    TRACEXPR_ONCE constexpr node_id zero_like(node_id x) {
        return graph_.append(op::literal, graph_[x].type, dims{}, {}, {}, {});
    }
    // Appends a number in the dtype of x.
    TRACEXPR_ONCE constexpr node_id number_like(node_id x, double number) {
        return graph_.append(op::literal, graph_[x].type, dims{}, {}, {},
                             cast_literal(to_literal(number), dtype::float64, graph_[x].type));
    }
    // Appends a constant of known numbers, row-major; a dtype whose elements take several words is cast to.
    TRACEXPR_ONCE constexpr node_id constant(dims const& d, dtype wanted, table_view<double> numbers) {
        if (words_of(wanted) != 1) return as(constant(d, dtype::float64, numbers), wanted);
        buffer<std::uint64_t> words;
        words.reserve(numbers.size());
        for (double const number : numbers) words.push_back(cast_literal(to_literal(number), dtype::float64, wanted).low);
        return graph_.append_constant(wanted, d, words);
    }
    template <class T> constexpr node_id axis_size(node_id x, int a) {
        node_id const operand[]{x};
        return graph_.append(op::axis_size, dtype_of<T>, dims{}, operand, attribute_list(a));
    }
    template <class T> constexpr node_id iota(std::int64_t extent) {
        return graph_.append(op::iota, dtype_of<T>, dims{{extent}, 1}, {}, attribute_list(0));
    }
    template <class T> constexpr node_id iota_like(node_id x, int a) {
        node_id const operand[]{x};
        return graph_.append(op::iota, dtype_of<T>, shape(x), operand, attribute_list(a));
    }

    // Appends a value that has these extents and no elements of its own. For an unknown extent the code is -1 - k, and numbers[k]
    // is the extent.
    constexpr node_id extents(dims const& known, table_view<node_id> numbers, attribute_span codes) {
        return graph_.append(op::extents, dtype::boolean, known, numbers, codes);
    }

    // Repeats axis a of x `times` times as a whole, or each element along it.
    TRACEXPR_ONCE constexpr node_id repeat(node_id x, int a, std::int64_t times, bool each) {
        if (times == 1) return x;
        if (times == 0) return slice(x, a, 0, 0);
        if (rank(x) == max_rank) return repeat_highest_rank(x, a, times, each);
        std::int64_t const before = extent(x, a);
        node_id const wider = expand(x, each ? a + 1 : a);
        attribute_list grown, merged;
        for (int k = 0; k < rank(wider); ++k) grown.push_back(k == (each ? a + 1 : a) ? times : dyn);
        for (int k = 0; k < rank(x); ++k)
            merged.push_back(k == a ? (before == dyn ? dyn : before * times) : copied(wider, k < a ? k : k + 1));
        return reshape(append(op::broadcast_to, wider, grown), merged);
    }
    // The reshape attribute that keeps axis k of x: its extent where known.
    constexpr std::int64_t copied(node_id x, int k) const { return extent(x, k) == dyn ? -2 - k : extent(x, k); }

private:
    TRACEXPR_ONCE constexpr node_id repeat_highest_rank(node_id x, int a, std::int64_t times, bool each) {
        buffer<node_id> const parts(static_cast<std::size_t>(times), x);
        node_id const tiled = concatenate(parts, a);
        if (!each) return tiled;
        node_id const places = append(op::floor_divide, iota_like<std::int64_t>(tiled, a), literal(times));
        return append(op::take_along_axis, tiled, places, attribute_list(a));
    }

    graph& graph_;
    trace_scope* scope_ = nullptr;
};

} // namespace tx::detail
