// This file holds tx::cond: control flow on the values of tensors. Branches are callables over trees, and may also use what is
// around them.
#pragma once

#include <tracexpr/run/callable.hpp>
#include <tracexpr/trace/branches.hpp>

namespace tx {
namespace detail {

template <class Tuple, std::size_t I> using tree_part = std::remove_cvref_t<std::tuple_element_t<I, Tuple>>;
template <class A> concept result_leaf = operand<A> && !any_unusable<A>;

// common_tree is the type that the results of two branches have in common. Two leaves must have the same dtype, except that a C++
// scalar takes the other's, and the same shape, as far as types tell.
enum class difference { none, form, dtype, shape };
template <class A, class B> struct common_tree {
    static constexpr difference differs =
        std::is_same_v<A, B> && (std::is_void_v<A> || facts<result_tree_of<A>>.is_tree) ? difference::none : difference::form;
    using type = A;
};
template <result_leaf A, result_leaf B> struct common_tree<A, B> {
    static constexpr difference differs = !have_common_dtype<A, B> ? difference::dtype
                                          : traits<A>::type != traits<B>::type && !traits<A>::weak && !traits<B>::weak
                                              ? difference::dtype
                                          : !may_equal(dims_of_operand<A>, dims_of_operand<B>) ? difference::shape
                                                                                               : difference::none;
    struct owner {
        static constexpr inferred rule() { return {known_extents(dims_of_operand<A>, dims_of_operand<B>)}; }
    };
    static constexpr dtype value_type = common_dtype<A, B>;
    using shape_type = shape_from<checked_shape<owner>>;
    using type = std::conditional_t<expr_type<A> || expr_type<B>, expr<ctype<value_type>, shape_type>,
                                    tensor<ctype<value_type>, shape_type>>;
};
template <class A, class B, class Indices> struct common_parts;
template <class A, class B, std::size_t... I> struct common_parts<A, B, std::index_sequence<I...>> {
    static constexpr difference differs = [] {
        difference out = difference::none;
        ((out = out == difference::none ? common_tree<tree_part<A, I>, tree_part<B, I>>::differs : out), ...);
        return out;
    }();
    using type = std::tuple<typename common_tree<tree_part<A, I>, tree_part<B, I>>::type...>;
};
template <class A, class B> requires(is_tuple_like<A> && is_tuple_like<B> && std::tuple_size_v<A> == std::tuple_size_v<B>)
struct common_tree<A, B> : common_parts<A, B, std::make_index_sequence<std::tuple_size_v<A>>> {};
template <class A, class B, class C, class D> struct common_tree<std::pair<A, B>, std::pair<C, D>> {
    static constexpr difference differs =
        common_tree<A, C>::differs != difference::none ? common_tree<A, C>::differs : common_tree<B, D>::differs;
    using type = std::pair<typename common_tree<A, C>::type, typename common_tree<B, D>::type>;
};
template <class A, class B, std::size_t N> struct common_tree<std::array<A, N>, std::array<B, N>> {
    static constexpr difference differs = common_tree<A, B>::differs;
    using type = std::array<typename common_tree<A, B>::type, N>;
};

// The name of this function tells in the compiler's message why a callable can't be traced.
[[noreturn]] TRACEXPR_NOINLINE inline void an_operand_or_a_start_value_must_be_an_expr() {
    throw trace_error("tx: cond, loops: where a result is an expr, so must be the predicate, an operand or a start value");
}
// Converts a branch's result to the type that both branches have in common.
template <class To, class From> constexpr To common_value(trace_scope* scope, From const& from) {
    if constexpr (std::is_same_v<To, From>) {
        return from;
    } else if constexpr (expr_type<To>) {
        if constexpr (expr_type<From>) scope = &from.scope();
        if (!scope) an_operand_or_a_start_value_must_be_an_expr();
        return To(*scope, record_operand<dtype_of<typename To::value_type>>(*scope, plain_operand(from)));
    } else if constexpr (is_tuple_like<To>) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return To{common_value<tree_part<To, I>>(scope, std::get<I>(from))...};
        }(std::make_index_sequence<std::tuple_size_v<To>>{});
    } else if constexpr (scalar_type<From>) {
        return To(static_cast<typename To::value_type>(from));
    } else {
        return To(from);
    }
}
// Records a branch's results as outputs, in the dtypes that both branches have in common.
template <class To, class From> constexpr void record_results(trace_scope& scope, From const& from) {
    if constexpr (result_leaf<From>) scope.recorded.add_output(record_operand<dtype_of_operand<To>>(scope, plain_operand(from)));
    else if constexpr (is_tuple_like<From>)
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (record_results<tree_part<To, I>>(scope, std::get<I>(from)), ...);
        }(std::make_index_sequence<std::tuple_size_v<From>>{});
    else for_each_result(from, [&]<class Part>(Part const& part) { record_results<Part>(scope, part); });
}
// Returns the common result, made of nodes of the enclosing scope.
template <class To, class From> constexpr To results_at(trace_scope& scope, From const& like, node_id const*& next) {
    if constexpr (expr_type<To>) {
        return To(scope, *next++);
    } else if constexpr (tensor_type<To>) {
        return expr<typename To::value_type, typename To::shape_type>(scope, *next++);
    } else if constexpr (is_tuple_like<To>) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return To{results_at<tree_part<To, I>>(scope, std::get<I>(like), next)...};
        }(std::make_index_sequence<std::tuple_size_v<To>>{});
    } else {
        To out = stand_in(like);
        for_each_result(out, [&]<class Part>(Part& part) {
            stand_for(part, expr<typename Part::value_type, typename Part::shape_type>(scope, *next++));
        });
        return out;
    }
}

