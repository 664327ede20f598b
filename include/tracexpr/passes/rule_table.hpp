// This file holds all rules of simplify, numbered by their position, and the tables by which an op finds its rules.
#pragma once

#include <tracexpr/passes/rules_arithmetic.hpp>
#include <tracexpr/passes/rules_lookups.hpp>
#include <tracexpr/passes/rules_pointwise.hpp>
#include <tracexpr/passes/rules_products.hpp>
#include <tracexpr/passes/rules_reductions.hpp>

#include <array>

TRACEXPR_BEGIN_PASSES

namespace tx {
namespace rules {

template <std::size_t... N> constexpr auto joined_rows(rule_row const (&... parts)[N]) {
    std::array<rule_row const*, (N + ...)> out{};
    std::size_t count = 0;
    auto const add = [&](auto const& rows) {
        for (rule_row const& row : rows) out[count++] = &row;
    };
    (add(parts), ...);
    return out;
}
inline constexpr auto all_rules =
    joined_rows(pointwise_rules, arithmetic_rules, logic_rules, view_rules, reduction_rules, lookup_rules, product_rules);
static_assert(all_rules.size() <= rule_set::capacity);

inline constexpr std::size_t row_uses = [] {
    std::size_t count = 0;
    for (rule_row const* row : all_rules) count += row->ops.count;
    return count;
}();

// A rule_table holds the rules that are on, grouped by op. They are in tables, because clang counts every case that a switch
// passes over as a step of constant evaluation.
struct rule_table {
    struct entry {
        std::uint64_t needs = 0;
        node_id (*answer)(site&) = nullptr;
    };
    entry entries[row_uses];
    std::uint16_t first[op_count + 1]{}; // the rules of op i are entries first[i] to first[i + 1]
    bool drops_broadcasts = false, folds = false;
    bool has_rules[op_count]{};
    bool is_special[op_count]{};   // an operand with this op makes rules look closer
    bool sees_doubled[op_count]{}; // so do two operands that are the same node
    bool is_ordered[op_count]{};   // two different operands that are not special stay in their order

    constexpr explicit rule_table(bool fast_math, rule_set const& off = {}) {
        auto const is_on = [&](std::size_t i) { return !off.has(i) && (fast_math || all_rules[i]->when != holds::fast_math); };
        drops_broadcasts = is_on(0), folds = is_on(1);
        for (std::size_t i = 0; i < all_rules.size(); ++i)
            for (op code : all_rules[i]->ops) first[static_cast<std::size_t>(code) + 1] += is_on(i);
        std::uint16_t next[op_count]{};
        for (std::size_t i = 0; i < op_count; ++i) next[i] = first[i], has_rules[i] = first[i + 1] != 0, first[i + 1] += first[i];
        for (std::size_t i = 0; i < all_rules.size(); ++i) {
            if (!is_on(i)) continue;
            for (op code : all_rules[i]->ops) {
                entries[next[static_cast<std::size_t>(code)]++] = {all_rules[i]->needs, all_rules[i]->answer};
                if (all_rules[i]->needs & is::doubled) sees_doubled[static_cast<std::size_t>(code)] = true;
            }
        }
        for (op code : {op::literal, op::broadcast_to, op::negative, op::sqrt}) is_special[static_cast<std::size_t>(code)] = true;
        for (op_info const& row : op_table)
            is_ordered[static_cast<std::size_t>(row.code)] =
                !is_on(2) || (row.arity == 2 && !row.commutes && mirrored(row.code) == row.code);
    }
};
inline constexpr rule_table exact_rules(false);

TRACEXPR_ONCE constexpr node_id answered(site& s, rule_table const& table) {
    rule_table::entry const* const end = table.entries + table.first[static_cast<std::size_t>(s.d.code) + 1];
    for (rule_table::entry const* e = table.entries + table.first[static_cast<std::size_t>(s.d.code)]; e != end; ++e)
        if (!(e->needs & ~s.facts))
            if (node_id const out = e->answer(s); out != node_id::none) return out;
    return s.r.append(s.d);
}

TRACEXPR_ONCE constexpr node_id simplified_specially(rewriter& r, node const& d, rule_table const& table) {
    site s{r, d};
    node const* const known = &r[node_id{0}];
    dtype type{};
    std::uint64_t uniform = is::uniform;
    for (std::uint32_t k = 0; k < d.arity; ++k) {
        node const& x = known[static_cast<std::size_t>(d.operand[k])];
        if (x.code == op::broadcast_to && table.drops_broadcasts && is_implied_broadcast(s, k)) s.d.operand[k] = x.operand[0];
        if (table.is_special[static_cast<std::size_t>(x.code)]) s.look_at(k);
        else s.facts |= (x.code == d.code ? is::same_op : 0) << 16 * k;
        uniform &= s.facts >> 16 * k;
        type = x.type;
    }
    s.facts |= known_facts.of_dtype[static_cast<std::size_t>(type)] | (d.arity > 1 && s.a() == s.b() ? is::doubled : 0);
    node_id const out = uniform && table.folds ? folded_op(s) : node_id::none;
    return out == node_id::none ? answered(s, table) : out;
}

// Appends most nodes at once: those that have no operands which a rule looks for.
TRACEXPR_ONCE constexpr node_id simplified_pointwise(rewriter& r, node const& d) {
    rule_table const& table = *r.table;
    node_id const a = d.operand[0], b = d.operand[1];
    if (table.is_special[static_cast<std::size_t>(r.code(a))] || d.arity == 3) return simplified_specially(r, d, table);
    if (d.arity == 1) return table.has_rules[static_cast<std::size_t>(d.code)] ? simplified_specially(r, d, table) : r.append(d);
    if (table.is_special[static_cast<std::size_t>(r.code(b))] || (a == b && table.sees_doubled[static_cast<std::size_t>(d.code)]))
        return simplified_specially(r, d, table);
    if (a <= b || table.is_ordered[static_cast<std::size_t>(d.code)]) return r.append(d);
    if (mirrored(d.code) != d.code) return simplified_specially(r, d, table);
    node swapped = d;
    swapped.operand[0] = b, swapped.operand[1] = a;
    return r.append(swapped);
}
TRACEXPR_ONCE constexpr node_id simplified_structure(rewriter& r, node const& d) {
    if (d.arity == 0 && r.shape_of(d).rank == 0) return r.append(d);
    site s{r, d};
    if (d.arity == 1 || d.arity == 2) {
        s.look_at(0);
        s.facts |= (d.arity == 1 ? is::single : is::pair) | (s.given().rank >= 0 ? is::ranked : 0);
    }
    return answered(s, *r.table);
}

} // namespace rules

// Makes the value of pass_options::off from rules' names, which docs/rules.md lists.
TRACEXPR_ONCE constexpr rule_set rules_named(std::initializer_list<std::string_view> names) {
    rule_set out;
    for (std::string_view name : names) {
        std::size_t number = 0;
        while (number < rules::all_rules.size() && rules::all_rules[number]->name != name) ++number;
        if (number == rules::all_rules.size())
            throw error("tx: rules_named: no rule has the name \"" + std::string(name) + "\"; docs/rules.md lists them");
        out.add(number);
    }
    return out;
}

} // namespace tx

TRACEXPR_END_PASSES
