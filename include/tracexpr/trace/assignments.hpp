// What a trace assigns to variables: a variable's value is the node that was assigned last. A branch has assignments of its own,
// until its node gives what it left.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx {

struct trace_scope;

namespace detail {

// What all variables are, their types forgotten; a constant evaluation may go back from it.
struct any_variable {};

// How a variable is given a value.
struct variable_access {
    any_variable* (*from)(void* address);
    // Memory for the next value, of these extents; throws where the variable can't have them. Its value stays until `commit`,
    // which can't fail.
    void* (*prepare)(any_variable& variable, dims const& extents);
    void (*commit)(any_variable& variable);
    // In a trace: v.assign(node).
    void (*assign)(any_variable& variable, trace_scope& scope, node_id value);
    // Of a value of a trace: the node that it is from now on.
    void (*become)(any_variable& variable, trace_scope& scope, node_id value);
};

struct assignment {
    any_variable* variable = nullptr;
    captured what{}; // without address: it is a value of the trace, and holds its node itself
    variable_access const* access = nullptr;
    node_id value = node_id::none;
    // What such a value was before the branch.
    trace_scope* home = nullptr;
    node_id before = node_id::none;
};

} // namespace detail
} // namespace tx
