// This file holds the rules of simplify for lookups (take, take_along_axis).
#pragma once

#include <tracexpr/passes/rules_common.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

// Rewrites a lookup of few elements of a pointwise op's result to the op on those elements of its operands. Operands that don't
// change along the axis are used as they are.
TRACEXPR_ONCE constexpr node_id lookup_of_pointwise(site& s) {
    rewriter& r = s.r;
    node const& d = s.d;
    node x = r[d.operand[0]];
    if (info(x.code).kind != kind::pointwise) return node_id::none;
    int const axis = static_cast<int>(r.attributes_of(d)[0]);
    dims const given = r.shape_of(x), picked = r.shape_of(d);
    if (given.rank < 0 || picked.rank < 0) return node_id::none;
    bool const picks_few =
        picked[axis] == 1 ? given[axis] != 1 : picked[axis] != dyn && given[axis] != dyn && picked[axis] <= given[axis] / 4;
    if (!picks_few) return node_id::none;
    bool looks_up[3]{}, any = false;
    for (std::uint32_t k = 0; k < x.arity; ++k) {
        dims const& own = r.shape_of(x.operand[k]);
        int const aligned = axis - (given.rank - own.rank);
        if (own.rank < 0) return node_id::none;
        if (aligned < 0 || own[aligned] == 1) continue;
        if (!(own == given)) return node_id::none;
        looks_up[k] = any = true;
    }
    if (!any) return node_id::none;
    for (std::uint32_t k = 0; k < x.arity; ++k) {
        if (!looks_up[k]) continue;
        node part = d;
        part.operand[0] = x.operand[k];
        part.type = r[x.operand[k]].type;
        x.operand[k] = r.make(part);
    }
    x.shape = d.shape;
    return r.make(x);
}

inline constexpr rule_row lookup_rules[]{
    exactly("few elements of a pointwise op", {op::take_along_axis}, is::ranked, lookup_of_pointwise),
};

} // namespace tx::rules

TRACEXPR_END_PASSES