// Records one branch, and returns what it returns.
template <class Common, class F, class... A>
constexpr auto trace_branch(trace_scope& around, buffer<node_id>& outer_nodes, traced_branch& out, F const& f, A const&... a) {
    branch_scope branch(around, outer_nodes);
    auto const keep = [&] { out = {std::move(branch.recorded), branch.token, std::move(branch.assignments)}; };
    if constexpr (std::is_void_v<Common>) {
        f(inlined_argument(branch, a)...);
        keep();
    } else {
        auto results = f(inlined_argument(branch, a)...);
        record_results<Common>(branch, results);
        keep();
        return results;
    }
}
template <class F, class... A> using result_in_trace = std::remove_cvref_t<decltype(std::declval<F const&>()(
    inlined_argument(std::declval<trace_scope&>(), std::declval<A const&>())...))>;

TRACEXPR_ONCE constexpr void require_same_shapes(graph const& first, graph const& second) {
    for (std::size_t k = 0; k < first.outputs().size(); ++k) {
        dims const both[]{first.shape_of(first.outputs()[k]), second.shape_of(second.outputs()[k])};
        if (!may_equal(both[0], both[1])) throw_shape_error(op::cond, "both branches must return the same shapes", both);
    }
}

template <class To, class P, class Then, class Else, class... A>
constexpr To record_cond(trace_scope& scope, P const& predicate, Then const& then_f, Else const& else_f, A const&... a) {
    using common = typename common_tree<result_in_trace<Then, A...>, result_in_trace<Else, A...>>::type;
    node_id const truth = record_operand<dtype::boolean>(scope, predicate);
    require_scalar_predicate(op::cond, scope.recorded.shape_of(truth));
    buffer<node_id> outer_nodes;
    traced_branch branches[2];
    traced_branch* const both[]{&branches[0], &branches[1]};
    auto const append = [&] {
        std::size_t const own = branches[0].recorded.outputs().size();
        buffer<assignment> const assigned = add_assigned(scope, outer_nodes, both);
        require_same_shapes(branches[0].recorded, branches[1].recorded);
        add_kept(both);
        buffer<node_id> const results = append_branches(scope, op::cond, truth, outer_nodes, both);
        assign_in(scope, assigned, results.data() + own);
        return results;
    };
    if constexpr (std::is_void_v<common>) {
        trace_branch<common>(scope, outer_nodes, branches[0], then_f, a...);
        trace_branch<common>(scope, outer_nodes, branches[1], else_f, a...);
        append();
    } else {
        auto const like = trace_branch<common>(scope, outer_nodes, branches[0], then_f, a...);
        auto const other = trace_branch<common>(scope, outer_nodes, branches[1], else_f, a...);
        require_form_of("cond: what both branches return", like, other, "that of the second");
        buffer<node_id> const results = append();
        node_id const* next = results.data();
        return results_at<To>(scope, like, next);
    }
}

