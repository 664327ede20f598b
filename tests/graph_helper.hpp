// This file builds graphs by hand, for tests; shapes and dtypes of nodes are inferred.
#pragma once

#include <tracexpr/graph/graph.hpp>
#include <tracexpr/graph/infer.hpp>
#include <tracexpr/graph/literal.hpp>

#include <initializer_list>

namespace tx::testing {

constexpr dims extents(std::initializer_list<std::int64_t> list) {
    dims out;
    for (std::int64_t extent : list) out.push_back(extent);
    return out;
}

constexpr node_id append(graph& g, op code, std::initializer_list<node_id> operands,
                         std::initializer_list<std::int64_t> attributes = {}, dtype declared = dtype::float32) {
    buffer<dims> shapes;
    buffer<dtype> types;
    for (node_id id : operands) shapes.push_back(g.shape_of(id)), types.push_back(g[id].type);
    attribute_span const numbers{attributes.begin(), attributes.size()};
    dims const shape = infer_or_throw(code, dims{}, shapes, numbers);
    return g.append(code, infer_dtype(code, declared, types).type, shape,
                    tx::table_view<node_id>(operands.begin(), operands.size()), numbers);
}
constexpr node_id parameter(graph& g, std::initializer_list<std::int64_t> shape, dtype type = dtype::float32) {
    return g.append_parameter(type, extents(shape));
}
constexpr node_id literal(graph& g, float value) {
    return g.append(op::literal, dtype::float32, dims{}, {}, {}, to_literal(value));
}

} // namespace tx::testing
