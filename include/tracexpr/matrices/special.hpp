// This file holds matrices that are made from vectors and blocks (toeplitz, vander, block_diag ...), and matrix_rank,
// condition_number and null_space, which follow from singular values.
#pragma once

#include <tracexpr/matrices/common.hpp>

namespace tx {
namespace linalg {
// This option of vander says that the powers increase from left to right.
enum increasing_t { increasing };
} // namespace linalg

namespace detail {

// Returns the elements of a vector at these places.
TRACEXPR_ONCE constexpr ad::value looked_up(ad::value const& values, ad::value const& places) {
    lowering low(values.owner());
    return {values.owner(), low.append(op::take, values.id(), places.id(), attribute_list(0))};
}
constexpr ad::value joined_vectors(ad::value const& a, ad::value const& b) {
    return ad::record(op::concatenate, {a, b}, attribute_list(0));
}
TRACEXPR_ONCE constexpr ad::value extent_value(ad::value const& x, int axis) {
    std::int64_t const known = x.shape()[axis];
    if (known != dyn) return x.like(static_cast<double>(known), dtype::int64);
    lowering low(x.owner());
    return {x.owner(), low.axis_size<std::int64_t>(x.id(), axis)};
}
// Holds the numbers of the rows and of the columns, both in the shape (n, m), for vectors of n and m elements.
struct vector_grid {
    ad::value rows, columns;
    constexpr vector_grid(ad::value const& down, ad::value const& across) {
        ad::value const left = ad::unary(op::expand_dims, down, attribute_list(1));
        ad::value const right = cast(ad::unary(op::expand_dims, across, attribute_list(0)), left.type());
        ad::value const like = ad::record(op::equal, {left, right});
        rows = ad::place_along(like, 0), columns = ad::place_along(like, 1);
    }
};

enum class vector_matrix { toeplitz, circulant, hankel };
TRACEXPR_ONCE constexpr ad::value matrix_of_vectors(vector_matrix kind, ad::value const& c, ad::value const& r) {
    vector_grid const at(c, r);
    ad::value const behind_first = slice(r, 0, 1, slice_open);
    switch (kind) {
    case vector_matrix::toeplitz:
        return looked_up(joined_vectors(ad::flip(behind_first, 0), c), at.rows - at.columns + (extent_value(r, 0) - 1.0));
    case vector_matrix::circulant: {
        ad::value const offset = at.rows - at.columns;
        return looked_up(c, chosen(less_than(offset, offset.like(0)), offset + extent_value(c, 0), offset));
    }
    case vector_matrix::hankel: return looked_up(joined_vectors(c, behind_first), at.rows + at.columns);
    }
    return {};
}
// Makes the matrix of a column c and a row r. Without a row toeplitz takes c for it, and hankel zeros.
template <vector_matrix Kind, bool HasRow> struct vector_matrix_builder {
    static constexpr char const* called = Kind == vector_matrix::toeplitz    ? "toeplitz"
                                          : Kind == vector_matrix::circulant ? "circulant"
                                                                             : "hankel";
    static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given) {
            if (s.type == dtype::string) return "takes numbers";
            if (s.shape.rank >= 0 && s.shape.rank != 1) return "takes vectors; use tx::vmap for several";
        }
        return nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{HasRow ? promote(given[0].type, given[1].type) : given[0].type};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{dims{{given[0].shape[0], given[HasRow ? 1 : 0].shape[0]}, 2}};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        ad::value const given{scope.recorded, in[0]}, other{scope.recorded, in[HasRow ? 1 : 0]};
        dtype const type = promote(given.type(), other.type());
        ad::value const c = cast(given, type), r = cast(other, type);
        bool const is_zero = Kind == vector_matrix::hankel && !HasRow;
        return std::array<node_id, 1>{matrix_of_vectors(Kind, c, is_zero ? ad::zeros_like(c) : r).id()};
    }
};

