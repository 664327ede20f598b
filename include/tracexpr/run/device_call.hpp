// This file declares how a function that is placed on a device is called. The bridge to a device specialises is_device and
// device_run for the type that stands for the device.
#pragma once

#include <tracexpr/run/made_programs.hpp>
#include <tracexpr/run/recording/recorder.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail {

// A specialisation has a constructor from Where, and
//   add(leaf, number)     adds a leaf of a call, in the order of the trace's parameters; number: of the argument, or negative
//   run<Stages>(result)   runs what the compiler traced
//   run<Dtypes>(runtime_program, pass_options, result, stored_variables)
//                         runs what was traced at run time; Dtypes has a bit for each dtype of the leaves
//   runs_on_tiles         says whether it uses the tile executor for that
template <class Where> class device_run;

// Gives a device the leaves of a call, except for what tx::capture gave the callable.
template <class Device, class F, class... A> void add_leaves(Device& device, F const& f, A const&... a) {
    int number = 0;
    ([&] { for_each_leaf(a, [&](auto const& part) { device.add(part, number); }), ++number; }(), ...);
    callable_form<F>::visit(f, [&](auto const& part) { device.add(part, -1); }, ignore_value{});
}

// Throws if a call with opaque callables would have to record their derivatives: a run on a device does not keep these.
inline void require_no_recorder() {
    if (innermost_recorder)
        throw device_error(
            "tx: gradient_tape: an opaque callable in a function on a device is not recorded; take tx::grad of the "
            "function before it is placed");
}

} // namespace tx::detail
