// The elements pass rewrites ops on small values, one at each index (place) of a long first axis. Ops on vectors and matrices of
// a few elements are written out: each element becomes a value of its own (element_values.hpp), and one loop along the places
// computes all of them in SIMD vectors. This concerns vmap of a function of a few numbers, its derivatives, and products of small
// matrices.
#pragma once

#include <tracexpr/passes/block_axes.hpp>
#include <tracexpr/passes/element_values.hpp>
#include <tracexpr/passes/simplify.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// Chooses which nodes are written out. They are called members.
class element_choice {
public:
    constexpr explicit element_choice(graph_view const& g)
        : g_{g}, axes_(g), named_(naming(g, naming_for::sure_equality).names()), placed_(g.size(), false),
          known_(g.size(), false), member_(g.size(), false), group_(g.size()) {
        find_known();
        if (!find_places()) return;
        for (std::size_t i = 0; i < g.size(); ++i) placed_[i] = has_places(i);
        find_members();
        choose();
    }
    constexpr ~element_choice() {} // nvcc 13 does not take the implicit one for constexpr

    // Returns the graph with its members written out. It returns a graph without nodes if there are no members, or if they have
    // too many elements.
    TRACEXPR_ONCE constexpr graph rewritten() const {
        graph out, none;
        if (!any_ || like() == node_id::none) return none;
        graph_copier copier(g_, out);
        buffer<bool> const live = needed_nodes(g_, g_.outputs), inside = needed_within(), outside = needed_outside(live);
        element_values values(g_, {placed_.data(), placed_.size()}, like(), out, copier);
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node_id const id = to_id(i);
            if (member_[i] || inside[i]) values.write(id);
            if (member_[i] && outside[i]) copier.replace(id, values.joined(id));
            else if (!member_[i] && (live[i] || g_[id].code == op::parameter)) copier.copy(id);
            if (out.size() > most_nodes || values.size() > most_elements) return none;
        }
        copier.add_outputs(g_.outputs);
        return out;
    }

