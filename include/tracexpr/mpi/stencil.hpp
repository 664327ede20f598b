// tx::mpi::stencil applies a function to a block and its halo in parts: the inside of the block needs no neighbour, and is
// computed while the messages travel; the borders are computed when they have arrived.
#pragma once

#include <tracexpr/mpi/halo.hpp>

#include <cstdint>
#include <tuple>
#include <utility>

namespace tx::mpi {
namespace detail::ops {

template <int Axis, bool First, std::int64_t Width> struct end_fn {
    static constexpr char const* called = "mpi: stencil";
    template <class Shape> struct result {
        static constexpr dims value = [] {
            dims out = dims_of<Shape>;
            if (out.rank >= 0) out[Axis] = Width;
            return out;
        }();
    };
    template <class A> constexpr auto operator()(A const& x) const {
        lowering low(x.scope());
        low.require_rank(op::slice, x.id());
        return expr<typename A::value_type, shape_from<result<typename A::shape_type>>>(x.scope(),
                                                                                        end_of(low, x.id(), Axis, First, Width));
    }
};

// Holds a block, the slabs around it, and the function f that is applied to both.
template <class Widths, class F, class A, class Slabs> struct stencil_parts {
    F const& f;
    A const& block;
    Slabs const& slabs;

    template <int Axis> constexpr auto const& before() const { return std::get<2 * Axis>(slabs); }
    template <int Axis> constexpr auto const& behind() const { return std::get<2 * Axis + 1>(slabs); }

    // Returns a part of the block along an axis, with its halo along the axes before that axis.
    template <int Axis, int Joined = 0, class Cut, class B> constexpr auto with_corners(Cut const& cut, B const& thin) const {
        if constexpr (Joined == Axis) {
            return thin;
        } else {
            constexpr std::int64_t front = Widths::before(Joined), back = Widths::behind(Joined);
            auto const wider = [&] {
                if constexpr (front > 0 && back > 0)
                    return concat(axis<Joined>, cut(before<Joined>()), thin, cut(behind<Joined>()));
                else if constexpr (front > 0) return concat(axis<Joined>, cut(before<Joined>()), thin);
                else if constexpr (back > 0) return concat(axis<Joined>, thin, cut(behind<Joined>()));
                else return thin;
            }();
            return with_corners<Axis, Joined + 1>(cut, wider);
        }
    }
    // Extends the result of f for the block without halo to that for the block with halo, one axis after the other.
    template <int Axis, class R> constexpr auto widened(R const& inside) const {
        if constexpr (2 * Axis == std::tuple_size_v<Slabs>) {
            return inside;
        } else {
            constexpr std::int64_t front = Widths::before(Axis), back = Widths::behind(Axis);
            auto const wider = [&] {
                if constexpr (front > 0 && back > 0) return concat(axis<Axis>, at_front<Axis>(), inside, at_back<Axis>());
                else if constexpr (front > 0) return concat(axis<Axis>, at_front<Axis>(), inside);
                else if constexpr (back > 0) return concat(axis<Axis>, inside, at_back<Axis>());
                else return inside;
            }();
            return widened<Axis + 1>(wider);
        }
    }
    // Returns the result of f at the front border of an axis, as many elements as the halo has there; at_back is that at the
    // other end.
    template <int Axis> constexpr auto at_front() const {
        auto const out = f(concat(axis<Axis>, before<Axis>(), end_with_corners<Axis, true>()));
        return checked<Axis, Widths::before(Axis)>(out);
    }
    template <int Axis> constexpr auto at_back() const {
        auto const out = f(concat(axis<Axis>, end_with_corners<Axis, false>(), behind<Axis>()));
        return checked<Axis, Widths::behind(Axis)>(out);
    }
    template <int Axis, bool First> constexpr auto end_with_corners() const {
        auto const cut = [](auto const& x) {
            return tx::detail::apply(end_fn<Axis, First, Widths::before(Axis) + Widths::behind(Axis)>{}, x);
        };
        return with_corners<Axis>(cut, cut(block));
    }
    template <int Axis, std::int64_t Extent, class R> static constexpr auto checked(R const& made) {
        constexpr dims d = tx::detail::dims_of_operand<R>;
        constexpr bool fits = d.rank < 0 || (d.rank > Axis && (d[Axis] == dyn || d[Axis] == Extent));
        static_assert(fits,
                      "tx: mpi: stencil: the function must give a block that is shorter than the one that it is given, by both "
                      "sides of the halo, on each axis of the grid");
        return made;
    }
};

template <class Widths> constexpr bool holds_inside(dims const& d, int axes) {
    for (int axis = 0; axis < axes && axis < d.rank; ++axis)
        if (d[axis] != dyn && d[axis] < Widths::before(axis) + Widths::behind(axis)) return false;
    return true;
}
// Returns whether the borders cover the whole block along some axis.
template <class Widths> constexpr bool has_no_inside(dims const& d, int axes) {
    for (int axis = 0; axis < axes && axis < d.rank; ++axis)
        if (d[axis] == Widths::before(axis) + Widths::behind(axis)) return true;
    return false;
}
// Returns whether `given` is shorter than the block by the widths of the halo.
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
    return stencil_parts<Widths, F, A, std::remove_const_t<decltype(around)>>{f, block, around}.template widened<0>(inside);
}

} // namespace detail::ops

// Computes f(halo<Widths...>(x, grid)) for an f that computes each element from elements near it: f maps any block to one that is
// shorter by the halo on the grid's axes, as slices or a convolution without padding do. f is called for the inside of the block
// and for strips along its borders. In a function the inside is computed while the neighbours' slabs travel, and the block is not
// copied. x is one tensor (several fields are one more axis of it, behind the grid's axes), at least as long along each of the
// grid's axes as both sides of the halo together; the result is as long as x along them. f must not itself take part in
// collectives.
template <std::int64_t... Widths, class F, operand A, grid_type G> requires(sizeof...(Widths) > 0)
constexpr auto stencil(F const& f, A const& x, G const& among) {
    return stencil(f, x, among, widths<Widths>...);
}
// Computes the same stencil with widths as halo(x, grid, tx::widths<0, 1>) takes them.
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
