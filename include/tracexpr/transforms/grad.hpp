// Each transform of a callable returns a callable that can be traced, called on tensors and transformed again, and that the
// compiler can trace if it can trace the original. In a trace the derivative is appended to the graph under construction.
#pragma once

#include <tracexpr/ad/derivatives.hpp>
#include <tracexpr/run/function.hpp>

namespace tx {

// This option of tx::grad and tx::value_and_grad says that the callable returns a pair of its value and other results, which are
// returned unchanged.
enum has_aux_t { has_aux };

namespace detail {

// Returns call(e...), which calls a callable of type Form, after checking that it takes these arguments.
template <class Form, class Call, class... E> constexpr auto checked_call(Call const& call, E const&... e) {
    static_assert(Form::template takes<E...>,
                  "tx: grad, vjp, jvp: the callable must take the arguments of the call: as many, and of their types");
    if constexpr (!Form::template takes<E...>) {
        return failed{};
    } else {
        constexpr bool returns = !std::is_void_v<decltype(call(e...))>;
        static_assert(returns, "tx: grad, vjp, jvp: the callable must return what is to be differentiated; it returns nothing");
        if constexpr (returns) return call(e...);
        else return failed{};
    }
}

// Holds a callable that Rule makes of F: `Rule::apply(scope, call, a...)` gets a function that calls F, and must call it once.
template <class Rule, class F> struct transformed {
    [[no_unique_address]] F f;

    template <class... A> TRACEXPR_NAMES_TARGET constexpr auto operator()(A const&... a) const {
        if constexpr ((facts<A>.has_exprs || ...)) return in_trace(*symbolic_scope(a...), a...);
        else return function<transformed>(*this)(a...);
    }
    template <class... A> constexpr auto in_trace(trace_scope& scope, A const&... a) const {
        auto const call = [&](auto const&... e) { return call_in_trace(scope, f, e...); };
        return Rule::apply(
            scope, [&](auto const&... e) { return checked_call<callable_form<callable_of<F>>>(call, e...); }, a...);
    }
};
template <class Rule, class F> inline constexpr bool is_transformed<transformed<Rule, F>> = true;
template <class Rule, class F> inline constexpr bool refers<transformed<Rule, F>> = refers<F>;
template <class Rule, class F> inline constexpr bool hides_state<transformed<Rule, F>> = hides_state<F>;
template <class Rule, class F>
inline constexpr pass_options passes_of<transformed<Rule, F>> = {.kernels = passes_of<callable_of<F>>.kernels};
template <class Rule, class F> struct callable_form<transformed<Rule, F>> {
    using own = callable_form<callable_of<F>>;
    static constexpr tree_facts state = own::state;
    static constexpr bool is_static = own::is_static;
    static constexpr transformed<Rule, F> prototype() { return {held_prototype<F>()}; }
    static constexpr auto const& callee(transformed<Rule, F> const& t) { return own::callee(unwrap(t.f)); }
    template <class... E> static constexpr bool takes = true; // the rule reports arguments that don't fit

    template <class Visit, class Value>
    TRACEXPR_INLINE static constexpr void visit(transformed<Rule, F> const& t, Visit const& leaf, Value const& value) {
        own::visit(unwrap(t.f), leaf, value);
    }
    template <class... A> requires requires(A const&... a) { Rule::check_extents(a...); }
    static void check_extents(A const&... a) {
        Rule::check_extents(a...);
    }
    template <class Scope, class... E> static constexpr auto call(Scope& scope, transformed<Rule, F> const& t, E const&... e) {
        auto const calling = [&](callable_of<F> const& callee) {
            auto const call = [&](auto const&... given) { return own::call(scope, callee, given...); };
            return Rule::apply(scope, [&](auto const&... given) { return checked_call<own>(call, given...); }, e...);
        };
        return with_callee(t.f, calling);
    }
};

// A tx::function is transformed as the callable that it holds.
template <class F> constexpr auto transformable(F const& f) { return held(f); }
template <class F, class Form> constexpr auto transformable(function<F, Form> const& f) { return held(f.stored()); }
template <class Rule, class F> constexpr auto transform(F const& f) {
    using callable = std::remove_cvref_t<decltype(transformable(f))>;
    return transformed<Rule, callable>{transformable(f)};
}
template <class F> constexpr failed refuse_arguments_of_transform() {
    static_assert(always_false<F>,
                  "tx: grad, value_and_grad, vmap: take the callable alone, and give one that takes the arguments: "
                  "write tx::grad(f)(x, y), and tx::grad<1>(f)(x, y) for the derivative by y");
    return {};
}

// These are the types that are leaves of a tree in a trace.
template <class A> concept traced_leaf = expr_type<A> || tensor_type<A> || scalar_type<A>;
template <class A> inline constexpr dtype leaf_dtype = dtype_of_operand<A>;
template <class A> constexpr node_id node_of(trace_scope& scope, A const& a) { return record_operand<leaf_dtype<A>>(scope, a); }
// Returns a node as an object of the type that leaf A has in a trace.
template <class A> constexpr auto leaf_from(trace_scope& scope, node_id id) {
    using traits_of = traits<A>;
    using T = ctype<leaf_dtype<A>>;
    if constexpr (tensor_type<A>) return A(expr<T, typename traits_of::shape_type>(scope, id));
    else if constexpr (traits_of::weak) return weak_expr<T>(scope, id);
    else return expr<T, typename traits_of::shape_type>(scope, id);
}

// Returns a tree of the same structure with f(leaf) in the place of each leaf; parts that are no leaves are copied.
template <class A, class F> constexpr auto map_leaves(A const& a, F const& f) {
    if constexpr (traced_leaf<A>) {
        return f(a);
    } else if constexpr (parted<A>) {
        return map_parts(a, [&](auto const& part) { return map_leaves(part, f); });
    } else if constexpr (aggregate<A>) {
        A out = stand_in(a);
        detail::for_each_leaf(out, [&]<class Part>(Part& part) { stand_for(part, f(std::as_const(part))); });
        return out;
    } else {
        return a;
    }
}
template <class A> constexpr bool is_inexact_leaf = is_inexact(leaf_dtype<A>);

// Gives every floating or complex leaf of a tree a node of its own, so that a derivative with respect to it is one with respect
// to this use of the value.
class marker {
public:
    constexpr explicit marker(trace_scope& scope) : scope_{scope} {}
    template <class A> constexpr auto operator()(A const& tree) {
        return detail::map_leaves(tree, [&]<class Leaf>(Leaf const& leaf) {
            node_id id = node_of(scope_, leaf);
            if constexpr (is_inexact_leaf<Leaf>) marks_.push_back(id = scope_.recorded.append_mark(id));
            return leaf_from<Leaf>(scope_, id);
        });
    }
    constexpr table_view<node_id> marks() const { return marks_; }

private:
    trace_scope& scope_;
    buffer<node_id> marks_;
};

// Returns the arguments of a call as the callable gets them; those that derivatives are taken with respect to are marked.
template <int... Which, std::size_t... I, class... A>
constexpr auto marked_arguments(marker& marks, std::index_sequence<I...>, trace_scope& scope, A const&... a) {
    auto const seen = [&]<std::size_t At>(std::integral_constant<std::size_t, At>, auto const& argument) {
        if constexpr (((At == static_cast<std::size_t>(Which)) || ...)) {
            static_assert(facts<std::remove_cvref_t<decltype(argument)>>.is_tree,
                          "tx: grad: an argument must be a tensor, a scalar or a tree of them");
            return marks(inlined_argument(scope, argument));
        } else return inlined_argument(scope, argument);
    };
    return std::tuple<decltype(seen(std::integral_constant<std::size_t, I>{}, a))...>{
        seen(std::integral_constant<std::size_t, I>{}, a)...};
}

// Returns a leaf with the derivative's node, or with zeros if there is none.
template <class Leaf> constexpr auto derivative_leaf(trace_scope& scope, Leaf const& leaf, node_id derivative) {
    if (derivative == node_id::none) derivative = ad::zeros_like({scope.recorded, node_of(scope, leaf)}).id();
    return leaf_from<Leaf>(scope, derivative);
}
// Appends the nodes of those leaves of a tree that may have derivatives, in order.
template <class A> constexpr void add_inexact_leaves(trace_scope& scope, buffer<node_id>& to, A const& tree) {
    detail::for_each_result(tree, [&]<class Leaf>(Leaf const& leaf) {
        if constexpr (is_inexact_leaf<Leaf>) to.push_back(node_of(scope, leaf));
    });
}
// Distributes derivatives to the leaves of trees that may have some, one after the other, and zeros to other leaves.
class derivative_trees {
public:
    constexpr derivative_trees(trace_scope& scope, table_view<node_id> derivatives) : scope_{scope}, all_{derivatives} {}
    template <class A> constexpr auto next(A const& tree) {
        return detail::map_leaves(tree, [&]<class Leaf>(Leaf const& leaf) {
            return derivative_leaf(scope_, leaf, is_inexact_leaf<Leaf> ? all_[next_++] : node_id::none);
        });
    }

private:
    trace_scope& scope_;
    table_view<node_id> all_;
    std::size_t next_ = 0;
};

template <class R> constexpr bool is_scalar_result() {
    if constexpr (traced_leaf<R>) return dims_of_operand<R>.rank <= 0 && is_floating(leaf_dtype<R>);
    else return false;
}

// Says what is returned with a gradient.
enum class gradient_form { alone, with_aux, with_value, with_value_and_aux };

// Applies reverse mode to a callable that returns a scalar.
template <gradient_form Form, int... Which> struct gradient_rule {
    static constexpr bool with_value = Form == gradient_form::with_value || Form == gradient_form::with_value_and_aux,
                          with_aux = Form == gradient_form::with_aux || Form == gradient_form::with_value_and_aux;

    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        constexpr bool are_arguments = ((Which >= 0 && Which < static_cast<int>(sizeof...(A))) && ...);
        static_assert(are_arguments, "tx: grad: the chosen arguments must be arguments of the call");
        if constexpr (!are_arguments) {
            return failed{};
        } else {
            marker marks(scope);
            auto const arguments = marked_arguments<Which...>(marks, std::index_sequence_for<A...>{}, scope, a...);
            return detail::with_parts(arguments, [&](auto const&... e) { return finish(scope, marks, call(e...), e...); });
        }
    }

private:
    template <class R, class... E>
    static constexpr auto finish(trace_scope& scope, marker const& marks, R const& result, E const&... e) {
        if constexpr (with_aux) {
            static_assert(pair_like<R>,
                          "tx: grad with has_aux: the callable must return a pair: its value, and what is handed through");
            if constexpr (!pair_like<R>) {
                return failed{};
            } else {
                auto const& [value, aux] = result;
                auto const gradients = differentiated(scope, marks, value, e...);
                if constexpr (with_value) return std::pair{std::pair{value, aux}, gradients};
                else return std::pair{gradients, aux};
            }
        } else {
            auto const gradients = differentiated(scope, marks, result, e...);
            if constexpr (with_value) return std::pair{result, gradients};
            else return gradients;
        }
    }
    template <class R, class... E>
    static constexpr auto differentiated(trace_scope& scope, marker const& marks, R const& result, E const&... e) {
        constexpr bool is_scalar = is_failed<R> || is_scalar_result<R>();
        constexpr bool are_inexact = (inexact_argument<Which, E...>() && ...);
        static_assert(are_inexact, "tx: grad: an argument to differentiate for must be of floating or complex dtype; cast it, or "
                                   "choose others as in tx::grad<1>");
        static_assert(!are_inexact || is_scalar,
                      "tx: grad: the callable must return a real scalar; sum over the result, or use tx::vjp or tx::jacrev");
        if constexpr (is_failed<R> || !is_scalar || !are_inexact) return failed{};
        else return gradient_tree(scope, marks, result, e...);
    }
    template <class R, class... E>
    static constexpr auto gradient_tree(trace_scope& scope, marker const& marks, R const& result, E const&... e) {
        graph& g = scope.recorded;
        node_id const target = node_of(scope, result);
        if (g.shape_of(target).rank > 0)
            throw shape_error("tx: grad: the callable must return a scalar; it returned shape " + to_string(g.shape_of(target)));
        node_id const targets[]{target}, cotangents[]{ad::value(g, target).like(1).id()};
        auto const all = std::forward_as_tuple(e...);
        buffer<node_id> wanted;
        (add_inexact_leaves(scope, wanted, std::get<Which>(all)), ...);
        buffer<node_id> const gradients = ad::gradients(scope, marks.marks(), targets, cotangents, wanted, {});
        derivative_trees trees(scope, gradients);
        if constexpr (sizeof...(Which) == 1) return trees.next(std::get<Which...>(all));
        else return std::tuple<decltype(trees.next(std::get<Which>(all)))...>{trees.next(std::get<Which>(all))...};
    }
    template <int I, class... E> static constexpr bool inexact_argument() {
        using A = std::tuple_element_t<I, std::tuple<E...>>;
        if constexpr (traced_leaf<A>) return is_inexact_leaf<A>;
        else return true;
    }
};

// If no arguments are chosen, the gradient is that with respect to the first one.
template <gradient_form Form, int... Which> using gradient_of =
    std::conditional_t<sizeof...(Which) == 0, gradient_rule<Form, 0>, gradient_rule<Form, Which...>>;

template <class... A> constexpr auto inlined_arguments(trace_scope& scope, A const&... a) {
    return std::tuple<std::remove_cvref_t<decltype(inlined_argument(scope, a))>...>{inlined_argument(scope, a)...};
}
// Returns the nodes of a tree's leaves, in order.
template <class A> constexpr buffer<node_id> leaf_nodes(trace_scope& scope, A const& tree) {
    buffer<node_id> out;
    for_each_result(tree, [&](auto const& leaf) { out.push_back(node_of(scope, leaf)); });
    return out;
}
// Returns a tree like `like` with these nodes as its leaves.
template <class A> constexpr auto with_nodes(trace_scope& scope, A const& like, table_view<node_id> nodes) {
    std::size_t k = 0;
    return map_leaves(like, [&]<class Leaf>(Leaf const&) { return leaf_from<Leaf>(scope, nodes[k++]); });
}

// Returns the nodes of the leaves of a callable's arguments, and then of what else its result is computed from. (ad::inputs_of)
template <class Arguments, class Result>
constexpr buffer<node_id> inputs_of(trace_scope& scope, Arguments const& arguments, Result const& result, std::size_t first) {
    return ad::inputs_of(scope, leaf_nodes(scope, arguments), leaf_nodes(scope, result), first);
}
// Records that `result`, which nodes from number `first` on compute from `inputs`, has a derivative of its own, with respect to
// the first `known` inputs. The scope owns the rule.
template <class Rule, class Result> constexpr auto with_rule(trace_scope& scope, Rule* rule, buffer<node_id> inputs,
                                                             std::size_t known, Result const& result, std::size_t first) {
    return with_nodes(scope, result, ad::append_ruled(scope, rule, std::move(inputs), known, leaf_nodes(scope, result), first));
}

[[noreturn]] TRACEXPR_ONCE void throw_unpaired(char const* subject, std::size_t expected, std::size_t actual) {
    throw signature_error(std::string("tx: ") + subject + " must have the form of the primals, with " + std::to_string(expected) +
                          " leaves; given " + std::to_string(actual));
}
[[noreturn]] TRACEXPR_ONCE void throw_unlike(char const* subject, dims const& expected, dims const& actual) {
    throw shape_error(std::string("tx: ") + subject + " must have the shapes of the primals: " + to_string(expected) +
                      "; given " + to_string(actual));
}

// Returns the nodes of the leaves of a tangent or cotangent, after checking that they match the leaves `of`: as many, with the
// same shapes. They are cast to the same dtypes.
template <class A>
constexpr buffer<node_id> paired_leaves(trace_scope& scope, char const* subject, A const& tree, table_view<node_id> of) {
    graph& g = scope.recorded;
    buffer<node_id> out = leaf_nodes(scope, tree);
    if (out.size() != of.size()) throw_unpaired(subject, of.size(), out.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
        if (!may_equal(g.shape_of(out[k]), g.shape_of(of[k]))) throw_unlike(subject, g.shape_of(of[k]), g.shape_of(out[k]));
        out[k] = ad::cast({g, out[k]}, g[of[k]].type).id();
    }
    return out;
}
// Checks that lists with as many leaves have the same keys. (Trees of different types are paired by the order of their leaves.)
template <class A, class B> constexpr void require_paired_forms(char const* subject, A const& a, B const& b, char const* name) {
    if constexpr (std::is_same_v<A, B>) require_form_of(subject, a, b, name);
}
// Returns the elements of a tuple from number From on, as many as there are I, as a tuple.
template <std::size_t From, class Tuple, std::size_t... I> constexpr auto part_of(Tuple const& all, std::index_sequence<I...>) {
    return std::tuple<std::tuple_element_t<From + I, Tuple>...>{std::get<From + I>(all)...};
}

// Applies forward mode: (x..., dx...) gives the value and its tangent.
struct pushforward_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        static_assert(sizeof...(A) % 2 == 0, "tx: jvp: takes a tangent for each argument, behind the arguments: (x..., dx...)");
        if constexpr (sizeof...(A) % 2 != 0) {
            return failed{};
        } else {
            constexpr auto half = std::make_index_sequence<sizeof...(A) / 2>{};
            auto const all = inlined_arguments(scope, a...);
            require_paired_forms("jvp: the arguments and the tangents", part_of<0>(all, half),
                                 part_of<sizeof...(A) / 2>(all, half), "tangents");
            marker marks(scope);
            auto const arguments = map_parts(part_of<0>(all, half), [&](auto const& part) { return marks(part); });
            buffer<node_id> const at = leaf_nodes(scope, arguments);
            buffer<node_id> const steps = paired_leaves(scope, "jvp: the tangents", part_of<sizeof...(A) / 2>(all, half), at);
            auto const result = with_parts(arguments, call);
            return std::pair{result, pushed(scope, at, steps, result)};
        }
    }
    template <class R>
    static constexpr auto pushed(trace_scope& scope, table_view<node_id> at, table_view<node_id> steps, R const& result) {
        graph& g = scope.recorded;
        buffer<node_id> sources, changes;
        for (std::size_t k = 0; k < at.size(); ++k)
            if (g[at[k]].code == op::mark) sources.push_back(at[k]), changes.push_back(steps[k]);
        buffer<node_id> const tangents = ad::tangents(scope, sources, changes, leaf_nodes(scope, result), {});
        std::size_t k = 0;
        return map_leaves(result, [&]<class Leaf>(Leaf const& leaf) { return derivative_leaf(scope, leaf, tangents[k++]); });
    }
};

