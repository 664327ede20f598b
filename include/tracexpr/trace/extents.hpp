// This file holds extents inside a traced callable. One that the type shows is a number; one that only the run knows is an
// extent_expr, a scalar of the graph for arithmetic and shapes: zeros<float, tx::shape<tx::dyn>>(tx::extent<0>(x) + 1).
#pragma once

#include <tracexpr/graph/counting.hpp>
#include <tracexpr/trace/creation.hpp>

namespace tx {

// An int64 that follows from extents. As the C++ number that it stands for it is weak in promotion, and divides towards 0.
class extent_expr : public weak_expr<std::int64_t> {
public:
    using weak_expr<std::int64_t>::weak_expr;
};
template <> inline constexpr bool is_expr<extent_expr> = true;

namespace detail {

template <> struct operand_traits<extent_expr> : operand_traits<weak_expr<std::int64_t>> {};
template <> inline constexpr bool is_extent<extent_expr> = true;

// C++ integers, and constant types that are one.
template <class A> inline constexpr bool is_whole = std::integral<A>;
template <static_scalar A> inline constexpr bool is_whole<A> = std::integral<std::remove_cv_t<decltype(A::value)>>;
template <class A> concept whole_number_type = is_whole<A>;
// What can be an extent of a shape. open_extents_of takes several of them, at least one of which only the run knows.
template <class A> concept extent_operand =
    whole_number_type<A> || (expr_type<A> && dims_of_operand<A>.rank == 0 && is_integer(dtype_of_operand<A>));
template <class... A> concept open_extents_of = (extent_operand<A> && ...) && (expr_type<A> || ...);
// Extents that are given without a shape type; the result's shape is open.
template <class... A> concept plain_extents = sizeof...(A) > 0 && sizeof...(A) <= std::size_t{max_rank} &&
                                              (extent_operand<A> && ...);
template <class A> inline constexpr std::int64_t open_extent = dyn;
template <class... A> using open_shape = shape<open_extent<A>...>;
template <class Shape, class... A> concept extent_count =
    (dims_of<Shape>.rank < 0 && sizeof...(A) <= std::size_t{max_rank}) || sizeof...(A) == std::size_t(dims_of<Shape>.rank);

template <class T, class... A> concept counts_in_another =
    !std::same_as<T, std::int64_t> && (std::same_as<A, std::int64_t> || ...);

// Integer arithmetic on int64 scalars. An op on literals gives a literal, so that extents which the trace knows stay numbers of
// the graph.
class counter {
public:
    constexpr explicit counter(trace_scope& scope) : scope_{scope}, low_(scope) {}

