// This file converts between xtensor and tensors: xtensor's expressions are arguments of functions and tensors, and tensors are
// xtensor's views and containers. Elements in row-major order are read in place; others, and those of lazy expressions, are
// copied to a tensor first.
#pragma once

#include <tracexpr/run/function.hpp>
#include <tracexpr/xtensor/headers.hpp>

#include <cstring>

namespace tx {

// A container, view or lazy expression of xtensor, with a dtype that tensors have.
template <class E> concept xtensor_expression = std::is_base_of_v<xt::xexpression<E>, E> && element<typename E::value_type>;

namespace detail {

// The shape as far as an expression's type shows it.
template <class S> struct shape_of_xtensor {
    using type = any_shape;
};
template <std::size_t... E> struct shape_of_xtensor<xt::fixed_shape<E...>> {
    using type = shape<static_cast<std::int64_t>(E)...>;
};
template <class I, std::size_t Rank> struct shape_of_xtensor<std::array<I, Rank>> {
    static_assert(Rank <= std::size_t{max_rank}, "tx: an xtensor expression as an argument has at most 8 axes");
    static constexpr dims value = [] {
        dims open{{}, static_cast<int>(Rank)};
        for (std::int64_t& extent : open.extent) extent = dyn;
        return open;
    }();
    using type = shape_from<shape_of_xtensor>;
};
template <class E> using shape_of_expression = typename shape_of_xtensor<std::remove_cvref_t<typename E::shape_type>>::type;
template <class E> using element_of_expression = canonical<typename E::value_type>;

template <class E> dims extents_of(E const& e) {
    auto const& given = e.shape();
    if (given.size() > std::size_t{max_rank})
        throw shape_error("tx: from_xtensor: a tensor has at most 8 axes; given " + std::to_string(given.size()));
    dims out;
    for (auto const extent : given) out.push_back(static_cast<std::int64_t>(extent));
    return out;
}

// Does an expression have its elements in memory? The storage is asked, because data() of the expression itself may not compile.
template <class E> concept keeps_elements = requires(typename E::storage_type const& kept) {
    { kept.data() } -> std::convertible_to<typename E::value_type const*>;
};
// Gives the address of the first element where they are contiguous in row-major order, else null.
template <class E> auto row_major_elements(E const& e) -> element_of_expression<E> const* {
    if constexpr (!keeps_elements<E>) {
        return nullptr;
    } else if constexpr (requires {
                             { e.data() } -> std::same_as<typename E::value_type const*>;
                             e.strides();
                             e.data_offset();
                         }) {
        auto const& extents = e.shape();
        auto const& strides = e.strides();
        std::ptrdiff_t step = 1;
        for (std::size_t axis = extents.size(); axis-- > 0;) {
            if (extents[axis] != 1 && static_cast<std::ptrdiff_t>(strides[axis]) != step) return nullptr;
            step *= static_cast<std::ptrdiff_t>(extents[axis]);
        }
        return reinterpret_cast<element_of_expression<E> const*>(e.data() + e.data_offset()); // `long long` as `long`
    } else {
        return nullptr;
    }
}

// Gives a view of elements in row-major order, with static extents where the type shows them.
template <class Shape, class T> auto view_of(T* elements, dims const& d) {
    auto const size = static_cast<std::size_t>(d.size());
    if constexpr (dims_of<Shape>.rank > 0 && dims_of<Shape>.is_static()) {
        return [&]<std::int64_t... E>(shape<E...>) {
            return xt::adapt(elements, xt::fixed_shape<static_cast<std::size_t>(E)...>{});
        }(Shape{});
    } else if constexpr (dims_of<Shape>.rank >= 0) {
        std::array<std::size_t, static_cast<std::size_t>(dims_of<Shape>.rank)> extents{};
        for (std::size_t axis = 0; axis < extents.size(); ++axis)
            extents[axis] = static_cast<std::size_t>(d[static_cast<int>(axis)]);
        return xt::adapt(elements, size, xt::no_ownership(), extents);
    } else {
        std::vector<std::size_t> extents;
        for (int axis = 0; axis < d.rank; ++axis) extents.push_back(static_cast<std::size_t>(d[axis]));
        return xt::adapt(elements, size, xt::no_ownership(), extents);
    }
}

template <class Shape, class E> auto tensor_of_expression(E const& e) {
    dims const extents = extents_of(e);
    return tensor_of_elements<Shape>("from_xtensor", row_major_elements(e), extents, [&](auto* to) {
        auto view = view_of<any_shape>(to, extents);
        xt::noalias(view) = e;
    });
}

template <xtensor_expression E> struct foreign_access<E> {
    static auto borrow(E const& e) {
        using Shape = shape_of_expression<E>;
        return borrow_elements<Shape>(row_major_elements(e), extents_of(e), [&] { return tensor_of_expression<Shape>(e); });
    }
    static auto to_tensor(E const& e) { return tensor_of_expression<shape_of_expression<E>>(e); }
};

template <class T, class Shape> struct xtensor_container_of {
    using type = xt::xarray<T>;
};
template <class T, std::int64_t... E> struct xtensor_container_of<T, shape<E...>> {
    using type = xt::xtensor<T, sizeof...(E)>;
};
template <class T, std::int64_t... E> requires(sizeof...(E) > 0 && ((E != dyn) && ...))
struct xtensor_container_of<T, shape<E...>> {
    using type = xt::xtensor_fixed<T, xt::fixed_shape<static_cast<std::size_t>(E)...>>;
};

} // namespace detail

// A tensor with a copy of the elements of a container, view or expression. Its shape type says what the expression's type says
// (xtensor_fixed: all extents; xtensor: the rank; xarray: nothing), or what the call asks for: from_xtensor<shape<3, dyn>>(e),
// which throws shape_error where the extents differ.
template <xtensor_expression E> [[nodiscard]] auto from_xtensor(E const& e) { return detail::foreign_access<E>::to_tensor(e); }
template <shape_type Shape, xtensor_expression E> [[nodiscard]] auto from_xtensor(E const& e) {
    return detail::tensor_of_expression<Shape>(e);
}

// The tensor's elements as an expression of xtensor, without a copy. The view is valid as long as the tensor is neither changed
// nor destroyed.
template <class T, class Shape> [[nodiscard]] auto as_xtensor(tensor<T, Shape> const& t) {
    return detail::view_of<Shape>(t.data(), t.dimensions());
}
template <class T, class Shape>
void as_xtensor(tensor<T, Shape> const&&) = delete; // keep the tensor in a variable: the view refers to it

// The tensor's elements as an expression of xtensor to write to. Copies of the tensor made before keep their values; copies made
// later see what is written through an older view.
template <class T, class Shape> [[nodiscard]] auto as_mutable_xtensor(tensor<T, Shape>& t) {
    return detail::view_of<Shape>(t.mutable_data(), t.dimensions());
}

// A container with a copy of the elements: xtensor_fixed, xtensor or xarray, according to what the tensor's type shows.
template <class T, class Shape> [[nodiscard]] auto to_xtensor(tensor<T, Shape> const& t) {
    return typename detail::xtensor_container_of<T, Shape>::type(detail::view_of<Shape>(t.data(), t.dimensions()));
}

} // namespace tx
