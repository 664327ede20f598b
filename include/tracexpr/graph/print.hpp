// A graph as text, as a picture for Graphviz, and as JSON. All three show the canonical graph: what does not reach an output is left
// out, and the numbering does not depend on the order of recording.
#pragma once

#include <tracexpr/graph/graph.hpp>

#include <string>

namespace tx {

// "float32[2,3]", with "?" for an unknown extent and "..." for an unknown rank.
inline std::string spec_text(dtype type, dims const& shape) {
    std::string out(name(type));
    out += '[';
    if (shape.rank < 0) out += "...";
    for (int axis = 0; axis < shape.rank; ++axis) {
        if (axis) out += ',';
        out += shape[axis] == dyn ? "?" : std::to_string(shape[axis]);
    }
    return out + ']';
}

} // namespace tx
