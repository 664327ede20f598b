// This pass rewrites products of sliding windows (convolutions written as matmul, tensordot or einsum) as a multiplication and a
// sum over the axes within the windows. matmul needs a matrix, and packing the windows as one would copy each element as often as
// windows contain it; a loop reads them where they are.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/rules_views.hpp>
#include <tracexpr/passes/simplify.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

class window_products {
public:
    constexpr explicit window_products(graph_view const& g) : g_{g}, uses_{value_uses(g)}, copier_(g, out_) {}

    TRACEXPR_ONCE constexpr bool find() const {
        for (node const& n : g_)
            if (n.code == op::matmul && product_of(n).is_wanted) return true;
        return false;
    }
    TRACEXPR_ONCE constexpr graph rewritten() && {
        copier_.copy_all([&](node_id id) {
            node const& n = g_[id];
            if (n.code == op::transpose) return as_transposed(n);
            product const p = n.code == op::matmul ? product_of(n) : product{};
            return p.is_wanted ? as_matrix(id, p) : node_id::none;
        });
        copier_.add_outputs(g_.outputs);
        return std::move(out_);
    }

private:
    // A factor is an operand before its axes were merged into a matrix: `batch` axes, then `rows`, then `columns`; an extent of 1
    // has no axis.
    struct factor {
        node_id node = node_id::none;
        dims shape{};
        int batch = 0, rows = 1, columns = 1, dropped_axis = -1; // gone: an axis of extent 1 that was removed

        TRACEXPR_ONCE constexpr dims group(int first, int count) const {
            dims out;
            for (int axis = first; axis < first + count; ++axis) out.push_back(shape[axis]);
            return out;
        }
        constexpr dims row_group() const { return group(batch, rows); }
        constexpr dims column_group() const { return group(batch + rows, columns); }
    };
    struct product {
        bool is_wanted = false;
        factor a, b;
        bool splits_a = false, splits_b = false; // this factor's summed axis is split into the axes that the other one sums
    };

    TRACEXPR_ONCE constexpr bool is_windows(node_id id) const {
        for (;;) {
            node const& n = g_[id];
            if (n.code == op::sliding_window_view) return true;
            if (n.code != op::transpose && n.code != op::expand_dims && n.code != op::squeeze && n.code != op::slice)
                return false;
            id = g_.operand(n, 0);
        }
    }
    // Are neighbours along the last axis neighbours in memory, as far as a transpose tells?
    TRACEXPR_ONCE constexpr bool keeps_last(node_id id) const {
        node const& n = g_[id];
        return n.code != op::transpose || g_.attributes_of(n)[n.attributes.count - 1] == n.attributes.count - 1;
    }
    TRACEXPR_ONCE constexpr factor factor_of(node_id id) const {
        dims const& d = g_.shape_of(id);
        factor const whole{id, d, d.rank - 2, 1, 1};
        if (g_[id].code != op::reshape) return whole;
        node_id const from = g_.operand(g_[id], 0);
        dims const& e = g_.shape_of(from);
        int const batch = d.rank - 2;
        if (!d.is_static() || !e.is_static() || e.rank < batch) return whole;
        for (int axis = 0; axis < batch; ++axis)
            if (d[axis] != e[axis]) return whole;
        std::int64_t size = 1;
        for (int rows = 0; batch + rows <= e.rank; ++rows) {
            if (size == d[batch]) return {from, e, batch, rows, e.rank - batch - rows};
            if (batch + rows < e.rank) size *= e[batch + rows];
        }
        return whole;
    }
    // Removes a vector's single row or column.
    TRACEXPR_ONCE static constexpr void drop_single(factor& f, int axis, int& count) {
        if (count != 1 || f.shape[axis] != 1) return;
        count = 0, f.dropped_axis = axis;
        for (int k = axis; k + 1 < f.shape.rank; ++k) f.shape[k] = f.shape[k + 1];
        --f.shape.rank;
    }
    TRACEXPR_ONCE constexpr product product_of(node const& n) const {
        product p{false, factor_of(g_.operand(n, 0)), factor_of(g_.operand(n, 1))};
        drop_single(p.a, p.a.batch, p.a.rows);
        drop_single(p.b, p.b.batch + p.b.rows, p.b.columns);
        bool const has_windows = is_windows(p.a.node) || is_windows(p.b.node);
        if (!has_windows || n.type == dtype::boolean || is_dual(n.type) || p.a.batch != p.b.batch) return p;
        dims const in_a = p.a.column_group(), in_b = p.b.row_group();
        p.splits_a = in_a != in_b && in_a.rank == 1 && in_b.is_static() && !is_windows(p.a.node);
        p.splits_b = in_a != in_b && in_b.rank == 1 && in_a.is_static() && !is_windows(p.b.node);
        int const summed = in_a.rank > in_b.rank ? in_a.rank : in_b.rank;
        bool const fits = p.a.batch + p.a.rows + p.b.columns + summed <= max_rank;
        bool const joins_known = (p.a.rows <= 1 && p.b.columns <= 1) || g_.shape_of(n).is_static();
        // A multiplication would not report different summed extents, but a reshape to known ones does.
        bool const agrees = (in_a == in_b && in_a.is_static()) || p.splits_a || p.splits_b;
        p.is_wanted = agrees && fits && joins_known;
        return p;
    }

