// A gradient tape or forward accumulator inside a traced callable appends the derivative to the graph under construction, which
// has everything that leads to the target, as tx::grad does.
#pragma once

#include <tracexpr/tape/derivatives.hpp>
#include <tracexpr/tape/traced_record.hpp>

namespace tx::detail {

// traced_value is a leaf of a tree that can have derivatives in a trace.
template <class A> concept traced_value = expr_type<A> || recorded_value<A>;

// Calls f with each value of a tree, which may be an expr, too.
template <class A, class F> constexpr void for_each_traced_value(A const& tree, F const& f) {
    constexpr bool is_tree = facts<A>.is_tree && !holds_foreign<A>;
    static_assert(is_tree,
                  "tx: gradient_tape: takes tensors, variables, and trees of them; make another library's array a tensor first");
    if constexpr (is_tree)
        for_each_leaf(tree, [&]<class Part>(Part const& part) {
            static_assert(traced_value<Part>, "tx: gradient_tape: takes tensors, variables, and trees of them, w.value() of a "
                                              "captured w; a C++ scalar is a constant");
            if constexpr (traced_value<Part>) f(part);
        });
}
template <traced_value A> constexpr node_id traced_node(trace_scope& scope, A const& a) {
    if constexpr (expr_type<A>) {
        if (&a.scope() != &scope) throw_foreign_symbol();
        return a.id();
    } else {
        return lift(scope, a).id();
    }
}
// Returns the trace that a value under a tape belongs to, or null for concrete values, which a recorder records.
template <class A> constexpr trace_scope* scope_of_tape(A const& a) {
    trace_scope* found = symbolic_scope(a);
    if (!found && !__builtin_is_constant_evaluated() && innermost_trace)
        for_each_leaf(a, [&](auto const& leaf) { found = found || !is_live(leaf) ? found : innermost_trace; });
    return found;
}
// While a callable is traced, a concrete tensor that is watched becomes a node of its own.
template <tensor_type A> void watch_in_trace(A const& a) {
    trace_scope* const scope = innermost_trace;
    if (!scope || !scope->watched || scope_of_tape(a)) return;
    kept_value const value = numbered(a);
    scope->watched->add(value, scope->recorded.append_mark(record_tensor(*scope, a)));
}
// Returns a tree of the same structure with f(x) in the place of each value x.
template <class A, class F> constexpr auto map_traced_values(A const& tree, F const& f) {
    if constexpr (traced_value<A>) {
        return f(tree);
    } else if constexpr (parted<A>) {
        return map_parts(tree, [&](auto const& part) { return map_traced_values(part, f); });
    } else {
        A out = stand_in(tree);
        for_each_leaf(out, [&](auto& part) { stand_for(part, f(std::as_const(part))); });
        return out;
    }
}
// derivative_of is the type of a derivative with respect to a value of type A.
template <class A> struct derivative_of {
    using type = tensor<typename A::value_type, typename A::shape_type>;
};
template <expr_type A> struct derivative_of<A> {
    using type = A;
};

[[noreturn]] TRACEXPR_ONCE void throw_unconnected_in_trace(char const* function_name, std::string const& source) {
    throw tape_error(
        std::string("tx: ") + function_name + ": there is no derivative with respect to " + source +
        ": a source must be watched, or made of what is, and the target be computed from it after that, while the tape "
        "records; pass tx::unconnected::none or tx::unconnected::zero if that is all right");
}
[[noreturn]] TRACEXPR_ONCE void throw_watched_outside() {
    throw tape_error(
        "tx: gradient_tape: of what was watched before the callable was traced the trace has no derivatives; watch it "
        "in the callable, or return the target from it");
}
// Returns a derivative, or what the choice says if there is none, such as zeros(). source() is its name in an error.
template <class Result, class Choice, class Source, class Zeros> constexpr auto
chosen_derivative(char const* function_name, Source const& source, trace_scope& scope, node_id derivative, Zeros const& zeros) {
    using optional = std::conditional_t<std::is_same_v<Choice, unconnected::none_t>, std::optional<Result>, Result>;
    using in_trace = expr<typename Result::value_type, typename Result::shape_type>;
    if (derivative == node_id::none) {
        if constexpr (std::is_same_v<Choice, unconnected::none_t>) return optional();
        else if constexpr (std::is_same_v<Choice, must_connect>) throw_unconnected_in_trace(function_name, source());
    }
    node_id const id = derivative == node_id::none ? zeros().id() : derivative;
    if constexpr (expr_type<Result>) return optional(Result(scope, id));
    else return optional(Result(in_trace(scope, id)));
}

// Holds the targets and their cotangents, from which reverse mode starts.
struct derivative_seeds {
    buffer<node_id> targets{}, cotangents{};

