// This file holds the rules of simplify for all pointwise ops: they remove broadcasts that the op makes by itself, fold literals,
// and put operands in one order.
#pragma once

#include <tracexpr/passes/rules_logic.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

TRACEXPR_ONCE constexpr bool another_operand_has(site const& s, std::uint32_t k, int axis_from_end, std::int64_t extent) {
    for (std::uint32_t other = 0; other < s.d.arity; ++other) {
        dims const& shape = s.r.shape_of(s.d.operand[other]);
        if (other != k && shape.rank >= axis_from_end && shape[shape.rank - axis_from_end] == extent) return true;
    }
    return false;
}

// Is operand k a broadcast that changes nothing, because another operand has each extent that it adds?
TRACEXPR_ONCE constexpr bool is_implied_broadcast(site const& s, std::uint32_t k) {
    node const& n = s.r[s.d.operand[k]];
    dims const& given = s.r.shape_of(n.operand[0]);
    if (n.arity == 2) {
        bool shape_is_there = false;
        for (std::uint32_t other = 0; other < s.d.arity; ++other)
            shape_is_there = shape_is_there || (other != k && s.d.operand[other] == n.operand[1]);
        return given.rank == 0 && shape_is_there;
    }
    dims const& wanted = s.r.shape_of(s.d.operand[k]);
    if (given.rank < 0) return false;
    bool rank_is_there = given.rank == wanted.rank;
    for (std::uint32_t other = 0; other < s.d.arity; ++other)
        rank_is_there = rank_is_there || (other != k && s.r.shape_of(s.d.operand[other]).rank >= wanted.rank);
    if (!rank_is_there) return false;
    std::int64_t const* const target = s.r.attributes_of(n);
    for (int axis = 0; axis < wanted.rank; ++axis) {
        int const from = axis - (wanted.rank - given.rank);
        std::int64_t const extent = from < 0 ? 1 : given[from];
        if (target[axis] == -1 || target[axis] == extent) continue;
        if (target[axis] == 1 || !another_operand_has(s, k, wanted.rank - axis, target[axis])) return false;
    }
    return true;
}

TRACEXPR_ONCE constexpr node_id drop_broadcasts(site& s) {
    for (std::uint32_t k = 0; k < s.d.arity; ++k)
        if (s.code_of(k) == op::broadcast_to && is_implied_broadcast(s, k)) s.d.operand[k] = s.inner(k);
    return node_id::none;
}
TRACEXPR_ONCE constexpr node_id folded_op(site& s) {
    literal_bits x[3];
    for (std::uint32_t k = 0; k < s.d.arity; ++k) x[k] = s.bits_of(k);
    dtype const type = s.operand_type();
    folded const out = s.d.code == op::cast ? fold_cast(x[0], type, s.d.type) : fold(s.d.code, type, x);
    return out.known ? s.result(out.bits) : node_id::none;
}
// Puts a literal second, else the older node first.
TRACEXPR_ONCE constexpr node_id put_in_order(site& s) {
    bool const first_is_literal = s.facts & first(is::uniform), second_is_literal = s.facts & second(is::uniform);
    if (first_is_literal != second_is_literal ? second_is_literal : s.a() <= s.b()) return node_id::none;
    s.swap_operands();
    s.d.code = mirrored(s.d.code);
    return node_id::none;
}

// The first two rules are for every pointwise op.
inline constexpr rule_row pointwise_rules[]{
    exactly("op of what is broadcast anyway", {}, 0, drop_broadcasts),
    exactly("op of literals", {}, 0, folded_op),
    exactly("operands in order",
            {op::add, op::multiply, op::fma, op::equal, op::not_equal, op::less, op::less_equal, op::greater, op::greater_equal,
             op::logical_and, op::logical_or, op::logical_xor, op::bitwise_and, op::bitwise_or, op::bitwise_xor},
            0, put_in_order),
};

} // namespace tx::rules

TRACEXPR_END_PASSES