// Computes x^j for j = Columns - 1 ... 0, with as many columns as x has elements where Columns is dyn. They are cumulative
// products, whose derivative at x = 0 is right.
TRACEXPR_ONCE constexpr ad::value powers_of(ad::value const& x, std::int64_t columns, bool grows) {
    ad::value const left = ad::unary(op::expand_dims, x, attribute_list(1));
    ad::value all;
    if (columns == dyn) {
        all = left + ad::zeros_like(ad::unary(op::expand_dims, x, attribute_list(0)));
    } else {
        std::int64_t const wanted[]{x.shape()[0], columns};
        all = ad::unary(op::broadcast_to, left, attribute_span(wanted, 2));
    }
    ad::value const exponents = ad::place_along(all, 1);
    ad::value const factors = chosen(equal(exponents, exponents.like(0)), all.like(1), all);
    ad::value const powers = ad::unary(op::cumprod, factors, attribute_list(1));
    return grows ? powers : ad::flip(powers, 1);
}
template <std::int64_t Columns, bool Grows> struct vander_builder {
    static constexpr char const* called = "vander";
    static constexpr char const* problem(builder_specs given) {
        if (given[0].type == dtype::string || given[0].type == dtype::boolean) return "takes numbers";
        return given[0].shape.rank >= 0 && given[0].shape.rank != 1 ? "takes a vector; use tx::vmap for several" : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        std::int64_t const n = given[0].shape[0];
        return std::array<dims, 1>{dims{{n, Columns == dyn ? n : Columns}, 2}};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        return std::array<node_id, 1>{powers_of({scope.recorded, in[0]}, Columns, Grows).id()};
    }
};

// Makes zeros with as many rows as one matrix and as many columns as another.
TRACEXPR_ONCE constexpr ad::value zeros_between(ad::value const& rows_of, ad::value const& columns_of) {
    ad::value const rows = along(op::sum, cast(rows_of, dtype::float32), 1, true);
    ad::value const columns = along(op::sum, cast(columns_of, dtype::float32), 0, true), like = equal(rows, columns);
    ad::value const zero = rows_of.like(0);
    if (like.shape().is_static())
        return ad::unary(op::broadcast_to, zero, attribute_span(like.shape().extent, static_cast<std::size_t>(like.rank())));
    return ad::record(op::broadcast_to, {zero, like});
}
TRACEXPR_ONCE constexpr node_id record_block_diagonal(trace_scope& scope, table_view<node_id> blocks, dtype type) {
    buffer<ad::value> all;
    for (node_id const id : blocks) {
        ad::value x = cast(ad::value(scope.recorded, id), type);
        while (x.rank() < 2) x = ad::unary(op::expand_dims, x, attribute_list(0));
        all.push_back(x);
    }
    lowering low(scope);
    buffer<node_id> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
        buffer<node_id> row;
        for (std::size_t j = 0; j < all.size(); ++j) row.push_back(i == j ? all[i].id() : zeros_between(all[i], all[j]).id());
        rows.push_back(low.concatenate(row, 1));
    }
    return low.concatenate(rows, 0);
}
template <std::size_t Count> struct block_diagonal_builder {
    static constexpr char const* called = "block_diag";
    static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given) {
            if (s.type == dtype::string) return "takes numbers";
            if (s.shape.rank > 2) return "takes matrices, vectors and numbers";
        }
        return nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        dtype type = given[0].type;
        for (builder_spec const& s : given) type = promote(type, s.type);
        return std::array<dtype, 1>{type};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        std::int64_t rows = 0, columns = 0;
        for (builder_spec const& s : given) {
            std::int64_t const m = s.shape.rank == 2 ? s.shape[0] : 1, n = s.shape.rank == 0 ? 1 : s.shape[s.shape.rank - 1];
            rows = rows == dyn || m == dyn ? dyn : rows + m;
            columns = columns == dyn || n == dyn ? dyn : columns + n;
        }
        return std::array<dims, 1>{dims{{rows, columns}, 2}};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        dtype type = scope.recorded[in[0]].type;
        for (std::size_t k = 0; k < Count; ++k) type = promote(type, scope.recorded[in[k]].type);
        return std::array<node_id, 1>{record_block_diagonal(scope, {in, Count}, type)};
    }
};