    constexpr void add(node_id target, ad::value const& cotangent) {
        targets.push_back(target), cotangents.push_back(cotangent.id());
    }
    constexpr void add_one(ad::value const& y) { add(y.id(), ad::broadcast_like(y.like(1), y)); }
};

// Holds the sources of a tape in a trace. Sources that the tape doesn't know have no gradient.
class traced_sources {
public:
    constexpr traced_sources(trace_scope& scope, recorded_nodes nodes) : scope_{scope}, of_tape_(std::move(nodes)) {}

    // Adds a source and returns whether the tape knows it.
    template <class A> constexpr bool add(A const& leaf) {
        node_id const id = traced_node(scope_, leaf);
        nodes_.push_back(id);
        bool const is_known = index(id) < of_tape_.known.size() && of_tape_.known[index(id)];
        connected_.push_back(is_known && is_inexact(dtype_of<typename A::value_type>));
        if (connected_.back()) all_.push_back(id);
        return is_known;
    }
    // Returns the gradients of the sources, or node_id::none.
    constexpr buffer<node_id> gradients(derivative_seeds const& seeds) const {
        return ad::gradients(scope_, all_, seeds.targets, seeds.cotangents, wanted(), of_tape_.recorded);
    }
    constexpr std::size_t count() const { return nodes_.size(); }
    constexpr ad::value node(std::size_t k) const { return {scope_.recorded, nodes_[k]}; }

private:
    TRACEXPR_ONCE constexpr buffer<node_id> wanted() const {
        buffer<node_id> out;
        for (std::size_t k = 0; k < count(); ++k) out.push_back(connected_[k] ? nodes_[k] : node_id::none);
        return out;
    }

    trace_scope& scope_;
    recorded_nodes of_tape_;
    buffer<node_id> nodes_, all_;
    buffer<bool> connected_;
};

template <class Y> constexpr derivative_seeds traced_ones(trace_scope& scope, Y const& target) {
    derivative_seeds out;
    for_each_traced_value(target, [&]<class A>(A const& leaf) {
        if (is_inexact(dtype_of<typename A::value_type>)) out.add_one({scope.recorded, traced_node(scope, leaf)});
    });
    return out;
}
template <class Y, class G>
constexpr derivative_seeds traced_seeds(trace_scope& scope, Y const& target, G const& output_gradients) {
    derivative_seeds out;
    graph& g = scope.recorded;
    buffer<node_id> const seeds = leaf_nodes(scope, output_gradients);
    std::size_t targets = 0;
    for_each_traced_value(target, [&](auto const& leaf) {
        node_id const at = traced_node(scope, leaf);
        if (targets < seeds.size() && !may_equal(g.shape_of(at), g.shape_of(seeds[targets])))
            throw_unlike("gradient: the output gradients", g.shape_of(at), g.shape_of(seeds[targets]));
        ++targets;
    });
    if (targets != seeds.size()) throw_unpaired("gradient: the output gradients", targets, seeds.size());
    targets = 0;
    for_each_traced_value(target, [&]<class A>(A const& leaf) {
        ad::value const seed(g, seeds[targets++]);
        if (!is_inexact(dtype_of<typename A::value_type>)) return;
        node_id const at = traced_node(scope, leaf);
        out.add(at, ad::cast(seed, g[at].type));
    });
    return out;
}

} // namespace tx::detail
