// This file makes Eigen's matrices, vectors, maps, blocks and expressions arguments of functions and tensors, and tensors Eigen's
// maps. Elements in row-major order are read where they are. Others, such as those of Eigen's column-major matrices, and the
// values of expressions are gathered into a tensor first.
#pragma once

#include <tracexpr/run/function.hpp>

#include <Eigen/Core>

#include <string>
#include <type_traits>

namespace tx {

// eigen_expression is a matrix, vector, array, map, block or expression of Eigen with a dtype that tensors have.
template <class E> concept eigen_expression = std::is_base_of_v<Eigen::DenseBase<E>, E> && element<typename E::Scalar>;

namespace detail {

constexpr std::int64_t extent_of_eigen(int extent) { return extent == Eigen::Dynamic ? dyn : extent; }
// shape_of_eigen is the shape that Eigen's type knows: the extents of a matrix, or the length of a vector.
template <class E> using shape_of_eigen =
    std::conditional_t<E::IsVectorAtCompileTime, shape<extent_of_eigen(E::SizeAtCompileTime)>,
                       shape<extent_of_eigen(E::RowsAtCompileTime), extent_of_eigen(E::ColsAtCompileTime)>>;
template <class E> using element_of_eigen = canonical<typename E::Scalar>;

template <class E> dims extents_of_eigen(E const& e) {
    if constexpr (E::IsVectorAtCompileTime) return dims{{e.size()}, 1};
    else return dims{{e.rows(), e.cols()}, 2};
}
// Gives the first element if the elements are contiguous in row-major order, and null otherwise.
template <class E> element_of_eigen<E> const* row_major_elements_of_eigen(E const& e) {
    if constexpr ((E::Flags & Eigen::DirectAccessBit) != 0) {
        bool const in_rows = e.cols() == 1 || e.colStride() == 1, of_rows = e.rows() == 1 || e.rowStride() == e.cols();
        // This reads `long long` as `long`.
        if (in_rows && of_rows) return reinterpret_cast<element_of_eigen<E> const*>(e.data());
    }
    return nullptr;
}

// row_major_matrix is the matrix type for a tensor's elements in row-major order. Eigen has matrices with one column in
// column-major order only.
template <class T, int Rows, int Columns> using row_major_matrix =
    Eigen::Matrix<T, Rows, Columns, (Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor)>;
template <class Shape> constexpr int eigen_extent(int axis) {
    std::int64_t const extent = dims_of<Shape>[axis];
    return extent < 0 ? Eigen::Dynamic : static_cast<int>(extent);
}
template <class T, class Shape> constexpr auto matrix_of_tensor() {
    constexpr int rank = dims_of<Shape>.rank;
    static_assert(rank == 1 || rank == 2,
                  "tx: as_eigen: the tensor's type must have one axis, a vector, or two; reshape it first");
    if constexpr (rank == 1) return std::type_identity<Eigen::Matrix<T, eigen_extent<Shape>(0), 1>>{};
    else if constexpr (rank == 2)
        return std::type_identity<row_major_matrix<T, eigen_extent<Shape>(0), eigen_extent<Shape>(1)>>{};
    else return std::type_identity<Eigen::Matrix<T, Eigen::Dynamic, 1>>{};
}
template <class T, class Shape> using matrix_of = typename decltype(matrix_of_tensor<T, Shape>())::type;

template <class Matrix, class T> auto eigen_map(T* elements, dims const& d) {
    using map = Eigen::Map<std::conditional_t<std::is_const_v<T>, Matrix const, Matrix>>;
    if constexpr (Matrix::IsVectorAtCompileTime) return map(elements, d.size());
    else return map(elements, d[0], d[1]);
}

template <class Shape, class E> auto tensor_of_eigen(E const& e) {
    return tensor_of_elements<Shape>("from_eigen", row_major_elements_of_eigen(e), extents_of_eigen(e), [&](auto* to) {
        using rows = Eigen::Array<typename E::Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        Eigen::Map<rows> view(reinterpret_cast<typename E::Scalar*>(to), e.rows(), e.cols());
        if constexpr (std::is_base_of_v<Eigen::MatrixBase<E>, E>) view.matrix().noalias() = e;
        else view = e;
    });
}

template <eigen_expression E> struct foreign_access<E> {
    static auto borrow(E const& e) {
        using Shape = shape_of_eigen<E>;
        return borrow_elements<Shape>(row_major_elements_of_eigen(e), extents_of_eigen(e),
                                      [&] { return tensor_of_eigen<Shape>(e); });
    }
    static auto to_tensor(E const& e) { return tensor_of_eigen<shape_of_eigen<E>>(e); }
};

} // namespace detail

// Gives a tensor with a copy of the values of a matrix, vector or expression. If its type is a vector, of rows or columns, the
// tensor has one axis, and otherwise two; extents are known where Eigen's type knows them. from_eigen<shape<3, dyn>>(e) asks for
// a shape type, and throws shape_error if the extents don't fit.
template <eigen_expression E> [[nodiscard]] auto from_eigen(E const& e) { return detail::foreign_access<E>::to_tensor(e); }
template <shape_type Shape, eigen_expression E> [[nodiscard]] auto from_eigen(E const& e) {
    return detail::tensor_of_eigen<Shape>(e);
}

// Gives an Eigen map of a vector, or of a matrix in row-major order, without a copy. It is valid as long as the tensor exists and
// isn't changed.
template <class T, class Shape> [[nodiscard]] auto as_eigen(tensor<T, Shape> const& t) {
    return detail::eigen_map<detail::matrix_of<T, Shape>>(t.data(), t.dimensions());
}
template <class T, class Shape> void as_eigen(tensor<T, Shape> const&&) = delete; // keep the tensor in a variable
// Gives an Eigen map to write through, of a vector or of a matrix in row-major order. Copies of the tensor made before keep their
// values; copies made later see what is written through an older map.
template <class T, class Shape> [[nodiscard]] auto as_mutable_eigen(tensor<T, Shape>& t) {
    return detail::eigen_map<detail::matrix_of<T, Shape>>(t.mutable_data(), t.dimensions());
}
// Gives an Eigen matrix or vector with a copy of the values, in Eigen's default order, with extents known where the tensor's type
// knows them.
template <class T, class Shape> [[nodiscard]] auto to_eigen(tensor<T, Shape> const& t) {
    using rows = detail::matrix_of<T, Shape>;
    return Eigen::Matrix<T, rows::RowsAtCompileTime, rows::ColsAtCompileTime,
                         (rows::RowsAtCompileTime == 1 && rows::ColsAtCompileTime != 1 ? Eigen::RowMajor : Eigen::ColMajor)>(
        detail::eigen_map<rows>(t.data(), t.dimensions()));
}

} // namespace tx
