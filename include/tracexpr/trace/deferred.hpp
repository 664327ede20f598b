// This file holds constants that a constant evaluation does not compute, because compilers limit its steps: patterns (zeros,
// ranges, ...), and ops on constants alone, which are recorded in a trace of their own. A trace that uses such a constant copies
// the nodes that it needs.
#pragma once

#include <tracexpr/base/create.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/graph/part.hpp>
#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

// Records one element: as a literal, or as a constant where a dual number has a nonzero tangent.
template <dtype Type> constexpr node_id record_element(graph& g, std::uint64_t const* words) {
    if constexpr (is_dual(Type))
        for (std::size_t k = 1; k < words_of(Type); ++k)
            if (words[k] != 0) return g.append_constant(Type, dims{}, {words, words_of(Type)});
    return g.append(op::literal, Type, dims{}, {}, {}, {words[0], is_complex(Type) ? words[1] : 0});
}

// Records a tensor of one value everywhere.
template <dtype Type> constexpr node_id record_uniform(graph& g, dims const& d, std::uint64_t const* words) {
    node_id const operand[]{record_element<Type>(g, words)};
    if (d.rank == 0) return operand[0];
    return g.append(op::broadcast_to, Type, d, operand, table_view<std::int64_t>(d.extent, static_cast<std::size_t>(d.rank)));
}

TRACEXPR_ONCE constexpr node_id record_cast_here(graph& g, node_id id, dtype to) {
    node const n = g[id];
    if (n.type == to) return id;
    node_id const operand[]{id};
    if (n.code == op::literal) {
        literal_bits const bits = cast_literal({n.bits[0], n.bits[1]}, n.type, to);
        return g.append(op::literal, to, n.shape, {}, {}, bits);
    }
    return g.append(op::cast, to, n.shape, operand, {}, {});
}
TRACEXPR_HERE_OR_ONCE(node_id, record_cast, record_cast_here, (graph & g, node_id id, dtype to), (g, id, to))

// A trace of constants alone, shared by the constants that are nodes of it.
class constant_trace {
public:
    constexpr constant_trace() : scope_{new trace_scope} { scope_->is_of_constants = true, ++scope_->holders; }
    constexpr constant_trace(constant_trace const& other) : scope_{other.scope_} { ++scope_->holders; }
    constant_trace& operator=(constant_trace const&) = delete;
    constexpr ~constant_trace() {
        if (--scope_->holders == 0) delete scope_;
    }
    constexpr trace_scope& scope() const { return *scope_; }

private:
    trace_scope* scope_;
};

// A constant that ops made, as a node of its trace. Whatever runs graphs computes its elements.
template <class T> struct recorded_constant : deferred_elements<T> {
    constant_trace trace;
    node_id id;
    constexpr recorded_constant(constant_trace const& of, node_id node) : trace(of), id{node} {}
};

// Gives the trace that a constant operand is recorded in, or null.
template <class A> constexpr constant_trace const* trace_of_constant(A const& a) {
    if constexpr (tensor_type<A>)
        if (deferred const* const constant = tensor_access::constant(a); constant && !constant->is_pattern)
            return &static_cast<recorded_constant<typename A::stored_type> const*>(constant)->trace;
    return nullptr;
}
// Has the scope adopt the trace of a constant operand that is used, but whose elements are not read.
template <class A> constexpr void adopt_constant(trace_scope& scope, A const& a) {
    if (__builtin_is_constant_evaluated())
        if (constant_trace const* const trace = trace_of_constant(a)) scope.adopt(trace->scope());
}
template <class... A> constexpr constant_trace trace_of_constants(A const&... a) {
    constant_trace const* found = nullptr;
    ((found = found ? found : trace_of_constant(a)), ...);
    if (found) return *found;
    return {};
}

// Up to this number of rows or columns they are numbered by int32, as kernels compare twice as many at once.
inline constexpr std::int64_t most_int32_places = 1 << 30;

// Records the nodes of patterns.
class pattern_recorder {
public:
    constexpr explicit pattern_recorder(graph& g) : graph_{g} {}