// Applies reverse mode: (x..., cotangent of the result) gives a tuple of the arguments' cotangents.
struct pullback_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        static_assert(sizeof...(A) >= 2, "tx: vjp: takes the arguments and then the cotangent of the result: (x..., ybar)");
        if constexpr (sizeof...(A) < 2) return failed{};
        else return pulled(scope, call, a...);
    }

private:
    template <class Call, class... A> static constexpr auto pulled(trace_scope& scope, Call const& call, A const&... a) {
        auto const all = inlined_arguments(scope, a...);
        marker marks(scope);
        auto const arguments = map_parts(part_of<0>(all, std::make_index_sequence<sizeof...(A) - 1>{}),
                                         [&](auto const& part) { return marks(part); });
        auto const result = with_parts(arguments, call);
        require_paired_forms("vjp: the result and the cotangent", result, std::get<sizeof...(A) - 1>(all), "the cotangent");
        buffer<node_id> const targets = leaf_nodes(scope, result);
        buffer<node_id> const seeds = paired_leaves(scope, "vjp: the cotangent", std::get<sizeof...(A) - 1>(all), targets);
        buffer<node_id> wanted;
        add_inexact_leaves(scope, wanted, arguments);
        buffer<node_id> const gradients = ad::cotangents(scope, wanted, targets, seeds);
        return derivative_trees(scope, gradients).next(arguments);
    }
};

