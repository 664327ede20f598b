// This file holds the bodies of run/tree_call.hpp.
#pragma once

#include <tracexpr/run/op_calls_bodies.hpp>
#include <tracexpr/run/tree_call.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// tree_source holds the programs of calls of one rule, with operands of the same types, as long as the program runs.
struct tree_source : op_recorder {
    tree_rule rule;
    std::size_t leaves;
    std::uint32_t flags;
    buffer<int> structure;
    buffer<argument_access const*> types; // of the operands
    tiled_source programs{{}, passes_of_ops, nullptr, this};
    tree_source* next = nullptr;

    explicit tree_source(tree_call const& call)
        : op_recorder{record_one}, rule{call.rule()}, leaves{call.form().leaves}, flags{call.form().flags},
          structure(call.form().structure) {
        for (tree_operand const& o : call.operands()) {
            types.push_back(o.argument.access);
            has_open_rank = has_open_rank || o.argument.access->typed->rank < 0;
        }
    }
    bool is_of(tree_call const& call) const {
        tree_form const form = call.form();
        bool same = rule == call.rule() && leaves == form.leaves && flags == form.flags &&
                    types.size() == call.operands().size() && structure.size() == form.structure.size();
        for (std::size_t k = 0; same && k < types.size(); ++k) same = types[k] == call.operands()[k].argument.access;
        for (std::size_t k = 0; same && k < structure.size(); ++k) same = structure[k] == form.structure[k];
        return same;
    }
    static void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands, node_id* results) {
        auto const& source = static_cast<tree_source const&>(of);
        lowering low(scope);
        source.rule(low, operands, {source.leaves, source.flags, source.structure}, results);
    }
};
// Finds or makes the source of a call. Threads that make the same one at once make two, which does no harm.
template <class Unused> tiled_source& source_of_call(tree_call const& call) {
    static constinit std::atomic<tree_source*> first{nullptr};
    for (tree_source* known = first.load(std::memory_order_acquire); known; known = known->next)
        if (known->is_of(call)) return known->programs;
    auto* const made = new tree_source(call);
    tree_source* before = first.load(std::memory_order_acquire);
    do made->next = before;
    while (!first.compare_exchange_weak(before, made, std::memory_order_acq_rel));
    return made->programs;
}

template <class Unused> void record_tree_call(trace_scope& scope, tree_call const& call) {
    buffer<node_id> operands, results(call.results().size());
    for (tree_operand const& o : call.operands()) {
        if (o.scope && o.scope != &scope) throw_foreign_symbol();
        appended_argument const given = o.scope ? appended_argument{o.id} : appended_leaf<Unused>(scope, o.argument);
        operands.push_back(given.id != node_id::none ? given.id : append_elements<Unused>(scope.recorded, given));
    }
    lowering low(scope);
    call.rule()(low, operands.data(), call.form(), results.data());
    for (std::size_t k = 0; k < results.size(); ++k) {
        tiled_result const& r = call.results()[k];
        r.access->become(r.leaf, scope, results[k]);
    }
}
template <class Unused> void run_tree_call(tree_call const& call) {
    buffer<tiled_argument> arguments;
    for (tree_operand const& o : call.operands()) {
        if (o.scope) return record_tree_call<Unused>(*o.scope, call);
        arguments.push_back(o.argument);
    }
    run_op<Unused>({source_of_call<Unused>(call), arguments, call.results()});
}

} // namespace tx::detail::inline TRACEXPR_RUNS
