// This file holds op_recorder: it records an op by code that doesn't depend on the types of the operands. Calls on tensors pass
// it along, so that the compiler need not make a trace for each op and combination of types.
#pragma once

#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

struct op_recorder {
    // Appends the op to a trace, given its operands' nodes.
    void (*record)(op_recorder const& of, trace_scope& scope, node_id const* operands, node_id* results);
    // whether operands may have any rank, so that the trace of a call depends on its extents
    bool has_open_rank = false;
    // whether each element of the result is computed from one element of each operand, with broadcasting
    bool is_elementwise = false;
};

// A functor that has a recorder for operands A, recorder_for<A...>, and names the type of its result, result<A...>.
template <class Fn, class... A> concept has_recorder = requires { Fn::template recorder_for<A...>; };

} // namespace tx::detail
