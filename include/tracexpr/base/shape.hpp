// This file has shapes, as types (shape<2, dyn>) and as values (dims), with broadcasting and axes. Extents are in elements; -1
// means that an extent is unknown.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace tx {

// This stands for an extent that is known only at run time.
inline constexpr std::int64_t dyn = -1;
inline constexpr int max_rank = 8;

// A shape has the extents of up to 8 axes, with tx::dyn for an extent that only the run knows; shape<> is that of a scalar.
template <std::int64_t... Extents> struct shape {
    static_assert(sizeof...(Extents) <= max_rank, "tx: shape: at most 8 axes");
    static_assert(((Extents >= 0 || Extents == dyn) && ...), "tx: shape: an extent is zero, positive or tx::dyn");
    static constexpr int rank = static_cast<int>(sizeof...(Extents));
    static constexpr bool is_static = ((Extents != dyn) && ...);
};
// any_shape is the shape type of tensors whose rank is known only at run time.
struct any_shape {};

// `dims` is a shape as a value. `rank == unknown_rank` stands for any_shape.
struct dims {
    static constexpr int unknown_rank = -1;

    std::int64_t extent[max_rank]{}; // A std::array would double the steps of constant evaluation.
    int rank = 0;

    constexpr std::int64_t operator[](int axis) const { return extent[axis]; }
    constexpr std::int64_t& operator[](int axis) { return extent[axis]; }
    constexpr void push_back(std::int64_t value) { extent[rank++] = value; }

    constexpr bool is_static() const {
        for (int axis = 0; axis < rank; ++axis)
            if ((*this)[axis] == dyn) return false;
        return rank >= 0;
    }
    // Gives the number of elements, or dyn.
    constexpr std::int64_t size() const {
        std::int64_t count = 1;
        for (int axis = 0; axis < rank; ++axis) {
            if ((*this)[axis] == dyn) return dyn;
            count *= (*this)[axis];
        }
        return rank < 0 ? dyn : count;
    }
    friend constexpr bool operator==(dims const& a, dims const& b) {
        if (a.rank != b.rank) return false;
        for (int axis = 0; axis < a.rank; ++axis)
            if (a[axis] != b[axis]) return false;
        return true;
    }
};

namespace detail {
template <class Shape> struct dims_of_shape;
template <std::int64_t... E> struct dims_of_shape<shape<E...>> {
    static constexpr dims value = [] {
        dims out;
        (out.push_back(E), ...);
        return out;
    }();
};
template <> struct dims_of_shape<any_shape> {
    static constexpr dims value{{}, dims::unknown_rank};
};

template <class Owner,
          class = std::make_index_sequence<Owner::value.rank<0 ? 0 : std::size_t(Owner::value.rank)>> struct shape_of_dims;
template <class Owner, std::size_t... I> struct shape_of_dims<Owner, std::index_sequence<I...>> {
    using type = std::conditional_t<(Owner::value.rank < 0), any_shape, shape<Owner::value.extent[I]...>>;
};
} // namespace detail

template <class T> inline constexpr bool is_shape = false;
template <std::int64_t... E> inline constexpr bool is_shape<shape<E...>> = true;
template <> inline constexpr bool is_shape<any_shape> = true;
// shape_type is tx::shape<...> or tx::any_shape.
template <class T> concept shape_type = is_shape<T>;

// dims_of gives the value of a shape type. shape_from is the inverse: `shape_from<Owner>` is the type for `Owner::value`, a
// constexpr dims.
template <shape_type Shape> inline constexpr dims dims_of = detail::dims_of_shape<Shape>::value;
template <class Owner> using shape_from = typename detail::shape_of_dims<Owner>::type;

// Gives a shape in NumPy's form: "(2, 3)", with `unknown` for an unknown extent, and "(...)" for an unknown rank.
namespace detail {
template <class Unused = void> std::string text_of(dims const& d, char const* unknown) {
    if (d.rank < 0) return "(...)";
    std::string out = "(";
    for (int axis = 0; axis < d.rank; ++axis) {
        if (axis) out += ", ";
        out += d[axis] == dyn ? std::string(unknown) : std::to_string(d[axis]);
    }
    return out + (d.rank == 1 ? ",)" : ")");
}
TRACEXPR_INSTANCE(std::string text_of<void>(dims const&, char const*))
} // namespace detail
inline std::string to_string(dims const& d, char const* unknown = "?") { return detail::text_of(d, unknown); }

// Broadcasts one axis: the extents must be equal, or one of them 1. An unknown extent becomes the other one unless that is 1, and
// is checked again when it is known. Returns false if the two can't match.
constexpr bool broadcast_extent(std::int64_t a, std::int64_t b, std::int64_t& out) {
    if (a == b || b == 1) out = a;
    else if (a == 1) out = b;
    else if (a == dyn) out = b;
    else if (b == dyn) out = a;
    else return false;
    return true;
}

constexpr bool broadcastable(dims const& a, dims const& b) {
    if (a.rank < 0 || b.rank < 0) return true;
    for (int i = 1; i <= a.rank && i <= b.rank; ++i) {
        std::int64_t extent = 0;
        if (!broadcast_extent(a[a.rank - i], b[b.rank - i], extent)) return false;
    }
    return true;
}

// Broadcasts as NumPy does. The shapes must be broadcastable.
constexpr dims broadcast(dims const& a, dims const& b) {
    if (a.rank < 0 || b.rank < 0) return dims{{}, dims::unknown_rank};
    dims out = a.rank >= b.rank ? a : b;
    int const common = a.rank < b.rank ? a.rank : b.rank;
    for (int i = 1; i <= common; ++i) {
        std::int64_t extent = 0;
        broadcast_extent(a[a.rank - i], b[b.rank - i], extent);
        out[out.rank - i] = extent;
    }
    return out;
}

// Tells whether values of shape `a` may turn out, at run time, to have shape `b`.
constexpr bool may_equal(dims const& a, dims const& b) {
    if (a.rank < 0 || b.rank < 0) return true;
    if (a.rank != b.rank) return false;
    for (int axis = 0; axis < a.rank; ++axis)
        if (a[axis] != b[axis] && a[axis] != dyn && b[axis] != dyn) return false;
    return true;
}

// Gives an axis counted from the front; a negative axis counts from the end.
constexpr int normalized_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

// Gives the row-major strides, in elements, of a shape with known extents.
constexpr std::array<std::int64_t, max_rank> row_major_strides(dims const& d) {
    std::array<std::int64_t, max_rank> strides{};
    std::int64_t step = 1;
    for (int axis = d.rank - 1; axis >= 0; --axis) {
        strides[static_cast<std::size_t>(axis)] = step;
        step *= d[axis];
    }
    return strides;
}

} // namespace tx
