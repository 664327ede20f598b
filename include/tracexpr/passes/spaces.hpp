// Which nodes have the same extents whatever the arguments turn out to be. Shapes with unknown extents don't tell: of two (?,)
// one may be (3,) and the other (1,), and their sum still is right. So each unknown extent of an argument gets a name, and the
// names are carried along; the extent of a sum has those of both operands. Where a plan may rely on it (it checks), a sum_to sums
// nothing: then its operand's extents are its result's.
#pragma once

#include <tracexpr/graph/axis_map.hpp>
#include <tracexpr/graph/copy.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {
namespace detail {

class naming {
public:
    constexpr naming(graph_view const& g, bool trust_sums) : g_{g}, trust_sums_{trust_sums} {}

    // For each node the first one that has its extents.
    constexpr buffer<std::uint32_t> run() {
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
            for (std::size_t i = 0; i < g_.size(); ++i) out[i] = first_with(named_[i] = united(named_[i]), i);
        }
        return out;
    }
    // Each node's shape with names; empty if all extents are known.
    constexpr buffer<dims> names() {
        run();
        return std::move(named_);
    }

private:
    // A name is a negative extent. It stands for a set of atoms: the arguments' extents that broadcast to it.
    static constexpr std::int64_t first_name = -2;
    constexpr std::int64_t name_of(std::uint64_t atoms) {
        std::int32_t known = name_index_.find(mix(0, atoms), [&](std::size_t e) { return names_[e] == atoms && atoms; });
        if (known < 0) {
            known = static_cast<std::int32_t>(names_.size());
            names_.push_back(atoms);
            name_index_.add(mix(0, atoms));
        }
        return first_name - known;
    }
    // Beyond 64 atoms names are told apart, but not joined.
    constexpr std::int64_t fresh() { return name_of(atoms_ < 64 ? std::uint64_t{1} << atoms_++ : 0); }
    constexpr std::int64_t joined(std::int64_t a, std::int64_t b) {
        if (a == b || b >= 0) return a;
        if (a >= 0) return b;
        std::uint64_t const x = names_[static_cast<std::size_t>(first_name - a)],
                            y = names_[static_cast<std::size_t>(first_name - b)];
        return x && y ? name_of(x | y) : fresh();
    }
    // Names that a sum_to says to be one, by their representatives: another name, or a known extent.
    constexpr std::int64_t representative(std::int64_t extent) const {
        while (extent < dyn && index_of(extent) < united_.size() && united_[index_of(extent)] != dyn)
            extent = united_[index_of(extent)];
        return extent;
    }
    static constexpr std::size_t index_of(std::int64_t name) { return static_cast<std::size_t>(first_name - name); }
    constexpr void unite_sums() {
        united_.assign(names_.size(), dyn);
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            dims const& to = named_[i];
            if (n.code != op::sum_to || to.rank < 0) continue;
            dims const& from = operand(n, 0);
            for (int axis = 1; axis <= to.rank && axis <= from.rank; ++axis) {
                std::int64_t const a = representative(from[from.rank - axis]), b = representative(to[to.rank - axis]);
                if (a == b) continue;
                if (a < dyn) united_[index_of(a)] = b;
                else if (b < dyn) united_[index_of(b)] = a;
            }
        }
    }
    constexpr dims united(dims d) const {
        for (int axis = 0; axis < d.rank; ++axis) d[axis] = representative(d[axis]);
        return d;
    }

    constexpr dims const& operand(node const& n, std::size_t k) const { return named_[index(g_.operand(n, k))]; }

    // The operand that has the node's extents, as far as the op says; else the arity. Of what has regions no result's axis is
    // known.
    constexpr std::size_t operand_of_same_extents(node const& n) const {
        kind const k = info(n.code).kind;
        if (k == kind::view) return value_operands(n) < n.arity ? 1 : n.arity; // told a shape
        bool const is_first = k == kind::update || k == kind::marker || k == kind::scan || n.code == op::iota ||
                              (k == kind::decomposition && n.arity == 1) ||
                              (k == kind::projection && info(g_[g_.operand(n, 0)].code).results > 1);
        return is_first ? 0 : n.arity;
    }
    // In front of their users: clang can't call them in a constant otherwise.
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
        case op::solve_triangular:
        case op::solve:
        case op::matmul:
            if (out.rank == operand(n, 0).rank) take(out.rank - 2, operand(n, 0), out.rank - 2);
            if (out.rank == operand(n, 1).rank) take(out.rank - 1, operand(n, 1), out.rank - 1);
            break;
        default: break;
        }
    }
    // Names for the axes of `out` that are unknown.
    constexpr void name_axes(node const& n, dims& out) {
        table_view<std::int64_t> const attributes = g_.attributes_of(n);
        // Axis `axis` has the extent of the operand's axis `from`.
        auto const take = [&](int axis, dims const& d, int from) {
            if (out[axis] == dyn && from >= 0 && from < d.rank && d[from] < dyn) out[axis] = d[from];
        };
        if (std::size_t const same = operand_of_same_extents(n); same < n.arity)
            for (int axis = 0; axis < out.rank; ++axis) take(axis, operand(n, same), axis);
        switch (info(n.code).kind) {
        case kind::pointwise:
            for (int axis = 0; axis < out.rank; ++axis) {
                if (out[axis] != dyn) continue;
                std::int64_t all = 1;
                for (std::size_t k = 0; k < n.arity; ++k) {
                    dims const& d = operand(n, k);
                    int const own = axis - (out.rank - d.rank);
                    if (own >= 0) all = joined(all, d[own]);
                }
                out[axis] = all;
            }
            break;
        case kind::reduction:
        case kind::arg_reduction: {
            std::uint32_t gone = 0;
            for (std::size_t k = 1; k < attributes.size(); ++k) gone |= 1u << attributes[k];
            int to = 0;
            for (int axis = 0; axis < operand(n, 0).rank; ++axis)
                if (!(gone >> axis & 1u)) take(to++, operand(n, 0), axis);
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
        case kind::random: // those of the keys, then those of the shape
            for (int axis = 0; axis < out.rank; ++axis)
                if (int const keys = operand(n, 0).rank; axis < keys) take(axis, operand(n, 0), axis);
                else if (n.arity == 2) take(axis, operand(n, 1), axis - keys);
            break;
        default: name_moved_axes(n, out, attributes, take); break;
        }
        for (int axis = 0; axis < out.rank; ++axis)
            if (out[axis] == dyn) out[axis] = fresh();
    }

    constexpr std::uint32_t first_with(dims const& named, std::size_t i) {
        std::uint64_t const hash = hash_of(named);
        std::int32_t const known = named_index_.find(hash, [&](std::size_t e) { return named_[named_first_[e]] == named; });
        if (known >= 0 && named.rank >= 0) return named_first_[static_cast<std::size_t>(known)];
        named_index_.add(hash);
        named_first_.push_back(static_cast<std::uint32_t>(i));
        return static_cast<std::uint32_t>(i);
    }

    graph_view g_;
    buffer<dims> named_; // each node's shape, names in place of unknown extents
    buffer<std::uint64_t> names_;
    buffer<std::int64_t> united_;
    hash_index name_index_, named_index_;
    buffer<std::uint32_t> named_first_;
    int atoms_ = 0;
    bool trust_sums_;
};

} // namespace detail

constexpr buffer<std::uint32_t> equal_extents(graph_view const& g) { return detail::naming(g, true).run(); }
// Every node's shape with names, for those who compare axes; nothing if all extents are known.
constexpr buffer<dims> named_extents(graph_view const& g) { return detail::naming(g, true).names(); }
// Without trust in what a plan checks.
constexpr buffer<std::uint32_t> surely_equal_extents(graph_view const& g) { return detail::naming(g, false).run(); }

// The graph without broadcasts, and sums that undo them, between nodes of the same extents: derivatives have one at every op.
constexpr graph without_idle_broadcasts(graph_view const& g) {
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
