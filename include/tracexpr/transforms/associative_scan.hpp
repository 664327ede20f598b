// tx::associative_scan computes all prefixes of a sequence under an associative operation, in a depth of log(n).
#pragma once

#include <tracexpr/run/trees/tree_map.hpp>
#include <tracexpr/trace/dynamic.hpp>
#include <tracexpr/transforms/loops.hpp>

namespace tx {

// The options of tx::associative_scan.
struct associative_scan_options {
    bool reverse = false; // from the last element to the first
};

namespace detail {

// Takes the elements of each leaf from First up to Last in steps of Step.
template <std::int64_t First, std::int64_t Last, std::int64_t Step, class Xs> constexpr auto elements_from(Xs const& xs) {
    return tree_map([](auto const& x) { return tx::slice(x, tx::range<First, Last, Step>); }, xs);
}
// Interleaves the elements of two trees, beginning with the first, which has as many elements as the second, or one more.
template <std::int64_t N, class Evens, class Odds> constexpr auto interleaved(Evens const& evens, Odds const& odds) {
    auto const in_turn = [](auto const& even, auto const& odd) {
        auto const i = tx::arange<std::int64_t, N>();
        auto const half = i >> 1;
        auto const place = tx::where((i & 1) == 0, half, half + (N + 1) / 2);
        return tx::take(tx::concat(tx::axis<0>, even, odd), place, tx::axis<0>);
    };
    return tree_map(in_turn, evens, odds);
}
// Adjacent pairs are combined first; the prefixes of the pairs are the odd elements of the result. The even elements after the
// first are the odd prefixes before them combined with the elements of xs.
template <std::int64_t N, class F, class Xs> constexpr auto prefixes(F const& f, Xs const& xs) {
    if constexpr (N < 2) {
        return xs;
    } else {
        auto const odds = prefixes<N / 2>(f, f(elements_from<0, N - 1, 2>(xs), elements_from<1, N, 2>(xs)));
        auto const first = elements_from<0, 1, 1>(xs);
        if constexpr (N == 2) {
            return interleaved<N>(first, odds);
        } else {
            auto const later = f(elements_from<0, (N - 1) / 2, 1>(odds), elements_from<2, N, 2>(xs));
            auto const join = [](auto const& a, auto const& b) { return tx::concat(tx::axis<0>, a, b); };
            return interleaved<N>(tree_map(join, first, later), odds);
        }
    }
}

template <class A> constexpr auto first_leaf(A const& a) {
    if constexpr (result_leaf<A>) return a;
    else if constexpr (is_tuple_like<A>) return first_leaf(std::get<0>(a));
    else return with_fields(a, [](auto const& first, auto const&...) { return first_leaf(first); });
}
// If the number of elements is known only when the program runs, each element is combined with those 1, 2, 4, ... places before
// it, as long as there are such.
template <class F, class Xs> constexpr auto prefixes_by_doubling(F const& f, Xs const& xs) {
    auto const is_within = [](auto const& distance, auto const& now) { return distance < tx::extent<0>(first_leaf(now)); };
    auto const further = [&](auto const& distance, auto const& now) {
        auto const before = [&](auto const& x) { return places_along<0>(x) - distance; };
        auto const shifted =
            tree_map([&](auto const& x) { return tx::take(x, tx::maximum(before(x), std::int64_t{0}), tx::axis<0>); }, now);
        auto const choose = [&](auto const& combined, auto const& x) {
            auto const has_one = [&]<int... K>(std::integer_sequence<int, K...>) {
                return tx::expand_dims(before(x) >= 0, tx::axis<(K + 1)...>);
            }(std::make_integer_sequence<int, dims_of_operand<std::remove_cvref_t<decltype(x)>>.rank - 1>{});
            return tx::where(has_one, combined, x);
        };
        return std::tuple(distance * 2, tree_map(choose, f(shifted, now), now));
    };
    return std::get<1>(tx::while_loop(is_within, further, tensor<std::int64_t, shape<>>{1}, xs));
}
template <class F, class Xs> constexpr auto all_prefixes(F const& f, Xs const& xs, associative_scan_options options) {
    constexpr axis_facts facts = axis_facts_of<0, false, Xs>();
    static_assert(!facts.is_missing, "tx: associative_scan: every part of xs must have an axis to go along");
    static_assert(!facts.clashes, "tx: associative_scan: all parts of xs must have one extent along the first axis");
    if constexpr (facts.is_missing || facts.clashes) {
        return failed{};
    } else {
        auto const in_order = [&](auto const& tree) {
            return tree_map([&](auto const& x) { return options.reverse ? tx::flip<0>(x) : tx::slice(x, tx::range<>); }, tree);
        };
        if constexpr (facts.extent != dyn) return in_order(prefixes<facts.extent>(f, in_order(xs)));
        else return in_order(prefixes_by_doubling(f, in_order(xs)));
    }
}
} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes x0, f(x0, x1), f(f(x0, x1), x2), ... for the elements of xs along the first axis, where f is associative. f is called
// on many elements at once: it takes two trees like xs, whose parts have a first axis of some extent, and returns one.
template <class F, class Xs>
[[nodiscard]] constexpr auto associative_scan(F const& f, Xs const& xs, associative_scan_options options = {}) {
    constexpr bool takes_two = detail::takes<F, Xs, Xs>;
    static_assert(takes_two, "tx: associative_scan: the callable takes two arguments, in the form of xs");
    auto const in_trace = [&](auto const& x) { return detail::all_prefixes(f, x, options); };
    if constexpr (!takes_two) return detail::failed{};
    else if constexpr (detail::facts<Xs>.has_exprs) return in_trace(xs);
    else return function{in_trace}(xs);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
