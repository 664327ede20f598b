// A halo holds the elements that a block of a distributed tensor needs of the blocks around it. The messages are exchanges of
// slabs, one axis after the other, and a slab includes what was received along earlier axes: so corners are included, and each
// rank only talks to its neighbours along axes. The block itself is copied once, when the result is concatenated.
#pragma once

#include <tracexpr/mpi/grid.hpp>
#include <tracexpr/mpi/ops.hpp>
#include <tracexpr/trace/joining.hpp>
#include <tracexpr/trace/parts.hpp>

#include <cstdint>
#include <tuple>

namespace tx::mpi {
namespace detail::ops {

struct halo_width {
    std::int64_t before = -1, behind = -1;
};
template <std::int64_t... Elements> constexpr halo_width width_of(widths_t<Elements...>) {
    std::int64_t const given[]{Elements..., -1};
    if (sizeof...(Elements) == 1) return {given[0], given[0]};
    return sizeof...(Elements) == 2 ? halo_width{given[0], given[1]} : halo_width{};
}
// Holds the numbers of elements that a halo has before and behind the block on each axis of a grid.
template <int Axes, class... Widths> struct halo_widths {
    static constexpr std::array<halo_width, sizeof...(Widths)> given{width_of(Widths{})...};
    static constexpr halo_width on(int axis) { return given[given.size() == 1 ? 0 : static_cast<std::size_t>(axis)]; }
    static constexpr std::int64_t before(int axis) { return on(axis).before; }
    static constexpr std::int64_t behind(int axis) { return on(axis).behind; }
    static constexpr bool fits() {
        for (halo_width const& width : given)
            if (width.before < 0 || width.behind < 0) return false;
        return given.size() == 1 || given.size() == static_cast<std::size_t>(Axes);
    }
};

// Returns the shape of a block with a halo on its first `axes` axes.
template <class Widths> constexpr dims with_halo(dims d, int axes) {
    for (int axis = 0; axis < axes && axis < d.rank; ++axis)
        if (d[axis] != dyn) d[axis] += Widths::before(axis) + Widths::behind(axis);
    return d;
}
// Returns the first axis along which the block is shorter than the halo that its neighbours need, or -1 where there is none.
template <class Widths> constexpr int axis_too_short(dims const& d, int axes) {
    for (int axis = 0; axis < axes && axis < d.rank; ++axis)
        if (d[axis] != dyn && (d[axis] < Widths::before(axis) || d[axis] < Widths::behind(axis))) return axis;
    return -1;
}

template <class Widths> void require_block(dims const& extents, int axes) {
    if (extents.rank >= 0 && extents.rank < axes)
        throw shape_error("tx: mpi: halo: a block must have an axis for each of the grid's " + std::to_string(axes) +
                          ", which come first; given " + to_string(extents));
    if (int const axis = axis_too_short<Widths>(extents, axes); axis >= 0)
        throw shape_error(
            "tx: mpi: halo: a block must be at least as long as its halo is wide, on each axis of the grid; given " +
            to_string(extents) + ", and on axis " + std::to_string(axis) + " a halo of " + std::to_string(Widths::before(axis)) +
            " before and " + std::to_string(Widths::behind(axis)) + " behind");
}

// Concatenates x with the slabs around it; each axis has one before x and one behind.
template <class Widths> constexpr node_id between_slabs(lowering& low, node_id x, table_view<node_id> slabs) {
    for (std::size_t k = 0; k + 1 < slabs.size(); k += 2) {
        int const axis = static_cast<int>(k / 2);
        node_id parts[3];
        std::size_t count = 0;
        if (Widths::before(axis)) parts[count++] = slabs[k];
        parts[count++] = x;
        if (Widths::behind(axis)) parts[count++] = slabs[k + 1];
        x = low.concatenate({parts, count}, axis);
    }
    return x;
}
template <class Widths> struct between_slabs_fn {
    static constexpr char const* called = "mpi: halo";
    template <class Shape, int Axes> struct result {
        static constexpr dims value = with_halo<Widths>(dims_of<Shape>, Axes);
    };
    template <class A, class... S> constexpr auto operator()(A const& x, S const&... slabs) const {
        using type = expr<typename A::value_type, shape_from<result<typename A::shape_type, static_cast<int>(sizeof...(S) / 2)>>>;
        lowering low(x.scope());
        node_id const around[]{slabs.id()...};
        return type(x.scope(), between_slabs<Widths>(low, x.id(), around));
    }
};

// Returns the first or last `width` elements along an axis. Where the extent of x is known only when the program runs, the run
// checks that there are so many.
constexpr node_id end_of(lowering& low, node_id x, int axis, bool first, std::int64_t width) {
    node_id const cut = first ? low.slice(x, axis, 0, width) : low.slice(x, axis, width ? -width : 0, width ? slice_open : 0);
    if (low.extent(cut, axis) == width) return cut;
    attribute_list target;
    for (int other = 0; other < low.rank(cut); ++other) target.push_back(other == axis ? width : low.copied(cut, other));
    return low.reshape(cut, target);
}

// Records the slab that a neighbour along an axis needs: the first or last elements of x, extended by what x has received along
// the axes before.
template <class Widths, int Axis, bool First> struct border_fn {
    static constexpr char const* called = "mpi: halo";
    static constexpr std::int64_t width = First ? Widths::behind(Axis) : Widths::before(Axis);
    template <class Shape> struct result {
        static constexpr dims value = [] {
            dims out = with_halo<Widths>(dims_of<Shape>, Axis);
            if (out.rank >= 0) out[Axis] = width;
            return out;
        }();
    };
    template <class A, class... S> constexpr auto operator()(A const& x, S const&... slabs) const {
        lowering low(x.scope());
        low.require_rank(op::slice, x.id());
        node_id const around[]{part(low, slabs.id())..., node_id::none};
        node_id const out = between_slabs<Widths>(low, part(low, x.id()), {around, sizeof...(S)});
        return expr<typename A::value_type, shape_from<result<typename A::shape_type>>>(x.scope(), out);
    }
    static constexpr node_id part(lowering& low, node_id x) { return end_of(low, x, Axis, First, width); }
};

// Sends a border one step along an axis, and gives what comes from the other side. An axis with one place needs no message.
template <std::int64_t Width, class A, grid_type G>
constexpr auto exchanged_border(A const& border, G const& along, int axis, int step) {
    auto const zeros = [&] { return A(tx::zeros_like(border)); };
    if (Width == 0) return border;
    if (along.extents()[static_cast<std::size_t>(axis)] == 1) return along.is_periodic(axis) ? border : zeros();
    return A(exchange(border, along.neighbour(axis, step), along.neighbour(axis, -step), along.communicator()));
}
// Exchanges all slabs around x, one axis after the other.
template <class Widths, class A, grid_type G, class... S>
constexpr auto slabs_around(A const& x, G const& among, S const&... so_far) {
    constexpr int axis = static_cast<int>(sizeof...(S) / 2);
    if constexpr (axis == G::axes) {
        return std::tuple{so_far...};
    } else {
        auto const last = tx::detail::apply(border_fn<Widths, axis, false>{}, x, so_far...);
        auto const before = exchanged_border<Widths::before(axis)>(last, among, axis, 1);
        auto const first = tx::detail::apply(border_fn<Widths, axis, true>{}, x, so_far...);
        auto const behind = exchanged_border<Widths::behind(axis)>(first, among, axis, -1);
        return slabs_around<Widths>(x, among, so_far..., before, behind);
    }
}

template <class A, class G, class Widths> constexpr bool check_halo() {
    constexpr bool has_widths = Widths::fits();
    static_assert(has_widths, "tx: mpi: halo: takes one width, halo<1>, or one for each axis of the grid, halo<1, 2>; "
                              "tx::widths<1, 2> are those before and behind; none is negative");
    if constexpr (!has_widths) {
        return false;
    } else {
        constexpr dims d = dims_of_operand<A>;
        constexpr bool has_axes = d.rank < 0 || d.rank >= G::axes;
        constexpr bool is_long = axis_too_short<Widths>(d, G::axes) < 0;
        static_assert(has_axes, "tx: mpi: halo: a block must have an axis for each of the grid's, which come first");
        static_assert(is_long, "tx: mpi: halo: a block must be at least as long as its halo is wide, on each axis of the grid");
        return has_axes && is_long;
    }
}
// Returns f(block, slabs...) for each leaf of a tree.
template <class Widths, class A, grid_type G, class F> constexpr auto with_slabs(A const& x, G const& among, F const& f) {
    auto const of_leaf = [&](auto const& part) {
        auto const& block = plain_operand(part);
        if constexpr (!check_halo<std::remove_cvref_t<decltype(block)>, G, Widths>()) {
            return failed{};
        } else {
            require_block<Widths>(shape_before_run(block), G::axes);
            return std::apply([&](auto const&... slabs) { return f(block, slabs...); }, slabs_around<Widths>(block, among));
        }
    };
    if constexpr (operand<A>) return of_leaf(x);
    else return tree_map(of_leaf, x);
}

} // namespace detail::ops

// Gives this rank's block of a tensor with a halo. The tensor is cut along the axes of a grid, which are the block's first axes;
// the halo has elements of the neighbours' blocks on both sides of each of these axes, corners included, and zeros beyond walls.
// The other axes of the block are kept. All ranks must call it, with blocks that have equal extents along all axes except the one
// along which they are neighbours.
//     halo<1>(x, grid)       one element wide on each axis         halo<1, 2>(x, grid)   one on the first axis, two on the second
//     halo(x, grid, tx::widths<0, 1>)                 none before and one behind on each axis; or such widths for each axis
template <class A, grid_type G, std::int64_t... First, class... Rest>
constexpr auto halo(A const& x, G const& among, widths_t<First...> first, Rest... rest) {
    using widths = detail::ops::halo_widths<G::axes, decltype(first), Rest...>;
    static_cast<void>(first), (static_cast<void>(rest), ...);
    return detail::ops::with_slabs<widths>(x, among, [](auto const& block, auto const&... slabs) {
        return tx::detail::apply(detail::ops::between_slabs_fn<widths>{}, block, slabs...);
    });
}
template <std::int64_t... Widths, class A, grid_type G> requires(sizeof...(Widths) > 0)
constexpr auto halo(A const& x, G const& among) {
    return halo(x, among, widths<Widths>...);
}

// Gives the slabs of such a halo as tx::mpi::halo has, but not joined to the block, which is not copied: a tuple (before, behind,
// before, behind, ...), one axis after the other. A slab has the extents of block and halo along the axes before its own, and
// those of the block along the axes behind: auto [north, south, west, east] = halo_borders<1>(x, grid) has the corners in west
// and east.
template <class A, grid_type G, std::int64_t... First, class... Rest>
constexpr auto halo_borders(A const& x, G const& among, widths_t<First...> first, Rest... rest) {
    using widths = detail::ops::halo_widths<G::axes, decltype(first), Rest...>;
    static_cast<void>(first), (static_cast<void>(rest), ...);
    return detail::ops::with_slabs<widths>(x, among, [](auto const&, auto const&... slabs) { return std::tuple{slabs...}; });
}
template <std::int64_t... Widths, class A, grid_type G> requires(sizeof...(Widths) > 0)
constexpr auto halo_borders(A const& x, G const& among) {
    return halo_borders(x, among, widths<Widths>...);
}

} // namespace tx::mpi
