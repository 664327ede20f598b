// This file holds the operands and results of a loop in a graph that only the run knows.
#pragma once

#include <tracexpr/backends/calls/loop_buffers.hpp>
#include <tracexpr/passes/plan_tables.hpp>

#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd {

struct iterated_values {
    loop_form form;
    bool is_while;
    attribute_span regions;
    buffer<dims> extents; // those of the regions' parameters
    std::vector<loop_value> operands, outputs;
    std::int64_t length = 0;
    std::byte* iterations = nullptr; // The address of a while_loop's count of iterations, or null if nobody needs it.

    // operand(k) and result(k) are addresses; that of a result which nobody needs is null.
    template <class Operand, class Result>
    iterated_values(graph_view const& g, plan_view const& p, node const& n, Operand const& operand, Result const& result)
        : form{loop_form::of(n)}, is_while{n.code == op::while_loop}, regions{g.attributes_of(n)}, operands(n.arity) {
        for (std::size_t k = 0; k < n.arity; ++k) {
            node_id const id = g.operand(n, k);
            dims const& whole = p.extents[index(id)];
            bool const is_part = !is_while && form.is_sequence(k);
            if (is_part) length = whole[0];
            extents.push_back(is_part ? without_leading(whole) : whole);
            if (k < value_operands(n))
                operands[k] = {operand(k), extents.back().size() * static_cast<std::int64_t>(size_in_bytes(g[id].type))};
        }
        for (std::size_t k = 0, count = result_count(g, n); k < count; ++k)
            if (is_while && k == form.states) iterations = result(k);
            else outputs.push_back({result(k), 0});
        if (!is_while) note_states(form, resulting_region(g, n), outputs.data(), outputs.size());
    }
    std::int64_t body() const { return regions[is_while ? 1 : 0]; }
    std::int64_t condition() const { return regions[0]; }
    template <class Program> void note_outputs(Program const& body) {
        for (std::size_t k = 0; k < outputs.size(); ++k)
            if (body.output_type(k) != dtype::token)
                outputs[k].bytes = body.output_extents(k).size() * static_cast<std::int64_t>(size_in_bytes(body.output_type(k)));
    }
    table_view<loop_value> all_operands() const { return {operands.data(), operands.size()}; }
    table_view<loop_value> all_outputs() const { return {outputs.data(), outputs.size()}; }
};

} // namespace tx::inline TRACEXPR_TARGET::simd