    template <class A> constexpr node_id number(A const& a) {
        if constexpr (expr_type<A>) return record_operand<dtype::int64>(scope_, a);
        else return low_.literal(static_cast<std::int64_t>(a));
    }
    // Gives a number that is to be an extent, after a check that it can be one.
    template <class A> constexpr node_id extent(char const* called, A const& a) {
        if constexpr (expr_type<A>) return number(a);
        else return number(extent_number(called, a));
    }
    TRACEXPR_ONCE constexpr node_id apply(op code, node_id a, node_id b) {
        graph const& g = scope_.recorded;
        if (g[a].code == op::literal && g[b].code == op::literal) {
            literal_bits const x[]{{g[a].bits[0], 0}, {g[b].bits[0], 0}};
            if (rules::folded const out = fold(code, dtype::int64, x); out.known)
                return low_.literal(static_cast<std::int64_t>(out.bits.low));
        }
        return low_.append(code, a, b);
    }
    // The quotient is rounded towards 0, as C++ divides.
    TRACEXPR_ONCE constexpr node_id quotient(node_id a, node_id b) {
        return apply(op::floor_divide, apply(op::subtract, a, apply(op::fmod, a, b)), b);
    }
    constexpr node_id number(std::int64_t value) { return low_.literal(value); }
    // Gives the product of the extents of x along these axes, or along all where none is named.
    TRACEXPR_ONCE constexpr node_id elements(node_id x, attribute_list const& axes) {
        std::int64_t const known = low_.rank(x) < 0 ? dyn : elements_along(low_.shape(x), axes);
        if (known != dyn) return number(known);
        node_id const operand[]{x};
        return scope_.recorded.append(op::axis_size, dtype::int64, dims{}, operand, axes);
    }

private:
    trace_scope& scope_;
    lowering low_;
};

template <op Code, class A, class B> constexpr extent_expr combined(A const& a, B const& b) {
    trace_scope& scope = *scope_among(a, b);
    counter count(scope);
    node_id const x = count.number(a), y = count.number(b);
    return {scope, Code == op::floor_divide ? count.quotient(x, y) : count.apply(Code, x, y)};
}

// A shape that is given by numbers: its extents as far as they are known and, where not all are, a node of that shape.
struct told_shape {
    dims shape{};
    node_id like = node_id::none;
};

[[noreturn]] TRACEXPR_ONCE void throw_unfounded_extent(char const* called) {
    throw trace_error(std::string("tx: ") + called +
                      ": while it is traced, an extent must be a number, tx::extent<0>(x), tx::size(x), or integer arithmetic on "
                      "them; it can't depend on elements or arguments");
}
// Throws unless these numbers follow from extents. Numbers whose values are known become literals.
TRACEXPR_ONCE constexpr void require_founded(char const* called, trace_scope& scope, node_id* numbers, std::size_t count) {
    counting const assumed = counts_of(scope.recorded, true), known = counts_of(scope.recorded);
    for (std::size_t k = 0; k < count; ++k) {
        if (!assumed[numbers[k]].known)
            throw_unfounded_extent(called); // an extent follows from extents: tx::extent<0>(x), not from elements
        if (rules::folded const found = known[numbers[k]]; found.known)
            numbers[k] = lowering(scope).literal(static_cast<std::int64_t>(found.bits.low));
    }
}
[[noreturn]] TRACEXPR_ONCE void throw_unchecked_extent(char const* called) {
    throw unknown_extent(
        std::string("tx: ") + called +
        ": where the type tells an extent, the trace must know the number that is given; let the type say tx::dyn");
}
// `declared` is the shape that the type declares.
constexpr told_shape record_shape(char const* called, trace_scope& scope, dims declared, table_view<node_id> numbers) {
    graph& g = scope.recorded;
    auto const literal = [&](std::size_t k) { return g[numbers[k]].code == op::literal; };
    if (declared.rank < 0) declared = dims{{dyn, dyn, dyn, dyn, dyn, dyn, dyn, dyn}, static_cast<int>(numbers.size())};
    attribute_list codes;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        codes.push_back(-1 - static_cast<std::int64_t>(k));
        if (!literal(k) && declared[static_cast<int>(k)] != dyn)
            throw_unchecked_extent(called); // let the type say tx::dyn, or give a number
    }
    dims const shape = shape_with_numbers(
        declared, codes,
        [&](std::size_t k) { return literal(k) ? rules::folded(literal_bits{g[numbers[k]].bits[0], 0}) : rules::folded(); },
        called);
    if (shape.is_static()) return {shape};
    codes = {};
    buffer<node_id> open;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        codes.push_back(literal(k) ? shape[static_cast<int>(k)] : -1 - static_cast<std::int64_t>(open.size()));
        if (!literal(k)) open.push_back(numbers[k]);
    }
    return {shape, g.append(op::extents, dtype::boolean, shape, open, codes)};
}
// Makes a shape of the numbers of operands E; that they follow from extents is checked where their types don't show it.
template <class A> inline constexpr bool is_counted = is_whole<A> || std::is_same_v<A, extent_expr>;
template <class Shape, class... E> constexpr told_shape record_numbers(char const* called, trace_scope& scope, node_id* numbers) {
    if constexpr (!(is_counted<E> && ...)) require_founded(called, scope, numbers, sizeof...(E));
    return record_shape(called, scope, dims_of<Shape>, {numbers, sizeof...(E)});
}
template <class Shape, class... E>
constexpr told_shape record_extents(char const* called, trace_scope& scope, E const&... extents) {
    counter count(scope);
    node_id numbers[sizeof...(E) + 1]{count.extent(called, extents)...};
    return record_numbers<Shape, E...>(called, scope, numbers);
}
constexpr attribute_span extents_of(dims const& d) { return {d.extent, static_cast<std::size_t>(d.rank)}; }

