// This file tells the recorders of a thread about collectives on concrete tensors.
#pragma once

#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/trace/collectives.hpp>

namespace tx::detail {

// Records a collective. `inputs` are the operand, and for an exchange the ranks that it goes to and comes from. `communicator`
// keeps the transport alive for as long as the recorders may run derivatives.
template <class Unused = void> void record_collective(collective_form const& collective, rank_transport const& transport,
                                                      std::shared_ptr<void const> const& communicator,
                                                      table_view<seen_value> inputs, seen_value const& result) {
    trace_scope traced;
    buffer<node_id> parameters;
    for (seen_value const& x : inputs) parameters.push_back(traced.recorded.append_parameter(x.type, x.shape));
    traced.recorded.add_output(append_collective(traced, collective, record_communicator(traced, &transport), parameters));
    if (recorder* const innermost = first_recorder())
        innermost->see({traced.recorded.view(), inputs, {&result, 1}, nullptr, nullptr, 0, &communicator});
}
TRACEXPR_INSTANCE(void record_collective<void>(collective_form const&, rank_transport const&, std::shared_ptr<void const> const&,
                                               table_view<seen_value>, seen_value const&))

} // namespace tx::detail
