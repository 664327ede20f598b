// This file holds keys, and what is made of a key alone: bits, other keys, permutations. A key is a number; the same key gives
// the same random numbers in every executor, and on any number of threads.
#pragma once

#include <tracexpr/backends/tiles/needed_routines.hpp>
#include <tracexpr/run/random/rules.hpp>
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

// drawn_fn is the op which draws by a recipe from a key, in the Shape that `By` tells, a tensor of shape Result. A recipe is a
// type with the members
//     using value_type = ...;                     the type of the numbers
//     static constexpr char const* called;        the function's name in messages
//     template <class... A> static constexpr bool takes;  whether operands of these types are its parameters
//     using needed = dtypes_needed<...>;
//     static constexpr draw_rule draw;            how numbers are made
// and, if it does not give all dtypes, `static constexpr bool gives`.
template <class Recipe, class Shape, shape_of By, class Result = Shape> struct drawn_fn {
    static constexpr char const* called = Recipe::called;
    using number = typename Recipe::value_type;
    static constexpr std::uint32_t before_parameters = By == shape_of::operand ? 2 : 1;

    template <class... A> using result = tensor<number, Result>;
    template <class... A> static constexpr draw_recorder recorder{
        {Recipe::draw, dtype_of<number>, dims_of<Shape>, By, numbers_among<A...> >> before_parameters},
        sizeof...(A),
        ((dims_of_operand<A>.rank < 0) || ...)};
    template <class... A> static constexpr op_recorder const* recorder_for = &recorder<A...>;

    template <class K, class... A> constexpr auto operator()(K const& key, A const&... a) const {
        need_random_routines(typename Recipe::needed{});
        trace_scope& scope = key.scope();
        node_id const operands[]{key.id(), record_operand<dtype_of_operand<A>>(scope, a)...};
        return expr<number, Result>(scope, record_draw(scope, recorder<K, A...>.call, operands));
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
        return detail::apply(drawn_fn<Recipe, Shape, shape_of::type>{}, number_of_key(key), a...);
    } else if constexpr ((is_whole<E> && ...)) {
        auto const like =
            std::apply([](auto... e) { return carrier<Shape>(Recipe::called, dyn, static_cast<std::int64_t>(e)...); }, extents);
        return detail::apply(drawn_fn<Recipe, Shape, shape_of::operand>{}, number_of_key(key), like, a...);
    } else {
        return std::apply(
            [&](auto const&... e) {
                trace_scope& scope = *scope_among(e...);
                lowering low(scope);
                told_shape const to = record_extents<Shape>(Recipe::called, scope, e...);
                expr<bool, Shape> const like(scope, record_full(low, to, low.literal(false)));
                return detail::apply(drawn_fn<Recipe, Shape, shape_of::operand>{}, number_of_key(key), like, a...);
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
    else return detail::apply(drawn_fn<Recipe, typename traits<X>::shape_type, shape_of::operand>{}, number_of_key(key), x, a...);
}

} // namespace TRACEXPR_CALLS

// These recipes have no parameters.
template <class T, draw_rule Draw> struct plain_recipe {
    using value_type = T;
    static constexpr char const* called = "random";
    template <class... A> static constexpr bool takes = sizeof...(A) == 0;
    using needed = dtypes_needed<>;
    static constexpr draw_rule draw = Draw;
};
using keys_recipe = plain_recipe<std::uint64_t, draw_keys>;
struct permutation_recipe : plain_recipe<std::int64_t, draw_permutation> {
    static constexpr char const* called = "permutation";
};
struct folded_key_recipe {
    using value_type = std::uint64_t;
    static constexpr char const* called = "fold_in";
    using needed = dtypes_needed<>;
    static constexpr draw_rule draw = draw_folded_key;
};
template <class T> struct shuffle_recipe {
    using value_type = T;
    static constexpr char const* called = "shuffle";
    using needed = dtypes_needed<>;
    static constexpr draw_rule draw = draw_shuffled;
};

// Splits a key into several, each an element of what is drawn.
TRACEXPR_ONCE constexpr void record_split(trace_scope& scope, node_id key, std::int64_t count, node_id* results) {
    node_id const all = random_source(scope, key, dims{{count}, 1}).bits(dtype::uint64, split_stream).id();
    lowering low(scope);
    for (std::int64_t k = 0; k < count; ++k) results[k] = low.squeeze(low.slice(all, 0, k, k + 1), 0);
}
struct split_recorder : op_recorder {
    std::int64_t count;
    constexpr explicit split_recorder(std::int64_t keys) : op_recorder{record_one}, count{keys} {}
    TRACEXPR_ONCE static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands,
                                                   node_id* results) {
        record_split(scope, operands[0], static_cast<split_recorder const&>(of).count, results);
    }
};
template <std::int64_t N> struct split_keys_fn {
    template <class> using result = std::array<tensor<std::uint64_t, shape<>>, static_cast<std::size_t>(N)>;
    static constexpr split_recorder recorder{N};
    template <class> static constexpr op_recorder const* recorder_for = &recorder;

    template <class K> constexpr auto operator()(K const& key) const {
        need_random_routines<typename K::value_type>();
        node_id parts[N]{};
        record_split(key.scope(), key.id(), N, parts);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array{expr<std::uint64_t, shape<>>(key.scope(), parts[I])...};
        }(std::make_index_sequence<N>{});
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
    return detail::draw<detail::keys_recipe, shape<N>>(from);
}
template <class K, detail::extent_operand N> [[nodiscard]] constexpr auto keys(K const& from, N const& count) {
    return detail::draw<detail::keys_recipe, shape<dyn>>(from, count);
}

// Returns a key for each number, such as that of a step or an example: fold_in(k, step).
template <class K, operand N> [[nodiscard]] constexpr key fold_in(K const& from, N const& number) {
    constexpr bool is_number = is_integer(detail::dtype_of_operand<N>) && detail::dims_of_operand<N>.rank <= 0;
    static_assert(is_number, "tx: random: fold_in: the number must be an integer scalar");
    detail::require_key<K>();
    if constexpr (!is_number || !detail::is_random_key<K>) return {};
    else {
        constexpr detail::drawn_fn<detail::folded_key_recipe, shape<>, detail::shape_of::type> fold;
        if constexpr (scalar_type<N>)
            return {detail::apply(fold, detail::number_of_key(from), static_cast<std::uint64_t>(number))};
        else return {detail::apply(fold, detail::number_of_key(from), number)};
    }
}

// Draws uniform bits: std::uint32_t or std::uint64_t. Element i is the key's word, or pair of words, number i in Philox 4x32-10.
template <class T, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto stateless_bits(K const& from, Shape, E const&... extents) {
    constexpr bool are_bits = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>;
    static_assert(are_bits, "tx: random: bits are std::uint32_t or std::uint64_t");
    if constexpr (!are_bits) return detail::failed{};
    else return detail::draw<detail::plain_recipe<T, detail::draw_bits>, Shape>(from, extents...);
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
    if constexpr (!has_axis || !detail::is_random_key<K>) return detail::failed{};
    else return detail::draw_like<detail::shuffle_recipe<ctype<detail::dtype_of_operand<A>>>>(from, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::random