// Broadcasts a scalar to a shape.
TRACEXPR_ONCE constexpr node_id record_full(lowering& low, told_shape const& to, node_id x) {
    if (to.like != node_id::none) return low.append(op::broadcast_to, x, to.like);
    return to.shape.rank == 0 ? x : low.append(op::broadcast_to, x, extents_of(to.shape));
}
// Gives each element's place along an axis.
template <class T> constexpr node_id record_iota(trace_scope& scope, told_shape const& to, int axis) {
    lowering low(scope);
    if (to.like != node_id::none) return low.template iota_like<T>(to.like, axis);
    return scope.recorded.append(op::iota, dtype_of<T>, to.shape, {}, attribute_list(axis));
}
template <class T, class Shape, class V, class... E>
constexpr auto filled(char const* called, V const& value, E const&... extents) {
    check_scalar<dtype_of<T>>(called, value);
    trace_scope& scope = *scope_among(extents...);
    lowering low(scope);
    return expr<canonical<T>, Shape>(
        scope, record_full(low, record_extents<Shape>(called, scope, extents...), record_operand<dtype_of<T>>(scope, value)));
}

// Gives a tensor that only carries a shape; its elements are not read. An extent of -1 in a reshape is computed from the size.
template <class Shape, class... E> constexpr tensor<bool, Shape> carrier(char const* called, std::int64_t size, E... extents) {
    std::int64_t others = 1;
    ((others *= extents == -1 ? 1 : extents), ...);
    std::int64_t const left = others == 0 ? 0 : size / others;
    return filled_with<bool, Shape>(dims_from<Shape>(called, (extents == -1 && size >= 0 ? left : extents)...), false);
}
template <class A> constexpr bool is_minus_one(A const& a) {
    if constexpr (is_whole<A>) return static_cast<std::int64_t>(a) == -1;
    else return false;
}
// Computes the extent that is given as -1 from the size of x, in a trace.
template <class... E> constexpr void resolve_left_extent(counter& count, node_id x, node_id* numbers, E const&... extents) {
    bool const is_left[]{is_minus_one(extents)..., false};
    node_id others = count.number(1);
    std::size_t left = sizeof...(E);
    for (std::size_t k = 0; k < sizeof...(E); ++k)
        if (is_left[k]) left = k;
        else others = count.apply(op::multiply, others, numbers[k]);
    if (left < sizeof...(E)) numbers[left] = count.quotient(count.elements(x, {}), others);
}

// Gives x in another shape: that of `like`.
template <op Code, class Shape> struct as_shape_fn {
    template <class A, class L> constexpr auto operator()(A const& x, L const& like) const {
        lowering low(x.scope());
        return expr<typename A::value_type, Shape>(x.scope(), low.append(Code, x.id(), like.id()));
    }
};
inline namespace TRACEXPR_CALLS {
template <op Code, class Shape, class A, class... E>
constexpr auto as_shape(char const* called, A const& x, E const&... extents) {
    if (Code == op::reshape && (is_minus_one(extents) + ... + 0) > 1)
        throw shape_error("tx: reshape: at most one extent may be -1, which leaves it to the size");
    if constexpr (!expr_type<A> && (is_whole<E> && ...)) {
        decltype(auto) given = plain_operand(x);
        dims const from = given.dimensions();
        std::int64_t const size = Code == op::reshape ? from.size() : dyn;
        if (Code == op::reshape) require_size(from, {{extent_number(called, extents)...}, sizeof...(E)});
        return detail::apply(as_shape_fn<Code, Shape>{}, given, carrier<Shape>(called, size, extent_number(called, extents)...));
    } else {
        trace_scope& scope = *scope_among(x, extents...);
        auto const from = lift(scope, x);
        lowering low(scope);
        counter count(scope);
        node_id numbers[sizeof...(E) + 1]{count.extent(called, extents)...};
        if constexpr (Code == op::reshape) resolve_left_extent(count, from.id(), numbers, extents...);
        told_shape const to = record_numbers<Shape, E...>(called, scope, numbers);
        node_id const out =
            to.like == node_id::none ? low.append(Code, from.id(), extents_of(to.shape)) : low.append(Code, from.id(), to.like);
        return expr<typename A::value_type, Shape>(scope, out);
    }
}
} // namespace TRACEXPR_CALLS

