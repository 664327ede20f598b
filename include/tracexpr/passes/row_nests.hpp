// This file finds row nests: loops over the same rows that can run one after the other for each row, so that a row is read from
// memory once (softmax: the largest element, the sum, the quotient). A nest starts from a loop that reduces rows. Loops over rows
// of the same extents join it, unless they must wait for something that is only complete after all rows.
#pragma once

#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/spaces.hpp>

#include <bit>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

class row_nests {
public:
    // `found` is what clustering has found out about nodes and loops; the loops' `nest` is set here. `level` is the stage of each
    // node.
    constexpr row_nests(graph_view const& g, clusters_view const& found, table_view<std::int32_t> level, buffer<loop_info>& loops)
        : g_{g}, found_{found}, level_{level}, loops_{loops} {}
    constexpr ~row_nests() {} // nvcc 13 does not take the implicit one for constexpr

    // Appends the loops of the nest of `seed`, a loop that reduces rows, to `members`, in the order in which they run. It stores
    // the nest's rows in `s`; if no other loop joins, s.row_axes is 0.
    TRACEXPR_ONCE constexpr void collect(std::size_t seed, buffer<std::int32_t>& members, step& s) {
        if (!has_names_) named_extents_ = named_extents(g_), has_names_ = true;
        loop_info const& row = loops_[seed];
        s.space = row.space;
        s.row_axes = row_axes_of(g_, row);
        buffer<std::uint8_t> inside(loops_.size(), 0);
        for (std::size_t l = 0; l < loops_.size(); ++l) {
            loop_info const& other = loops_[l];
            if (other.nest >= 0 || other.stage < row.stage) continue;
            bool const reduces_rows = other.reduced == row.reduced && extents_of(other.space).rank == extents_of(row.space).rank;
            inside[l] = (other.reduced == 0 || reduces_rows) && form_of(s, other.space) != row_form::none;
        }
        inside[seed] = 1;
        while (remove_late_loops(s, inside)) {}
        remove_last_loops(s, inside);
        std::int32_t last = row.stage, count = 0;
        for (std::size_t l = 0; l < loops_.size(); ++l)
            if (inside[l]) last = loops_[l].stage > last ? loops_[l].stage : last, ++count;
        if (count < 2) s.row_axes = 0;
        for (std::int32_t stage = row.stage; stage <= last; ++stage)
            for (std::size_t l = 0; l < loops_.size(); ++l)
                if (inside[l] && loops_[l].stage == stage) {
                    loops_[l].nest = static_cast<std::int32_t>(seed);
                    members.push_back(static_cast<std::int32_t>(l));
                }
    }

private:
    constexpr dims const& extents_of(std::uint32_t space) const {
        return named_extents_.empty() ? g_.shape_of(to_id(space)) : named_extents_[space];
    }
    // Returns whether values with the extents of node `other` have a row, one element, or neither for each row of s.space. The
    // axes that are not the rows' must be the same; an axis of the rows may have the same extent, 1, or an unknown one.
    TRACEXPR_ONCE constexpr row_form form_of(step const& s, std::uint32_t other) const {
        if (other == s.space) return row_form::whole;
        dims const &a = extents_of(other), &b = extents_of(s.space);
        bool const is_whole = a.rank != outer_axes(b, s.row_axes);
        for (int axis = b.rank, own = a.rank; axis-- > 0;) {
            bool const is_row = s.row_axes >> axis & 1u;
            if (is_row && !is_whole) continue;
            if (--own < 0 ? !is_row : !has_extent_of_row(a[own], b[axis], is_row)) return row_form::none;
        }
        return a.rank > b.rank ? row_form::none : is_whole ? row_form::whole : row_form::without_rows;
    }
    static constexpr bool has_extent_of_row(std::int64_t extent, std::int64_t of_space, bool is_row) {
        return extent == of_space || (is_row && (extent == 1 || extent < dyn || of_space < dyn));
    }
    // Does each row of node `self` need only the same row of its operand `id`? It doesn't if a view moves elements between rows.
    TRACEXPR_ONCE constexpr bool keeps_rows(node_id self, node const& n, node_id id, step const& s) const {
        row_form const to = form_of(s, found_.space[index(self)]), from = form_of(s, found_.space[index(id)]);
        kind const k = info(n.code).kind;
        bool const reduces = is_reduced_by_loop(n.code, found_.storage[index(self)]);
        if (to == row_form::none || from == row_form::none) return reduces && from != row_form::none;
        if (k == kind::pointwise || n.code == op::broadcast_to || n.code == op::sum_to) return to == from;
        if (reduces) return true;
        return (n.code == op::expand_dims || n.code == op::squeeze) && (to != from || keeps_places(self, n, id, s));
    }
    // Does a view that adds or removes axes keep all other axes in their places? It does if these axes lie in front of the
    // space's first axis that is not a row's.
    TRACEXPR_ONCE constexpr bool keeps_places(node_id self, node const& n, node_id id, step const& s) const {
        int const before = g_.shape_of(id).rank, after = g_.shape_of(self).rank, most = before > after ? before : after;
        for (std::int64_t const axis : g_.attributes_of(n))
            if (static_cast<int>(axis) + extents_of(s.space).rank - most >= std::countr_one(s.row_axes)) return false;
        return true;
    }
    // Removes loops that can't run row by row with the others: those that read what is stored outside of the nest in its first
    // stage or later, or another row of what the nest stores. It returns true if there were any; then other loops may have to be
    // removed, too.
    TRACEXPR_ONCE constexpr bool remove_late_loops(step const& s, buffer<std::uint8_t>& inside) {
        buffer<std::uint8_t> late(g_.size(), 0);    // the node needs a value that is stored too late
        buffer<std::uint8_t> of_nest(g_.size(), 0); // the node needs, or is, what a loop of the nest stores
        bool dropped = false;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (found_.storage[i] == storage_of::result) late[i] = late[index(g_.operand(n, 0))];
            for (std::size_t k = 0, count = value_operands(n); k < count; ++k) {
                node_id const id = g_.operand(n, k);
                late[i] |= late[index(id)];
                if (!of_nest[index(id)]) continue;
                of_nest[i] = 1;
                if (!keeps_rows(to_id(i), n, id, s)) late[i] = 1;
            }
            std::int32_t const loop = found_.loop_of[i];
            if (loop >= 0) {
                std::uint8_t& in = inside[static_cast<std::size_t>(loop)];
                if (in && late[i] && loops_[static_cast<std::size_t>(loop)].stage > s.stage) in = 0, dropped = true;
                late[i] = !in && loops_[static_cast<std::size_t>(loop)].stage >= s.stage;
                of_nest[i] = in;
            } else if (found_.storage[i] == storage_of::call) {
                late[i] = level_[i] - 1 >= s.stage;
                of_nest[i] = 0;
            }
        }
        return dropped;
    }

    // Removes the last loops of a nest that compute one element for each row: a loop of its own vectorizes over rows.
    TRACEXPR_ONCE constexpr void remove_last_loops(step const& s, buffer<std::uint8_t>& inside) const {
        std::int32_t end = s.stage;
        for (std::size_t l = 0; l < loops_.size(); ++l)
            if (inside[l] && loops_[l].stage > end && !has_one_element_a_row(s, loops_[l].space)) end = loops_[l].stage;
        for (std::size_t l = 0; l < loops_.size(); ++l)
            if (loops_[l].stage > end) inside[l] = 0;
    }
    TRACEXPR_ONCE constexpr bool has_one_element_a_row(step const& s, std::uint32_t space) const {
        dims const &d = extents_of(space), &all = extents_of(s.space);
        for (int axis = 0; axis < d.rank; ++axis)
            if (is_row_axis(all, s.row_axes, d.rank, axis) && d[axis] != 1) return false;
        return true;
    }

    graph_view g_;
    clusters_view found_;
    table_view<std::int32_t> level_;
    buffer<loop_info>& loops_;
    buffer<dims> named_extents_; // each node's shape with names for unknown extents, once asked for; empty where all are known
    bool has_names_ = false;
};

} // namespace tx::detail

TRACEXPR_END_PASSES
