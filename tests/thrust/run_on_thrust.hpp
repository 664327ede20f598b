// This file runs a static trace on a device, with the kernels of a GPU.
#pragma once

#include <doctest/doctest.h>

#include <tracexpr/thrust.hpp>
#include <random_static.hpp>
#include <thrust/device_memory.hpp>

namespace tx::testing {

// The trace is planned as tx::on plans for a device with kernels of its own.
template <class Trace> struct device_trace : Trace {
    static constexpr pass_options passes = [] {
        pass_options out;
        if constexpr (requires { Trace::passes; }) out = Trace::passes;
        out.points = true, out.threads = false;
        return out;
    }();
};

template <class Trace> std::vector<host_array> run_on_thrust(std::vector<array_view> const& arguments) {
    using stages = tx::detail::stages<device_trace<Trace>>;
    std::vector<dims> shapes;
    for (array_view const& a : arguments) shapes.push_back(a.shape);
    plan_view const p = tx::detail::plan_for<stages>(shapes);
    device_results results;
    for (node_id id : stages::graph().outputs) results.add(stages::graph()[id].type, p.extents[index(id)]);
    tx::detail::run_points<stages>(device(), p, {on_device(arguments).data.data(), results.addresses()});
    return results.fetch();
}

} // namespace tx::testing