// Gives the numbers from `start` up to `stop`, in steps of `step`.
template <class T, class Start, class Stop> constexpr auto ranged(Start const& start, Stop const& stop, std::int64_t step) {
    using scalar = canonical<range_scalar<T>>;
    if (step == 0) throw_zero_step();
    trace_scope& scope = *scope_among(start, stop);
    counter count(scope);
    lowering low(scope);
    node_id const first = count.number(start), last = count.number(stop), pace = count.number(step > 0 ? step : -step);
    node_id const span = count.apply(op::subtract, step > 0 ? last : first, step > 0 ? first : last);
    node_id const rounded_up = count.quotient(count.apply(op::subtract, count.apply(op::add, span, pace), count.number(1)), pace);
    node_id numbers[]{count.apply(op::maximum, rounded_up, count.number(0))};
    using counted = std::conditional_t<is_counted<Start> && is_counted<Stop>, extent_expr, expr<std::int64_t, shape<>>>;
    expr<scalar, shape<dyn>> const places(
        scope, record_iota<scalar>(scope, record_numbers<shape<dyn>, counted>("arange", scope, numbers), 0));
    expr<scalar, shape<>> const from(scope, record_cast(scope.recorded, first, dtype_of<scalar>));
    return cast_to<canonical<T>>(from + places * static_cast<scalar>(step));
}
template <class T, class N> constexpr auto evenly_spaced(double start, double stop, N const& n) {
    trace_scope& scope = *scope_among(n);
    lowering low(scope);
    node_id const places = record_iota<double>(scope, record_extents<shape<dyn>>("linspace", scope, n), 0);
    node_id const count = record_cast(scope.recorded, counter(scope).number(n), dtype::float64);
    node_id const last = low.append(op::subtract, count, low.literal(1.0));
    node_id const step = low.append(op::divide, low.literal(stop - start), low.append(op::maximum, last, low.literal(1.0)));
    node_id const are_many = low.test(op::greater, last, low.literal(0.0));
    node_id const is_last = low.test(op::logical_and, low.test(op::equal, places, last), are_many);
    node_id const before = low.append(op::add, low.append(op::multiply, places, step), low.literal(start));
    return expr<canonical<T>, shape<dyn>>(
        scope, record_cast(scope.recorded, low.choose(is_last, low.literal(stop), before), dtype_of<T>));
}
template <class T, class Rows, class Columns> constexpr auto identity(Rows const& rows, Columns const& columns, std::int64_t k) {
    using matrix = shape<dyn, dyn>;
    trace_scope& scope = *scope_among(rows, columns);
    lowering low(scope);
    told_shape const to = record_extents<matrix>("eye", scope, rows, columns);
    node_id const row = record_iota<std::int64_t>(scope, to, 0), column = record_iota<std::int64_t>(scope, to, 1);
    node_id const is_diagonal = low.test(op::equal, low.append(op::add, row, low.literal(k)), column);
    return cast_to<canonical<T>>(expr<bool, matrix>(scope, is_diagonal));
}

