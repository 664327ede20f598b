// This file has distributions that are made by builders, code without types, and loops over all elements in which some are drawn
// again until they are accepted.
#pragma once

#include <tracexpr/run/random/stateful.hpp>
#include <tracexpr/trace/builder.hpp>
#include <tracexpr/transforms/untyped_loops.hpp>

namespace tx::detail {

// Draws a number for each element again until it is accepted: draw(source, into) gives a candidate and whether it is accepted,
// where `source` is that of the iteration and into(x) brings a value from outside into the loop. Elements that aren't `pending`
// keep `start`.
template <class Draw> constexpr ad::value drawn_until_accepted(random_source const& from, ad::value const& pending,
                                                               ad::value const& start, Draw const& draw) {
    trace_scope& scope = from.scope();
    buffer<node_id> state;
    for (ad::value const& x : {from.derived_key(), from.spread(pending), from.spread(start)}) state.push_back(x.id());
    auto const is_pending = [](trace_scope& region, buffer<node_id> const& s) { return any_of({region.recorded, s[1]}).id(); };
    auto const next = [&](trace_scope& region, buffer<node_id> const& s) {
        random_source const now = from.within(region, s[0], s[1]);
        ad::value const waits{region.recorded, s[1]}, last{region.recorded, s[2]};
        auto const both = draw(now, [&](ad::value const& x) { return taken_into(region, scope, x); });
        buffer<node_id> out;
        out.push_back(now.derived_key().id());
        out.push_back(logical_and(waits, negated(both.second)).id());
        out.push_back(chosen(waits, both.first, last).id());
        return out;
    };
    return {scope.recorded, record_untyped_loop(scope, state, is_pending, next)[2]};
}

// This is a distribution over T whose numbers are made by Builder, code without types:
//     static constexpr char const* called;
//     static constexpr std::size_t least, most;                         how many parameters it takes
//     static constexpr bool is_of(dtype);                               which dtypes it gives
//     static constexpr dtype number(dtype of);                          the dtype of its parameters
//     static constexpr ad::value draw(random_source const&, dtype noise, table_view<ad::value> parameters);
template <class Builder> constexpr ad::value draw_built(random_draw const& d) {
    buffer<ad::value> parameters;
    for (std::size_t k = 0; k < d.count(); ++k) parameters.push_back(d.parameter(k, Builder::number(widened_dtype(d.type))));
    return d.from.spread(Builder::draw(d.from, d.noise(), parameters));
}
template <class Builder, class T> struct built_recipe {
    using value_type = T;
    static constexpr char const* called = Builder::called;
    template <class... A> static constexpr bool takes = Builder::is_of(dtype_of<T>) && sizeof...(A) >= Builder::least &&
                                                        sizeof...(A) <= Builder::most && (is_real_parameter<A> && ...);
    static constexpr bool gives = Builder::is_of(dtype_of<T>);
    using needed = dtypes_needed<noise_of<T>, ctype<Builder::number(widened_dtype(dtype_of<T>))>, T, double, std::int64_t, bool>;
    static constexpr draw_rule draw = draw_built<Builder>;
};

inline namespace TRACEXPR_CALLS {

// Draws numbers in the shape that the parameters broadcast to.
template <class Recipe, class K, class... A> constexpr auto draw_together(K const& key, A const&... a) {
    constexpr bool takes = Recipe::template takes<A...>, fit = can_broadcast<A...>;
    require_key<K>();
    static_assert(gives_dtype<Recipe>,
                  "tx: random: the distribution does not give numbers of this dtype, but float or double, or "
                  "of counts integers, too");
    static_assert(takes || !gives_dtype<Recipe>,
                  "tx: random: the distribution does not have parameters of these types, or as many of them");
    static_assert(fit,
                  "tx: random: without a shape the parameters must broadcast to one another; their shapes stand in the note");
    if constexpr (!is_random_key<K> || !takes || !fit) return failed{};
    else return detail::apply(drawn_fn<Recipe, broadcast_of<A...>, shape_of::parameters>{}, number_of_key(key), a...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::detail
