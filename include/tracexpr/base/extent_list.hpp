// What extents() of a tensor or an expr gives.
#pragma once

#include <tracexpr/base/shape.hpp>

#include <concepts>

namespace tx {

// The extents of a tensor: a short list by value. Compares with any range of integers.
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
