// This file checks every op on every dtype of a set, one at a time, by the interpreter of a device of Thrust's.
#pragma once

#include <graph_helper.hpp>
#include <op_families.hpp>
#include <thrust/run_interpreted.hpp>

namespace tx::testing {

template <std::uint32_t Types> void check_interpreted(graph const& g, std::vector<host_array> const& given, double epsilons) {
    auto const arguments = views_of(given);
    INFO(to_text(g.view()));
    for (detail::piece_rules const& rules : {detail::host_pieces, detail::gpu_pieces})
        CHECK(strict_difference(run_interpreted<Types>(g.view(), arguments, {}, rules), run_reference(g, arguments), epsilons) == "");
}
template <std::uint32_t Types, class F> void for_each_dtype(F f) {
    for (std::size_t t = 0; t < dtype_count; ++t)
        if (detail::has_dtype(Types, static_cast<dtype>(t))) f(static_cast<dtype>(t));
}

// Checks pointwise ops, with ordinary values where special values of complex and dual numbers differ between libraries.
template <std::uint32_t Types> void check_pointwise() {
    int checked = 0;
    for_each_dtype<Types>([&](dtype type) {
        for (op_info const& row : op_table) {
            if (row.kind != kind::pointwise || !accepts(row.code, type) || row.code == op::cast) continue;
            graph g;
            std::vector<host_array> given;
            buffer<node_id> operands;
            for (int k = 0; k < row.arity; ++k) {
                dtype const own = row.code == op::where && k == 0 ? dtype::boolean : type;
                given.push_back(is_compound(type) || row.code == op::polygamma ? tame_values(own, extents({29}), k) : special_values(own, extents({29}), 5 * k));
                operands.push_back(g.append_parameter(own, extents({29})));
            }
            buffer<dtype> types;
            for (node_id const id : operands) types.push_back(g[id].type);
            dtype const result = row.code == op::where ? type : infer_dtype(row.code, type, types).type;
            g.add_output(g.append(row.code, result, extents({29}), operands));
            check_interpreted<Types>(g, given, is_compound(type) ? 64 : row.code == op::polygamma || row.code == op::lgamma ? 64 : 8);
            ++checked;
        }
    });
    CHECK(checked > 0);
}
template <std::uint32_t Types> void check_casts() {
    for_each_dtype<Types>([](dtype from) {
        graph g;
        node_id const operand[]{g.append_parameter(from, extents({29}))};
        for_each_dtype<Types>([&](dtype to) { g.add_output(g.append(op::cast, to, extents({29}), operand)); });
        check_interpreted<Types>(g, {special_values(from, extents({29}))}, 1);
    });
}
template <std::uint32_t Types> void check_reductions() {
    for_each_dtype<Types>([](dtype type) {
        for (op_info const& row : op_table) {
            if (row.kind != kind::reduction || !accepts(row.code, type)) continue;
            for (std::int64_t const axis : {0, 1}) {
                dims const shape = extents({5, is_dual(type) ? 28 : 70});  // of equal dual numbers any may be the largest
                graph g;
                node_id const operand = g.append_parameter(type, shape);
                g.add_output(append(g, row.code, {operand}, {0, axis}));
                check_interpreted<Types>(g, {tame_values(type, shape)}, 512);
            }
        }
    });
}
// Checks numbers of the index, and lookups with indices of any dtype.
template <std::uint32_t Types> void check_places() {
    for_each_dtype<Types>([](dtype type) {
        if (!accepts(op::iota, type)) return;
        graph g;
        g.add_output(g.append(op::iota, type, extents({3, 30}), {}, std::array<std::int64_t, 1>{1}));
        check_interpreted<Types>(g, {}, 0);
    });
    for (dtype const index : {dtype::int8, dtype::int16, dtype::int32, dtype::int64, dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64})
        for_each_dtype<Types>([&](dtype type) {
            graph g;
            node_id const table = g.append_parameter(type, extents({4, 6})), places = g.append_parameter(index, extents({5}));
            g.add_output(append(g, op::take, {table, places}, {1}));
            host_array where{index, extents({5}), std::vector<std::byte>(5 * size_in_bytes(index))};
            reference::values v(index, where.shape);
            for (std::int64_t i = 0; i < 5; ++i) v[i] = reference::cell{static_cast<std::uint64_t>(is_signed_integer(index) && i == 2 ? -1 : (i * 2) % 6), 0};
            reference::store(v, where.bytes.data());
            check_interpreted<Types>(g, {tame_values(type, extents({4, 6})), where}, 0);
        });
}

} // namespace tx::testing
