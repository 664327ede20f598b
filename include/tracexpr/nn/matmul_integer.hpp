// tx::nn::matmul_integer computes matrix products of 8-bit integers that are summed in 32 bits, as in ONNX's MatMulInteger.
#pragma once

#include <tracexpr/nn/loss_common.hpp>

namespace tx::detail {

constexpr bool is_byte(dtype t) { return t == dtype::int8 || t == dtype::uint8; }
// The operands are a, b and their zero points, if there are any; zero points for each row of a or column of b are vectors.
struct integer_product {
    bool has_a_point, has_b_point;
};
TRACEXPR_ONCE constexpr char const* integer_product_problem(builder_specs given) {
    dims const &a = given[0].shape, &b = given[1].shape;
    if (!is_byte(given[0].type) || !is_byte(given[1].type)) return "takes int8 and uint8";
    if ((a.rank >= 0 && a.rank < 2) || (b.rank >= 0 && b.rank < 2)) return "takes matrices";
    for (std::size_t k = 2; k < given.size(); ++k) {
        if (!is_integer(given[k].type) || given[k].shape.rank > 1)
            return "zero points must be integers: scalars, or a vector with one for each row of a, or for each column of b";
        dims const& x = given[k - 2].shape;
        std::int64_t const wanted = x.rank < 0 ? dyn : x[k == 2 ? x.rank - 2 : x.rank - 1];
        std::int64_t const extent = given[k].shape.rank == 1 ? given[k].shape[0] : dyn;
        if (wanted != dyn && extent != dyn && extent != wanted)
            return "zero points must be integers: scalars, or a vector with one for each row of a, or for each column of b";
    }
    return a.rank < 0 || b.rank < 0 ? nullptr : matmul_shape(a, b).problem;
}
// Computes the difference x - zero point, which fits in 16 bits.
TRACEXPR_ONCE constexpr node_id record_shifted(lowering& low, node_id x, node_id point, bool is_of_rows) {
    node_id const value = low.as(x, dtype::int32);
    if (point == node_id::none) return value;
    if (is_of_rows && low.rank(point) == 1) point = low.expand(point, 1);
    return low.append(op::subtract, value, low.as(point, dtype::int32));
}
TRACEXPR_ONCE constexpr node_id record_integer_product(lowering& low, node_id const* x, integer_product const& points) {
    node_id const a_point = points.has_a_point ? x[2] : node_id::none, b_point = points.has_b_point ? x[3] : node_id::none;
    return low.append(op::matmul, record_shifted(low, x[0], a_point, true), record_shifted(low, x[1], b_point, false));
}
template <bool HasAPoint, bool HasBPoint> struct integer_product_builder {
    static constexpr char const* called = "nn::matmul_integer";
    static constexpr char const* problem(builder_specs given) { return integer_product_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::int32}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{matmul_shape(given[0].shape, given[1].shape).shape};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_integer_product(low, x, {HasAPoint, HasBPoint})};
    }
};
template <class A, class B, class... Z> constexpr auto integer_product_of(A const& a, B const& b, Z const&... points) {
    using builder = integer_product_builder<(sizeof...(Z) > 0), (sizeof...(Z) > 1)>;
    constexpr bool fits = built_problem<builder, A, B, Z...> == nullptr;
    static_assert(fits, "tx: nn: matmul_integer: takes matrices of int8 or uint8, (m, k) and (k, n), and zero points, integers, "
                        "that are scalars or vectors, (m) and (n)");
    return apply_if<fits>(built_fn<builder>{}, a, b, points...);
}
// Converts a C++ integer to a tensor, because a C++ number would take the dtype of the other operands.
template <class Z> constexpr decltype(auto) strong_point(Z const& point) {
    if constexpr (std::is_integral_v<Z>) return tensor<std::int32_t, shape<>>(static_cast<std::int32_t>(point));
    else return (point);
}

} // namespace tx::detail

namespace tx::nn {
inline namespace TRACEXPR_CALLS {

// Computes the matrix product of a - a_point and b - b_point for int8 and uint8: (..., m, k) x (..., k, n) -> (..., m, n), int32.
// Zero points are scalars or vectors, (m) and (n); by default they are 0. (ONNX: MatMulInteger)
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto matmul_integer(A const& a, B const& b) {
    return tx::detail::integer_product_of(a, b);
}
template <array_operand A, array_operand B, operand P>
[[nodiscard]] constexpr auto matmul_integer(A const& a, B const& b, P const& a_point) {
    return tx::detail::integer_product_of(a, b, tx::detail::strong_point(a_point));
}
template <array_operand A, array_operand B, operand P, operand Q>
[[nodiscard]] constexpr auto matmul_integer(A const& a, B const& b, P const& a_point, Q const& b_point) {
    return tx::detail::integer_product_of(a, b, tx::detail::strong_point(a_point), tx::detail::strong_point(b_point));
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
