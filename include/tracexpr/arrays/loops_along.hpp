// This file has scan and map along any axis: it moves that axis to the front, and the result's axis back.
#pragma once

#include <tracexpr/run/trees/tree_map.hpp>
#include <tracexpr/trace/shaping.hpp>
#include <tracexpr/transforms/loops.hpp>

namespace tx {
namespace detail {

// Gives the place of the axis in results of that rank: its place in the sequences or, if the rank is too small, the last one.
constexpr int axis_of_results(int axis, int rank) { return axis < 0 ? (axis < -rank ? 0 : axis) : axis < rank ? axis : rank - 1; }
template <int Axis, class Tree> constexpr auto with_axis_first(Tree const& tree) {
    return tree_map([](auto const& x) { return moveaxis(x, axis<Axis>, axis<0>); }, tree);
}
template <int Axis, class Tree> constexpr auto with_first_axis_at(Tree const& tree) {
    return tree_map(
        [](auto const& x) {
            constexpr int rank = dims_of_operand<std::remove_cvref_t<decltype(x)>>.rank;
            return moveaxis(x, axis<0>, axis<(rank < 0 ? Axis : axis_of_results(Axis, rank))>);
        },
        tree);
}
template <int Axis, class Xs> constexpr bool have_axis() {
    constexpr axis_facts facts = axis_facts_of<Axis, false, Xs>();
    return !facts.is_missing && !facts.clashes;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Scans along an axis of the sequences: scan(f, carry, xs, tx::axis<1>), scan(f, carry, xs, tx::axis<-1>, {.reverse = true}). The
// ys are stacked along the same axis, or along their last one where they have fewer axes.
template <class Body, class Carry, class Xs, int Axis>
constexpr auto scan(Body const& body, Carry const& carry, Xs const& xs, axes_t<Axis>, scan_options options = {}) {
    constexpr bool has_axis = detail::have_axis<Axis, Xs>();
    static_assert(has_axis, "tx: scan: every sequence must have that axis, of one extent; negative ones count from the end");
    if constexpr (has_axis) {
        auto const out = tx::scan(body, carry, detail::with_axis_first<Axis>(xs), options);
        if constexpr (detail::is_failed<std::remove_cvref_t<decltype(out)>>) return out;
        else return std::pair(out.first, detail::with_first_axis_at<Axis>(out.second));
    } else return detail::failed{};
}
// Maps f along an axis of the sequences: map(f, xs, tx::axis<1>). The results are stacked along the same axis, or along their
// last one where they have fewer axes.
template <class F, class Xs, int Axis> constexpr auto map(F const& f, Xs const& xs, axes_t<Axis>) {
    constexpr bool has_axis = detail::have_axis<Axis, Xs>();
    static_assert(has_axis, "tx: map: every sequence must have that axis, of one extent; negative ones count from the end");
    if constexpr (has_axis) {
        auto const out = tx::map(f, detail::with_axis_first<Axis>(xs));
        if constexpr (detail::is_failed<std::remove_cvref_t<decltype(out)>>) return out;
        else return detail::with_first_axis_at<Axis>(out);
    } else return detail::failed{};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
