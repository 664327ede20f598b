// What a tensor or expr is asked for and can't give: extents that nobody knows yet, elements that are not there, places outside,
// each with the error that says so. Knows only shapes.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>
#include <tracexpr/base/identity.hpp>
#include <tracexpr/base/nested.hpp>
#include <tracexpr/base/shape.hpp>

#include <initializer_list>
#include <limits>
#include <string>

namespace tx::detail {

template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_symbolic(char const* what) {
    throw trace_error(std::string("tx: ") + what +
                      ": a symbolic tensor has no values while it is traced; return it from the "
                      "callable, or compute with it (tx::where instead of if), and read the result");
}
TRACEXPR_INSTANCE(void throw_symbolic<void>(char const*))
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_elsewhere(remote_elements const& from) {
    throw device_error("tx: a function or op on the cpu was given a tensor on " + from.device(from) +
                       "; place the function there with tx::on, or bring the tensor here with tx::to(tx::cpu{}, x)");
}
TRACEXPR_INSTANCE(void throw_elsewhere<void>(remote_elements const&))
[[noreturn]] TRACEXPR_NOINLINE inline void throw_not_one(dims const& d) {
    throw shape_error("tx: item: the tensor must have exactly one element; it has shape " + to_string(d));
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_bad_axis(int axis, dims const& d) {
    throw shape_error("tx: extent: the axis must be one of the " + std::to_string(d.rank) + " of shape " + to_string(d) +
                      "; given " + std::to_string(axis));
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_unknown_extent(dims const& d) {
    throw unknown_extent(
        "tx: extent: while it is traced, a value of shape " + to_string(d) +
        " has no number for an extent that only the run knows; write "
        "tx::extent<0>(x) or tx::size(x), which stand for it, and take x.extent(0) where the type or the call tells it");
}
// What a tensor or expr of that shape is asked for; of a symbolic one it may be unknown.
constexpr int checked_rank(dims const& d) {
    if (d.rank < 0) throw_unknown_extent(d); // only the run knows the rank: give the type one, tx::shape<tx::dyn, tx::dyn>
    return d.rank;
}
// The extent of an axis; negative ones count from the last.
constexpr std::int64_t checked_extent(dims const& d, int axis) {
    int const rank = checked_rank(d), at = normalized_axis(axis, rank);
    if (at < 0 || at >= rank) throw_bad_axis(axis, d);
    if (d[at] == dyn) throw_unknown_extent(d); // only the run knows it: write tx::extent<0>(x), which stands for it
    return d[at];
}
constexpr std::int64_t checked_size(dims const& d) {
    std::int64_t const size = d.size();
    if (size == dyn) throw_unknown_extent(d); // only the run knows it: write tx::size(x), which stands for it
    return size;
}
constexpr dims const& checked_extents(dims const& d) {
    if (!d.is_static()) throw_unknown_extent(d); // only the run knows them: write tx::extent<0>(x), which stands for one
    return d;
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_bad_place(dims const& d, std::initializer_list<std::int64_t> index) {
    std::string given;
    for (std::int64_t const i : index) given += (given.empty() ? "" : ", ") + std::to_string(i);
    throw shape_error("tx: operator(): there must be an index for each axis of shape " + to_string(d) +
                      ", within its extent; given (" + given + ")");
}
// The number, in row-major order, of the element at one index for each axis; negative ones count from the end.
constexpr std::int64_t element_number(dims const& d, std::initializer_list<std::int64_t> index) {
    if (d.rank != static_cast<int>(index.size())) throw_bad_place(d, index);
    std::int64_t at = 0;
    int axis = 0;
    for (std::int64_t const i : index) {
        std::int64_t const extent = d[axis++], place = i < 0 ? i + extent : i;
        if (place < 0 || place >= extent) [[unlikely]]
            throw_bad_place(d, index);
        at = at * extent + place;
    }
    return at;
}
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_bad_extents(char const* what, dims const& d) {
    throw shape_error(std::string("tx: ") + what +
                      ": extents must not be negative, nor ask for more memory than can be addressed; given " +
                      to_string(d, "-1")); // an extent that is given is not open
}
TRACEXPR_INSTANCE(void throw_bad_extents<void>(char const*, dims const&))

// Throws unless a tensor of this shape, elements included, can exist.
constexpr void check_extents(char const* what, dims const& d, std::size_t element_bytes) {
    std::int64_t left = std::numeric_limits<std::int64_t>::max() / 2 / static_cast<std::int64_t>(element_bytes);
    for (int axis = 0; axis < d.rank; ++axis)
        if (d[axis] < 0) throw_bad_extents(what, d);
    for (int axis = 0; axis < d.rank; ++axis)
        if (d[axis] == 0) return;
    for (int axis = 0; axis < d.rank; ++axis) {
        if (d[axis] > left) throw_bad_extents(what, d);
        left /= d[axis];
    }
}
// Throws unless `given`, with known extents, is a shape that the type `wanted` allows.
constexpr void check_fits(char const* what, dims const& wanted, dims const& given) {
    if (!may_equal(wanted, given)) throw_wrong_extents(what, wanted, given);
}

} // namespace tx::detail
