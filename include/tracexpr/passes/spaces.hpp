// This file finds nodes that have the same extents whatever the arguments are. Shapes with unknown extents don't tell: of two
// shapes (?,) one may be (3,) and the other (1,), and their sum is still valid. So each unknown extent of an argument gets a
// name, and the names are propagated: the extent of a sum has the names of both operands, and equal results of the shape rules
// (x[1:-1] and x[2:] have the same length) have one name. Where a plan may rely on it (it checks it), a sum_to is taken to sum
// nothing: its operand's extents are its result's.
#pragma once

#include <tracexpr/graph/axis_map.hpp>
#include <tracexpr/graph/copy.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {
namespace detail {

// A name is represented by a negative extent.
inline constexpr std::int64_t first_name = -2;
constexpr std::size_t index_of_name(std::int64_t name) { return static_cast<std::size_t>(first_name - name); }

// united_names is a union-find of names that are the same extent; a representative is another name, or a known extent.
class united_names {
public:
    TRACEXPR_ONCE constexpr std::int64_t representative(std::int64_t extent) const {
        while (extent < dyn && index_of_name(extent) < to_.size() && to_[index_of_name(extent)] != dyn)
            extent = to_[index_of_name(extent)];
        return extent;
    }
    TRACEXPR_ONCE constexpr void unite(std::int64_t a, std::int64_t b) {
        a = representative(a), b = representative(b);
        if (a == b || (a >= 0 && b >= 0)) return;
        if (a >= 0 || (b < dyn && b < a)) std::swap(a, b); // the later name gives way
        while (to_.size() <= index_of_name(a)) to_.push_back(dyn);
        to_[index_of_name(a)] = b;
    }

private:
    buffer<std::int64_t> to_;
};

// naming_for says what names are used for: equality that is certain, equality that a plan checks, or a plan that is made before
// extents are known; for the last, nothing is assumed to be broadcast along an axis of unknown extent.
enum class naming_for { sure_equality, checked_equality, assumption };

class naming {
public:
    constexpr naming(graph_view const& g, naming_for use)
        : g_{g}, trust_sums_{use != naming_for::sure_equality}, assumes_{use == naming_for::assumption} {}

