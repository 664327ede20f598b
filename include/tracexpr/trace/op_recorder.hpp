// How an op is recorded by code that doesn't depend on the types of its operands: what a call of it on tensors hands on, instead
// of a trace that the compiler makes for each op and each types.
#pragma once

#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

struct op_recorder {
    // Appends the op to a trace, given its operands' nodes.
    void (*record)(op_recorder const& of, trace_scope& scope, node_id const* operands, node_id* results);
    // May operands have any rank, so that the trace of a call depends on its extents?
    bool has_open_rank = false;
    // Does it make each element of the result of one of each operand, which broadcast?
    bool is_elementwise = false;
};

// Functors of ops that have such a recorder, recorder_for<A...>, and name their results' types, result<A...>.
template <class Fn, class... A> concept has_recorder = requires { Fn::template recorder_for<A...>; };

} // namespace tx::detail
