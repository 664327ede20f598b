// A static trace on Thrust's host system.
#pragma once

#include <random_static.hpp>
#include <tracexpr/thrust.hpp>

#include <doctest/doctest.h>

namespace tx::testing {

template <class Trace> std::vector<host_array> run_on_thrust(std::vector<array_view> const& arguments) {
    using stages = tx::detail::stages<Trace>;
    constexpr graph_view g = stages::graph();
    std::vector<dims> shapes;
    std::vector<void const*> data;
    for (array_view const& a : arguments) shapes.push_back(a.shape), data.push_back(a.data);
    plan_view const p = tx::detail::plan_for<stages>(shapes);
    std::vector<guarded_array> results;
    for (node_id id : g.outputs) results.emplace_back(g[id].type, p.extents[index(id)]);
    std::vector<void*> outputs;
    for (guarded_array& r : results) outputs.push_back(r.data());
    std::vector<std::byte> arena(static_cast<std::size_t>(p.arena_bytes[0]) + 1);
    simd::run_thrust<stages>(thrust::device, p, {data.data(), outputs.data()}, arena.data());
    std::vector<host_array> got;
    for (guarded_array const& r : results) {
        CHECK(r.intact());
        got.push_back(r.array());
    }
    return got;
}

} // namespace tx::testing