    // Returns, for each node, the first one that has its extents.
    TRACEXPR_ONCE constexpr buffer<std::uint32_t> run() {
        buffer<std::uint32_t> out(g_.size());
        buffer<std::int32_t> first(g_.shapes.size(), -1); // node of each known shape
        bool const open = !g_.is_static();
        if (open) named_ = buffer<dims>(g_.size());
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            dims const& d = g_.shapes[n.shape];
            if (open) named_[i] = d;
            if (!open || d.is_static()) {
                std::int32_t& known = first.data()[n.shape];
                if (known < 0) known = static_cast<std::int32_t>(i);
                out.data()[i] = static_cast<std::uint32_t>(known);
            } else {
                name_axes(n, named_[i]);
                if (!trust_sums_) out[i] = first_with(named_[i], i);
            }
        }
        if (open && trust_sums_) {
            unite_sums();
            for (std::size_t i = 0; i < g_.size() && !assumes_; ++i) out[i] = first_with(named_[i] = united(named_[i]), i);
        }
        return out;
    }
    // Returns each node's shape with names; empty if all extents are known.
    constexpr buffer<dims> names() {
        run();
        return std::move(named_);
    }
    // Returns each node's shape with a number for each unknown extent: `usual`, or what the shape rules compute from it.
    TRACEXPR_ONCE constexpr buffer<dims> assumed(std::int64_t usual) {
        run();
        made_of_.assign(names_.size(), -1);
        for (std::size_t k = 0; k < derivations_.size(); ++k) {
            std::int64_t const name = united_.representative(derivations_[k].result);
            if (name < dyn && made_of_[index_of_name(name)] < 0) made_of_[index_of_name(name)] = static_cast<std::int32_t>(k);
        }
        numbers_.assign(names_.size(), dyn);
        buffer<dims> out(g_.size());
        for (std::size_t i = 0; i < g_.size(); ++i) {
            out[i] = named_.empty() ? g_.shapes[g_.nodes[i].shape] : named_[i];
            for (int axis = 0; axis < out[i].rank; ++axis) out[i][axis] = assumed_number(out[i][axis], usual);
        }
        return out;
    }

private:
    // Returns the name of a set of atoms: the arguments' extents that broadcast to it.
    TRACEXPR_ONCE constexpr std::int64_t name_of(std::uint64_t atoms) {
        std::int32_t known = name_index_.find(mix(0, atoms), [&](std::size_t e) { return names_[e] == atoms && atoms; });
        if (known < 0) {
            known = static_cast<std::int32_t>(names_.size());
            names_.push_back(atoms);
            derived_by_.push_back(-1);
            name_index_.add(mix(0, atoms));
        }
        return first_name - known;
    }
    // From the 65th atom on names are distinct, but the name of a broadcast of two no longer says which they are.
    constexpr std::int64_t fresh() { return name_of(atoms_ < 64 ? std::uint64_t{1} << atoms_++ : 0); }
    TRACEXPR_ONCE constexpr std::int64_t joined(std::int64_t a, std::int64_t b) {
        if (a == b || b >= 0) return a;
        if (a >= 0) return b;
        std::uint64_t const x = names_[index_of_name(a)], y = names_[index_of_name(b)];
        std::int64_t const out = x && y ? name_of(x | y) : fresh();
        if (assumes_) united_.unite(out, a), united_.unite(out, b);
        return out;
    }
    // Derives an extent from another one by a view or a pad: the same rule for the same extent gives the same name.
    struct derivation {
        std::int64_t from = 0, result = 0;
        op code{};
        std::int64_t numbers[3]{}; // a slice's bounds; for other ops: how much longer the axis becomes
        TRACEXPR_ONCE friend constexpr bool operator==(derivation const& a, derivation const& b) {
            return a.from == b.from && a.code == b.code && a.numbers[0] == b.numbers[0] && a.numbers[1] == b.numbers[1] &&
                   a.numbers[2] == b.numbers[2];
        }
    };
    TRACEXPR_ONCE constexpr std::int64_t derived(derivation d) {
        std::uint64_t hash = mix(static_cast<std::uint64_t>(d.from), static_cast<std::uint64_t>(d.code));
        for (std::int64_t const number : d.numbers) hash = mix(hash, static_cast<std::uint64_t>(number));
        std::int32_t const known = derivation_index_.find(hash, [&](std::size_t e) { return derivations_[e] == d; });
        if (known >= 0) return derivations_[static_cast<std::size_t>(known)].result;
        d.result = fresh();
        derived_by_[index_of_name(d.result)] = static_cast<std::int32_t>(derivations_.size());
        derivations_.push_back(d);
        derivation_index_.add(hash);
        return d.result;
    }
    static constexpr std::int64_t far = std::int64_t{1} << 32; // larger bounds are not added up, so that no sum overflows
    // Returns the extent without `count` elements at the ends: x[1:-1] and x[2:] have max(n - 2, 0), and x[1:-1][1:] has max(n -
    // 3, 0).
    TRACEXPR_ONCE constexpr std::int64_t trimmed(std::int64_t from, std::int64_t count) {
        if (count == 0) return from;
        if (std::int32_t const by = derived_by_[index_of_name(from)]; by >= 0) {
            derivation const d = derivations_[static_cast<std::size_t>(by)];
            if (d.code == op::slice && d.numbers[0] == slice_open && d.numbers[1] < 0 && d.numbers[1] > -far && d.numbers[2] == 1)
                return trimmed(d.from, count - d.numbers[1]);
        }
        return derived({from, 0, op::slice, {slice_open, -count, 1}});
    }
    TRACEXPR_ONCE constexpr std::int64_t sliced(std::int64_t from, attribute_span bounds) {
        std::int64_t const start = bounds[0] == slice_open ? 0 : bounds[0], stop = bounds[1] == slice_open ? 0 : bounds[1];
        if (start < 0 || start > far || (bounds[1] != slice_open && stop >= 0) || stop < -far || bounds[2] < 1)
            return derived({from, 0, op::slice, {bounds[0], bounds[1], bounds[2]}});
        std::int64_t const all = trimmed(from, start - stop);
        return bounds[2] == 1 ? all : derived({all, 0, op::slice, {slice_open, slice_open, bounds[2]}});
    }
    TRACEXPR_ONCE constexpr std::int64_t assumed_number(std::int64_t extent, std::int64_t usual) {
        extent = united_.representative(extent);
        if (extent >= 0) return extent;
        std::int32_t const by = made_of_[index_of_name(extent)];
        if (numbers_[index_of_name(extent)] != dyn || by < 0) return by < 0 ? usual : numbers_[index_of_name(extent)];
        numbers_[index_of_name(extent)] = usual; // in the meantime, for an extent that is said to be derived from itself
        derivation const& d = derivations_[static_cast<std::size_t>(by)];
        std::int64_t const from = assumed_number(d.from, usual),
                           out = d.code == op::slice ? resolved_slice(d.numbers[0], d.numbers[1], d.numbers[2], from).count
                                                     : from + d.numbers[0];
        return numbers_[index_of_name(extent)] = out > 0 && out <= 2 * usual ? out : usual; // sizes must not overflow
    }
    // Unites the names that a sum_to says to be equal.
    TRACEXPR_ONCE constexpr void unite_sums() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            dims const& to = named_[i];
            if ((n.code != op::sum_to && !(assumes_ && n.code == op::broadcast_to)) || to.rank < 0) continue;
            dims const& from = operand(n, 0);
            for (int axis = 1; axis <= to.rank && axis <= from.rank; ++axis)
                if (n.code == op::sum_to || (from[from.rank - axis] != 1 && to[to.rank - axis] != 1))
                    united_.unite(from[from.rank - axis], to[to.rank - axis]);
        }
    }
    TRACEXPR_ONCE constexpr dims united(dims d) const {
        for (int axis = 0; axis < d.rank; ++axis) d[axis] = united_.representative(d[axis]);
        return d;
    }

    constexpr dims const& operand(node const& n, std::size_t k) const { return named_[index(g_.operand(n, k))]; }

    // Returns the number of the operand that has the node's extents, as far as the op tells; else the arity. For nodes with
    // regions it is not known.
    TRACEXPR_ONCE constexpr std::size_t operand_of_same_extents(node const& n) const {
        kind const k = info(n.code).kind;
        if (k == kind::view) return value_operands(n) < n.arity ? 1 : n.arity; // the operand that tells a shape
        bool const is_first = k == kind::update || k == kind::marker || k == kind::scan || n.code == op::iota ||
                              (k == kind::order && orders_all(n.code, g_.attributes_of(n))) ||
                              (k == kind::decomposition && n.arity == 1 && !takes_rectangles(n.code)) ||
                              (k == kind::projection && info(g_[g_.operand(n, 0)].code).results > 1 &&
                               !takes_rectangles(g_[g_.operand(n, 0)].code));
        return is_first ? 0 : n.arity;
    }
    // These templates stand before their users, because clang can't call them in a constant otherwise.
    template <class F> constexpr void for_each_whole_axis(node const& view, table_view<std::int64_t> attributes, F f) const {
        axis_map const m = view_map(view.code, g_.shape_of(g_.operand(view, 0)), attributes);
        for (int k = 0; k < m.count; ++k)
            if (m.steps[k].is_whole) f(m.steps[k].to, m.steps[k].from);
    }
    template <class Take>
    constexpr void name_moved_axes(node const& n, dims const& out, table_view<std::int64_t> attributes, Take take) {
        switch (n.code) {
        case op::extents:
            for (int axis = 0; axis < out.rank; ++axis) {
                std::int64_t const code = attributes[static_cast<std::size_t>(axis)];
                if (code >= 0) continue;
                node const& number = g_[g_.operand(n, static_cast<std::size_t>(-1 - code))];
                if (number.code == op::axis_size && number.attributes.count == 1)
                    take(axis, operand(number, 0), static_cast<int>(g_.attributes_of(number)[0]));
            }
            break;
        case op::qr:
        case op::svd:
            for (int axis = 0; axis < out.rank - 1; ++axis) take(axis, operand(n, 0), axis);
            break;
        case op::result: // a result of qr or svd
            for (int axis = 0; axis < operand(n, 0).rank - 2; ++axis)
                if (takes_rectangles(g_[g_.operand(n, 0)].code)) take(axis, operand(n, 0), axis);
            break;
        case op::solve_triangular:
        case op::solve:
        case op::matmul:
            if (out.rank == operand(n, 0).rank) take(out.rank - 2, operand(n, 0), out.rank - 2);
            if (out.rank == operand(n, 1).rank) take(out.rank - 1, operand(n, 1), out.rank - 1);
            break;
        default: break;
        }
    }
    TRACEXPR_ONCE constexpr void name_cut_axes(node const& n, dims& out, table_view<std::int64_t> attributes) {
        if (n.code == op::slice && n.arity == 1) {
            for (int axis = 0; axis < out.rank; ++axis)
                if (out[axis] == dyn && operand(n, 0)[axis] < dyn)
                    out[axis] = sliced(operand(n, 0)[axis], attributes.subspan(3 * static_cast<std::size_t>(axis), 3));
        } else if (n.code == op::sliding_window_view) {
            for (std::size_t k = 0; k < attributes.size(); k += 2) {
                int const axis = static_cast<int>(attributes[k]);
                if (out[axis] == dyn && operand(n, 0)[axis] < dyn)
                    out[axis] = derived({operand(n, 0)[axis], 0, n.code, {1 - attributes[k + 1]}});
            }
        } else if (n.code == op::pad) {
            for (int axis = 0; axis < out.rank; ++axis)
                if (std::size_t const at = 2 * static_cast<std::size_t>(axis); out[axis] == dyn && operand(n, 0)[axis] < dyn)
                    out[axis] = derived({operand(n, 0)[axis], 0, op::pad, {attributes[at] + attributes[at + 1]}});
        }
    }
    // Names all but the last `last` axes, which are broadcast.
    TRACEXPR_ONCE constexpr void name_leading_axes(node const& n, dims& out, int last) {
        for (int axis = 0; axis < out.rank - last; ++axis) {
            if (out[axis] != dyn && !(assumes_ && out[axis] > 1)) continue;
            std::int64_t all = out[axis] == dyn ? 1 : out[axis];
            for (std::size_t k = 0; k < n.arity; ++k) {
                dims const& d = operand(n, k);
                int const own = axis - (out.rank - d.rank);
                if (own < 0) continue;
                if (out[axis] == dyn) all = joined(all, d[own]);
                else if (d[own] < dyn) united_.unite(d[own], all);
            }
            out[axis] = all;
        }
    }
    // Gives names to the unknown axes of `out`.
    TRACEXPR_ONCE constexpr void name_axes(node const& n, dims& out) {
        table_view<std::int64_t> const attributes = g_.attributes_of(n);
        // Axis `axis` has the extent of the operand's axis `from`.
        auto const take = [&](int axis, dims const& d, int from) {
            if (out[axis] == dyn && from >= 0 && from < d.rank && d[from] < dyn) out[axis] = d[from];
        };
        if (std::size_t const same = operand_of_same_extents(n); same < n.arity)
            for (int axis = 0; axis < out.rank; ++axis) take(axis, operand(n, same), axis);
        switch (info(n.code).kind) {
        case kind::pointwise: name_leading_axes(n, out, 0); break;
        case kind::reduction:
        case kind::arg_reduction: {
            std::uint32_t reduced = 0;
            for (std::size_t k = 1; k < attributes.size(); ++k) reduced |= 1u << attributes[k];
            int to = 0;
            for (int axis = 0; axis < operand(n, 0).rank; ++axis)
                if (!(reduced >> axis & 1u)) take(to++, operand(n, 0), axis);
                else if (attributes[0]) ++to;
            break;
        }
        case kind::view:
            if (n.code == op::reshape && n.arity == 1)
                for (int axis = 0; axis < out.rank; ++axis)
                    take(axis, operand(n, 0), -2 - static_cast<int>(attributes[static_cast<std::size_t>(axis)]));
            else if (value_operands(n) == n.arity)
                for_each_whole_axis(n, attributes, [&](int axis, int from) { take(axis, operand(n, 0), from); });
            break;
        case kind::random: // the axes of the keys, then those of the shape
            for (int axis = 0; axis < out.rank; ++axis)
                if (int const keys = operand(n, 0).rank; axis < keys) take(axis, operand(n, 0), axis);
                else if (n.arity == 2) take(axis, operand(n, 1), axis - keys);
            break;
        case kind::contraction: name_leading_axes(n, out, 2); break;
        case kind::order:
            for (int axis = 0; axis < out.rank; ++axis)
                if (axis != attributes[0]) take(axis, operand(n, 0), axis);
            break;
        case kind::structure:
            for (std::size_t k = 0; n.code == op::concatenate && k < n.arity; ++k)
                for (int axis = 0; axis < out.rank; ++axis)
                    if (axis != attributes[0]) take(axis, operand(n, k), axis);
            break;
        default: break;
        }
        name_moved_axes(n, out, attributes, take);
        name_cut_axes(n, out, attributes);
        for (int axis = 0; axis < out.rank; ++axis)
            if (out[axis] == dyn) out[axis] = fresh();
    }

    TRACEXPR_ONCE constexpr std::uint32_t first_with(dims const& named, std::size_t i) {
        std::uint64_t const hash = hash_of(named);
        std::int32_t const known = named_index_.find(hash, [&](std::size_t e) { return named_[named_first_[e]] == named; });
        if (known >= 0 && named.rank >= 0) return named_first_[static_cast<std::size_t>(known)];
        named_index_.add(hash);
        named_first_.push_back(static_cast<std::uint32_t>(i));
        return static_cast<std::uint32_t>(i);
    }

    graph_view g_;
    buffer<dims> named_; // each node's shape, with names in place of unknown extents
    buffer<std::uint64_t> names_;
    united_names united_;
    buffer<derivation> derivations_;
    buffer<std::int32_t> derived_by_; // for each name its derivation, or -1
    buffer<std::int32_t> made_of_;    // for each representative the derivation that it is assumed to follow from, or -1
    buffer<std::int64_t> numbers_;    // the assumed number of each representative
    hash_index name_index_, named_index_, derivation_index_;
    buffer<std::uint32_t> named_first_;
    int atoms_ = 0;
    bool trust_sums_, assumes_;
};

} // namespace detail

