// This file holds rows, which iterates over a tensor's parts along its first axis, and functions with masks: compress and
// set_where.
#pragma once

#include <tracexpr/trace/parts.hpp>

#include <compare>
#include <cstddef>
#include <iterator>
#include <utility>

namespace tx {
namespace detail {

// Gives the places where a mask is true. The loop has no branch that depends on the mask, as processors would mispredict it.
template <class Shape> tensor<std::int64_t, shape<dyn>> places_of(tensor<bool, Shape> const& mask) {
    bool const* const chosen = mask.data();
    std::int64_t const n = mask.size();
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += chosen[i];
    auto out = tensor<std::int64_t, shape<dyn>>::uninitialized(dims{{count}, 1});
    std::int64_t* const to = out.mutable_data();
    for (std::int64_t i = 0, at = 0; at < count; ++i) {
        to[at] = i;
        at += chosen[i];
    }
    return out;
}
[[noreturn]] TRACEXPR_ONCE void throw_unfit_mask(dims const& mask, dims const& x) {
    throw shape_error("tx: compress: the mask must have the shape of x, or, with an axis, its extent there; given " +
                      to_string(mask) + ", " + to_string(x));
}
// A range of a tensor's parts along its first axis, which are computed when they are read.
template <class Tensor> class row_range {
public:
    // An iterator refers to its range, which must live longer. Iterators compare by their places alone.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag; // references are computed values
        using iterator_concept = std::random_access_iterator_tag;
        using value_type = std::remove_cvref_t<decltype(std::declval<Tensor const&>()[std::int64_t{}])>;
        using difference_type = std::ptrdiff_t;

        iterator() = default;
        iterator(Tensor const& of, std::int64_t place) : of_{&of}, place_{place} {}
        value_type operator*() const { return (*of_)[place_]; }
        value_type operator[](difference_type n) const { return (*of_)[place_ + n]; }
        iterator& operator+=(difference_type n) { return place_ += n, *this; }
        iterator& operator-=(difference_type n) { return place_ -= n, *this; }
        iterator& operator++() { return *this += 1; }
        iterator& operator--() { return *this -= 1; }
        iterator operator++(int) { return std::exchange(*this, *this + 1); }
        iterator operator--(int) { return std::exchange(*this, *this - 1); }
        friend iterator operator+(iterator i, difference_type n) { return i += n; }
        friend iterator operator+(difference_type n, iterator i) { return i += n; }
        friend iterator operator-(iterator i, difference_type n) { return i -= n; }
        friend difference_type operator-(iterator const& a, iterator const& b) { return a.place_ - b.place_; }
        friend bool operator==(iterator const& a, iterator const& b) { return a.place_ == b.place_; }
        friend auto operator<=>(iterator const& a, iterator const& b) { return a.place_ <=> b.place_; }

    private:
        Tensor const* of_ = nullptr;
        std::int64_t place_ = 0;
    };
    explicit row_range(Tensor const& of) : of_{of} {}
    iterator begin() const { return {of_, 0}; }
    iterator end() const { return {of_, of_.extent(0)}; }
    std::size_t size() const { return static_cast<std::size_t>(of_.extent(0)); }
    bool empty() const { return size() == 0; }
    auto operator[](std::int64_t i) const { return of_[i]; }

private:
    Tensor of_;
};
template <class M, class A> constexpr bool check_compress() {
    constexpr bool has_values = !expr_type<M> && !expr_type<A>;
    constexpr bool is_mask = any_unusable<M> || dtype_of_operand<M> == dtype::boolean;
    static_assert(has_values, "tx: compress: how many elements there are follows from the mask's values, which a trace hasn't: "
                              "compress outside of the callable, or choose with tx::where or tx::set_where");
    static_assert(is_mask, "tx: compress: the mask must be bool");
    if constexpr (any_unusable<M, A>) return used<M, A>(), false;
    else return has_values && is_mask;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The parts of x along its first axis, for a C++ loop: for (auto row : tx::rows(x)). For a tensor it gives a range that keeps a
// copy of the tensor and computes the parts; for an expr, whose type must show how many they are, it gives what tx::unstack does.
template <array_operand A> [[nodiscard]] constexpr auto rows(A const& x) {
    constexpr dims d = detail::dims_of_operand<A>;
    static_assert(d.rank != 0, "tx: rows: a scalar has none");
    if constexpr (expr_type<A>) {
        constexpr bool is_known = d.rank > 0 && d[0] != dyn;
        static_assert(is_known,
                      "tx: rows: while it is traced, the type must tell how many there are; tx::map and tx::scan go along an "
                      "axis that only the run knows");
        if constexpr (is_known) return unstack(x);
        else return std::array<detail::failed, 0>{};
    } else {
        auto const held = detail::as_operand(detail::plain_operand(x));
        return detail::row_range(held);
    }
}

// The elements of x where the mask, which has x's shape, is true, in row-major order; or, with an axis, the parts of x at the
// places of that axis where the mask, a vector, is true. The number of elements depends on the mask's values, so it takes tensors
// outside of callables. Throws shape_error where the shapes don't fit.
template <array_operand M, array_operand A> [[nodiscard]] auto compress(M const& mask, A const& x) {
    if constexpr (detail::check_compress<M, A>()) {
        auto const chosen = detail::as_operand(detail::plain_operand(mask));
        if (chosen.dimensions() != detail::shape_of_held(x))
            detail::throw_unfit_mask(chosen.dimensions(), detail::shape_of_held(x));
        return take(x, detail::places_of(chosen));
    } else return detail::failed{};
}
template <int Axis, array_operand M, array_operand A> [[nodiscard]] auto compress(M const& mask, A const& x, axes_t<Axis>) {
    if constexpr (detail::check_compress<M, A>()) {
        auto const chosen = detail::as_operand(detail::plain_operand(mask));
        dims const d = detail::shape_of_held(x);
        int const at = normalized_axis(Axis, d.rank);
        if (at < 0 || at >= d.rank || chosen.rank() != 1 || chosen.size() != d[at])
            detail::throw_unfit_mask(chosen.dimensions(), d);
        return take(x, detail::places_of(chosen), axis<Axis>);
    } else return detail::failed{};
}
// x with v where the mask is true: where(mask, v, x) in the dtype and shape of x, to which mask and v broadcast.
template <array_operand A, operand M, operand V> [[nodiscard]] constexpr auto set_where(A const& x, M const& mask, V const& v) {
    constexpr bool is_mask = detail::dtype_of_operand<M> == dtype::boolean;
    constexpr bool keeps = detail::keeps_dtype<A, V>();
    constexpr bool fits = detail::fills(detail::dims_of_operand<M>, detail::dims_of_operand<A>) &&
                          detail::fills(detail::dims_of_operand<V>, detail::dims_of_operand<A>);
    static_assert(is_mask, "tx: set_where: the mask must be bool");
    static_assert(fits, "tx: set_where: the mask and the value must broadcast to the shape of x");
    if constexpr (!is_mask || !keeps || !fits) return detail::failed{};
    else return where(mask, v, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
