// A pointwise op on its way into the new graph: broadcasts that it does by itself go, literals are folded, then its own rule.
#pragma once

#include <tracexpr/passes/rules_arithmetic.hpp>
#include <tracexpr/passes/rules_logic.hpp>

namespace tx::rules {

constexpr bool another_operand_has(pointwise_site const& s, std::uint32_t k, int axis_from_end, std::int64_t extent) {
    for (std::uint32_t other = 0; other < s.d.arity; ++other) {
        dims const& shape = s.r.shape_of(s.d.operand[other]);
        if (other != k && shape.rank >= axis_from_end && shape[shape.rank - axis_from_end] == extent) return true;
    }
    return false;
}

// Whether operand k is a broadcast that changes nothing, because another operand has each extent it brings.
constexpr bool is_implied_broadcast(pointwise_site const& s, std::uint32_t k) {
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

constexpr node_id folded_op(pointwise_site& s) {
    literal_bits x[3];
    for (std::uint32_t k = 0; k < s.d.arity; ++k) x[k] = s.bits_of(k);
    dtype const type = s.operand_type();
    folded const out = s.d.code == op::cast ? fold_cast(x[0], type, s.d.type) : fold(s.d.code, type, x);
    return out.known ? s.result(out.bits) : node_id::none;
}

constexpr node_id unary_rule(pointwise_site& s) {
    switch (s.d.code) {
    case op::cast: return cast_rule(s);
    case op::negative: return negative_rule(s);
    case op::absolute: return absolute_rule(s);
    case op::square: return s.made(op::multiply, s.a(), s.a());
    case op::reciprocal: return is_complex(s.d.type) ? node_id::none : s.made(op::divide, s.r.literal(s.d.type, whole_literal(s.d.type, 1)), s.a());
    case op::sqrt:
    case op::exp:
    case op::log: return inverse_rule(s);
    case op::floor:
    case op::ceil:
    case op::round:
    case op::trunc: return rounding_rule(s);
    case op::isnan:
    case op::isinf:
    case op::isfinite: return test_rule(s);
    case op::logical_not: return not_rule(s);
    case op::bitwise_not:
    case op::conj: return involution_rule(s);
    default: return node_id::none;
    }
}

constexpr node_id binary_rule(pointwise_site& s) {
    switch (s.d.code) {
    case op::add: return add_rule(s);
    case op::subtract: return subtract_rule(s);
    case op::multiply: return multiply_rule(s);
    case op::divide: return divide_rule(s);
    case op::power: return power_rule(s);
    case op::floor_divide:
    case op::remainder:
    case op::fmod: return division_rule(s);
    case op::maximum:
    case op::minimum: return extremum_rule(s);
    case op::equal:
    case op::not_equal:
    case op::less:
    case op::less_equal:
    case op::greater:
    case op::greater_equal: return comparison_rule(s);
    case op::logical_and:
    case op::logical_or:
    case op::logical_xor:
    case op::bitwise_and:
    case op::bitwise_or:
    case op::bitwise_xor: return bits_rule(s);
    case op::left_shift:
    case op::right_shift: return shift_rule(s);
    default: return node_id::none;
    }
}

constexpr node_id simplified_pointwise(rewriter& r, node const& d) {
    pointwise_site s{r, d};
    bool uniform = true;
    for (std::uint32_t k = 0; k < d.arity; ++k) {
        op const code = s.code_of(k);
        if (code == op::broadcast_to) {
            if (is_implied_broadcast(s, k)) s.d.operand[k] = s.inner(k);
            s.value[k] = uniform_value(r, s.d.operand[k]);
        } else if (code == op::literal) {
            s.value[k] = s.d.operand[k];
        }
        uniform = uniform && s.has_value(k);
    }
    node_id out = uniform ? folded_op(s) : node_id::none;
    if (out == node_id::none) {
        switch (d.arity) {
        case 1: out = unary_rule(s); break;
        case 2: out = binary_rule(s); break;
        default: out = d.code == op::where ? where_rule(s) : fma_rule(s);
        }
    }
    return out == node_id::none ? r.append(s.d) : out;
}

} // namespace tx::rules
