// A pointwise op on its way into the new graph: broadcasts that it does by itself go, literals are folded, then its own rule.
#pragma once

#include <tracexpr/passes/rules_arithmetic.hpp>
#include <tracexpr/passes/rules_logic.hpp>

#include <initializer_list>

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

constexpr node_id square_rule(pointwise_site& s) { return s.made(op::multiply, s.a(), s.a()); }
constexpr node_id reciprocal_rule(pointwise_site& s) {
    return is_complex(s.d.type) ? node_id::none : s.made(op::divide, s.r.literal(s.d.type, whole_literal(s.d.type, 1)), s.a());
}

// A table, because clang counts every case that a switch passes over as a step of constant evaluation.
struct pointwise_table {
    node_id (*rule[op_count])(pointwise_site&){};
    bool has_rule[op_count]{};   // g++ 12, where it sanitizes, can't compare a function with null in a constant expression
    bool is_special[op_count]{}; // as an operand, it makes rules look closer
    bool is_ordered[op_count]{}; // two different operands that are not special are left as they are

    constexpr pointwise_table() {
        set(cast_rule, {op::cast});
        set(negative_rule, {op::negative});
        set(absolute_rule, {op::absolute});
        set(square_rule, {op::square});
        set(reciprocal_rule, {op::reciprocal});
        set(inverse_rule, {op::sqrt, op::exp, op::log});
        set(rounding_rule, {op::floor, op::ceil, op::round, op::trunc});
        set(test_rule, {op::isnan, op::isinf, op::isfinite});
        set(not_rule, {op::logical_not});
        set(involution_rule, {op::bitwise_not, op::conj});
        set(add_rule, {op::add});
        set(subtract_rule, {op::subtract});
        set(multiply_rule, {op::multiply});
        set(divide_rule, {op::divide});
        set(power_rule, {op::power});
        set(division_rule, {op::floor_divide, op::remainder, op::fmod});
        set(extremum_rule, {op::maximum, op::minimum});
        set(comparison_rule, {op::equal, op::not_equal, op::less, op::less_equal, op::greater, op::greater_equal});
        set(bits_rule, {op::logical_and, op::logical_or, op::logical_xor, op::bitwise_and, op::bitwise_or, op::bitwise_xor});
        set(shift_rule, {op::left_shift, op::right_shift});
        set(where_rule, {op::where});
        set(fma_rule, {op::fma});
        for (op code : {op::literal, op::broadcast_to, op::negative, op::sqrt}) is_special[static_cast<std::size_t>(code)] = true;
        for (op_info const& row : op_table)
            is_ordered[static_cast<std::size_t>(row.code)] = row.arity == 2 && !row.commutes && mirrored(row.code) == row.code;
    }

private:
    constexpr void set(node_id (*r)(pointwise_site&), std::initializer_list<op> codes) {
        for (op code : codes) rule[static_cast<std::size_t>(code)] = r, has_rule[static_cast<std::size_t>(code)] = true;
    }
};
inline constexpr pointwise_table pointwise_rules;

constexpr node_id simplified_specially(rewriter& r, node const& d) {
    pointwise_site s{r, d};
    bool uniform = true;
    for (std::uint32_t k = 0; k < d.arity; ++k) {
        op const code = s.code_of(k);
        if (code == op::broadcast_to) {
            if (is_implied_broadcast(s, k)) s.d.operand[k] = s.inner(k);
            s.value[k] = uniform_value(r, s.d.operand[k]);
        } else if (code == op::literal) {
            s.value[k] = d.operand[k];
        }
        uniform = uniform && s.has_value(k);
    }
    node_id out = uniform ? folded_op(s) : node_id::none;
    if (out == node_id::none && pointwise_rules.has_rule[static_cast<std::size_t>(d.code)])
        out = pointwise_rules.rule[static_cast<std::size_t>(d.code)](s);
    return out == node_id::none ? r.append(s.d) : out;
}

// Most nodes have operands that no rule looks for, and leave early.
constexpr node_id simplified_pointwise(rewriter& r, node const& d) {
    pointwise_table const& table = pointwise_rules;
    node_id const a = d.operand[0], b = d.operand[1];
    if (table.is_special[static_cast<std::size_t>(r.code(a))] || d.arity == 3) return simplified_specially(r, d);
    if (d.arity == 1) return table.has_rule[static_cast<std::size_t>(d.code)] ? simplified_specially(r, d) : r.append(d);
    if (table.is_special[static_cast<std::size_t>(r.code(b))] || a == b) return simplified_specially(r, d);
    if (a < b || table.is_ordered[static_cast<std::size_t>(d.code)]) return r.append(d);
    if (mirrored(d.code) != d.code) return simplified_specially(r, d);
    node swapped = d;
    swapped.operand[0] = b, swapped.operand[1] = a;
    return r.append(swapped);
}

} // namespace tx::rules