// Counts the singular values above `ratio` times the largest one, as pinv does.
template <bool HasRatio> struct matrix_rank_builder {
    static constexpr char const* called = "matrix_rank";
    static constexpr char const* problem(builder_specs given) { return matrix_problem(given[0]); }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::int64}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims d = given[0].shape;
        d.rank -= 2;
        return std::array<dims, 1>{d};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        ad::value const a = matrix_operand(scope, in[0]);
        svd_lowering low(scope, a.id(), HasRatio ? in[1] : node_id::none);
        return std::array<node_id, 1>{low.rank_of_matrix()};
    }
};
// Computes the largest singular value divided by the smallest; infinite for a singular matrix.
struct condition_builder {
    static constexpr char const* called = "condition_number";
    static constexpr char const* problem(builder_specs given) { return matrix_problem(given[0]); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    TRACEXPR_ONCE static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims d = given[0].shape;
        d.rank -= 2;
        return std::array<dims, 1>{d};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        ad::value const all = ad::unary(op::svd, matrix_operand(scope, in[0]));
        ad::value const s{scope.recorded, append_result(scope.recorded, all.id(), 1)};
        ad::value const largest = along(op::max, s, s.rank() - 1), least = along(op::min, s, s.rank() - 1);
        ad::value const is_zero = equal(least, least.like(0));
        ad::value const ratio = largest / chosen(is_zero, least.like(1), least);
        return std::array<node_id, 1>{chosen(is_zero, ratio.like(std::numeric_limits<double>::infinity()), ratio).id()};
    }
};

