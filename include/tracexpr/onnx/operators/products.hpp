// Records operators of ONNX that multiply matrices, and those on quantized numbers.
#pragma once

#include <tracexpr/nn/matmul_integer.hpp>
#include <tracexpr/nn/quantization.hpp>
#include <tracexpr/onnx/operators/indexing.hpp>
#include <tracexpr/trace/einsum.hpp>

namespace tx::onnx::detail {

// Records a product as NumPy defines it: a vector is a row on the left, and a column on the right.
inline node_id matrix_product(op_call const& c, node_id a, node_id b) {
    bool const is_row = c.rank(a) == 1, is_column = c.rank(b) == 1;
    if (c.rank(a) == 0 || c.rank(b) == 0) c.fail("takes matrices and vectors");
    if (is_row) a = c.low().expand(a, 0);
    if (is_column) b = c.low().expand(b, 1);
    node_id out = c.append(op::matmul, a, b);
    if (is_column) out = c.low().squeeze(out, c.rank(out) - 1);
    return is_row ? c.low().squeeze(out, c.rank(out) - (is_column ? 1 : 2)) : out;
}
inline void record_matmul(op_call& c) { c.give(matrix_product(c, c[0], c[1])); }
inline void record_gemm(op_call& c) {
    node_id a = c[0], b = c[1];
    if (c.rank(a) != 2 || c.rank(b) != 2) c.fail("takes matrices");
    if (c.integer("transA", 0)) a = c.low().swap_last_axes(a);
    if (c.integer("transB", 0)) b = c.low().swap_last_axes(b);
    node_id out = c.append(op::matmul, a, b);
    double const alpha = c.number("alpha", 1), beta = c.number("beta", 1);
    if (alpha != 1) out = times(c, out, alpha);
    if (c.has(2) && beta != 0) out = c.append(op::add, out, beta == 1 ? c[2] : times(c, c[2], beta));
    c.give(out);
}
inline void record_einsum(op_call& c) {
    std::vector<node_id> const operands = c.all();
    buffer<dims> shapes;
    for (node_id const id : operands) shapes.push_back(c.shape(id));
    std::string_view const text = c.text("equation", "");
    if (operands.empty() || operands.size() > std::size_t{einsum_plan::max_operands}) c.fail("takes 1 to 16 operands");
    einsum_plan const plan({text.data(), text.size()}, shapes);
    if (plan.problem != einsum_problem::none) c.fail("its equation " + quoted_piece(text) + " doesn't fit the operands");
    for (node_id const id : operands)
        if (c.type(id) != c.type(operands[0]) || c.type(id) == dtype::string) c.fail("takes numbers of one dtype");
    c.give(einsum_lowering(c.low(), c.type(operands[0]), plan).record({operands.data(), operands.size()}));
}
// The determinant is the product of the diagonal of U, and -1 for each swap of rows.
inline void record_det(op_call& c) {
    node_id const x = c[0];
    dtype const type = c.type(x), wide = widened_dtype(to_inexact(type));
    int const rank = c.rank(x);
    if (rank < 2) c.fail("takes matrices");
    node_id const lu = c.append(op::lu, c.as(x, wide));
    node_id const signs = c.low().result(lu, 2);
    node_id const diagonal = c.append(op::diagonal, lu, attribute_list(0, rank - 2, rank - 1));
    attribute_list const last(0, rank - 2);
    c.give(c.as(c.append(op::multiply, c.append(op::prod, diagonal, last), c.append(op::prod, c.as(signs, wide), last)), type));
}

inline void record_matmul_integer(op_call& c) {
    node_id operands[4]{c[0], c[1], node_id::none, node_id::none};
    bool const has_a = c.has(2), has_b = c.has(3);
    for (std::size_t k = 0; k < 4; ++k) {
        if (k >= 2 && !(k == 2 ? has_a : has_b)) continue;
        operands[k] = c[k];
        // A vector of one element counts as a scalar.
        if (k >= 2 && c.rank(operands[k]) == 1 && c.extent(operands[k], 0) == 1) operands[k] = c.low().squeeze(operands[k], 0);
    }
    auto const shifted = [&](std::size_t k, int rank_of) {
        node_id x = c.as(operands[k], dtype::int32), point = operands[k + 2];
        if (point == node_id::none) return x;
        if (k == 0 && rank_of == 1) point = c.low().expand(point, 1);
        return c.append(op::subtract, x, c.as(point, dtype::int32));
    };
    bool const are_matrices = c.rank(operands[0]) >= 2 && c.rank(operands[1]) >= 2;
    bool const are_simple = (!has_a || c.rank(operands[2]) <= 1) && (!has_b || c.rank(operands[3]) <= 1);
    if (are_matrices && are_simple) {
        buffer<builder_spec> specs;
        for (node_id const id : operands)
            if (id != node_id::none) specs.push_back({c.type(id), c.shape(id)});
        if (!(has_b && !has_a) && !integer_product_problem(specs))
            return c.give(record_integer_product(c.low(), operands, {has_a, has_b}));
    }
    c.give(matrix_product(c, shifted(0, has_a ? c.rank(operands[2]) : 0), shifted(1, 0)));
}

inline dtype quantized_type(op_call const& c) {
    if (c.has(2)) return c.type(c[2]);
    return c.integer("output_dtype", 0) ? c.type_attribute("output_dtype", dtype::uint8) : dtype::uint8;
}
// Reshapes a scale or zero point so that it broadcasts with x: it is a scalar, or has numbers along an axis, or in blocks along
// it.
inline node_id beside(op_call const& c, node_id numbers, node_id x) {
    if (c.rank(numbers) == 0 || (c.rank(numbers) == 1 && c.extent(numbers, 0) == 1)) return c.reshape(numbers, dims{});
    int const axis = c.axis(c.integer("axis", 1), c.rank(x));
    if (c.rank(numbers) == 1) return record_along(c.low(), numbers, x, axis);
    std::int64_t const block = c.integer("block_size", 0);
    if (block < 1 || c.rank(numbers) != c.rank(x)) c.fail("scale and zero point must be scalars, vectors, or stand for blocks");
    std::int64_t const extent = c.known_extent(x, axis);
    node_id const all = repeated(c, numbers, axis, std::min(block, std::max<std::int64_t>(extent, 1)), true);
    return c.low().slice(all, axis, 0, extent);
}
// int4 and uint4 are kept as int8 and uint8, whose range is larger.
inline std::pair<double, double> range_of(op_call const& c) {
    std::int64_t const number = c.integer("output_dtype", 0);
    dtype const type = quantized_type(c);
    if (has_four_bits(number) || (c.has(2) && c.value(2).is_of_four_bits))
        return type == dtype::int8 ? std::pair{-8.0, 7.0} : std::pair{0.0, 15.0};
    return {least_of(type), most_of(type)};
}
inline void record_quantize_linear(op_call& c) {
    dtype const to = quantized_type(c), type = widened_dtype(to_inexact(c.type(c[0])));
    node_id const x = c.as(c[0], type), scale = beside(c, c.as(c[1], type), x);
    node_id const steps = c.append(op::round, c.append(op::divide, x, scale));
    node_id const moved = c.has(2) ? c.append(op::add, steps, beside(c, c.as(c[2], type), x)) : steps;
    auto const [least, most] = range_of(c);
    c.give(
        c.as(c.append(op::minimum, c.append(op::maximum, moved, c.number_like(moved, least)), c.number_like(moved, most)), to));
}
inline void record_dequantize_linear(op_call& c) {
    dtype const to = c.type(c[1]), type = widened_dtype(to);
    node_id const q = c.as(c[0], is_quantized(c.type(c[0])) ? type : dtype::int64);
    node_id const moved = c.has(2) ? c.append(op::subtract, q, beside(c, c.as(c[2], c.type(q)), q)) : q;
    c.give(c.as(c.append(op::multiply, c.as(moved, type), beside(c, c.as(c[1], type), q)), to));
}
inline void record_dynamic_quantize(op_call& c) {
    node_id const x = c[0], zero = c.low().zero_like(x);
    attribute_list all(0);
    for (int a = 0; a < c.rank(x); ++a) all.push_back(a);
    node_id const most = c.append(op::maximum, c.rank(x) ? c.append(op::max, x, all) : x, zero);
    node_id const least = c.append(op::minimum, c.rank(x) ? c.append(op::min, x, all) : x, zero);
    node_id const scale = times(c, c.append(op::subtract, most, least), 1.0 / 255);
    node_id const safe = c.choose(c.append(op::equal, scale, zero), c.number_like(scale, 1), scale);
    auto const cut = [&](node_id v) {
        return c.append(op::minimum, c.append(op::maximum, v, c.number_like(v, 0)), c.number_like(v, 255));
    };
    node_id const point = c.append(op::round, cut(c.append(op::negative, c.append(op::divide, least, safe))));
    node_id const steps = c.append(op::add, c.append(op::round, c.append(op::divide, x, safe)), point);
    c.give(0, c.as(cut(steps), dtype::uint8)), c.give(1, scale), c.give(2, c.as(point, dtype::uint8));
}
// Subtracts the zero point from x in float64, in which sums of products of bytes are exact; the zero point may have numbers for
// rows or columns.
inline node_id shifted_number(op_call const& c, node_id x, node_id point, int axis_from_end) {
    node_id p = c.as(point, dtype::float64);
    if (c.rank(p) == 1 && axis_from_end == 2) p = c.low().expand(p, 1);
    return c.append(op::subtract, c.as(x, dtype::float64), p);
}
inline void record_qlinear_matmul(op_call& c) {
    auto const column = [&](node_id v) { return c.rank(v) == 1 ? c.low().expand(v, 1) : v; };
    node_id const product = matrix_product(c, shifted_number(c, c[0], c[2], 2), shifted_number(c, c[3], c[5], 1));
    auto const wide = [&](node_id v) { return c.as(v, dtype::float64); };
    node_id const scaled = c.append(op::multiply, c.append(op::multiply, product, column(wide(c[1]))), wide(c[4]));
    node_id const steps = c.append(op::add, c.append(op::round, c.append(op::divide, scaled, wide(c[6]))), wide(c[7]));
    dtype const to = c.type(c[7]);
    c.give(c.as(c.append(op::minimum, c.append(op::maximum, steps, c.number_like(steps, least_of(to))),
                         c.number_like(steps, most_of(to))),
                to));
}

} // namespace tx::onnx::detail