// Maps (x..., v...) to the Hessian times v, which is the tangent of the gradient along v. (Pearlmutter, Fast exact multiplication
// by the Hessian, 1994)
struct hessian_product_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        static_assert(sizeof...(A) % 2 == 0, "tx: hvp: takes a vector for each argument, behind the arguments: (x..., v...)");
        if constexpr (sizeof...(A) % 2 != 0) return failed{};
        else return apply_to(scope, call, std::make_integer_sequence<int, static_cast<int>(sizeof...(A) / 2)>{}, a...);
    }

private:
    template <class Call, int... I, class... A>
    static constexpr auto apply_to(trace_scope& scope, Call const& call, std::integer_sequence<int, I...>, A const&... a) {
        auto const gradient = [&](auto const&... x) {
            return gradient_rule<gradient_form::alone, I...>::apply(scope, call, x...);
        };
        return pushforward_rule::apply(scope, gradient, a...).second;
    }
};

} // namespace detail

// Returns a callable that computes the gradient of f, which returns a real scalar, with respect to its first argument or to those
// that are chosen: a tree like the argument with the derivative for each leaf (for several arguments, a tuple). (JAX: grad)
template <int... Which, class F> [[nodiscard]] constexpr auto grad(F const& f) {
    return detail::transform<detail::gradient_of<detail::gradient_form::alone, Which...>>(f);
}
template <int... Which, class F> [[nodiscard]] constexpr auto grad(F const& f, has_aux_t) {
    return detail::transform<detail::gradient_of<detail::gradient_form::with_aux, Which...>>(f);
}
// Returns a callable that computes a pair of the value and the gradient; with tx::has_aux the value is a pair, too.
template <int... Which, class F> [[nodiscard]] constexpr auto value_and_grad(F const& f) {
    return detail::transform<detail::gradient_of<detail::gradient_form::with_value, Which...>>(f);
}
template <int... Which, class F> [[nodiscard]] constexpr auto value_and_grad(F const& f, has_aux_t) {
    return detail::transform<detail::gradient_of<detail::gradient_form::with_value_and_aux, Which...>>(f);
}
template <int... Which, class F, class... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto grad(F const&, A const&...) {
    return detail::refuse_arguments_of_transform<F>();
}
template <int... Which, class F, class... A> requires(sizeof...(A) > 0)
[[nodiscard]] constexpr auto value_and_grad(F const&, A const&...) {
    return detail::refuse_arguments_of_transform<F>();
}
// Returns a callable of (x..., dx...) that computes a pair of the value, and how it changes when each x changes by its dx. (JAX:
// jvp)
template <class F> [[nodiscard]] constexpr auto jvp(F const& f) { return detail::transform<detail::pushforward_rule>(f); }
// Returns a callable of (x..., ybar) that computes a tuple of the x's cotangents, where ybar is that of the result. Integer
// arguments get zeros. (JAX: vjp)
template <class F> [[nodiscard]] constexpr auto vjp(F const& f) { return detail::transform<detail::pullback_rule>(f); }
// Returns a callable of (x..., v...) that computes the Hessian of f, which returns a real scalar, times v.
template <class F> [[nodiscard]] constexpr auto hvp(F const& f) { return detail::transform<detail::hessian_product_rule>(f); }

} // namespace tx