// Computes the right singular vectors of the Count smallest singular values, as columns. Matrices with fewer rows than columns
// are padded with rows of zeros to be square.
template <std::int64_t Count> struct null_space_builder {
    static constexpr char const* called = "null_space";
    static constexpr char const* problem(builder_specs given) {
        if (char const* const wrong = matrix_problem(given[0])) return wrong;
        dims const d = given[0].shape;
        return d.rank >= 2 && d[d.rank - 1] != dyn && d[d.rank - 1] < Count ? "a matrix has no more such vectors than columns"
                                                                            : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims d = given[0].shape;
        d[d.rank - 2] = d[d.rank - 1], d[d.rank - 1] = Count;
        return std::array<dims, 1>{d};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        ad::value a = matrix_operand(scope, in[0]);
        int const rows = a.rank() - 2;
        std::int64_t const m = a.shape()[rows], n = a.shape()[rows + 1];
        bool const is_known = m != dyn && n != dyn;
        if (is_known && m < n) {
            dims wanted = a.shape();
            wanted[rows] = n - m;
            ad::value const zeros =
                ad::unary(op::broadcast_to, a.like(0), attribute_span(wanted.extent, static_cast<std::size_t>(wanted.rank)));
            a = ad::record(op::concatenate, {a, zeros}, attribute_list(rows));
        } else if (!is_known) { // there may be fewer rows than columns, so n rows of zeros are added below
            ad::value const zeros = ad::zeros_like(ad::detail::product(swap_last_axes(a), a));
            a = ad::record(op::concatenate, {a, zeros}, attribute_list(rows));
        }
        ad::value const all = ad::unary(op::svd, a);
        ad::value const vh{scope.recorded, append_result(scope.recorded, all.id(), 2)};
        ad::value const last = swap_last_axes(slice(vh, rows, Count == 0 ? 0 : -Count, Count == 0 ? 0 : slice_open));
        attribute_list target;
        for (int axis = 0; axis <= rows; ++axis) target.push_back(-2 - axis);
        target.push_back(Count);
        return std::array<node_id, 1>{lowering(scope).reshape(last.id(), target)};
    }
};

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// Gives the matrix with constant diagonals, with c in its first column and r in its first row: (n), (m) -> (n, m). r[0] is not
// used; without r it is c. Use tx::vmap for several. (SciPy: toeplitz)
template <array_operand C> [[nodiscard]] constexpr auto toeplitz(C const& c) {
    using builder = detail::vector_matrix_builder<detail::vector_matrix::toeplitz, false>;
    constexpr bool is_vector = detail::takes_operand<builder, C>;
    static_assert(is_vector, "tx: linalg::toeplitz: takes vectors of numbers; use tx::vmap for several");
    return detail::apply_if<is_vector>(detail::built_fn<builder>{}, c);
}
template <array_operand C, array_operand R> [[nodiscard]] constexpr auto toeplitz(C const& c, R const& r) {
    using builder = detail::vector_matrix_builder<detail::vector_matrix::toeplitz, true>;
    constexpr bool are_vectors = detail::built_problem<builder, C, R> == nullptr;
    static_assert(are_vectors, "tx: linalg::toeplitz: takes vectors of numbers; use tx::vmap for several");
    return detail::apply_if<are_vectors>(detail::built_fn<builder>{}, c, r);
}
// Gives the matrix with c in its first column, in which each further column is the one before, rotated down by one: (n) -> (n,
// n).
template <array_operand C> [[nodiscard]] constexpr auto circulant(C const& c) {
    using builder = detail::vector_matrix_builder<detail::vector_matrix::circulant, false>;
    constexpr bool is_vector = detail::takes_operand<builder, C>;
    static_assert(is_vector, "tx: linalg::circulant: takes a vector of numbers; use tx::vmap for several");
    return detail::apply_if<is_vector>(detail::built_fn<builder>{}, c);
}
// Gives the matrix with constant antidiagonals, with c in its first column and r in its last row: (n), (m) -> (n, m). r[0] is not
// used; without r it is 0.
template <array_operand C> [[nodiscard]] constexpr auto hankel(C const& c) {
    using builder = detail::vector_matrix_builder<detail::vector_matrix::hankel, false>;
    constexpr bool is_vector = detail::takes_operand<builder, C>;
    static_assert(is_vector, "tx: linalg::hankel: takes vectors of numbers; use tx::vmap for several");
    return detail::apply_if<is_vector>(detail::built_fn<builder>{}, c);
}
template <array_operand C, array_operand R> [[nodiscard]] constexpr auto hankel(C const& c, R const& r) {
    using builder = detail::vector_matrix_builder<detail::vector_matrix::hankel, true>;
    constexpr bool are_vectors = detail::built_problem<builder, C, R> == nullptr;
    static_assert(are_vectors, "tx: linalg::hankel: takes vectors of numbers; use tx::vmap for several");
    return detail::apply_if<are_vectors>(detail::built_fn<builder>{}, c, r);
}
// Gives the powers of each element as a row, from x^(N - 1) down to 1: vander<N>(x), (n) -> (n, N); without N it is n. With the
// option tx::linalg::increasing the powers increase. (NumPy: vander)
template <std::int64_t N = dyn, array_operand X> [[nodiscard]] constexpr auto vander(X const& x) {
    constexpr bool is_vector = detail::takes_operand<detail::vander_builder<N, false>, X>;
    static_assert(is_vector, "tx: linalg::vander: takes a vector of numbers; use tx::vmap for several");
    return detail::apply_if<is_vector>(detail::built_fn<detail::vander_builder<N, false>>{}, x);
}
template <std::int64_t N = dyn, array_operand X> [[nodiscard]] constexpr auto vander(X const& x, increasing_t) {
    constexpr bool is_vector = detail::takes_operand<detail::vander_builder<N, true>, X>;
    static_assert(is_vector, "tx: linalg::vander: takes a vector of numbers; use tx::vmap for several");
    return detail::apply_if<is_vector>(detail::built_fn<detail::vander_builder<N, true>>{}, x);
}
// Gives a matrix with the blocks along its diagonal and zeros elsewhere. A vector is a block of one row, a number one element.
template <array_operand... A> [[nodiscard]] constexpr auto block_diag(A const&... blocks) {
    using builder = detail::block_diagonal_builder<sizeof...(A)>;
    constexpr bool are_matrices = sizeof...(A) > 0 && detail::built_problem<builder, A...> == nullptr;
    static_assert(are_matrices, "tx: linalg::block_diag: takes matrices, vectors and numbers, one at least");
    return detail::apply_if<are_matrices>(detail::built_fn<builder>{}, blocks...);
}
// Gives the Hilbert matrix, whose elements are 1 / (i + j + 1): hilbert<double, 4>()
template <element T, std::int64_t N> [[nodiscard]] constexpr auto hilbert() {
    tensor<T, shape<N, N>> out;
    for (std::int64_t i = 0; i < N; ++i)
        for (std::int64_t j = 0; j < N; ++j) out(i, j) = static_cast<T>(1.0 / static_cast<double>(i + j + 1));
    return out;
}

