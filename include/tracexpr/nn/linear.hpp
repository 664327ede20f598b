// tx::nn::linear is an affine map, and tx::nn::embedding looks up rows of a table.
#pragma once

#include <tracexpr/nn/building.hpp>
#include <tracexpr/trace/functions.hpp>

namespace tx {
namespace detail {

TRACEXPR_ONCE constexpr char const* linear_problem(builder_specs given) {
    for (builder_spec const& s : given)
        if (s.type == dtype::string) return "takes numbers";
    if (given[0].shape.rank == 0) return "x must have an axis, (..., in)";
    dims const w = given[1].shape;
    if (w.rank >= 0 && w.rank != 2) return "w must have two axes, (in, out)";
    if (w.rank == 2 && given[0].shape.rank > 0 && !agree(last_extent(given[0].shape), w[0]))
        return "the last extent of x must be the first of w";
    if (given.size() < 3) return nullptr;
    dims const b = given[2].shape;
    if (b.rank >= 0 && (b.rank != 1 || (w.rank == 2 && !agree(b[0], w[1]))))
        return "b must be a vector of as many as w has columns";
    return nullptr;
}
TRACEXPR_ONCE constexpr dtype linear_type(builder_specs given) {
    dtype out = promote(given[0].type, given[1].type);
    return given.size() > 2 ? promote(out, given[2].type) : out;
}
TRACEXPR_ONCE constexpr dims linear_shape(builder_specs given) {
    dims out = given[0].shape;
    out[out.rank - 1] = given[1].shape[1];
    return out;
}
// Records one matrix product: the leading axes are merged if at most one of their extents is unknown.
TRACEXPR_ONCE constexpr node_id record_product(lowering& low, node_id x, node_id w) {
    int const rank = low.rank(x);
    if (rank == 1) return low.squeeze(low.append(op::matmul, low.expand(x, 0), w), 0);
    std::int64_t rows = 1, open = 0;
    for (int k = 0; k + 1 < rank; ++k)
        if (low.extent(x, k) == dyn) ++open;
        else rows *= low.extent(x, k);
    if (rank < 3 || open > 1) return low.append(op::matmul, x, w);
    node_id const matrix = low.reshape(x, attribute_list(open ? dyn : rows, low.copied(x, rank - 1)));
    attribute_list target;
    for (int k = 0; k + 1 < rank; ++k) target.push_back(low.extent(x, k));
    node_id const product = low.append(op::matmul, matrix, w);
    target.push_back(low.extent(product, 1) == dyn ? -3 : low.extent(product, 1));
    return low.reshape(product, target);
}
TRACEXPR_ONCE constexpr node_id record_linear(lowering& low, dtype type, node_id const* operands, bool has_bias) {
    node_id const product = record_product(low, low.as(operands[0], type), low.as(operands[1], type));
    return has_bias ? low.append(op::add, product, low.as(operands[2], type)) : product;
}
template <bool HasBias> struct linear_builder {
    static constexpr char const* called = "linear";
    static constexpr char const* problem(builder_specs given) { return linear_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{linear_type(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{linear_shape(given)}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        dtype type = promote(low.type(operands[0]), low.type(operands[1]));
        if (HasBias) type = promote(type, low.type(operands[2]));
        return std::array<node_id, 1>{record_linear(low, type, operands, HasBias)};
    }
};

struct embedding_fn : take_fn<0> {
    static constexpr char const* called = "embedding";
};

} // namespace detail

namespace nn {
inline namespace TRACEXPR_CALLS {

// Computes x w + b: (..., in) x (in, out) + (out) -> (..., out). w is the transpose of PyTorch's weight.
template <array_operand X, array_operand W, array_operand B>
[[nodiscard]] constexpr auto linear(X const& x, W const& w, B const& b) {
    constexpr bool fits = detail::built_problem<detail::linear_builder<true>, X, W, B> == nullptr;
    static_assert(fits, "tx: linear: takes x (..., in), w (in, out) and b (out); transpose a weight of PyTorch");
    return detail::apply_if<fits>(detail::built_fn<detail::linear_builder<true>>{}, x, w, b);
}
// Computes x w: (..., in) x (in, out) -> (..., out).
template <array_operand X, array_operand W> [[nodiscard]] constexpr auto linear(X const& x, W const& w) {
    constexpr bool fits = detail::built_problem<detail::linear_builder<false>, X, W> == nullptr;
    static_assert(fits, "tx: linear: takes x (..., in) and w (in, out); transpose a weight of PyTorch");
    return detail::apply_if<fits>(detail::built_fn<detail::linear_builder<false>>{}, x, w);
}
// Looks up rows of a table by their numbers: (rows, d...) and integers (s...) -> (s..., d...). A number below 0 counts from the
// end; one outside throws when the program runs. The gradient of a row that is looked up several times is the sum over these.
template <array_operand T, operand I> [[nodiscard]] constexpr auto embedding(T const& table, I const& ids) {
    constexpr bool are_numbers = detail::are_indices<I>;
    constexpr bool fits = detail::lookup_fits<detail::take_fn<0>, T, I>;
    static_assert(are_numbers, "tx: embedding: the numbers of rows must be integers; cast them");
    static_assert(fits, "tx: embedding: the table must have an axis, and the result at most 8");
    return detail::apply_if<(are_numbers && fits)>(detail::embedding_fn{}, table, ids);
}

} // namespace TRACEXPR_CALLS
} // namespace nn
} // namespace tx