    // Records start + i * step for the places i.
    template <class S> constexpr node_id range(std::int64_t count, S start, S step) {
        node_id const scaled = append(op::multiply, dtype_of<S>, places<S>(count), literal(step), dims{{count}, 1});
        return append(op::add, dtype_of<S>, scaled, literal(start), dims{{count}, 1});
    }
    TRACEXPR_ONCE constexpr node_id linspace(std::int64_t count, double first, double last) {
        double const last_place = static_cast<double>(count - 1);
        node_id const is_last = append(op::equal, dtype::boolean, places<double>(count), literal(last_place), dims{{count}, 1});
        node_id const choice[]{is_last, literal(last), range(count, first, (last - first) / last_place)};
        return graph_.append(op::where, dtype::float64, dims{{count}, 1}, choice);
    }
    // Records where column == row + k.
    template <class S> constexpr node_id diagonal(dims const& d, S k) {
        node_id const rows = expanded(range(d[0], k, S{1}), 1, dims{{d[0], 1}, 2});
        return append(op::equal, dtype::boolean, rows, expanded(places<S>(d[1]), 0, dims{{1, d[1]}, 2}), d);
    }

private:
    template <class S> constexpr node_id literal(S value) {
        return graph_.append(op::literal, dtype_of<S>, dims{}, {}, {}, to_literal(value));
    }
    template <class S> constexpr node_id places(std::int64_t count) {
        std::int64_t const axis[]{0};
        return graph_.append(op::iota, dtype_of<S>, dims{{count}, 1}, {}, axis);
    }
    constexpr node_id append(op code, dtype type, node_id a, node_id b, dims const& shape) {
        node_id const operands[]{a, b};
        return graph_.append(code, type, shape, operands);
    }
    TRACEXPR_ONCE constexpr node_id expanded(node_id x, std::int64_t axis, dims const& shape) {
        return graph_.append(op::expand_dims, graph_[x].type, shape, {&x, 1}, {&axis, 1});
    }

    graph& graph_;
};
template <class T> constexpr node_id record_pattern(graph& g, dims const& d, pattern_numbers<T> const& numbers) {
    constexpr dtype type = dtype_of<T>;
    if (numbers.kind == pattern::full) {
        std::uint64_t words[words_of(type)]{};
        to_words(numbers.value, words);
        return record_uniform<type>(g, d, words);
    }
    pattern_recorder nodes(g);
    if (numbers.kind == pattern::linspace) return record_cast(g, nodes.linspace(d[0], numbers.first, numbers.last), type);
    if (numbers.kind == pattern::eye) {
        std::int64_t const k = numbers.diagonal;
        bool const narrow =
            d[0] <= most_int32_places && d[1] <= most_int32_places && k <= most_int32_places && k >= -most_int32_places;
        return record_cast(g, narrow ? nodes.diagonal(d, static_cast<std::int32_t>(k)) : nodes.diagonal(d, k), type);
    }
    using scalar = canonical<range_scalar<T>>;
    return record_cast(g, nodes.range(d[0], static_cast<scalar>(numbers.start), static_cast<scalar>(numbers.step)), type);
}
template <class T> constexpr node_id record_deferred(trace_scope& scope, deferred const& constant) {
    if constexpr (dtype_of<T> == dtype::string) {
        return node_id::none; // strings are not recorded; the run creates them
    } else if (constant.is_pattern) {
        auto const& of = static_cast<deferred_pattern<T> const&>(constant);
        return record_pattern(scope.recorded, of.shape, of.numbers);
    } else {
        auto const& of = static_cast<recorded_constant<T> const&>(constant);
        trace_scope& from = of.trace.scope();
        if (&from == &scope) return of.id;
        // A branch has no captures, so constants that need some are recorded in the root scope.
        if (scope.outer && from.recorded.view().captures.size() > 0)
            return scope.taken_from(*scope.root, record_deferred<T>(*scope.root, constant));
        scope.adopt(from);
        return append_part(scope.recorded, from.recorded, {&of.id, 1})[0];
    }
}

} // namespace tx::detail