private:
    static constexpr std::int64_t least_places = 256, most_at_place = 64, most_known = 1024;
    // All elements that are written out become one kernel, and each of its nodes costs the C++ compiler some 50 ms, so these
    // limits stand for about 20 s. A graph that needs more is left unchanged, with its products as calls.
    static constexpr std::size_t most_nodes = 400, most_elements = 1600;

    // Finds the small values that are computed from literals and constants alone.
    TRACEXPR_ONCE constexpr void find_known() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            dims const& d = g_.shape_of(n);
            bool known = d.is_static() && d.size() > 0 && d.size() <= most_known && is_number(n.type) &&
                         (element_values::is_known(n) || (element_values::is_written(n) && n.arity > 0));
            for (std::size_t k = 0; known && k < n.arity; ++k) known = known_[index(g_.operand(n, k))];
            known_[i] = known;
        }
    }
    // Only plain numbers are written out: no strings, tokens or dual numbers.
    static constexpr bool is_number(dtype t) { return t != dtype::string && t != dtype::token && !is_dual(t); }
    // Returns the number of elements behind a long first axis if they are few; else 0.
    TRACEXPR_ONCE static constexpr std::int64_t elements_at_a_place(dims const& d) {
        if (d.rank < 1 || (d[0] != dyn && d[0] < least_places)) return 0;
        std::int64_t count = 1;
        for (int axis = 1; axis < d.rank; ++axis) {
            if (d[axis] == dyn || d[axis] > most_at_place) return 0;
            count *= d[axis];
        }
        return count <= most_at_place ? count : 0;
    }
    TRACEXPR_ONCE constexpr std::int64_t extent_of(std::size_t i) const {
        return named_.empty() ? g_.shape_of(to_id(i))[0] : named_[i][0];
    }
    // Does an op read other elements of a place than the one that it computes? Loops along the few elements would be short.
    TRACEXPR_ONCE constexpr bool mixes_elements(node const& n) const {
        switch (n.code) {
        case op::matmul: return g_.shape_of(n).rank > 2;
        case op::slice:
        case op::diagonal:
        case op::transpose:
        case op::concatenate:
        case op::pad:
        case op::view_add: return elements_at_a_place(g_.shape_of(g_.operand(n, 0))) > 0;
        default: return false;
        }
    }
    // Chooses the extent of the first axis that most ops which mix elements have.
    TRACEXPR_ONCE constexpr bool find_places() {
        struct candidate {
            std::int64_t extent = 0;
            int ops = 0;
        };
        buffer<candidate> all;
        int most = 0;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            if (!mixes_elements(g_.nodes[i]) || elements_at_a_place(g_.shape_of(to_id(i))) == 0) continue;
            std::size_t k = 0;
            while (k < all.size() && all[k].extent != extent_of(i)) ++k;
            if (k == all.size()) all.push_back({extent_of(i), 0});
            if (++all[k].ops > most) most = all[k].ops, places_ = all[k].extent;
        }
        return most > 0;
    }
    constexpr bool has_places(std::size_t i) const {
        return elements_at_a_place(g_.shape_of(to_id(i))) > 0 && extent_of(i) == places_;
    }
    TRACEXPR_ONCE constexpr bool reduces_places(node const& n) const {
        if (info(n.code).kind != kind::reduction || !placed_[index(g_.operand(n, 0))]) return false;
        for (std::int64_t const axis : g_.attributes_of(n).subspan(1))
            if (axis == 0) return true;
        return false;
    }
    // Returns how many multiplications a matmul has at a place.
    TRACEXPR_ONCE constexpr std::int64_t multiplications(node const& n) const {
        dims const& a = g_.shape_of(g_.operand(n, 0));
        return elements_at_a_place(g_.shape_of(n)) * a[a.rank - 1];
    }
    // Does a view_add add at every place?
    TRACEXPR_ONCE constexpr bool updates_places(node const& n) const {
        axis_map const m = updated_map(g_.shape_of(n), g_.attributes_of(n));
        bool whole = m.keeps_numbers;
        for (int s = 0; s < m.count; ++s)
            whole = whole || (m.steps[s].from == 0 && m.steps[s].to == 0 && m.steps[s].by == 1 && m.start[0] == 0 &&
                              (m.steps[s].is_whole || m.shape[0] == g_.shape_of(n)[0]));
        return whole && placed_[index(g_.operand(n, 0))] && placed_[index(g_.operand(n, 1))];
    }
    TRACEXPR_ONCE constexpr bool can_be_written(std::size_t i) const {
        node const& n = g_.nodes[i];
        if (!is_number(n.type) || n.arity == 0 || known_[i] || !element_values::is_written(n)) return false;
        if (reduces_places(n)) return true;
        if (!placed_[i] || (n.code == op::matmul && multiplications(n) > most_at_place * 4)) return false;
        if (n.code == op::view_add) return updates_places(n);
        for (std::size_t k = 0; k < n.arity; ++k) {
            node_id const o = g_.operand(n, k);
            block_need const need = axes_.need_of(n, {0, false}, k);
            if (!is_number(g_[o].type)) return false;
            if (placed_[index(o)] ? need.part != block_need::along || need.axis != 0 : need.part != block_need::whole)
                return false;
            if (!placed_[index(o)] && !known_[index(o)] &&
                !(g_.shape_of(o).is_static() && g_.shape_of(o).size() <= most_at_place))
                return false;
        }
        return true;
    }
    constexpr std::size_t root_of(std::size_t i) const {
        while (group_[i] != i) i = group_[i];
        return i;
    }
    // Makes all nodes members that can be written out, and joins those that read each other to groups.
    TRACEXPR_ONCE constexpr void find_members() {
        buffer<bool> const live = needed_nodes(g_, g_.outputs);
        for (std::size_t i = 0; i < g_.size(); ++i) {
            group_[i] = i;
            member_[i] = live[i] && can_be_written(i);
            for (std::size_t k = 0; member_[i] && k < g_.nodes[i].arity; ++k) {
                std::size_t const o = index(g_.operand(g_.nodes[i], k));
                if (member_[o]) group_[root_of(o)] = root_of(i);
            }
        }
    }
    // Returns the work of a node at a place: about as many operations as elements are stored and read if the node is not written
    // out.
    TRACEXPR_ONCE constexpr std::int64_t work_of(node const& n) const {
        if (n.code == op::matmul) return 2 * multiplications(n);
        if (info(n.code).kind == kind::view) return 0;
        return elements_at_a_place(info(n.code).kind == kind::reduction ? g_.shape_of(g_.operand(n, 0)) : g_.shape_of(n));
    }
    // Keeps the groups of nodes that mix elements and that do so much work that splitting and joining values costs little in
    // comparison.
    TRACEXPR_ONCE constexpr void choose() {
        constexpr std::int64_t least_work_per_moved_element = 3;
        buffer<std::int64_t> work(g_.size(), 0), moved(g_.size(), 0);
        buffer<bool> mixes(g_.size(), false);
        buffer<bool> const outside = needed_outside(needed_nodes(g_, g_.outputs));
        buffer<std::size_t> read_by(g_.size(), g_.size()); // for each node that is no member, the last group that reads it
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (!member_[i]) continue;
            std::size_t const group = root_of(i);
            mixes[group] = mixes[group] || mixes_elements(n);
            work[group] += work_of(n);
            if (outside[i]) moved[group] += elements_at_a_place(g_.shape_of(n));
            for (std::size_t k = 0; k < n.arity; ++k) {
                std::size_t const o = index(g_.operand(n, k));
                if (member_[o] || !placed_[o] || read_by[o] == group) continue;
                read_by[o] = group;
                moved[group] += elements_at_a_place(g_.shape_of(to_id(o)));
            }
        }
        for (std::size_t i = 0; i < g_.size(); ++i) {
            std::size_t const group = root_of(i);
            member_[i] = member_[i] && mixes[group] && work[group] > least_work_per_moved_element * moved[group];
            any_ = any_ || member_[i];
        }
    }
    // Returns a value with the places that members read and that stays in the graph, or none.
    TRACEXPR_ONCE constexpr node_id like() const {
        for (std::size_t i = 0; i < g_.size(); ++i)
            for (std::size_t k = 0; member_[i] && k < g_.nodes[i].arity; ++k) {
                node_id const o = g_.operand(g_.nodes[i], k);
                if (placed_[index(o)] && !member_[index(o)]) return o;
            }
        return node_id::none;
    }
    // Marks known values whose elements members read.
    TRACEXPR_ONCE constexpr buffer<bool> needed_within() const {
        buffer<bool> out(g_.size(), false);
        for (std::size_t i = g_.size(); i-- > 0;)
            for (std::size_t k = 0; (member_[i] || out[i]) && k < g_.nodes[i].arity; ++k) {
                std::size_t const o = index(g_.operand(g_.nodes[i], k));
                out[o] = known_[o];
            }
        return out;
    }
    // Marks values that outputs, or nodes which are no members, read.
    TRACEXPR_ONCE constexpr buffer<bool> needed_outside(buffer<bool> const& live) const {
        buffer<bool> out(g_.size(), false);
        for (node_id const id : g_.outputs) out[index(id)] = true;
        for (std::size_t i = 0; i < g_.size(); ++i)
            for (std::size_t k = 0; live[i] && !member_[i] && k < g_.nodes[i].arity; ++k)
                out[index(g_.operand(g_.nodes[i], k))] = true;
        return out;
    }

    graph_view g_;
    block_axes axes_;
    buffer<dims> named_; // empty where all extents are known
    std::int64_t places_ = 0;
    buffer<bool> placed_, known_, member_;
    buffer<std::size_t> group_; // for each node, another node of its group, or itself
    bool any_ = false;
};

} // namespace tx::detail

namespace tx {

// Applies the pass to a simplified graph, and simplifies the result again if it has changed.
TRACEXPR_ONCE constexpr graph with_elements(graph simplified, pass_options const& options) {
    if (!options.simplify || !options.cluster || !options.elements) return simplified;
    graph const written = detail::element_choice(simplified.view()).rewritten();
    if (written.size() == 0) return simplified;
    return simplify(written.view(), options);
}

} // namespace tx

TRACEXPR_END_PASSES
