// This file makes multidimensional spans arguments of functions and tensors, and tensors such spans: std::mdspan, Kokkos' mdspan,
// and any type with their interface. Elements in row-major order, as in layout_right, are read where they are; elements in other
// layouts or behind accessors are gathered into a tensor first.
#pragma once

#include <tracexpr/run/trees/pytree.hpp>

#include <array>
#include <concepts>
#include <exception>
#include <version>
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace tx {

// mdspan_type holds for multidimensional spans, which are types with std::mdspan's extents(), mapping(), accessor() and
// data_handle(), whose elements have a dtype that tensors have.
template <class M> concept mdspan_type = requires(M const& m) {
    typename M::extents_type;
    typename M::mapping_type;
    typename M::accessor_type;
    typename M::index_type;
    m.extents();
    m.mapping();
    m.accessor();
    m.data_handle();
} && element<typename M::value_type>;

namespace detail {

template <class M> inline constexpr int rank_of_mdspan = static_cast<int>(M::extents_type::rank());
// mdspan_extents are the extents that the type knows.
template <class M> struct mdspan_extents {
    static_assert(rank_of_mdspan<M> <= max_rank, "tx: from_mdspan: tensors have at most 8 axes");
    static constexpr dims value = [] {
        dims out{{}, rank_of_mdspan<M>};
        for (int axis = 0; axis < out.rank; ++axis) {
            auto const extent = M::extents_type::static_extent(static_cast<std::size_t>(axis));
            out[axis] = extent == static_cast<std::size_t>(-1) ? dyn : static_cast<std::int64_t>(extent);
        }
        return out;
    }();
};
template <class M> using shape_of_mdspan = shape_from<mdspan_extents<M>>;
template <class M> using element_of_mdspan = canonical<typename M::value_type>;

template <class M> dims extents_of_mdspan(M const& m) {
    dims out{{}, rank_of_mdspan<M>};
    for (int axis = 0; axis < out.rank; ++axis)
        out[axis] = static_cast<std::int64_t>(m.extents().extent(static_cast<std::size_t>(axis)));
    return out;
}
// Does a mapping put elements in row-major order?
template <class Mapping> bool is_row_major(Mapping const& mapping, dims const& extents) {
    if constexpr (requires { mapping.stride(std::size_t{}); }) {
        if (!mapping.is_strided()) return false;
        std::int64_t stride = 1;
        for (int axis = extents.rank - 1; axis >= 0; --axis) {
            auto const given = static_cast<std::int64_t>(mapping.stride(static_cast<std::size_t>(axis)));
            if (extents[axis] != 1 && given != stride) return false;
            stride *= extents[axis];
        }
        return true;
    } else {
        return extents.rank == 0; // there are no strides to ask
    }
}
// Does an accessor return references to the elements, at the offsets that it is given?
template <class M> concept plain_access =
    std::is_pointer_v<std::remove_cvref_t<decltype(std::declval<M const&>().data_handle())>> &&
    std::is_empty_v<typename M::accessor_type> && std::is_same_v<typename M::accessor_type::reference, typename M::element_type&>;
// Returns the first element if the elements lie one after the other in row-major order, else null.
template <class M> element_of_mdspan<M> const* row_major_elements_of_mdspan(M const& m) {
    if constexpr (plain_access<M>) {
        dims const d = extents_of_mdspan(m);
        std::int64_t const size = d.size();
        if (size == 0 || !is_row_major(m.mapping(), d)) return nullptr;
        auto const place = [&](std::int64_t k) { return &m.accessor().access(m.data_handle(), static_cast<std::size_t>(k)); };
        if (place(0) == m.data_handle() && place(size - 1) == m.data_handle() + (size - 1))
            return reinterpret_cast<element_of_mdspan<M> const*>(m.data_handle()); // `long long` as `long`
    }
    return nullptr;
}
// Copies the elements at the indices that begin with i..., and returns the end of the copy.
template <class M, class T, class... I> T* gather_mdspan(M const& m, T* to, I... i) {
    if constexpr (sizeof...(I) == M::extents_type::rank()) {
        *to = static_cast<T>(m.accessor().access(m.data_handle(), static_cast<std::size_t>(m.mapping()(i...))));
        return to + 1;
    } else {
        auto const count = m.extents().extent(sizeof...(I));
        for (typename M::index_type k = 0; k < count; ++k) to = gather_mdspan(m, to, i..., k);
        return to;
    }
}
template <class Shape, class M> auto tensor_of_mdspan(M const& m) {
    return tensor_of_elements<Shape>("from_mdspan", row_major_elements_of_mdspan(m), extents_of_mdspan(m),
                                     [&](auto* to) { gather_mdspan(m, to); });
}

template <mdspan_type M> struct foreign_access<M> {
    static auto borrow(M const& m) {
        using Shape = shape_of_mdspan<M>;
        return borrow_elements<Shape>(row_major_elements_of_mdspan(m), extents_of_mdspan(m),
                                      [&] { return tensor_of_mdspan<Shape>(m); });
    }
    static auto to_tensor(M const& m) { return tensor_of_mdspan<shape_of_mdspan<M>>(m); }
};

// Makes an M of elements in row-major order.
template <class M, class T, std::size_t... I> M mdspan_of(T* elements, dims const& d, std::index_sequence<I...>) {
    using extents_type = typename M::extents_type;
    using mapping_type = typename M::mapping_type;
    using index_type = typename M::index_type;
    check_fits("as_mdspan", dims_of<shape_of_mdspan<M>>, d);
    extents_type const extents(static_cast<index_type>(d[static_cast<int>(I)])...);
    if constexpr (std::is_constructible_v<mapping_type, extents_type, std::array<index_type, sizeof...(I)>>) {
        std::array<index_type, sizeof...(I)> strides{};
        index_type stride = 1;
        for (std::size_t axis = sizeof...(I); axis-- > 0; stride = static_cast<index_type>(stride * extents.extent(axis)))
            strides[axis] = stride;
        return M(elements, mapping_type(extents, strides));
    } else {
        mapping_type const mapping{extents};
        if (!is_row_major(mapping, d))
            throw shape_error(
                "tx: as_mdspan: the span's layout must be row-major, as layout_right is; copy the tensor to another, or "
                "transpose it");
        return M(elements, mapping);
    }
}
template <class M, class T, class Shape> constexpr bool check_mdspan() {
    constexpr bool has_rank = dims_of<Shape>.rank < 0 || dims_of<Shape>.rank == rank_of_mdspan<M>;
    static_assert(has_rank, "tx: as_mdspan: the span must have as many axes as the tensor; reshape it first");
    static_assert(std::is_same_v<element_of_mdspan<M>, T>, "tx: as_mdspan: the span must have the tensor's dtype; use tx::cast");
    return has_rank && std::is_same_v<element_of_mdspan<M>, T>;
}
template <class M, class T, class Shape, class Elements> M checked_mdspan(Elements* elements, dims const& d) {
    if constexpr (check_mdspan<M, T, Shape>())
        return mdspan_of<M>(reinterpret_cast<typename M::element_type*>(elements), d,
                            std::make_index_sequence<M::extents_type::rank()>{});
    else std::terminate(); // never compiled
}

#if defined(__cpp_lib_mdspan)
template <class Shape, class Indices> struct std_extents;
template <class Shape, std::size_t... I> struct std_extents<Shape, std::index_sequence<I...>> {
    using type = std::extents<std::int64_t, (dims_of<Shape>[static_cast<int>(I)] < 0
                                                 ? std::dynamic_extent
                                                 : static_cast<std::size_t>(dims_of<Shape>[static_cast<int>(I)]))...>;
};
template <class T, class Shape> using std_mdspan =
    std::mdspan<T, typename std_extents<Shape, std::make_index_sequence<static_cast<std::size_t>(dims_of<Shape>.rank)>>::type>;
#endif

} // namespace detail

// Copies the elements of a multidimensional span into a tensor whose type knows the extents that the span's type knows.
// from_mdspan<shape<3, dyn>>(m) asks for a shape type, and throws shape_error if the extents are others.
template <mdspan_type M> [[nodiscard]] auto from_mdspan(M const& m) { return detail::foreign_access<M>::to_tensor(m); }
template <shape_type Shape, mdspan_type M> [[nodiscard]] auto from_mdspan(M const& m) {
    return detail::tensor_of_mdspan<Shape>(m);
}

// Returns a tensor's elements as a multidimensional span, without a copy: as_mdspan<Kokkos::mdspan<float const,
// Kokkos::dextents<int, 2>>>(t). Where the standard library has it, as_mdspan(t) is a std::mdspan with the extents that the
// tensor's type knows. The span is valid as long as the tensor is neither changed nor destroyed. Throws shape_error if the span's
// type has other extents or another order.
template <mdspan_type M, class T, class Shape> requires std::is_const_v<typename M::element_type>
M as_mdspan(tensor<T, Shape> const& t) {
    return detail::checked_mdspan<M, T, Shape>(t.data(), t.dimensions());
}
template <mdspan_type M, class T, class Shape> void as_mdspan(tensor<T, Shape> const&&) = delete; // keep the tensor in a variable
// Returns such a span to write through. Copies of the tensor that were made before keep their values; copies made later see what
// is written through an older span.
template <mdspan_type M, class T, class Shape> requires(!std::is_const_v<typename M::element_type>)
M as_mutable_mdspan(tensor<T, Shape>& t) {
    return detail::checked_mdspan<M, T, Shape>(t.mutable_data(), t.dimensions());
}
#if defined(__cpp_lib_mdspan)
template <class T, class Shape> requires(dims_of<Shape>.rank >= 0) [[nodiscard]] auto as_mdspan(tensor<T, Shape> const& t) {
    return as_mdspan<detail::std_mdspan<T const, Shape>>(t);
}
template <class T, class Shape> void as_mdspan(tensor<T, Shape> const&&) = delete; // keep the tensor in a variable
template <class T, class Shape> requires(dims_of<Shape>.rank >= 0) [[nodiscard]] auto as_mutable_mdspan(tensor<T, Shape>& t) {
    return as_mutable_mdspan<detail::std_mdspan<T, Shape>>(t);
}
#endif

} // namespace tx
