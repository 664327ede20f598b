// tx::nn::dropout_channels keeps or drops whole channels. (PyTorch: Dropout2d, Dropout3d)
#pragma once

#include <tracexpr/nn/building.hpp>
#include <tracexpr/run/random/stateful.hpp>

namespace tx {
namespace detail {

// Makes a slice of x with one element for each channel of each example; random numbers are drawn in its shape.
template <bool First> struct channel_places_builder {
    static constexpr char const* called = "dropout_channels";
    static constexpr char const* problem(builder_specs given) {
        if (!are_real(given)) return "takes real numbers";
        return given[0].shape.rank >= 0 && given[0].shape.rank < 2 ? "x must have an axis of examples and one of channels"
                                                                   : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    static constexpr bool is_place(int axis, int rank) { return axis != 0 && axis != (First ? 1 : rank - 1); }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        for (int a = 0; a < out.rank; ++a)
            if (is_place(a, out.rank)) out[a] = out[a] > 1 ? 1 : out[a];
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        node_id x = operands[0];
        for (int a = 0; a < low.rank(x); ++a)
            if (is_place(a, low.rank(x))) x = low.slice(x, a, 0, 1);
        return std::array<node_id, 1>{x};
    }
};
template <bool First> struct dropout_channels_fn {
    static constexpr char const* called = "dropout_channels";
    template <class K, class A, class P> constexpr auto operator()(K const& key, A const& x, P const& keep) const {
        using T = mean_type<typename A::value_type>;
        auto const places = built_fn<channel_places_builder<First>>{}(x);
        using shape_type = typename std::remove_cvref_t<decltype(places)>::shape_type;
        auto const is_kept = drawn_fn<bernoulli_recipe, shape_type, shape_of::operand>{}(key, places, keep);
        trace_scope& scope = x.scope();
        auto const value = [&](auto const& a) { return ad::value(scope.recorded, record_operand<dtype_of<T>>(scope, a)); };
        return expr<T, typename A::shape_type>(scope,
                                               where_kept(ad::value(scope.recorded, is_kept.id()), value(x), value(keep)).id());
    }
};
template <class K, class A, class P> constexpr bool check_dropout_channels() {
    constexpr bool is_number = is_real_parameter<P> && dims_of_operand<P>.rank <= 0;
    constexpr bool fits = built_problem<channel_places_builder<true>, A> == nullptr;
    static_assert(is_number, "tx: dropout_channels: the probability must be a scalar");
    static_assert(fits, "tx: dropout_channels: x must be real, with an axis of examples and one of channels");
    require_key<K>();
    return is_number && fits && is_random_key<K>;
}

} // namespace detail

namespace nn {
inline namespace TRACEXPR_CALLS {

// Keeps each channel of each example of x (n, ..., c), or (n, c, ...) with tx::channels_first, with the given probability and
// divides it by that; other channels become 0. Probabilities are as in dropout. Without a key each run draws new numbers. Tompson
// et al., Efficient Object Localization (2015).
template <class K, array_operand A, operand P>
[[nodiscard]] constexpr auto dropout_channels(K const& from, A const& x, P const& keep_probability) {
    detail::check_kept_share("dropout_channels", keep_probability);
    return detail::apply_if<detail::check_dropout_channels<K, A, P>()>(detail::dropout_channels_fn<false>{},
                                                                       detail::number_of_key(from), x, keep_probability);
}
template <class K, array_operand A, operand P>
[[nodiscard]] constexpr auto dropout_channels(K const& from, A const& x, P const& keep_probability, channels_first_t) {
    detail::check_kept_share("dropout_channels", keep_probability);
    return detail::apply_if<detail::check_dropout_channels<K, A, P>()>(detail::dropout_channels_fn<true>{},
                                                                       detail::number_of_key(from), x, keep_probability);
}
template <array_operand A, operand P> [[nodiscard]] constexpr auto dropout_channels(A const& x, P const& keep_probability) {
    return dropout_channels(detail::fresh_key(x), x, keep_probability);
}
template <array_operand A, operand P>
[[nodiscard]] constexpr auto dropout_channels(A const& x, P const& keep_probability, channels_first_t) {
    return dropout_channels(detail::fresh_key(x), x, keep_probability, channels_first);
}

} // namespace TRACEXPR_CALLS
} // namespace nn
} // namespace tx
