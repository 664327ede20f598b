// This file holds parts of a gradient tape's work: which nodes are sources, the cotangents of targets, and how rows make a
// Jacobian.
#pragma once

#include <tracexpr/tape/traced_steps.hpp>

namespace tx {

// Describes a variable that a tape watches.
struct watched_variable {
    std::uint64_t number = 0; // see variable::number
    std::string name;
    bool trainable = false;
};

namespace detail {

// Lists the nodes of each tensor and variable of a tree; those of leaf k end before ends[k]. A variable has one node for each
// value that it had.
struct TRACEXPR_NAMES_TARGET source_nodes {
    buffer<node_id> all;
    buffer<std::size_t> ends;

    template <class X> source_nodes(recorder& r, X const& sources) {
        for_each_value(sources, [&](auto const& leaf) {
            need_routines_of_leaf{}(leaf);
            if (is_inexact(dtype_of<typename std::remove_cvref_t<decltype(leaf)>::value_type>))
                for (node_id const id : nodes_of<!recorded_value<X>>(r, leaf)) all.push_back(id);
            ends.push_back(all.size());
        });
    }
    std::size_t count() const { return ends.size(); }
    buffer<node_id> gradients(trace_scope& scope, derivative_seeds const& seeds) const {
        buffer<node_id> const each = ad::gradients(scope, all, seeds.targets, seeds.cotangents, all, {});
        buffer<node_id> out;
        for (std::size_t k = 0, i = 0; k < ends.size(); ++k) {
            ad::value sum;
            for (; i < ends[k]; ++i) sum = sum + (each[i] == node_id::none ? ad::value{} : ad::value(scope.recorded, each[i]));
            out.push_back(sum.id());
        }
        return out;
    }
};

template <class A> TRACEXPR_NAMES_TARGET node_id target_node(recorder& r, A const& leaf) {
    need_routines_of_leaf{}(leaf);
    return is_inexact(dtype_of<typename A::value_type>) ? r.record().find(kept_now(leaf)) : node_id::none;
}
template <class Y> TRACEXPR_NAMES_TARGET buffer<node_id> target_nodes(recorder& r, Y const& target) {
    buffer<node_id> out;
    for_each_value(target, [&](auto const& leaf) {
        if (node_id const id = target_node(r, leaf); id != node_id::none) out.push_back(id);
    });
    return out;
}

TRACEXPR_ONCE derivative_seeds seeds_of_ones(recorder& r, table_view<node_id> targets) {
    derivative_seeds out;
    for (node_id const id : targets) out.add_one({r.record().recorded, id});
    return out;
}
template <class Y, class G> derivative_seeds seeds_of(recorder& r, Y const& target, G const& output_gradients) {
    buffer<kept_value> given;
    for_each_leaf(output_gradients, [&](auto const& part) { given.push_back(kept(seen_leaf(part))); });
    std::size_t targets = 0;
    for_each_value(target, [&](auto const& leaf) {
        if (targets < given.size() && given[targets].shape != leaf.dimensions())
            throw_unlike("gradient: the output gradients", leaf.dimensions(), given[targets].shape);
        ++targets;
    });
    if (targets != given.size()) throw_unpaired("gradient: the output gradients", targets, given.size());
    targets = 0;
    derivative_seeds out;
    for_each_value(target, [&](auto const& leaf) {
        kept_value const& seed = given[targets++];
        graph& g = r.record().recorded;
        if (node_id const id = target_node(r, leaf); id != node_id::none)
            out.add(id, ad::cast({g, r.record().operand(seed)}, g[id].type));
    });
    return out;
}

// Reshapes x to the shape `to`.
TRACEXPR_ONCE constexpr ad::value reshaped(ad::value const& x, dims const& to) {
    return ad::unary(op::reshape, x, attribute_span(to.extent, static_cast<std::size_t>(to.rank)));
}
// Makes zeros of `shape`, with ones at index i of `axis`.
TRACEXPR_ONCE constexpr ad::value one_row(ad::value const& like, dims const& shape, int axis, std::int64_t i) {
    dims row = shape;
    row[axis] = 1;
    auto const filled = [&](double number, dims const& d) {
        return ad::unary(op::broadcast_to, like.like(number), attribute_span(d.extent, static_cast<std::size_t>(d.rank)));
    };
    attribute_list bounds;
    for (int other = 0; other < shape.rank; ++other) {
        bounds.push_back(other == axis ? i : 0);
        bounds.push_back(other == axis ? i + 1 : shape[other]);
        bounds.push_back(1);
    }
    return ad::view_add(filled(0, shape), filled(1, row), op::slice, bounds);
}
TRACEXPR_ONCE constexpr void append_axes(dims& to, dims const& from, int first) {
    if (to.rank + from.rank - first > max_rank)
        throw shape_error("tx: jacobian: target and source must have together at most " + std::to_string(max_rank) +
                          " axes; given " + to_string(to) + " and " + to_string(from));
    for (int axis = first; axis < from.rank; ++axis) to.push_back(from[axis]);
}

template <class A, class B, int First> struct joined_shape {
    using type = any_shape;
};
template <std::int64_t... A, std::int64_t... B> requires(sizeof...(A) + sizeof...(B) <= std::size_t{max_rank})
struct joined_shape<shape<A...>, shape<B...>, 0> {
    using type = shape<A..., B...>;
};
template <std::int64_t... A, std::int64_t First, std::int64_t... B> requires(sizeof...(A) + sizeof...(B) <= std::size_t{max_rank})
struct joined_shape<shape<A...>, shape<First, B...>, 1> {
    using type = shape<A..., B...>;
};

// Each row of this Jacobian belongs to an element of the target.
struct whole_jacobian {
    static constexpr int shared_axes = 0;
    template <class Y, class X> using shape_of = typename joined_shape<Y, X, 0>::type;
    template <class Y, class X> static constexpr bool takes_types = true;
    static constexpr void check(dims const& y, dims const& x) { static_cast<void>(shape(y, x)); }
    static constexpr dims shape(dims const& y, dims const& x) {
        dims out = y;
        append_axes(out, x, 0);
        return out;
    }
};
// Each row of this Jacobian belongs to an element of one member of the batch.
struct batched_jacobian {
    static constexpr int shared_axes = 1;
    template <class Y, class X> using shape_of = typename joined_shape<Y, X, 1>::type;
    // Ops align shapes at the last axis, so the batch axis of a source of rank 1 would broadcast with another axis of a matrix:
    // members of the target would depend on each other's sources.
    static constexpr bool meets_other_axis(dims const& y, dims const& x) { return x.rank == 1 && y.rank > 1; }
    // Other shapes that don't fit throw when the program runs.
    template <class Y, class X> static constexpr bool takes_types =
        !(meets_other_axis(dims_of<Y>, dims_of<X>) && may_equal(dims{{dims_of<Y>[0]}, 1}, dims_of<X>));
    TRACEXPR_ONCE static constexpr void check(dims const& y, dims const& x) {
        if (y.rank < 1 || x.rank < 1 || y[0] != x[0])
            throw shape_error("tx: batch_jacobian: target and source must have the same first extent, that of the batch; given " +
                              to_string(y) + " and " + to_string(x));
        if (meets_other_axis(y, x))
            throw shape_error("tx: batch_jacobian: where the target has axes behind that of the batch the source must have some, "
                              "too; given " +
                              to_string(y) + " and " + to_string(x) + "; give the source the shape (b, 1) before it is watched");
        static_cast<void>(shape(y, x));
    }
    static constexpr dims shape(dims const& y, dims const& x) {
        dims out = y;
        append_axes(out, x, 1);
        return out;
    }
};

[[noreturn]] TRACEXPR_ONCE void throw_open_target(dims const& d) {
    throw shape_error("tx: gradient_tape: jacobian: inside a traced callable the target's extents must be known; given " +
                      to_string(d) + "; use tx::jacrev");
}
// Returns the nodes of the Jacobian of the target with respect to each source, or node_id::none. gradients(seeds) returns the
// gradients with respect to the sources.
template <class Form, class Gradients>
constexpr buffer<node_id> jacobian_nodes(graph& g, std::size_t count, node_id target, Gradients const& gradients) {
    buffer<node_id> out(count, node_id::none);
    dims const shape_of_target = g.shape_of(target);
    dims flat;
    if (Form::shared_axes) flat.push_back(shape_of_target[0]);
    std::int64_t rows = 1;
    for (int axis = Form::shared_axes; axis < shape_of_target.rank; ++axis) rows *= shape_of_target[axis];
    flat.push_back(rows);
    buffer<node_id> parts; // one for each row
    for (std::int64_t i = 0; i == 0 || i < rows; ++i) {
        ad::value const at(g, target);
        derivative_seeds seed;
        seed.add(target, rows == 0 ? ad::zeros_like(at) : reshaped(one_row(at, flat, Form::shared_axes, i), shape_of_target));
        for (node_id const id : gradients(seed)) parts.push_back(id);
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (parts[k] == node_id::none) continue;
        ad::value const first(g, parts[k]);
        if (rows == 0) {
            dims const none = Form::shape(shape_of_target, first.shape());
            out[k] = ad::unary(op::broadcast_to, first.like(0), {none.extent, static_cast<std::size_t>(none.rank)}).id();
            continue;
        }
        dims const of_source = first.shape();
        buffer<node_id> stacked;
        std::int64_t const axis[]{Form::shared_axes};
        for (std::size_t at = k; at < parts.size(); at += count)
            stacked.push_back(ad::unary(op::expand_dims, {g, parts[at]}, axis).id());
        dims shape = g.shape_of(stacked[0]);
        shape[Form::shared_axes] = rows;
        ad::value const joined(g, g.append(op::concatenate, g[stacked[0]].type, shape, stacked, axis));
        out[k] = reshaped(joined, Form::shape(shape_of_target, of_source)).id();
    }
    return out;
}
template <class Form> buffer<node_id> jacobian_nodes(recorder& r, source_nodes const& from, kept_value const& y) {
    node_id const target = is_inexact(y.type) ? r.record().find(y) : node_id::none;
    if (target == node_id::none) return buffer<node_id>(from.count(), node_id::none);
    return jacobian_nodes<Form>(r.record().recorded, from.count(), target,
                                [&](derivative_seeds const& seeds) { return from.gradients(r.record(), seeds); });
}

} // namespace detail
} // namespace tx
