// This file holds the tables of a model in a header, as tracexpr_add_onnx writes them: x + x, of three numbers.
#pragma once

#include <tracexpr/onnx/static_model.hpp>

struct twice_tables {
    static constexpr char const* name = "twice.onnx";
    static constexpr std::uint64_t registry = tx::onnx::detail::registry_hash();
    static constexpr tx::node nodes[]{
        {tx::op::parameter, tx::dtype::float32, 0, 0, {}, {}, {}},
        {tx::op::add, tx::dtype::float32, 0, 2, {tx::node_id(0), tx::node_id(0), tx::node_id(-1)}, {}, {}}};
    static constexpr tx::dims shapes[]{{{3}, 1}};
    static constexpr tx::node_id parameters[]{tx::node_id(0)}, outputs[]{tx::node_id(1)};
    static constexpr tx::onnx::detail::static_weight weights[]{{}};
    static constexpr tx::graph_view graph() {
        tx::graph_view g;
        g.nodes = {nodes, 2}, g.shapes = {shapes, 1}, g.parameters = {parameters, 1}, g.outputs = {outputs, 1};
        return g;
    }
};