// Counts the singular values above `ratio` times the largest one, int64: (..., m, n) -> (...). Without a ratio it is max(m, n)
// times the dtype's epsilon.
template <array_operand A> [[nodiscard]] constexpr auto matrix_rank(A const& a) {
    constexpr bool is_matrix = detail::takes_operand<detail::matrix_rank_builder<false>, A>;
    static_assert(is_matrix, "tx: linalg::matrix_rank: takes real matrices in the last two axes");
    return detail::apply_if<is_matrix>(detail::built_fn<detail::matrix_rank_builder<false>>{}, a);
}
template <array_operand A> [[nodiscard]] constexpr auto matrix_rank(A const& a, double ratio) {
    constexpr bool is_matrix = detail::takes_operand<detail::matrix_rank_builder<true>, A>;
    static_assert(is_matrix, "tx: linalg::matrix_rank: takes real matrices in the last two axes");
    return detail::apply_if<is_matrix>(detail::built_fn<detail::matrix_rank_builder<true>>{}, a, ratio);
}
// Gives how much larger relative errors of solve(a, b) may be than those of b: the largest singular value divided by the
// smallest, (..., m, n) -> (...), infinite for a singular matrix. With an order of tx::linalg::norm, which is order<1>, order_inf
// or frobenius, it is norm(a) norm(inv(a)) of a square matrix. (NumPy: cond)
template <array_operand A> [[nodiscard]] constexpr auto condition_number(A const& a) {
    constexpr bool is_matrix = detail::takes_operand<detail::condition_builder, A>;
    static_assert(is_matrix, "tx: linalg::condition_number: takes real matrices in the last two axes");
    return detail::apply_if<is_matrix>(detail::built_fn<detail::condition_builder>{}, a);
}
template <array_operand A, class Order> [[nodiscard]] constexpr auto condition_number(A const& a, Order order) {
    return linalg::norm<-2, -1>(a, order) * linalg::norm<-2, -1>(linalg::inv(a), order);
}
// Gives an orthonormal basis of the null space as columns: null_space<k>(a), (..., m, n) -> (..., n, k), has the right singular
// vectors of the k smallest singular values. null_space(a) of a tensor gives as many as n - matrix_rank(a). There are no
// derivatives where k > 1.
template <std::int64_t K, array_operand A> [[nodiscard]] constexpr auto null_space(A const& a) {
    constexpr bool is_matrix = detail::takes_operand<detail::null_space_builder<K>, A>;
    static_assert(is_matrix, "tx: linalg::null_space: takes real matrices of k columns at least in the last two axes");
    return detail::apply_if<is_matrix>(detail::built_fn<detail::null_space_builder<K>>{}, a);
}
template <class T, std::int64_t M, std::int64_t N> [[nodiscard]] auto null_space(tensor<T, shape<M, N>> const& a) {
    static_assert(N != dyn, "tx: linalg::null_space: the type must tell the columns; or give k, null_space<k>(a)");
    if constexpr (N == dyn) return tx::detail::failed{};
    else return tx::slice(linalg::null_space<N>(a), tx::range<>, tx::range(linalg::matrix_rank(a).item(), tx::open));
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
