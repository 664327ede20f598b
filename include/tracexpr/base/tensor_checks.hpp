// This file has the checks for what a tensor is asked for and can't give: elements that don't exist, places outside, extents that
// no memory holds. Each has an error that says so. It knows only shapes.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>
#include <tracexpr/base/identity.hpp>
#include <tracexpr/base/shape.hpp>

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

namespace tx::detail {

template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_symbolic(char const* caller) {
    bool const is_element = caller == std::string_view("operator()");
    throw trace_error(std::string("tx: ") + caller + ": a symbolic tensor has no values while it is traced; " +
                      (is_element
                           ? "x(i, j) of a tensor is a number: write x[i][j] or tx::slice(x, i, j) for that part of the trace"
                           : "return it from the callable, or compute with it (tx::where instead of if), and read the result"));
}
TRACEXPR_INSTANCE(void throw_symbolic<void>(char const*))
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_elsewhere(remote_elements const& from) {
    throw device_error("tx: a function or op on the cpu was given a tensor on " + from.device(from) +
                       "; place the function there with tx::on, or bring the tensor here with tx::to(tx::cpu{}, x)");
}
TRACEXPR_INSTANCE(void throw_elsewhere<void>(remote_elements const&))
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_not_one(char const* caller, dims const& d) {
    throw shape_error("tx: " + std::string(caller) + ": the tensor must have exactly one element; it has shape " + to_string(d));
}
TRACEXPR_INSTANCE(void throw_not_one<void>(char const*, dims const&))
// This tells whether a tensor of that type may have exactly one element.
template <class Shape> inline constexpr bool may_be_one = !dims_of<Shape>.is_static() || dims_of<Shape>.size() == 1;
template <class Unused = void>
[[noreturn]] TRACEXPR_NOINLINE void throw_bad_place(dims const& d, std::initializer_list<std::int64_t> index) {
    std::string given;
    for (std::int64_t const i : index) given += (given.empty() ? "" : ", ") + std::to_string(i);
    throw shape_error("tx: operator(): there must be an index for each axis of shape " + to_string(d) +
                      ", within its extent; given (" + given + ")");
}
TRACEXPR_INSTANCE(void throw_bad_place<void>(dims const&, std::initializer_list<std::int64_t>))
// Gives the number, in row-major order, of the element at one index for each axis; negative indices count from the end.
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
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_bad_extents(char const* caller, dims const& d) {
    throw shape_error(std::string("tx: ") + caller +
                      ": extents must not be negative, nor ask for more memory than can be addressed; given " +
                      to_string(d, "-1")); // A given extent is not open.
}
TRACEXPR_INSTANCE(void throw_bad_extents<void>(char const*, dims const&))

// Throws unless a tensor of this shape, elements included, can exist.
TRACEXPR_ONCE constexpr void check_extents(char const* caller, dims const& d, std::size_t element_bytes) {
    std::int64_t left = std::numeric_limits<std::int64_t>::max() / 2 / static_cast<std::int64_t>(element_bytes);
    for (int axis = 0; axis < d.rank; ++axis)
        if (d[axis] < 0) throw_bad_extents(caller, d);
    for (int axis = 0; axis < d.rank; ++axis)
        if (d[axis] == 0) return;
    for (int axis = 0; axis < d.rank; ++axis) {
        if (d[axis] > left) throw_bad_extents(caller, d);
        left /= d[axis];
    }
}

} // namespace tx::detail
