// This file holds a minimal multidimensional span with std::mdspan's interface, for standard libraries that have none. The
// layouts and accessors are those of C++23, and one of each that C++23 does not have.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace spans {

inline constexpr std::size_t dynamic = static_cast<std::size_t>(-1);

template <class Index, std::size_t... E> class extents {
public:
    using index_type = Index;
    static constexpr std::size_t rank() { return sizeof...(E); }
    static constexpr std::size_t static_extent(std::size_t axis) {
        constexpr std::array<std::size_t, sizeof...(E) + 1> all{E..., 0};
        return all[axis];
    }
    constexpr extents() = default;
    constexpr explicit extents(std::array<Index, sizeof...(E)> const& given) : given_{given} {}
    template <class... I> requires(sizeof...(I) == sizeof...(E) && sizeof...(I) > 0 && (std::is_integral_v<I> && ...))
    constexpr explicit extents(I... given) : given_{static_cast<Index>(given)...} {}
    constexpr Index extent(std::size_t axis) const { return given_[axis]; }

private:
    std::array<Index, sizeof...(E)> given_{};
};

// The mapping of layouts that have a step for each axis.
template <class Extents, class Steps> struct strided_mapping {
    using index_type = typename Extents::index_type;
    Extents of;
    std::array<index_type, Extents::rank()> steps;

    constexpr explicit strided_mapping(Extents const& e) requires(!std::is_void_v<Steps>) : of{e}, steps{Steps::of(e)} {}
    constexpr strided_mapping(Extents const& e, std::array<index_type, Extents::rank()> const& s) requires(std::is_void_v<Steps>)
        : of{e}, steps{s} {}
    static constexpr bool is_strided() { return true; }
    constexpr index_type stride(std::size_t axis) const { return steps[axis]; }
    template <class... I> constexpr index_type operator()(I... i) const {
        index_type place = 0;
        std::size_t axis = 0;
        ((place = static_cast<index_type>(place + i * steps[axis++])), ...);
        return place;
    }
};
struct right_steps {
    template <class E> static constexpr auto of(E const& e) {
        std::array<typename E::index_type, E::rank()> out{};
        typename E::index_type step = 1;
        for (std::size_t axis = E::rank(); axis-- > 0; step = step * e.extent(axis)) out[axis] = step;
        return out;
    }
};
struct left_steps {
    template <class E> static constexpr auto of(E const& e) {
        std::array<typename E::index_type, E::rank()> out{};
        typename E::index_type step = 1;
        for (std::size_t axis = 0; axis < E::rank(); step = step * e.extent(axis++)) out[axis] = step;
        return out;
    }
};
struct layout_right {
    template <class E> using mapping = strided_mapping<E, right_steps>;
};
struct layout_left {
    template <class E> using mapping = strided_mapping<E, left_steps>;
};
struct layout_stride {
    template <class E> using mapping = strided_mapping<E, void>;
};
// The layout of a symmetric matrix of which the upper triangle is stored; it has no steps.
struct layout_symmetric {
    template <class E> struct mapping {
        using index_type = typename E::index_type;
        E of;
        constexpr explicit mapping(E const& e) : of{e} {}
        static constexpr bool is_strided() { return false; }
        constexpr index_type operator()(index_type i, index_type j) const {
            if (i > j) std::swap(i, j);
            return j * (j + 1) / 2 + i;
        }
    };
};

template <class T> struct default_accessor {
    using element_type = T;
    using reference = T&;
    using data_handle_type = T*;
    constexpr T& access(T* from, std::size_t place) const { return from[place]; }
};
// An accessor that gives twice what is stored.
template <class T> struct doubling_accessor {
    using element_type = T;
    using reference = std::remove_const_t<T>;
    using data_handle_type = T*;
    constexpr reference access(T* from, std::size_t place) const { return 2 * from[place]; }
};

template <class T, class Extents, class Layout = layout_right, class Accessor = default_accessor<T>> class mdspan {
public:
    using extents_type = Extents;
    using layout_type = Layout;
    using accessor_type = Accessor;
    using mapping_type = typename Layout::template mapping<Extents>;
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using index_type = typename Extents::index_type;
    using data_handle_type = typename Accessor::data_handle_type;
    using reference = typename Accessor::reference;

    constexpr mdspan(data_handle_type data, mapping_type const& mapping) : data_{data}, mapping_{mapping} {}
    constexpr auto const& extents() const { return mapping_.of; }
    constexpr auto const& mapping() const { return mapping_; }
    constexpr Accessor const& accessor() const { return accessor_; }
    constexpr data_handle_type const& data_handle() const { return data_; }
    template <class... I> constexpr reference operator()(I... i) const {
        return accessor().access(data_, static_cast<std::size_t>(mapping_(i...)));
    }

private:
    data_handle_type data_;
    mapping_type mapping_;
    Accessor accessor_;
};

} // namespace spans
