// This file holds keys, and what is made of a key alone: bits, other keys, permutations. A key is a number; the same key gives
// the same random numbers in every executor, and on any number of threads.
#pragma once

#include <tracexpr/backends/tiles/needed_routines.hpp>
#include <tracexpr/trace/functions.hpp>

#include <array>
#include <cstdint>
#include <utility>

namespace tx::random {

// Pure random functions draw from a key: key(42). Split it, or fold a number into it, for each further draw: two draws from one
// key are not independent. It may be an argument, a member, a result or a constant.
struct key {
    tensor<std::uint64_t, shape<>> number;
};

} // namespace tx::random

namespace tx::detail {

// These are a key's streams that no distribution draws from.
inline constexpr std::uint32_t split_stream = 0xffffffff, fold_stream = 0xfffffffe, permutation_stream = 0xfffffffd;

template <class K> inline constexpr bool is_random_key = false;
template <> inline constexpr bool is_random_key<random::key> = true;
template <own_operand K> inline constexpr bool is_random_key<K> =
    dtype_of_operand<K> == dtype::uint64 && dims_of_operand<K>.rank == 0;
template <class K> constexpr void require_key() {
    static_assert(is_random_key<K>, "tx: random: the first argument must be a tx::random::key, or a uint64 scalar of "
                                    "tx::random::keys");
}
template <class K> constexpr decltype(auto) number_of_key(K const& k) {
    if constexpr (std::is_same_v<K, random::key>) return (k.number);
    else return (k);
}

// Registers the routines of the tile executor that a trace made at run time may need, whatever other dtypes its functions have.
// Templates call it with one of their own types, because Clang instantiates the kernels of a call that depends on no type where
// the call stands, in each file.
template <class... T> struct dtypes_needed {};
template <class... T> constexpr void need_random_routines(dtypes_needed<T...> = {}) {
    if (!__builtin_is_constant_evaluated()) simd::tiles::detail::need_routines<std::uint32_t, std::uint64_t, T...>();
}

template <std::int64_t N, class Shape> struct stacked_shape {
    using type = any_shape;
};
template <std::int64_t N, std::int64_t... E> struct stacked_shape<N, shape<E...>> {
    using type = shape<N, E...>;
};

// bit_source draws elements of a shape from a key. If the type doesn't tell the shape, it is that of a node.
template <class Shape> class bit_source {
public:
    using shape_type = Shape;

    constexpr bit_source(trace_scope& scope, node_id key, node_id like = node_id::none)
        : scope_{&scope}, key_{key}, like_{dims_of<Shape>.is_static() ? node_id::none : like} {}

    template <class T> constexpr expr<T, Shape> bits(std::uint32_t stream = 0) const {
        return {*scope_, record(op::random_bits, dtype_of<T>, stream)};
    }
    constexpr expr<std::int64_t, Shape> places() const {
        return {*scope_, record(op::random_permutation, dtype::int64, permutation_stream)};
    }
    // These members are for code without types that makes something of bits.
    constexpr trace_scope& scope() const { return *scope_; }
    constexpr node_id key() const { return key_; }
    constexpr node_id like() const { return like_; }

    // Broadcasts an operand to this shape.
    template <class A> constexpr auto spread(A const& a) const {
        if constexpr (dims_of_operand<A>.rank == 0 || (dims_of_operand<A> == dims_of<Shape> && dims_of<Shape>.is_static())) {
            return a;
        } else {
            lowering low(*scope_);
            constexpr dims d = dims_of<Shape>;
            node_id const x = a.id();
            return expr<typename A::value_type, Shape>(
                *scope_, like_ == node_id::none
                             ? low.append(op::broadcast_to, x, attribute_span(d.extent, static_cast<std::size_t>(d.rank)))
                             : low.append(op::broadcast_to, x, like_));
        }
    }
    // Returns a source of N times as many elements, along a new first axis.
    template <std::int64_t N> constexpr auto stacked() const {
        using many = bit_source<typename stacked_shape<N, Shape>::type>;
        if (like_ == node_id::none) return many(*scope_, key_);
        lowering low(*scope_);
        attribute_list to(N);
        for (int axis = 0; axis < low.rank(like_); ++axis) to.push_back(-1);
        return many(*scope_, key_, low.append(op::broadcast_to, low.expand(like_, 0), to));
    }
    // Records a scalar as a node.
    template <class A> constexpr auto recorded(A const& a) const {
        if constexpr (scalar_type<A>) return expr<A, shape<>>(*scope_, record_operand<dtype_of<A>>(*scope_, a));
        else return a;
    }

private:
    constexpr node_id record(op code, dtype type, std::uint32_t stream) const {
        lowering low(*scope_);
        attribute_list attributes(stream, static_cast<std::int64_t>(size_in_bytes(type) / 4));
        node_id const operands[]{key_, like_};
        if (like_ != node_id::none) {
            low.require_rank(code, like_);
            return low.append(code, type, operands, attributes);
        }
        for (int axis = 0; axis < dims_of<Shape>.rank; ++axis) attributes.push_back(dims_of<Shape>[axis]);
        return low.append(code, type, {operands, 1}, attributes);
    }

    trace_scope* scope_;
    node_id key_, like_;
};

// drawn_fn is the op which applies a recipe to a key's bits, and to parameters that broadcast to the shape. IsTold says that the
// operand after the key has the shape.
template <class Recipe, class Shape, bool IsTold> struct drawn_fn {
    static constexpr char const* called = Recipe::called;
    template <class K, class... A> constexpr auto operator()(K const& key, A const&... a) const {
        need_random_routines(typename Recipe::needed{});
        if constexpr (IsTold) return told(key, a...);
        else return Recipe::draw(bit_source<Shape>(key.scope(), key.id()), a...);
    }
    template <class K, class L, class... A> static constexpr auto told(K const& key, L const& like, A const&... a) {
        return Recipe::draw(bit_source<Shape>(key.scope(), key.id(), like.id()), a...);
    }
};

template <class Shape, class A> struct parameter_fit {
    static constexpr inferred rule() {
        dims const to = dims_of<Shape>, from = dims_of_operand<A>;
        if (to.rank < 0 || from.rank < 0) return {to};
        inferred const both = broadcast_shape(to, from);
        bool const fits = !both.problem && may_equal(both.shape, to);
        return {to, fits ? nullptr : "a parameter must broadcast to the shape"};
    }
};
// Can a distribution give numbers of its dtype?
template <class Recipe> inline constexpr bool gives_dtype = true;
template <class Recipe> requires requires { Recipe::gives; } inline constexpr bool gives_dtype<Recipe> = Recipe::gives;
template <class Shape, class... A> inline constexpr bool fit_shape =
    ((checked_shape<parameter_fit<Shape, A>>::rule.problem == nullptr) && ...);

inline namespace TRACEXPR_CALLS {

// Draws in a shape whose unknown extents are given, those of all its axes.
template <class Recipe, class Shape, class K, class... E, class... A>
constexpr auto draw_in_shape(K const& key, std::tuple<E const&...> extents, A const&... a) {
    constexpr bool fits = fit_shape<Shape, A...>;
    constexpr bool takes = Recipe::template takes<A...>;
    require_key<K>();
    static_assert(fits,
                  "tx: random: a distribution's parameter must broadcast to the shape that is drawn; it stands in the note");
    static_assert(gives_dtype<Recipe>,
                  "tx: random: the distribution does not give numbers of this dtype, but float or double, or "
                  "of counts integers, too");
    static_assert(takes || !gives_dtype<Recipe>,
                  "tx: random: the distribution does not have parameters of these types, or as many of them");
    if constexpr (!is_random_key<K> || !fits || !takes) {
        return failed{};
    } else if constexpr (sizeof...(E) == 0 && dims_of<Shape>.is_static()) {
        return detail::apply(drawn_fn<Recipe, Shape, false>{}, number_of_key(key), a...);
    } else if constexpr ((is_whole<E> && ...)) {
        auto const like =
            std::apply([](auto... e) { return carrier<Shape>(Recipe::called, dyn, static_cast<std::int64_t>(e)...); }, extents);
        return detail::apply(drawn_fn<Recipe, Shape, true>{}, number_of_key(key), like, a...);
    } else {
        return std::apply(
            [&](auto const&... e) {
                trace_scope& scope = *scope_among(e...);
                lowering low(scope);
                told_shape const to = record_extents<Shape>(Recipe::called, scope, e...);
                expr<bool, Shape> const like(scope, record_full(low, to, low.literal(false)));
                return detail::apply(drawn_fn<Recipe, Shape, true>{}, number_of_key(key), like, a...);
            },
            extents);
    }
}
// Draws in a shape. If the shape is open its extents follow the key, and then the parameters.
template <class Recipe, class Shape, class K, class... A> constexpr auto draw(K const& key, A const&... a) {
    constexpr dims d = dims_of<Shape>;
    constexpr std::size_t wanted = d.is_static() ? 0 : d.rank < 0 ? sizeof...(A) : static_cast<std::size_t>(d.rank);
    constexpr std::size_t count = wanted < sizeof...(A) ? wanted : sizeof...(A);
    static_assert(count == wanted, "tx: random: behind a shape with tx::dyn stand its extents, those of all axes");
    if constexpr (count < wanted) {
        return failed{};
    } else {
        std::tuple<A const&...> const all(a...);
        return [&]<std::size_t... E, std::size_t... P>(std::index_sequence<E...>, std::index_sequence<P...>) {
            constexpr bool are_extents = (extent_operand<std::remove_cvref_t<decltype(std::get<E>(all))>> && ...);
            static_assert(are_extents, "tx: random: behind a shape with tx::dyn stand its extents, those of all axes");
            if constexpr (!are_extents) return failed{};
            else return draw_in_shape<Recipe, Shape>(key, std::tie(std::get<E>(all)...), std::get<count + P>(all)...);
        }(std::make_index_sequence<count>{}, std::make_index_sequence<sizeof...(A) - count>{});
    }
}
// Draws in the shape of x.
template <class Recipe, class K, class X, class... A> constexpr auto draw_like(K const& key, X const& x, A const&... a) {
    require_key<K>();
    if constexpr (!is_random_key<K>) return failed{};
    else return detail::apply(drawn_fn<Recipe, typename traits<X>::shape_type, true>{}, number_of_key(key), x, a...);
}

} // namespace TRACEXPR_CALLS

template <class T, std::uint32_t Stream = 0> struct bits_recipe {
    static constexpr char const* called = "random";
    template <class... A> static constexpr bool takes = sizeof...(A) == 0;
    using needed = dtypes_needed<>;
    template <class S> static constexpr auto draw(S const& from) { return from.template bits<T>(Stream); }
};
struct permutation_recipe {
    static constexpr char const* called = "permutation";
    template <class... A> static constexpr bool takes = sizeof...(A) == 0;
    using needed = dtypes_needed<>;
    template <class S> static constexpr auto draw(S const& from) { return from.places(); }
};

template <std::int64_t N> struct split_keys_fn {
    template <class K> constexpr auto operator()(K const& key) const {
        need_random_routines<typename K::value_type>();
        auto const all = bit_source<shape<N>>(key.scope(), key.id()).template bits<std::uint64_t>(split_stream);
        lowering low(key.scope());
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array{expr<std::uint64_t, shape<>>(
                key.scope(),
                low.squeeze(low.slice(all.id(), 0, static_cast<std::int64_t>(I), static_cast<std::int64_t>(I) + 1), 0))...};
        }(std::make_index_sequence<N>{});
    }
};
// The number is combined with 64 bits drawn from the key, not with the key itself: else keys made from neighbouring numbers would
// coincide.
struct fold_in_fn {
    template <class K, class N> constexpr auto operator()(K const& key, N const& n) const {
        need_random_routines<typename K::value_type>();
        bit_source<shape<>> const own(key.scope(), key.id());
        auto const mixed = own.template bits<std::uint64_t>(fold_stream) ^ cast_to_number(n);
        return bit_source<shape<>>(mixed.scope(), mixed.id()).template bits<std::uint64_t>(fold_stream);
    }
    template <class N> static constexpr auto cast_to_number(N const& n) {
        if constexpr (scalar_type<N>) return static_cast<std::uint64_t>(n);
        else return cast_to<std::uint64_t>(n);
    }
};
struct shuffle_fn {
    static constexpr char const* called = "shuffle";
    template <class K, class A> constexpr auto operator()(K const& key, A const& x) const {
        need_random_routines<typename K::value_type>();
        constexpr std::int64_t extent = dims_of_operand<A>.rank < 0 ? dyn : dims_of_operand<A>[0];
        trace_scope& scope = x.scope();
        lowering low(scope);
        low.require_rank(op::take, x.id());
        if (low.rank(x.id()) == 0) throw shape_error("tx: shuffle: x must have an axis; given ()");
        told_shape to{};
        if constexpr (extent == dyn) {
            node_id const number[]{counter(scope).elements(x.id(), attribute_list(0))};
            to = record_shape(called, scope, dims{{dyn}, 1}, number);
            if (to.like == node_id::none) to.like = record_full(low, to, low.literal(false));
        }
        return take(x, bit_source<shape<extent>>(scope, key.id(), to.like).places(), axis<0>);
    }
};

} // namespace tx::detail