template <class P> inline constexpr bool is_predicate = [] {
    if constexpr (result_leaf<P>) return traits<P>::type == dtype::boolean && dims_of_operand<P>.rank <= 0;
    else return false;
}();
// Explains by static_assert what is wrong with the branches; returns false if they can't be compiled.
template <class First, class Second> constexpr bool check_branches() {
    constexpr difference differs = common_tree<First, Second>::differs;
    static_assert(differs != difference::form,
                  "tx: cond: both branches must return a tensor, or tuples, arrays or structs of one form, or nothing; the types "
                  "that they return stand in the note");
    static_assert(differs != difference::dtype,
                  "tx: cond: both branches must return the same dtypes; the types that they return stand in the note");
    static_assert(differs != difference::shape,
                  "tx: cond: both branches must return the same shapes; the types that they return stand in the note");
    return differs == difference::none;
}
template <class F, class... A> concept branch_for = !operand<F> && requires(F const& f, A const&... a) { f(a...); };

// Returns the trace in which a predicate is to be recorded; null if its value is known.
template <class P> constexpr trace_scope* scope_of_predicate(P const& predicate) {
    trace_scope* scope = scope_of(predicate);
    if (!__builtin_is_constant_evaluated() && !scope) scope = scope_of_live(predicate);
    return scope && !scope->root->evaluate ? scope : nullptr;
}
template <class P> constexpr bool truth_of(P const& predicate) {
    if constexpr (scalar_type<P>) return predicate;
    else if constexpr (static_scalar<P>) return P::value;
    else if constexpr (expr_type<P>) return truth_of(predicate.value());
    else {
        auto const& value = as_operand(plain_operand(predicate));
        require_scalar_predicate(op::cond, value.dimensions());
        return static_cast<bool>(value.item());
    }
}

} // namespace detail

// Calls then_f(operands...) if the predicate, a bool scalar, is true, else else_f(operands...): only the branch that is taken
// runs. Both must return the same dtypes and shapes, in a tensor or a tuple, array or struct of them, or nothing. Inside of a
// traced callable both become part of the graph; an effect in a branch happens only if the branch is taken. Differentiable.
template <class P, class Then, class Else, class... A>
constexpr auto cond(P const& predicate, Then const& then_f, Else const& else_f, A const&... operands) {
    constexpr bool is_bool = detail::is_predicate<P>;
    constexpr bool are_branches = detail::branch_for<Then, A...> && detail::branch_for<Else, A...>;
    static_assert(
        is_bool,
        "tx: cond: the predicate must be a bool scalar: compare something (x > 0), and reduce it with tx::all or tx::any");
    static_assert(are_branches, "tx: cond: both branches must be callables that take the operands, as [&] { return x; }; of two "
                                "values tx::where(predicate, a, b) is one");
    if constexpr (!is_bool || !are_branches) {
        return detail::failed{};
    } else {
        using first = std::remove_cvref_t<decltype(then_f(operands...))>;
        using second = std::remove_cvref_t<decltype(else_f(operands...))>;
        if constexpr (!detail::check_branches<first, second>()) {
            return detail::failed{};
        } else {
            using result = typename detail::common_tree<first, second>::type;
            if constexpr (own_operand<P>)
                if (trace_scope* const scope = detail::scope_of_predicate(predicate))
                    return detail::record_cond<result>(*scope, predicate, then_f, else_f, operands...);
            if constexpr (std::is_void_v<result>) {
                if (detail::truth_of(predicate)) then_f(operands...);
                else else_f(operands...);
            } else {
                trace_scope* scope = detail::symbolic_scope(predicate, operands...);
                if (!scope && !__builtin_is_constant_evaluated()) scope = detail::innermost_trace;
                if (detail::truth_of(predicate)) return detail::common_value<result>(scope, then_f(operands...));
                return detail::common_value<result>(scope, else_f(operands...));
            }
        }
    }
}

template <class P, class Then> constexpr detail::failed cond(P const&, Then const&) {
    static_assert(always_false<P>, "tx: cond: takes two branches: tx::cond(predicate, [&] { return a; }, [&] { return b; })");
    return {};
}

} // namespace tx
