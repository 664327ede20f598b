// Defines models whose graphs are tables in a header that was made from an ONNX file when the program was built. The
// compiler makes kernels of them as of other callables. This header includes nothing that reads files.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/tracexpr.hpp>

namespace tx::onnx {
namespace detail {

using namespace tx::detail;

// Holds the elements of a model's tensor, which are part of the program.
struct static_weight {
    unsigned char const* elements = nullptr;
    dtype type{};
    dims shape{};
};
constexpr captured captured_weight(static_weight const& w) {
    return {&w, [](void const* of) -> void const* { return static_cast<static_weight const*>(of)->elements; },
            [](void const* of) { return static_cast<static_weight const*>(of)->shape; },
            [](void const* of) {
                auto const& value = *static_cast<static_weight const*>(of);
                return seen_value{nullptr, value.elements, value.type, value.shape, seen_value::lasting};
            }};
}

// Hashes the names of all ops in their order, because the tables contain the numbers of ops.
constexpr std::uint64_t registry_hash() {
    std::uint64_t hash = op_count + 64 * dtype_count;
    for (op_info const& row : op_table)
        for (char const c : row.name) hash = mix(hash, static_cast<std::uint64_t>(c));
    return hash;
}

// Builds a model. Tables has its name, its graph and its weights, which the captures of the graph number.
template <class Tables> struct static_builder {
    static_assert(Tables::registry == registry_hash(),
                  "tx: onnx: this header was made by another version of tracexpr; have it made again");
    static constexpr char const* called = Tables::name;
    static constexpr graph_view graph = Tables::graph();
    static constexpr std::size_t results = graph.outputs.size();

    static constexpr char const* problem(builder_specs given) {
        if (given.size() != graph.parameters.size()) return "takes a tensor for each of the model's inputs";
        for (std::size_t k = 0; k < given.size(); ++k) {
            node const& parameter = graph[graph.parameters[k]];
            if (given[k].type != parameter.type) return "an argument must have the dtype of the model's input";
            if (given[k].shape.rank >= 0 && !may_equal(graph.shape_of(parameter), given[k].shape))
                return "an argument must have the shape of the model's input";
        }
        return nullptr;
    }
    static constexpr auto types(builder_specs) {
        std::array<dtype, results> out{};
        for (std::size_t k = 0; k < results; ++k) out[k] = graph[graph.outputs[k]].type;
        return out;
    }
    static constexpr auto shapes(builder_specs given) {
        std::array<dims, results> out{};
        tx::graph inferred;
        buffer<node_id> parameters;
        for (builder_spec const& s : given) parameters.push_back(inferred.append_parameter(s.type, s.shape));
        buffer<node_id> const made = copied_to(inferred, parameters, [&](node const& n) {
            return inferred.append(op::extents, dtype::boolean, graph.shape_of(n), {}, {}); // any leaf of that shape will do
        });
        for (std::size_t k = 0; k < results; ++k) out[k] = inferred.view().shape_of(made[k]);
        return out;
    }
    static constexpr auto record(trace_scope& scope, node_id const* operands) {
        std::array<node_id, results> out{};
        buffer<node_id> parameters;
        for (std::size_t k = 0; k < graph.parameters.size(); ++k) parameters.push_back(operands[k]);
        buffer<node_id> const made = copied_to(scope.recorded, parameters, [&](node const& n) {
            return scope.append_capture(n.type, graph.shape_of(n), captured_weight(Tables::weights[n.bits[0]]));
        });
        for (std::size_t k = 0; k < results; ++k) out[k] = made[k];
        return out;
    }

private:
    // Copies the outputs into another graph.
    template <class Capture>
    static constexpr buffer<node_id> copied_to(tx::graph& to, table_view<node_id> parameters, Capture const& capture) {
        using how = graph_copier::shapes;
        graph_copier copier(graph, to, graph.is_static() ? how::kept : how::inferred);
        copier.copy_all([&](node_id id) {
            node const& n = graph[id];
            return n.code == op::parameter ? parameters[n.bits[0]] : n.code == op::capture ? capture(n) : node_id::none;
        });
        buffer<node_id> out;
        for (node_id const id : graph.outputs) out.push_back(copier[id]);
        return out;
    }
};

} // namespace detail

// static_model is a model that a header holds. It takes its inputs (tensors, exprs or variables), and returns its outputs: one, a
// pair, or a tuple. Called on tensors it runs by itself; in a callable, as a function or in a derivative it is a part of that.
template <class Tables> struct static_model {
    template <operand... A> constexpr auto operator()(A const&... a) const {
        using builder = detail::static_builder<Tables>;
        static_assert(sizeof...(A) == builder::graph.parameters.size(),
                      "tx: onnx: the model takes a tensor for each of its inputs");
        if constexpr (sizeof...(A) == builder::graph.parameters.size()) {
            constexpr char const* wrong = tx::detail::built_problem<builder, A...>;
            static_assert(!wrong, "tx: onnx: the arguments must have the dtypes and shapes of the model's inputs");
            return tx::detail::apply_if<!wrong>(tx::detail::built_fn<builder>{}, a...);
        } else {
            return tx::detail::failed{};
        }
    }
};

} // namespace tx::onnx
