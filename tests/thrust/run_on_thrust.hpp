// A static trace on a device, with the kernels that a GPU has.
#pragma once

#include <doctest/doctest.h>

#include <random_static.hpp>
#include <thrust/device_memory.hpp>
#include <tracexpr/thrust.hpp>

namespace tx::testing {

template <class Trace> std::vector<host_array> run_on_thrust(std::vector<array_view> const& arguments) {
    using stages = tx::detail::stages<Trace>;
    std::vector<dims> shapes;
    for (array_view const& a : arguments) shapes.push_back(a.shape);
    plan_view const p = tx::detail::plan_for<stages>(shapes);
    device_results results;
    for (node_id id : stages::graph().outputs) results.add(stages::graph()[id].type, p.extents[index(id)]);
    tx::detail::run_points<stages>(device(), p, {on_device(arguments).data.data(), results.addresses()});
    return results.fetch();
}

} // namespace tx::testing