namespace tx::random {
inline namespace TRACEXPR_CALLS {

// Returns N keys that are as good as unrelated, to each other and to this one, in a std::array: auto [a, b] = split(k).
template <std::int64_t N = 2, class K> constexpr std::array<key, static_cast<std::size_t>(N)> split(K const& from) {
    static_assert(N > 0, "tx: random: split: gives at least one key");
    detail::require_key<K>();
    if constexpr (N <= 0 || !detail::is_random_key<K>) {
        return {};
    } else {
        auto const parts = detail::apply(detail::split_keys_fn<N>{}, detail::number_of_key(from));
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array<key, static_cast<std::size_t>(N)>{key{parts[I]}...};
        }(std::make_index_sequence<static_cast<std::size_t>(N)>{});
    }
}
// Returns the same keys as numbers in one tensor, of which tx::vmap gives each example its own.
template <std::int64_t N, class K> [[nodiscard]] constexpr auto keys(K const& from) {
    return detail::draw<detail::bits_recipe<std::uint64_t, detail::split_stream>, shape<N>>(from);
}
template <class K, detail::extent_operand N> [[nodiscard]] constexpr auto keys(K const& from, N const& count) {
    return detail::draw<detail::bits_recipe<std::uint64_t, detail::split_stream>, shape<dyn>>(from, count);
}

// Returns a key for each number, such as that of a step or an example: fold_in(k, step).
template <class K, operand N> [[nodiscard]] constexpr key fold_in(K const& from, N const& number) {
    constexpr bool is_number = is_integer(detail::dtype_of_operand<N>) && detail::dims_of_operand<N>.rank <= 0;
    static_assert(is_number, "tx: random: fold_in: the number must be an integer scalar");
    detail::require_key<K>();
    if constexpr (!is_number || !detail::is_random_key<K>) return {};
    else if constexpr (scalar_type<N>)
        return {detail::apply(detail::fold_in_fn{}, detail::number_of_key(from), static_cast<std::uint64_t>(number))};
    else return {detail::apply(detail::fold_in_fn{}, detail::number_of_key(from), number)};
}

// Draws uniform bits: std::uint32_t or std::uint64_t. Element i is the key's word, or pair of words, number i in Philox 4x32-10.
template <class T, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto stateless_bits(K const& from, Shape, E const&... extents) {
    constexpr bool are_bits = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>;
    static_assert(are_bits, "tx: random: bits are std::uint32_t or std::uint64_t");
    if constexpr (!are_bits) return detail::failed{};
    else return detail::draw<detail::bits_recipe<T>, Shape>(from, extents...);
}

// Returns 0 ... n - 1 in random order, every order as likely as any other; int64.
template <std::int64_t N, class K> [[nodiscard]] constexpr auto stateless_permutation(K const& from) {
    return detail::draw<detail::permutation_recipe, shape<N>>(from);
}
template <class K, detail::extent_operand N> [[nodiscard]] constexpr auto stateless_permutation(K const& from, N const& n) {
    return detail::draw<detail::permutation_recipe, shape<dyn>>(from, n);
}
// Returns x with its elements along the first axis in random order.
template <class K, array_operand A> [[nodiscard]] constexpr auto stateless_shuffle(K const& from, A const& x) {
    constexpr bool has_axis = detail::dims_of_operand<A>.rank != 0;
    static_assert(has_axis, "tx: random: shuffle: x must have an axis");
    detail::require_key<K>();
    return detail::apply_if<(has_axis && detail::is_random_key<K>)>(detail::shuffle_fn{}, detail::number_of_key(from), x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::random
