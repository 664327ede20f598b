// This file converts the standard library's containers and ranges to tensors, and back.
#pragma once

#include <tracexpr/base/create.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace tx {
namespace detail {

// This concept uses iterators, as <ranges> takes as long to compile as everything else that is included.
template <class R> concept range_of_items = !std::is_convertible_v<R const&, std::string_view> && requires(R& r) {
    { std::ranges::begin(r) } -> std::input_iterator;
    std::ranges::end(r);
};
template <class R> using item_of =
    std::remove_cvref_t<std::iter_reference_t<decltype(std::ranges::begin(std::declval<R const&>()))>>;

// This gives the innermost elements of nested ranges and the depth of nesting. The extents of a std::array are known.
template <class R> struct nested_range {
    using element = canonical<R>;
    static constexpr int depth = 0;
    template <std::int64_t... E> using shape_behind = shape<E...>;
};
template <range_of_items R> requires range_of_items<R const> struct nested_range<R> {
    using inner = nested_range<item_of<R>>;
    using element = typename inner::element;
    static constexpr int depth = inner::depth + 1;
    template <std::int64_t... E> using shape_behind = typename inner::template shape_behind<E..., dyn>;
};
template <class T, std::size_t N> struct nested_range<std::array<T, N>> {
    using inner = nested_range<T>;
    using element = typename inner::element;
    static constexpr int depth = inner::depth + 1;
    template <std::int64_t... E> using shape_behind = typename inner::template shape_behind<E..., static_cast<std::int64_t>(N)>;
};

[[noreturn]] TRACEXPR_ONCE void throw_unequal_ranges(int axis, std::int64_t first, std::int64_t other) {
    throw shape_error("tx: from_range: the ranges within a range must be equally long; given " + std::to_string(first) + " and " +
                      std::to_string(other) + " elements along axis " + std::to_string(axis));
}
template <int Depth, class R, class T> constexpr void append_range(R const& range, std::vector<T>& to, dims& extents) {
    std::int64_t count = 0;
    for (auto const& item : range) {
        if constexpr (nested_range<R>::depth == 1) to.push_back(static_cast<T>(item));
        else append_range<Depth + 1>(item, to, extents);
        ++count;
    }
    if (extents[Depth] < 0) extents[Depth] = count;
    else if (extents[Depth] != count) throw_unequal_ranges(Depth, extents[Depth], count);
}

} // namespace detail

// Gives a tensor with a copy of a range's elements: a std::vector, std::span, std::list or view of numbers gives a vector, ranges
// of ranges give a matrix, and so on; a std::array gives an extent that the type knows. Throws shape_error if inner ranges differ
// in length.
template <detail::range_of_items R> requires detail::range_of_items<R const>
[[nodiscard]] constexpr auto from_range(R const& range) {
    using nested = detail::nested_range<R>;
    constexpr bool has_elements = element<typename nested::element>, has_rank = nested::depth <= max_rank;
    static_assert(has_elements, "tx: from_range: the range must hold numbers, strings, or ranges of them");
    static_assert(has_rank, "tx: from_range: tensors have at most 8 axes");
    if constexpr (has_elements && has_rank) {
        using result = tensor<typename nested::element, typename nested::template shape_behind<>>;
        std::vector<typename nested::element> all;
        dims extents{{}, nested::depth};
        for (int axis = 0; axis < extents.rank; ++axis) extents[axis] = dyn;
        detail::append_range<0>(range, all, extents);
        for (int axis = 0; axis < extents.rank; ++axis) // These extents are behind a range without elements.
            if (extents[axis] < 0) extents[axis] = std::max<std::int64_t>(result::static_dims()[axis], 0);
        auto out = result::uninitialized(extents);
        auto* const to = out.mutable_data();
        for (std::size_t i = 0; i < all.size(); ++i) to[i] = all[i]; // A std::vector<bool> has no pointer to its elements.
        return out;
    }
}
// Gives the elements in row-major order.
template <class T, class Shape> [[nodiscard]] constexpr std::vector<T> to_vector(tensor<T, Shape> const& t) {
    std::vector<T> out;
    out.reserve(static_cast<std::size_t>(t.size()));
    for (auto const& x : t) out.push_back(x);
    return out;
}

} // namespace tx
