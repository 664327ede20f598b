// This file calls functions of whole trees, such as an optimizer's step, by code that is compiled once. A call lists the leaves
// of its trees and a rule that records the function, given the leaves' nodes; so a file that calls it compiles neither the
// function nor anything for a combination of leaves. A compiled part must be linked.
#pragma once

#include <tracexpr/run/op_calls.hpp>
#include <tracexpr/trace/lowering.hpp>

#include <memory>

namespace tx::detail::inline TRACEXPR_RUNS {

// tree_operand is a leaf of an argument: a tensor, a variable or a number, or, if it has a scope, an expr.
struct tree_operand {
    tiled_argument argument;
    trace_scope* scope;
    node_id id;
    // What is known of an operand's shape.
    TRACEXPR_ONCE dims shape() const { return scope ? scope->recorded.shape_of(id) : argument.access->extents(argument.leaf); }
};
// tree_form is what a rule is told of a call, besides the nodes of all operands.
struct tree_form {
    std::size_t leaves; // of the first tree
    std::uint32_t flags;
    table_view<int> structure; // what the caller tells about the tree's form, in the rule's own words
};
// A rule records a function, and gives the nodes of its results.
using tree_rule = void (*)(lowering& low, node_id const* operands, tree_form const& form, node_id* results);

template <expr_type E> struct expr_result {
    static void become(void* leaf, trace_scope& scope, node_id id) {
        E& of = *static_cast<E*>(leaf);
        std::destroy_at(&of);
        std::construct_at(&of, scope, id);
    }
    static constexpr result_access table{nullptr, nullptr, become, nullptr, 0};
};

class tree_call;
// Runs the call, or records it in the trace that an operand belongs to.
template <class Unused = void> void run_tree_call(tree_call const& call);

// The operands and the results must live until the call is run.
class tree_call {
public:
    tree_call(tree_rule records, std::uint32_t flags) : rule_{records}, flags_{flags} {}

    template <class A> void read(A const& tree) { for_each_leaf(tree, reader{*this}); }
    // The parts of the tree must be there, and none may be shared with another tree.
    template <class A> void write(A& tree) { for_each_leaf(tree, writer{*this}); }
    // Tells the rule that the leaves which were read so far are those of one tree.
    TRACEXPR_ONCE void end_of_tree() { leaves_ = operands_.size(); }
    TRACEXPR_ONCE void add_structure(int number) { structure_.push_back(number); }
    // Starts another call, which has the same operands and may have more, and other results.
    TRACEXPR_ONCE void next(tree_rule records) { rule_ = records, results_ = {}; }

    tree_rule rule() const { return rule_; }
    tree_form form() const { return {leaves_, flags_, structure_}; }
    table_view<tree_operand> operands() const { return operands_; }
    table_view<tiled_result> results() const { return results_; }

private:
    struct reader {
        tree_call& call;
        template <class A> void operator()(A const& leaf) const {
            if constexpr (expr_type<A>) {
                trace_scope& scope = leaf.scope(); // throws if the trace has ended, before id() reads it
                call.add_node(scope, leaf.id());
            } else if constexpr (variable_type<A> && !captured_type<A>) {
                // Outside of traces a read of a variable shows it to tapes.
                if (innermost_trace) call.add_argument(argument_of_call(leaf));
                else call.add_argument(argument_of_call(leaf.read()));
            } else call.add_argument(argument_of_call(leaf));
        }
    };
    struct writer {
        tree_call& call;
        template <class A> void operator()(A& leaf) const {
            if constexpr (expr_type<A>) call.add_result({&leaf, &expr_result<A>::table});
            else if constexpr (variable_type<A>) (*this)(leaf.as_output());
            else call.add_result({&leaf, &result_leaf_access<A>::table});
        }
    };
    TRACEXPR_ONCE void add_node(trace_scope& scope, node_id id) { operands_.push_back({{}, &scope, id}); }
    TRACEXPR_ONCE void add_argument(tiled_argument const& a) { operands_.push_back({a, nullptr, node_id::none}); }
    TRACEXPR_ONCE void add_result(tiled_result const& r) { results_.push_back(r); }

    tree_rule rule_;
    std::uint32_t flags_;
    std::size_t leaves_ = 0;
    buffer<tree_operand> operands_;
    buffer<tiled_result> results_;
    buffer<int> structure_;
};

} // namespace tx::detail::inline TRACEXPR_RUNS

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/tree_call_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(void run_tree_call<void>(tree_call const&))
} // namespace tx::detail::inline TRACEXPR_RUNS