template <int Axis> struct extent_fn {
    template <class A> constexpr auto operator()(A const& x) const {
        trace_scope& scope = x.scope();
        dims const d = x.dimensions();
        int const rank = checked_rank(d), at = normalized_axis(Axis, rank);
        if (at < 0 || at >= rank) throw_bad_axis(Axis, d);
        return extent_expr(scope, counter(scope).elements(x.id(), attribute_list(at)));
    }
};
// Gives the shape of an operand that is not an expr.
template <class A> constexpr dims shape_of_held(A const& x) {
    if (!__builtin_is_constant_evaluated()) depend_on_extents(x);
    if constexpr (any_unusable<A>) return used<A>(), dims{};
    else if constexpr (foreign<A>) return foreign_access<A>::borrow(x).extents;
    else return x.dimensions();
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

constexpr extent_expr operator+(extent_expr const& a, extent_expr const& b) { return detail::combined<op::add>(a, b); }
constexpr extent_expr operator-(extent_expr const& a, extent_expr const& b) { return detail::combined<op::subtract>(a, b); }
constexpr extent_expr operator*(extent_expr const& a, extent_expr const& b) { return detail::combined<op::multiply>(a, b); }
constexpr extent_expr operator/(extent_expr const& a, extent_expr const& b) { return detail::combined<op::floor_divide>(a, b); }
constexpr extent_expr operator%(extent_expr const& a, extent_expr const& b) { return detail::combined<op::fmod>(a, b); }
constexpr extent_expr operator-(extent_expr const& a) { return detail::combined<op::subtract>(0, a); }
template <detail::whole_number_type B> constexpr extent_expr operator+(extent_expr const& a, B const& b) {
    return detail::combined<op::add>(a, b);
}
template <detail::whole_number_type B> constexpr extent_expr operator-(extent_expr const& a, B const& b) {
    return detail::combined<op::subtract>(a, b);
}
template <detail::whole_number_type B> constexpr extent_expr operator*(extent_expr const& a, B const& b) {
    return detail::combined<op::multiply>(a, b);
}
template <detail::whole_number_type B> constexpr extent_expr operator/(extent_expr const& a, B const& b) {
    return detail::combined<op::floor_divide>(a, b);
}
template <detail::whole_number_type B> constexpr extent_expr operator%(extent_expr const& a, B const& b) {
    return detail::combined<op::fmod>(a, b);
}
template <detail::whole_number_type A> constexpr extent_expr operator+(A const& a, extent_expr const& b) {
    return detail::combined<op::add>(a, b);
}
template <detail::whole_number_type A> constexpr extent_expr operator-(A const& a, extent_expr const& b) {
    return detail::combined<op::subtract>(a, b);
}
template <detail::whole_number_type A> constexpr extent_expr operator*(A const& a, extent_expr const& b) {
    return detail::combined<op::multiply>(a, b);
}
template <detail::whole_number_type A> constexpr extent_expr operator/(A const& a, extent_expr const& b) {
    return detail::combined<op::floor_divide>(a, b);
}
template <detail::whole_number_type A> constexpr extent_expr operator%(A const& a, extent_expr const& b) {
    return detail::combined<op::fmod>(a, b);
}

// The extent of an axis of x, where negative axes count from the end. It is a number where the type shows it, and for tensors;
// for an expr it is a scalar that stands for the extent when the graph runs.
template <int Axis, array_operand A> [[nodiscard]] constexpr auto extent(A const& x) {
    constexpr dims d = detail::dims_of_operand<A>;
    constexpr int at = normalized_axis(Axis, d.rank);
    static_assert(d.rank < 0 || (at >= 0 && at < d.rank),
                  "tx: extent: the axis must lie within the rank; negative ones count from the end");
    if constexpr (d.rank >= 0 && (at < 0 || at >= d.rank)) return std::int64_t{};
    else if constexpr (d.rank >= 0 && d[at] != dyn) return std::int64_t{d[at]};
    else if constexpr (expr_type<A>) return detail::extent_fn<Axis>{}(x);
    else return detail::checked_extent(detail::shape_of_held(x), Axis);
}
// The number of elements: a number, or for an expr of open shape a scalar, as with extent.
template <array_operand A> [[nodiscard]] constexpr auto size(A const& x) {
    constexpr dims d = detail::dims_of_operand<A>;
    if constexpr (d.is_static()) return std::int64_t{d.size()};
    else if constexpr (expr_type<A>) return extent_expr(x.scope(), detail::counter(x.scope()).elements(x.id(), {}));
    else return detail::checked_size(detail::shape_of_held(x));
}

// These are the functions of base/create.hpp, with extents that only the run knows: tx::extent<0>(x), tx::size(x), and integer
// arithmetic on them. An extent that turns out to be negative, or to contradict the type, throws shape_error.
template <element T, shape_type Shape, class... E> requires(detail::open_extents_of<E...> && detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto zeros(E const&... extents) {
    return detail::filled<T, Shape>("zeros", T{}, extents...);
}
template <element T, shape_type Shape, class... E> requires(detail::open_extents_of<E...> && detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto ones(E const&... extents) {
    return detail::filled<T, Shape>("ones", static_cast<T>(1), extents...);
}
template <element T, shape_type Shape, scalar_type V, class... E>
requires(detail::open_extents_of<E...> && detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto full(V const& value, E const&... extents) {
    return detail::filled<T, Shape>("full", value, extents...);
}
// The shape type can be an argument instead: zeros<float>(tx::shape<tx::dyn>{}, n).
template <element T, shape_type Shape, class... E> requires(detail::open_extents_of<E...> && detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto zeros(Shape, E const&... extents) {
    return tx::zeros<T, Shape>(extents...);
}
template <element T, shape_type Shape, class... E> requires(detail::open_extents_of<E...> && detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto ones(Shape, E const&... extents) {
    return tx::ones<T, Shape>(extents...);
}
// The shape type can be left out: zeros<float>(2, 3), zeros<float>(tx::extent<0>(x), 3) have shape<dyn, dyn>. (A shape that the
// compiler knows is faster: zeros<float>(tx::shape<2, 3>{}).)
template <element T, class... E> requires(detail::plain_extents<E...>) [[nodiscard]] constexpr auto zeros(E const&... extents) {
    return tx::zeros<T, detail::open_shape<E...>>(detail::plain_operand(extents)...);
}
template <element T, class... E> requires(detail::plain_extents<E...>) [[nodiscard]] constexpr auto ones(E const&... extents) {
    return tx::ones<T, detail::open_shape<E...>>(detail::plain_operand(extents)...);
}
// The value may be a scalar tensor or expr.
template <element T, shape_type Shape, array_operand V, detail::extent_operand... E> requires(detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto full(V const& value, E const&... extents) {
    static_assert(detail::dims_of_operand<V>.rank <= 0, "tx: full: the value must be a scalar");
    return detail::as_shape<op::broadcast_to, Shape>("full", cast<T>(value), extents...);
}
template <element T, shape_type Shape, scalar_type V, class... E>
requires(detail::open_extents_of<E...> && detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto full(Shape, V const& value, E const&... extents) {
    return tx::full<T, Shape>(value, extents...);
}
template <element T, shape_type Shape, array_operand V, detail::extent_operand... E> requires(detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto full(Shape, V const& value, E const&... extents) {
    return tx::full<T, Shape>(value, extents...);
}
// The shape type can be left out: full<float>(value, 2, 3).
template <element T, operand V, class... E> requires(detail::plain_extents<E...>)
[[nodiscard]] constexpr auto full(V const& value, E const&... extents) {
    return tx::full<T, detail::open_shape<E...>>(detail::plain_operand(value), detail::plain_operand(extents)...);
}
template <element T, detail::extent_operand Rows, detail::extent_operand Columns> requires(detail::open_extents_of<Rows, Columns>)
[[nodiscard]] constexpr auto eye(Rows const& rows, Columns const& columns, std::int64_t k = 0) {
    return detail::identity<T>(rows, columns, k);
}
template <element T, class Rows> requires(detail::open_extents_of<Rows>) [[nodiscard]] constexpr auto eye(Rows const& rows) {
    return detail::identity<T>(rows, rows, 0);
}
template <element T, detail::extent_operand Start, detail::extent_operand Stop, std::integral Step = std::int64_t>
requires(detail::open_extents_of<Start, Stop>)
[[nodiscard]] constexpr auto arange(Start const& start, Stop const& stop, Step step = 1) {
    return detail::ranged<T>(start, stop, step);
}
template <element T, class Stop> requires(detail::open_extents_of<Stop>) [[nodiscard]] constexpr auto arange(Stop const& stop) {
    return detail::ranged<T>(0, stop, 1);
}
// arange with integer bounds of another type than T: they are converted to T.
template <element T, std::integral Start, std::integral Stop, std::integral Step = std::int64_t>
requires(detail::counts_in_another<T, Start, Stop>) [[nodiscard]] constexpr auto arange(Start start, Stop stop, Step step = 1) {
    return tx::arange<T>(static_cast<T>(start), static_cast<T>(stop), static_cast<T>(step));
}
template <element T, std::integral Stop> requires(detail::counts_in_another<T, Stop>)
[[nodiscard]] constexpr auto arange(Stop stop) {
    return tx::arange<T>(static_cast<T>(stop));
}
template <element T, class N> requires(is_floating(dtype_of<T>) && detail::open_extents_of<N>)
[[nodiscard]] constexpr auto linspace(double start, double stop, N const& n) {
    return detail::evenly_spaced<T>(start, stop, n);
}

// reshape<tx::shape<tx::dyn, 2>>(x, n, 2) takes an extent for each axis: a number, or one that only the run knows. One of them
// may be -1; it is computed from the size.
template <shape_type Shape, array_operand A, detail::extent_operand... E> requires(detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto reshape(A const& x, E const&... extents) {
    return detail::as_shape<op::reshape, Shape>("reshape", x, extents...);
}
template <shape_type Shape, array_operand A, detail::extent_operand... E> requires(detail::extent_count<Shape, E...>)
[[nodiscard]] constexpr auto broadcast_to(A const& x, E const&... extents) {
    return detail::as_shape<op::broadcast_to, Shape>("broadcast_to", x, extents...);
}
// The shape type can be left out: reshape(x, 2, -1), reshape(x, tx::extent<0>(x), -1) have shape<dyn, dyn>. (A shape that the
// compiler knows is faster: reshape<2, -1>(x).)
template <array_operand A, class... E> requires(detail::plain_extents<E...>)
[[nodiscard]] constexpr auto reshape(A const& x, E const&... extents) {
    return detail::as_shape<op::reshape, detail::open_shape<E...>>("reshape", x, extents...);
}
template <array_operand A, class... E> requires(detail::plain_extents<E...>)
[[nodiscard]] constexpr auto broadcast_to(A const& x, E const&... extents) {
    return detail::as_shape<op::broadcast_to, detail::open_shape<E...>>("broadcast_to", x, extents...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
