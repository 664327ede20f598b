// What a function makes of a block and its halo, by parts: the inside of the block needs no neighbour, and is computed while the
// messages travel; what lies along the borders is computed when they have come.
#pragma once

#include <tracexpr/mpi/halo.hpp>
#include <tracexpr/trace/effects.hpp>

#include <cstdint>
#include <tuple>
#include <utility>

namespace tx::mpi {
namespace detail::ops {

template <int Axis, class A, class Range> constexpr auto slice_along(A const& x, Range part) {
    return [&]<std::size_t... Before>(std::index_sequence<Before...>) {
        return slice(x, (static_cast<void>(Before), range_t<>{})..., part);
    }(std::make_index_sequence<Axis>{});
}
template <int Axis, class Before, class A, class Behind>
constexpr auto joined(Before const& before, A const& x, Behind const& behind) {
    return concat(axis<Axis>, before, x, behind);
}

// Blocks and the slabs around them, for a function f.
template <class Widths, class F, class A, class Slabs> struct stencil_parts {
    F const& f;
    A const& block;
    Slabs const& slabs;

    template <int Axis> constexpr auto const& before() const { return std::get<2 * Axis>(slabs); }
    template <int Axis> constexpr auto const& behind() const { return std::get<2 * Axis + 1>(slabs); }

    // A part of the block along an axis, with its halo along the axes before that.
    template <int Axis, int Joined = 0, class Part, class B> constexpr auto with_corners(Part part, B const& thin) const {
        if constexpr (Joined == Axis) {
            return thin;
        } else {
            constexpr std::int64_t front = Widths::before(Joined), back = Widths::behind(Joined);
            auto const wider = [&] {
                if constexpr (front > 0 && back > 0)
                    return joined<Joined>(slice_along<Axis>(before<Joined>(), part), thin,
                                          slice_along<Axis>(behind<Joined>(), part));
                else if constexpr (front > 0) return concat(axis<Joined>, slice_along<Axis>(before<Joined>(), part), thin);
                else if constexpr (back > 0) return concat(axis<Joined>, thin, slice_along<Axis>(behind<Joined>(), part));
                else return thin;
            }();
            return with_corners<Axis, Joined + 1>(part, wider);
        }
    }
    // What f makes of the block with its halo, from what it makes of one without, an axis after the other.
    template <int Axis, class R> constexpr auto widened(R const& inside) const {
        if constexpr (2 * Axis == std::tuple_size_v<Slabs>) {
            return inside;
        } else {
            constexpr std::int64_t front = Widths::before(Axis), back = Widths::behind(Axis);
            constexpr range_t<0, front + back> first{};
            constexpr range_t<-(front + back), tx::open> last{};
            auto const wider = [&] {
                if constexpr (front > 0 && back > 0) return joined<Axis>(at_front<Axis>(first), inside, at_back<Axis>(last));
                else if constexpr (front > 0) return concat(axis<Axis>, at_front<Axis>(first), inside);
                else if constexpr (back > 0) return concat(axis<Axis>, inside, at_back<Axis>(last));
                else return inside;
            }();
            return widened<Axis + 1>(wider);
        }
    }
    template <int Axis, class Part> constexpr auto at_front(Part part) const {
        return f(concat(axis<Axis>, before<Axis>(), with_corners<Axis>(part, slice_along<Axis>(block, part))));
    }
    template <int Axis, class Part> constexpr auto at_back(Part part) const {
        return f(concat(axis<Axis>, with_corners<Axis>(part, slice_along<Axis>(block, part)), behind<Axis>()));
    }
};

template <class A, int Axis> inline constexpr bool is_open_along =
    tx::detail::dims_of_operand<A>.rank < 0 || tx::detail::dims_of_operand<A>[Axis] == dyn;
// What only the run knows: is the result as long as the block along the grid's axes?
template <int Axis, int Axes, class A, class R> constexpr void require_extents(A const& block, R const& result) {
    if constexpr (Axis < Axes) {
        if constexpr (is_open_along<A, Axis> || is_open_along<R, Axis>)
            assert_that(
                extent<Axis>(result) == extent<Axis>(block),
                "tx: mpi: stencil: a block must be at least as long as both sides of its halo together, and the function must "
                "give one shorter by them; of {} elements of the block along an axis it made {}",
                extent<Axis>(block), extent<Axis>(result));
        require_extents<Axis + 1, Axes>(block, result);
    }
}

template <class Widths> constexpr bool holds_inside(dims const& d, int axes) {
    for (int axis = 0; axis < axes && axis < d.rank; ++axis)
        if (d[axis] != dyn && d[axis] < Widths::before(axis) + Widths::behind(axis)) return false;
    return true;
}
// Is nothing of it away from its borders?
template <class Widths> constexpr bool has_no_inside(dims const& d, int axes) {
    for (int axis = 0; axis < axes && axis < d.rank; ++axis)
        if (d[axis] == Widths::before(axis) + Widths::behind(axis)) return true;
    return false;
}
// Is `given` shorter than the block by what the halo would add to it?
template <class Widths> constexpr bool is_inside(dims const& block, dims const& given, int axes) {
    if (block.rank < 0 || given.rank < 0) return true;
    bool fits = given.rank >= axes;
    for (int axis = 0; fits && axis < axes; ++axis)
        fits =
            block[axis] == dyn || given[axis] == dyn || given[axis] == block[axis] - Widths::before(axis) - Widths::behind(axis);
    return fits;
}

template <class Widths, int Axes, class F, class A, class... S>
constexpr auto by_parts(F const& f, A const& block, S const&... slabs) {
    auto const inside = f(block);
    constexpr bool fits = is_inside<Widths>(tx::detail::dims_of_operand<A>,
                                            tx::detail::dims_of_operand<std::remove_cvref_t<decltype(inside)>>, Axes);
    static_assert(fits, "tx: mpi: stencil: the function must give a block that is shorter than the one that it is given, by both "
                        "sides of the halo, on each axis of the grid");
    auto const around = std::tuple{slabs...};
    auto const result =
        stencil_parts<Widths, F, A, std::remove_const_t<decltype(around)>>{f, block, around}.template widened<0>(inside);
    require_extents<0, Axes>(block, result);
    return result;
}

} // namespace detail::ops

// f(halo<Widths...>(x, grid)), for an f that computes each element from elements near it: given any block it gives one that is
// shorter by the halo on the grid's axes, as slices or a convolution without padding do. f is called for the inside of the block
// and for strips along its borders. In a function the inside is computed while the neighbours' slabs travel, and nothing is
// copied. x is one tensor (several fields are one more axis of it, behind the grid's), at least as long along each of the grid's
// axes as both sides of the halo together; the result is as long as x along them. f must not itself take part in collectives.
template <std::int64_t... Widths, class F, operand A, grid_type G> requires(sizeof...(Widths) > 0)
constexpr auto stencil(F const& f, A const& x, G const& among) {
    return stencil(f, x, among, widths<Widths>...);
}
// With the widths as halo(x, grid, tx::widths<0, 1>) takes them.
template <class F, operand A, grid_type G, std::int64_t... First, class... Rest>
constexpr auto stencil(F const& f, A const& x, G const& among, widths_t<First...> first, Rest... rest) {
    using widths = detail::ops::halo_widths<G::axes, decltype(first), Rest...>;
    static_cast<void>(first), (static_cast<void>(rest), ...);
    return detail::ops::with_slabs<widths>(x, among, [&](auto const& block, auto const&... slabs) {
        constexpr dims known = tx::detail::dims_of_operand<std::remove_cvref_t<decltype(block)>>;
        constexpr bool is_long = detail::ops::holds_inside<widths>(known, G::axes);
        static_assert(is_long, "tx: mpi: stencil: a block must be at least as long as both sides of its halo together, on each "
                               "axis of the grid");
        if constexpr (!is_long) {
            return tx::detail::failed{};
        } else {
            if (dims const extents = tx::detail::shape_before_run(block); !detail::ops::holds_inside<widths>(extents, G::axes))
                throw shape_error(
                    "tx: mpi: stencil: a block must be at least as long as both sides of its halo together, on each "
                    "axis of the grid; given " +
                    to_string(extents));
            if constexpr (detail::ops::has_no_inside<widths>(known, G::axes))
                return f(tx::detail::apply(detail::ops::between_slabs_fn<widths>{}, block, slabs...));
            else return detail::ops::by_parts<widths, G::axes>(f, block, slabs...);
        }
    });
}

} // namespace tx::mpi