    // Reshapes to these extents. Unknown extents are x's: along the same axis, or, from axis `later` on, counted from the end.
    TRACEXPR_ONCE constexpr node_id reshaped(node_id x, dims const& to, int later = max_rank) {
        buffer<std::int64_t> target;
        int const more = to.rank - out_.shape_of(x).rank;
        for (int axis = 0; axis < to.rank; ++axis)
            target.push_back(to[axis] != dyn ? to[axis] : -2 - std::int64_t{axis < later ? axis : axis - more});
        return append_view(out_, op::reshape, x, target);
    }
    static constexpr void add(dims& to, dims const& more) {
        for (int axis = 0; axis < more.rank; ++axis) to.push_back(more[axis]);
    }
    TRACEXPR_ONCE constexpr node_id given(factor const& f) {
        if (f.dropped_axis < 0) return copier_[f.node];
        std::int64_t const axis = f.dropped_axis;
        return append_view(out_, op::squeeze, copier_[f.node], {&axis, 1});
    }
    // Returns a factor with its kept axes in the order of `result_axes`, of extent 1 where it has none (own(axis) < 0), followed
    // by its summed axes, which begin at axis `first`.
    template <class Own>
    constexpr node_id aligned(node_id x, table_view<std::int64_t> result_axes, Own own, int first, int summed) {
        buffer<std::int64_t> order, missing;
        for (std::size_t k = 0; k < result_axes.size(); ++k)
            if (int const axis = own(static_cast<int>(result_axes[k])); axis >= 0) order.push_back(axis);
            else missing.push_back(static_cast<std::int64_t>(k));
        for (int axis = first; axis < first + summed; ++axis) order.push_back(axis);
        return append_view(out_, op::expand_dims, append_view(out_, op::transpose, x, order), missing);
    }
    // Makes the product as a sum. `result_axes` is the order of the result's axes: the batch, a's rows and b's columns, numbered
    // in this order.
    TRACEXPR_ONCE constexpr node_id summed(node const& n, product const& p, table_view<std::int64_t> result_axes) {
        dims const within = p.splits_a ? p.b.row_group() : p.a.column_group();
        node_id a = given(p.a), b = given(p.b);
        if (p.splits_a) {
            dims d = p.a.group(0, p.a.batch + p.a.rows);
            add(d, within);
            a = reshaped(a, d);
        }
        if (p.splits_b) {
            dims d = p.b.group(0, p.b.batch);
            add(d, within);
            add(d, p.b.column_group());
            b = reshaped(b, d, p.b.batch + within.rank);
        }
        int const batch = p.a.batch, rows = p.a.rows, summed = within.rank;
        a = aligned(a, result_axes, [&](int axis) { return axis < batch + rows ? axis : -1; }, batch + rows, summed);
        b = aligned(
            b, result_axes, [&](int axis) { return axis < batch          ? axis
                                                   : axis < batch + rows ? -1
                                                                         : axis - rows + summed; },
            batch, summed);
        node_id const factors[]{a, b};
        node_id const all = out_.append(op::multiply, n.type, broadcast(out_.shape_of(a), out_.shape_of(b)), factors, {});
        dims left = out_.shape_of(all);
        left.rank = static_cast<std::int32_t>(result_axes.size());
        buffer<std::int64_t> sums(1, 0);
        for (int axis = left.rank; axis < left.rank + summed; ++axis) sums.push_back(axis);
        node_id const operand[]{all};
        return out_.append(op::sum, n.type, left, operand, sums);
    }
    // Makes the product with the axes that the graph expects. It is summed with the windows' axis last, because a loop's vectors
    // run along it, unless the other factor's columns are neighbours in memory.
    TRACEXPR_ONCE constexpr node_id as_matrix(node_id id, product const& p) {
        int const batch = p.a.batch, rows = p.a.rows, columns = p.b.columns;
        bool const turns = is_windows(p.a.node) && !keeps_last(p.b.node);
        buffer<std::int64_t> result_axes, back;
        for (int axis = 0; axis < batch; ++axis) result_axes.push_back(axis), back.push_back(axis);
        for (int k = 0; k < rows + columns; ++k) result_axes.push_back(batch + (turns ? (k + rows) % (rows + columns) : k));
        for (int k = 0; k < rows + columns; ++k) back.push_back(batch + (k + columns) % (rows + columns));
        node_id out = summed(g_[id], p, result_axes);
        if (turns) out = append_view(out_, op::transpose, out, back);
        if (rows > 1 || columns > 1) return reshaped(out, g_.shape_of(g_[id]));
        buffer<std::int64_t> missing;
        if (rows == 0) missing.push_back(batch);
        if (columns == 0) missing.push_back(batch + 1);
        return missing.empty() ? out : append_view(out_, op::expand_dims, out, missing);
    }
    // Returns a transpose of a product, whose axes may have been split in between, as one sum, if nothing else needs the product;
    // or none.
    TRACEXPR_ONCE constexpr node_id as_transposed(node const& n) {
        node_id from = g_.operand(n, 0), product_id = g_[from].code == op::reshape ? g_.operand(g_[from], 0) : from;
        if (g_[product_id].code != op::matmul || uses_[index(from)] != 1 || uses_[index(product_id)] != 1) return node_id::none;
        product const p = product_of(g_[product_id]);
        if (!p.is_wanted) return node_id::none;
        dims split = p.a.group(0, p.a.batch + p.a.rows);
        add(split, p.b.column_group());
        return g_.shape_of(from) == split ? summed(g_[product_id], p, g_.attributes_of(n)) : node_id::none;
    }

    graph_view g_;
    buffer<std::int32_t> uses_;
    graph out_;
    graph_copier copier_;
};

// Applies the pass to a simplified graph, and simplifies the result again if it has changed.
TRACEXPR_ONCE constexpr graph with_window_products(graph simplified, pass_options const& options) {
    if (!options.simplify || !options.cluster || options.points) return simplified;
    window_products products(simplified.view());
    if (!products.find()) return simplified;
    return simplify(std::move(products).rewritten().view(), options);
}

} // namespace tx::detail

TRACEXPR_END_PASSES
