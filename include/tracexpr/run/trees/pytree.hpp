// This file handles trees (JAX: pytrees): arguments, results and a callable's state may be tuples, pairs, arrays, lists
// (trees/lists.hpp) and aggregates, nested, with tensors and scalars as leaves. A trace can't change the type of an aggregate, so
// a scalar in one is no leaf, but a value that the trace depends on, as what tx::key wraps is. Other libraries' arrays become
// leaves by specialising foreign_access.
#pragma once

#include <tracexpr/run/trees/lists.hpp>
#include <tracexpr/run/trees/prototype.hpp>
#include <tracexpr/trace/extents.hpp>

#include <array>
#include <cstring>
#include <tuple>
#include <utility>

namespace tx {

// A key_value is a run-time value for which a function is traced again; its callable sees the plain value. Values are compared
// with ==.
template <class T> struct key_value {
    T value;
};
// Wraps a run-time value that a trace is made for: tx::key(3) reaches the callable as plain 3, with a trace for each value.
template <class T> [[nodiscard]] constexpr key_value<std::decay_t<T>> key(T&& value) { return {std::forward<T>(value)}; }

namespace detail {

template <class A> inline constexpr bool is_key = false;
template <class T> inline constexpr bool is_key<key_value<T>> = true;
// Is it a type whose values need no tx::key around them? A trace is made for each value, and keeps a copy; they are compared with
// ==.
template <class A> inline constexpr bool is_trace_value = false;

// leaf_access says how a leaf is read: a specialisation has value_type, shape_type, weak, and the functions below.
template <class A> struct leaf_access;
template <class T, class Shape> struct leaf_access<tensor<T, Shape>> {
    using value_type = T;
    using shape_type = Shape;
    static constexpr bool weak = false;
    static void const* data(tensor<T, Shape> const& a) { return tensor_access::argument_data(a); }
    static dims extents(tensor<T, Shape> const& a) { return a.dimensions(); }
};
template <scalar_type T> struct leaf_access<T> {
    using value_type = canonical<T>;
    using shape_type = shape<>;
    static constexpr bool weak = true;
    static void const* data(T const& a) { return &a; }
    static dims extents(T const&) { return {}; }
};
template <variable_type A> struct leaf_access<A> {
    using value_type = typename A::value_type;
    using shape_type = typename A::shape_type;
    static constexpr bool weak = false;
    static void const* data(A const& a) { return tensor_access::argument_data(a.unrecorded()); }
    static dims extents(A const& a) { return a.dimensions(); }
};
template <captured_type A> struct leaf_access<A> {
    using value_type = typename A::value_type;
    using shape_type = typename A::shape_type;
    static constexpr bool weak = A::weak;
    static void const* data(A const& a) { return a.data(); }
    static dims extents(A const& a) { return a.dimensions(); }
};
template <class A> concept leaf = requires { typename leaf_access<A>::value_type; };

// `borrowed` points to row-major elements that somebody else keeps, or, if they have another order, holds a copy of them.
template <element T, shape_type Shape> struct borrowed {
    T const* elements = nullptr;
    dims extents{};
    tensor<T, Shape> copied{};
};
template <class T, class Shape> struct leaf_access<borrowed<T, Shape>> {
    using value_type = T;
    using shape_type = Shape;
    static constexpr bool weak = false;
    static void const* data(borrowed<T, Shape> const& a) { return a.elements ? a.elements : a.copied.data(); }
    static dims extents(borrowed<T, Shape> const& a) { return a.extents; }
};
// Returns the elements of another library's array where they lie, or, if `row_major` is null, in the tensor that copy() returns.
template <class Shape, class T, class Copy>
borrowed<T, Shape> borrow_elements(T const* row_major, dims const& extents, Copy const& copy) {
    borrowed<T, Shape> out{row_major, extents, {}};
    if (!row_major) out.copied = copy();
    return out;
}
// Makes a tensor of the elements: gather(its elements) writes those that `row_major` doesn't point to. `called` names the
// function in an error, if the extents don't fit Shape.
template <class Shape, class T, class Gather>
tensor<T, Shape> tensor_of_elements(char const* called, T const* row_major, dims const& extents, Gather const& gather) {
    check_fits(called, dims_of<Shape>, extents);
    auto out = tensor<T, Shape>::uninitialized(extents);
    if (out.size() == 0) return out;
    T* const to = out.mutable_data();
    if (row_major) std::memcpy(static_cast<void*>(to), row_major, static_cast<std::size_t>(out.size()) * sizeof(T));
    else gather(to);
    return out;
}

template <class A> inline constexpr bool is_tuple_like = false;
template <class... T> inline constexpr bool is_tuple_like<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple_like<std::pair<A, B>> = true;
template <class T, std::size_t N> inline constexpr bool is_tuple_like<std::array<T, N>> = true;

// An aggregate is a struct that can be copied and have its fields replaced. (A lambda with a const capture is tested for a value
// first: after a test whether it can be assigned, g++ 12 takes it for not trivially copyable.)
template <class A> concept aggregate = !leaf<A> && !is_tuple_like<A> && !static_value<A> && !is_key<A> && !is_trace_value<A> &&
                                       !is_stateless<A> && std::is_copy_constructible_v<A> && std::is_copy_assignable_v<A> &&
                                       has_fields<A>();
// held_value is a value inside an aggregate that a trace depends on.
template <class A> concept held_value = element<A> || std::is_enum_v<A> || std::is_convertible_v<A const&, std::string_view>;

// Calls f(each part...) for a tuple, pair or array.
template <class A, class F> TRACEXPR_INLINE constexpr decltype(auto) with_parts(A& a, F const& f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) TRACEXPR_INLINE_LAMBDA -> decltype(auto) {
        return f(std::get<I>(a)...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<A>>>{});
}

// Returns references to the parts of a tree, in a tuple.
template <class A> constexpr auto parts_of(A& a) {
    auto const tied = [](auto&... part) { return std::tie(part...); };
    if constexpr (is_tuple_like<std::remove_const_t<A>>) return with_parts(a, tied);
    else return with_fields(a, tied);
}

// tree_facts says what a tree type is made of. InStruct, below, says that the tree is a field of an aggregate.
struct tree_facts {
    bool is_tree = true;
    bool has_values = false;    // keys, or scalars in aggregates, or lists' forms: known only at run time
    bool has_open_rank = false; // tensors of any_shape
    bool has_exprs = false;
    bool has_foreign = false;
    bool has_failed = false; // a static_assert has refused a part
    bool has_scalars = false;
    bool has_lists = false;
    std::size_t leaves = 0;   // number of leaves, with one part in each list, because only the run tells how many parts it has
    std::size_t outputs = 0;  // leaves of a result, where scalars in aggregates are leaves as well
    std::uint32_t dtypes = 0; // a bit for each that a leaf has
    TRACEXPR_ONCE constexpr tree_facts operator+(tree_facts const& b) const {
        return {is_tree && b.is_tree,
                has_values || b.has_values,
                has_open_rank || b.has_open_rank,
                has_exprs || b.has_exprs,
                has_foreign || b.has_foreign,
                has_failed || b.has_failed,
                has_scalars || b.has_scalars,
                has_lists || b.has_lists,
                leaves + b.leaves,
                outputs + b.outputs,
                dtypes | b.dtypes};
    }
};
// `Lists` are the types of the lists around a type that contains structs; the recursion would never end if a part had one of
// these types.
template <class A, bool InStruct, class... Lists> constexpr tree_facts facts_of();
template <bool InStruct, class... Parts> struct part_list {
    template <class... Lists> static constexpr tree_facts facts() {
        return (tree_facts{} + ... + facts_of<std::remove_cv_t<Parts>, InStruct, Lists...>());
    }
};
template <class A, bool InStruct, class... Lists> constexpr tree_facts facts_of() {
    tree_facts out;
    if constexpr (expr_type<A>) {
        out.has_exprs = true;
    } else if constexpr (is_failed<A>) {
        out.has_failed = true;
    } else if constexpr (InStruct && held_value<A>) {
        out.has_values = true;
        out.outputs = leaf<A> ? 1 : 0;
    } else if constexpr (InStruct && captured_type<A>) {
        out.is_tree = false; // a struct of these is a callable or nothing
    } else if constexpr (leaf<A>) {
        out.leaves = out.outputs = 1;
        out.has_scalars = scalar_type<A>;
        out.has_open_rank = std::is_same_v<typename leaf_access<A>::shape_type, any_shape>;
        out.dtypes = 1u << static_cast<int>(dtype_of<typename leaf_access<A>::value_type>);
    } else if constexpr (foreign<A>) {
        out.has_foreign = out.is_tree = !InStruct;
    } else if constexpr (is_key<A> || is_trace_value<A>) {
        out.has_values = true;
    } else if constexpr (static_value<A>) {
    } else if constexpr (list_type<A>) {
        constexpr bool is_endless = (std::is_same_v<A, Lists> || ...); // a struct holds a list of its like
        if constexpr (!is_endless) out = facts_of<list_part<A>, InStruct, Lists..., A>();
        out.has_values = out.has_lists = true;
        if (is_endless || (!InStruct && scalar_type<list_part<A>>))
            out.is_tree = false; // numbers are elements of a tensor: tx::from_range(v)
    } else if constexpr (is_tuple_like<A>) {
        out = decltype(detail::with_parts(
            std::declval<A&>(), []<class... P>(P&...) { return part_list<InStruct, P...>{}; }))::template facts<Lists...>();
    } else if constexpr (aggregate<A>) {
        out = decltype(detail::with_fields(
            std::declval<A&>(), []<class... P>(P&...) { return part_list<true, P...>{}; }))::template facts<Lists...>();
    } else {
        out.is_tree = is_stateless<A>; // tags, and callables without state
    }
    return out;
}
template <class A> inline constexpr tree_facts facts = facts_of<A, false>();
// Does a tree hold variables, to which a callable may assign?
template <class A> constexpr bool holds_variables_in();
template <class... Parts> struct parts_hold_variables {
    static constexpr bool value = (holds_variables_in<std::remove_cv_t<Parts>>() || ...);
};
template <class A> constexpr bool holds_variables_in() {
    auto const parts = []<class... P>(P&...) { return parts_hold_variables<P...>{}; };
    if constexpr (facts<A>.leaves == 0) return false;
    else if constexpr (leaf<A>) return variable_type<A>;
    else if constexpr (list_type<A>) return holds_variables_in<list_part<A>>();
    else if constexpr (is_tuple_like<A>) return decltype(with_parts(std::declval<A&>(), parts))::value;
    else if constexpr (aggregate<A>) return decltype(with_fields(std::declval<A&>(), parts))::value;
    else return false;
}
template <class A> inline constexpr bool holds_variables = holds_variables_in<A>();

struct ignore_value {
    template <class V> constexpr void operator()(V const&) const {}
};
// Calls f on every leaf and on every expr, and g on every value that a trace depends on, in order.
template <bool InStruct = false, class A, class F, class G = ignore_value>
TRACEXPR_INLINE constexpr void for_each_leaf(A& a, F const& f, G const& g = {}) {
    using plain = std::remove_const_t<A>;
    if constexpr (InStruct && held_value<plain>) g(a);
    else if constexpr (leaf<plain> || expr_type<plain>) f(a);
    else if constexpr (is_key<plain>) g(a.value);
    else if constexpr (is_trace_value<plain>) g(a);
    else if constexpr (list_type<plain>) {
        for_each_form_value(a, g);
        for_each_part(a, [&](auto& part) { for_each_leaf<InStruct>(part, f, g); });
    } else if constexpr (is_tuple_like<plain>)
        with_parts(a, [&](auto&... part) TRACEXPR_INLINE_LAMBDA { (for_each_leaf<InStruct>(part, f, g), ...); });
    else if constexpr (aggregate<plain>)
        detail::with_fields(a, [&](auto&... part) TRACEXPR_INLINE_LAMBDA { (for_each_leaf<true>(part, f, g), ...); });
}
// Calls f on every leaf of a result, in which scalars are leaves wherever they stand.
template <class A, class F> TRACEXPR_INLINE constexpr void for_each_result(A& a, F const& f) {
    using plain = std::remove_const_t<A>;
    if constexpr (leaf<plain> || expr_type<plain>) f(a);
    else if constexpr (list_type<plain>) for_each_part(a, [&](auto& part) { for_each_result(part, f); });
    else if constexpr (is_tuple_like<plain>)
        detail::with_parts(a, [&](auto&... part) TRACEXPR_INLINE_LAMBDA { (for_each_result(part, f), ...); });
    else if constexpr (aggregate<plain>)
        detail::with_fields(a, [&](auto&... part) TRACEXPR_INLINE_LAMBDA { (for_each_result(part, f), ...); });
}

// Calls f on everything that a function writes: on the leaves of a result, and for a variable on its tensor.
template <class A, class F> TRACEXPR_INLINE constexpr void for_each_output(A& a, F const& f) {
    detail::for_each_result(a, [&]<class Part>(Part& part) TRACEXPR_INLINE_LAMBDA {
        if constexpr (variable_type<Part>) f(part.as_output());
        else f(part);
    });
}

// list_of is a list like A with parts of another type.
template <class A, class U> using list_of = typename list_form<A>::template of<U, facts<U>.has_exprs>;
// map_list_to and map_list make a list of what f returns for each part.
template <list_type To, class A, class F> constexpr To map_list_to(A const& a, F const& f) {
    To out;
    list_form<A>::visit(a, [&](auto const& key, auto const& part) { list_form<To>::add(out, key, f(part)); });
    return out;
}
template <list_type A, class F> constexpr auto map_list(A const& a, F const& f) {
    return map_list_to<list_of<A, std::remove_cvref_t<decltype(f(std::declval<list_part<A> const&>()))>>>(a, f);
}
// This concept holds for tuples, pairs, arrays and lists.
template <class A> concept parted = is_tuple_like<A> || list_type<A>;
// Makes a tree like `a` of what f returns for each part, from left to right.
template <parted A, class F> constexpr auto map_parts(A const& a, F const& f) {
    if constexpr (list_type<A>) return map_list(a, f);
    else
        return with_parts(a, [&](auto const&... part) {
            if constexpr (sizeof...(part) == 0) return a;
            else if constexpr (requires { typename A::iterator; }) return std::array{f(part)...};
            else if constexpr (requires(A p) {
                                   p.first;
                                   p.second;
                               })
                return std::pair<decltype(f(part))...>{f(part)...};
            else return std::tuple<decltype(f(part))...>{f(part)...};
        });
}

template <class A> concept pair_like =
    requires { std::tuple_size<std::remove_cvref_t<A>>::value; } && std::tuple_size<std::remove_cvref_t<A>>::value == 2;

template <class A> inline constexpr bool holds_foreign = facts<A>.has_foreign;

// Replaces other libraries' arrays in a tree by what borrows from them; a tree without any stays as it is.
template <class A> constexpr decltype(auto) borrow(A const& a) {
    if constexpr (!holds_foreign<A>) return (a);
    else if constexpr (foreign<A>) return foreign_access<A>::borrow(a);
    else return detail::map_parts(a, [](auto const& part) { return borrow(part); });
}

template <class A> using borrowed_form = std::remove_cvref_t<decltype(borrow(std::declval<A const&>()))>;

// traced_form is the type for which a tree is traced: to a function, borrowed elements and a tensor are the same.
template <class A> struct traced_form {
    using type = A;
};
template <class T, class Shape> struct traced_form<borrowed<T, Shape>> {
    using type = tensor<T, Shape>;
};
template <variable_type A> struct traced_form<A> {
    using type = tensor<typename A::value_type, typename A::shape_type>;
};
template <captured_type A> struct traced_form<A> {
    using type = std::conditional_t<A::weak, typename A::value_type, tensor<typename A::value_type, typename A::shape_type>>;
};
template <class... T> struct traced_form<std::tuple<T...>> {
    using type = std::tuple<typename traced_form<T>::type...>;
};
template <class A, class B> struct traced_form<std::pair<A, B>> {
    using type = std::pair<typename traced_form<A>::type, typename traced_form<B>::type>;
};
template <class T, std::size_t N> struct traced_form<std::array<T, N>> {
    using type = std::array<typename traced_form<T>::type, N>;
};
template <list_type A> struct traced_form<A> {
    using type = list_of<A, typename traced_form<list_part<A>>::type>;
};
template <class A> using traced_as = typename traced_form<A>::type;

// Makes a struct that can be given symbols. Its variables stand for those of the original, and are not read.
template <class A> constexpr A stand_in(A const& a) {
    open_trace const none(nullptr);
    return a;
}
// Makes a part of a traced aggregate a symbol.
template <class Part, class E> constexpr void stand_for(Part& part, E const& symbol) {
    if constexpr (variable_type<Part>) part.stand_for(symbol);
    else part = symbol;
}
// Returns a tree as a callable sees it while it is traced: its tensors and scalars are exprs, keys plain values. An aggregate
// keeps its type: its tensors become symbolic ones, its values stay.
template <class A, class Scope> constexpr auto symbolic(A const& a, Scope& scope) {
    if constexpr (leaf<A>) {
        using reader = leaf_access<A>;
        using T = typename reader::value_type;
        if constexpr (tensor_type<A>) adopt_constant(scope, a);
        node_id const id =
            scope.recorded.append_parameter(dtype_of<T>, scope.parameter_extents(dims_of<typename reader::shape_type>));
        if constexpr (reader::weak) return weak_expr<T>(scope, id);
        else return expr<T, typename reader::shape_type>(scope, id);
    } else if constexpr (is_key<A>) {
        return a.value;
    } else if constexpr (aggregate<A>) {
        A out = stand_in(a);
        detail::for_each_leaf(out, [&](auto& part) { stand_for(part, symbolic(part, scope)); });
        return out;
    } else if constexpr (parted<A>) {
        return map_parts(a, [&](auto const& part) { return symbolic(part, scope); });
    } else {
        return a; // an expr of an outer trace, or a type as an argument
    }
}

template <class T, class Shape> tensor<T, Shape> to_tensor(borrowed<T, Shape> const& a) {
    if (!a.elements) return a.copied;
    auto out = tensor<T, Shape>::uninitialized(a.extents);
    T* const to = out.mutable_data();
    for (std::int64_t i = 0; i < out.size(); ++i) to[i] = a.elements[i];
    return out;
}

// Returns an argument of a call inside another trace, as the callable sees it. A symbolic tensor, which only its value tells,
// becomes an expr.
template <class A> constexpr decltype(auto) inlined_argument(trace_scope& scope, A const& a) {
    if constexpr (is_key<A>) return (a.value);
    else if constexpr (tensor_type<A>) return lift(scope, a);
    else if constexpr (scalar_type<A>) return weak_expr<canonical<A>>(scope, record_operand<dtype_of<A>>(scope, a));
    else if constexpr (variable_type<A>) return a.record(scope);
    else if constexpr (leaf<A>) return inlined_argument(scope, to_tensor(a));
    else if constexpr (parted<A>) return map_parts(a, [&](auto const& part) { return inlined_argument(scope, part); });
    else return (a);
}

// Returns the trace that a symbolic tensor in the tree belongs to, or null.
template <class... A> constexpr trace_scope* symbolic_scope(A const&... a) {
    trace_scope* found = nullptr;
    [[maybe_unused]] auto const look = [&](auto const& part) {
        if constexpr (expr_type<decltype(part)> || held_type<decltype(part)>)
            if (!found) found = scope_of(part);
    };
    (for_each_leaf(a, look), ...);
    return found;
}

// result_tree is what a traced result becomes: exprs become tensors. Aggregates keep their type, unless their template arguments
// are exprs (because these were deduced): then they become tensors.
template <class R> struct result_tree;
template <class R> using result_tree_of = typename result_tree<std::remove_cvref_t<R>>::type;
template <class A, bool HasExprs = facts<A>.has_exprs> struct result_argument {
    using type = A;
};
template <class A> struct result_argument<A, true> {
    using type = result_tree_of<A>;
};
template <class R> struct rebuilt {
    using type = R;
};
template <template <class...> class R, class... A> requires requires { typename R<typename result_argument<A>::type...>; }
struct rebuilt<R<A...>> {
    using type = R<typename result_argument<A>::type...>;
};
template <class R, bool HasExprs = facts<R>.has_exprs> struct aggregate_result {
    using type = R;
};
template <class R> struct aggregate_result<R, true> : rebuilt<R> {};
template <class R> struct result_tree : aggregate_result<R> {};
template <class T, class Shape> struct result_tree<expr<T, Shape>> {
    using type = tensor<T, Shape>;
};
template <class T> struct result_tree<weak_expr<T>> {
    using type = tensor<T, shape<>>;
};
template <> struct result_tree<extent_expr> : result_tree<weak_expr<std::int64_t>> {};
template <class E, class... I> struct result_tree<expr_element<E, I...>> : result_tree<expr<typename E::value_type, shape<>>> {};
template <variable_type A> struct result_tree<A> {
    using type = tensor<typename A::value_type, typename A::shape_type>;
};
template <element T> struct result_tree<T> {
    using type = tensor<canonical<T>, shape<>>;
};
template <class... R> struct result_tree<std::tuple<R...>> {
    using type = std::tuple<typename result_tree<R>::type...>;
};
template <class A, class B> struct result_tree<std::pair<A, B>> {
    using type = std::pair<typename result_tree<A>::type, typename result_tree<B>::type>;
};
template <class R, std::size_t N> struct result_tree<std::array<R, N>> {
    using type = std::array<typename result_tree<R>::type, N>;
};
template <list_type R> struct result_tree<R> {
    using type = list_of<R, typename result_tree<list_part<R>>::type>;
};
template <> struct result_tree<void> {
    using type = std::tuple<>;
}; // called for its effects
// Can a result be made of tensors?
template <class R> inline constexpr bool is_rebuilt = facts<result_tree_of<R>>.is_tree && !facts<result_tree_of<R>>.has_exprs;

// fields_of are the types of an aggregate's fields.
template <class A> using fields_of = typename decltype(with_fields(
    std::declval<A&>(), []<class... P>(P&...) { return std::type_identity<std::tuple<std::remove_cv_t<P>...>>{}; }))::type;

} // namespace detail
} // namespace tx
