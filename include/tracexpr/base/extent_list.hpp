// This file gives the extents of tensors, and of exprs in a trace, as numbers, with errors where an extent isn't known.
#pragma once

#include <tracexpr/base/failed.hpp>
#include <tracexpr/base/shape.hpp>

#include <string>

namespace tx {
namespace detail {

[[noreturn]] TRACEXPR_ONCE void throw_bad_axis(int axis, dims const& d) {
    throw shape_error("tx: extent: the axis must be one of the " + std::to_string(d.rank) + " of shape " + to_string(d) +
                      "; given " + std::to_string(axis));
}
[[noreturn]] TRACEXPR_ONCE void throw_unknown_extent(dims const& d) {
    throw unknown_extent(
        "tx: extent: while it is traced, a value of shape " + to_string(d) +
        " has no number for an extent that only the run knows; write "
        "tx::extent<0>(x) or tx::size(x), which stand for it, and take x.extent(0) where the type or the call tells it");
}
// These answer what a tensor or expr of shape d is asked for; they throw trace_error for what a symbolic shape doesn't know.
constexpr int checked_rank(dims const& d) {
    if (d.rank < 0) throw_unknown_extent(d); // only the run knows the rank: give the type one, tx::shape<tx::dyn, tx::dyn>
    return d.rank;
}
// Gives the extent of an axis; negative axes count from the end.
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

} // namespace detail

// extent_list is a short list, by value, of a tensor's extents. It compares with any range of integers.
class extent_list {
public:
    constexpr explicit extent_list(dims const& d) : dims_{d} {}
    constexpr std::int64_t const* begin() const { return dims_.extent; }
    constexpr std::int64_t const* end() const { return dims_.extent + size(); }
    constexpr std::size_t size() const { return dims_.rank < 0 ? 0 : static_cast<std::size_t>(dims_.rank); }
    constexpr std::int64_t operator[](std::size_t axis) const { return dims_.extent[axis]; }
    friend constexpr bool operator==(extent_list const& a, extent_list const& b) { return a.dims_ == b.dims_; }
    template <class Range> requires requires(Range const& range) {
        { *range.begin() } -> std::convertible_to<std::int64_t>;
    } friend constexpr bool operator==(extent_list const& a, Range const& b) {
        std::size_t axis = 0;
        for (auto extent : b)
            if (axis == a.size() || a[axis++] != static_cast<std::int64_t>(extent)) return false;
        return axis == a.size();
    }

private:
    dims dims_;
};

} // namespace tx
