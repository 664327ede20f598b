// This file counts a graph's arithmetic as benchmarks do: an addition, a multiplication, a comparison for a maximum, a square
// root or an exponential is one operation, a fused multiply-add is two. Ops that only select, compare, convert or move values are
// none.
#pragma once

#include <tracexpr/passes/extents.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

inline bool is_arithmetic(op code) {
    switch (code) {
    case op::cast:
    case op::isnan:
    case op::isinf:
    case op::isfinite:
    case op::logical_not:
    case op::bitwise_not:
    case op::real:
    case op::imag:
    case op::conj:
    case op::times_i:
    case op::string_add:
    case op::copysign:
    case op::where: return false;
    default: break;
    }
    return info(code).kind == kind::pointwise && !counts_bits(code) && !(code >= op::equal && code <= op::right_shift);
}
// Returns the operations of one element of an elementwise op. For complex numbers a product is 6 operations, a fused multiply-add
// 8, any other op 2.
inline std::int64_t flops_of_element(op code, dtype type) {
    if (!is_arithmetic(code) || type == dtype::boolean || type == dtype::string) return 0;
    bool const multiplies = code == op::multiply || code == op::square;
    if (is_complex(type)) return code == op::fma ? 8 : multiplies ? 6 : 2;
    return code == op::fma ? 2 : 1;
}

// Returns the operations of one node without regions, from its operands' extents and its own. Decompositions count their leading
// terms as in Golub and Van Loan, Matrix Computations, 4th ed. (Cholesky 4.2, LU 3.2, symmetric eigenvectors 8.3, QR 5.2, SVD
// 8.6, substitution 3.1).
inline std::int64_t flops_of_node(node const& n, dtype operand, table_view<dims> operands, dims const& result) {
    std::int64_t const each = is_complex(operand) ? 4 : 1;
    auto const last = [](dims const& d) { return d.rank > 0 ? d[d.rank - 1] : 1; };
    switch (info(n.code).kind) {
    case kind::pointwise: return flops_of_element(n.code, operand) * result.size();
    case kind::reduction:
    case kind::arg_reduction: return flops_of_element(info(n.code).combines.by, operand) * operands[0].size();
    case kind::scan: return flops_of_element(op::add, operand) * result.size();
    case kind::contraction: return 2 * each * result.size() * last(operands[0]);
    case kind::update: return flops_of_element(op::add, operand) * operands[1].size();
    case kind::decomposition: break;
    default: return 0;
    }
    std::int64_t const order = last(operands[0]), matrices = operands[0].size() / (order > 0 ? order : 1),
                       squares = matrices * order;
    dims const& a = operands[0];
    std::int64_t const smaller = smaller_side(a), rows = a[a.rank - 2], larger = rows < order ? order : rows,
                       batches = smaller > 0 ? a.size() / (smaller * larger) : 0;
    switch (n.code) {
    case op::cholesky: return squares * order / 3;
    case op::lu: return 2 * squares * order / 3;
    case op::eigh: return 9 * squares * order;
    case op::qr: return 4 * smaller * smaller * (3 * larger - smaller) / 3 * batches;
    case op::svd: return (14 * larger + 8 * smaller) * smaller * smaller * batches;
    case op::solve_triangular: return result.size() * order;
    case op::solve: return 2 * result.size() * order;
    default: return 0;
    }
}

inline std::int64_t flops_of_graph(graph_view const& g, table_view<dims> arguments);

// Returns the operations of a node with regions. It is 0 for a while_loop and a cond, because only a run tells how often the loop
// runs and which branch is taken.
inline std::int64_t flops_of_regions(graph_view const& g, node const& n, table_view<dims> operands) {
    attribute_span const regions = g.attributes_of(n);
    buffer<dims> arguments(operands);
    if (n.code == op::scan) {
        loop_form const loop = loop_form::of(n);
        std::int64_t const times = operands[loop.states][0];
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (loop.is_sequence(k)) arguments[k] = without_leading(operands[k]);
        return times * flops_of_graph(g.region(regions[0]), arguments);
    }
    if (n.code != op::blocks) return 0;
    block_form const blocks = block_form::of(n);
    std::int64_t const length = operands[0][0];
    auto const of_places = [&](std::int64_t region, std::int64_t places) {
        for (std::size_t k = 0; k < blocks.sequences; ++k) arguments[k][0] = places;
        return flops_of_graph(g.region(region), arguments);
    };
    if (blocks.block == 0) return of_places(regions[0], length);
    std::int64_t const rest = length % blocks.block, whole = length / blocks.block;
    return (whole > 0 ? whole * of_places(regions[0], blocks.block) : 0) + (rest > 0 ? of_places(regions[1], rest) : 0);
}
// Returns the operations of a node of any kind, given every node's extents.
inline std::int64_t flops_of_node(graph_view const& g, node_id id, table_view<dims> extents) {
    node const& n = g[id];
    buffer<dims> operands;
    for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(extents[index(g.operand(n, k))]);
    if (has_regions(n)) return flops_of_regions(g, n, operands);
    dtype const type = n.arity > 0 ? g[g.operand(n, 0)].type : n.type;
    return flops_of_node(n, type, operands, extents[index(id)]);
}
// Returns the operations of a graph for arguments of these extents.
inline std::int64_t flops_of_graph(graph_view const& g, table_view<dims> arguments) {
    buffer<dims> const extents = inferred_extents(g, arguments);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < g.size(); ++i) sum += flops_of_node(g, to_id(i), extents);
    return sum;
}

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