constexpr buffer<std::uint32_t> equal_extents(graph_view const& g) {
    return detail::naming(g, detail::naming_for::checked_equality).run();
}
// Returns every node's shape with names, to compare axes by; empty if all extents are known.
constexpr buffer<dims> named_extents(graph_view const& g) {
    return detail::naming(g, detail::naming_for::checked_equality).names();
}
// Returns for each node the first one that certainly has its extents, without relying on what a plan checks.
constexpr buffer<std::uint32_t> surely_equal_extents(graph_view const& g) {
    return detail::naming(g, detail::naming_for::sure_equality).run();
}

// Removes broadcasts, and the sums that undo them, between nodes of the same extents: derivatives have one at every op.
TRACEXPR_ONCE constexpr graph without_idle_broadcasts(graph_view const& g) {
    buffer<std::uint32_t> const space = surely_equal_extents(g);
    graph out;
    graph_copier copier(g, out);
    copier.copy_all([&](node_id id) {
        node const& n = g[id];
        bool const follows = (n.code == op::broadcast_to || n.code == op::sum_to) && n.arity == 2;
        return follows && space[index(id)] == space[index(n.operand[0])] ? copier[n.operand[0]] : node_id::none;
    });
    copier.add_outputs(g.outputs);
    return out;
}

} // namespace tx

TRACEXPR_END_PASSES
