// A graph as users see it.
#pragma once

#include <tracexpr/graph/print.hpp>

namespace tx {

// Nodes in order; readable and machine-readable forms. Refers to the function that made it.
struct graph_handle : graph_view {
    constexpr explicit graph_handle(graph_view const& g) : graph_view(g) {}

    std::string to_text() const { return tx::to_text(*this); }
    std::string to_dot() const { return tx::to_dot(*this); }
    std::string to_json() const { return tx::to_json(*this); }
};

// "(float32[1,2], float32[]) -> float32[]"
inline std::string signature_text(graph_view const& g) {
    // Appended piece by piece: g++ 12 at -O3 takes an insertion in front for an overlap, and warns.
    std::string out;
    auto const append = [&](std::span<node_id const> ids) {
        for (std::size_t k = 0; k < ids.size(); ++k) {
            if (k) out += ", ";
            out += spec_text(g[ids[k]].type, g.shape_of(ids[k]));
        }
    };
    out += '(';
    append(g.parameters);
    out += ") -> ";
    if (g.outputs.size() != 1) out += '(';
    append(g.outputs);
    if (g.outputs.size() != 1) out += ')';
    return out;
}

} // namespace tx
