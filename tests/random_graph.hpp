// This file makes random graphs for tests, the same at compile time and at run time, and arguments for them.
#pragma once

#include <random_graph_generator.hpp>
#include <tracexpr/backends/reference/reference.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tx {

constexpr graph random_graph(std::uint64_t seed, random_graph_options const& options = {}) {
    return detail::graph_generator(seed, options).made();
}

// Gives the graph with some extents of its parameters unknown, and all shapes inferred anew. It takes the same arguments.
constexpr graph with_unknown_extents(graph_view const& g, std::uint64_t seed) {
    random_bits bits(seed);
    graph out;
    graph_copier copier(g, out, graph_copier::shapes::inferred);
    copier.copy_all([&](node_id id) {
        if (g[id].code != op::parameter) return node_id::none;
        dims shape = g.shape_of(id);
        for (int axis = 0; axis < shape.rank; ++axis)
            if (bits.one_in(2)) shape[axis] = dyn;
        return out.append_parameter(g[id].type, shape);
    });
    copier.add_outputs(g.outputs);
    return out;
}

// Makes arguments for a graph whose extents are all known, within the bounds that random_graph assumes.
inline std::vector<host_array> random_arguments(graph_view const& g, std::uint64_t seed) {
    random_bits bits(seed);
    std::vector<host_array> out;
    for (node_id id : g.parameters) {
        reference::values v(g[id].type, g.shape_of(id));
        auto const number = [&](double bound) { return (static_cast<double>(bits.below(0x10001)) / 0x8000 - 1) * bound; };
        for (std::int64_t i = 0; i < v.size(); ++i) {
            auto c = v[i];
            if (is_complex(v.type)) c = reference::rounded(v.type, std::complex<double>(number(1), number(1)));
            else if (is_floating(v.type)) c = reference::rounded(v.type, number(2));
            else c = reference::wrapped(v.type, static_cast<std::uint64_t>(bits.below(17) - 8));
            if (is_floating(v.type) && bits.one_in(8))
                c = reference::rounded(v.type, static_cast<double>(bits.below(5) - 2)); // ties and zeros
        }
        out.push_back({v.type, v.shape, std::vector<std::byte>(v.cells.size() * size_in_bytes(v.type))});
        reference::store(v, out.back().bytes.data());
    }
    return out;
}
inline std::vector<array_view> views_of(std::vector<host_array> const& arrays) {
    std::vector<array_view> out;
    for (host_array const& a : arrays) out.push_back(a.view());
    return out;
}

} // namespace tx
