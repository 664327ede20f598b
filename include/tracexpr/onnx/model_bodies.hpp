// Defines the functions that onnx/model.hpp declares.
#pragma once

#include <tracexpr/graph/verify.hpp>
#include <tracexpr/onnx/constant_parts.hpp>
#include <tracexpr/onnx/layouts.hpp>
#include <tracexpr/onnx/model.hpp>
#include <tracexpr/onnx/model_data_bodies.hpp>
#include <tracexpr/onnx/operators.hpp>
#include <tracexpr/onnx/tracing_bodies.hpp>

#include <mutex>

namespace tx::onnx::detail {

// Holds a trace, the arguments that it is for, and the elements of those that it depends on.
struct model_trace : model_recording {
    struct argument {
        std::string name;
        dtype type{};
        dims shape{};
        std::shared_ptr<host_array const> elements; // null if the trace doesn't depend on them
    };
    std::vector<argument> arguments;

    bool is_for(std::span<named_argument const> given) const {
        if (given.size() != arguments.size()) return false;
        for (std::size_t k = 0; k < given.size(); ++k) {
            argument const& mine = arguments[k];
            if (mine.name != given[k].name || mine.type != given[k].type || mine.shape != given[k].shape) return false;
            if (!mine.elements) continue;
            auto const& bytes = mine.elements->bytes;
            if (!bytes.empty() && (!given[k].data || std::memcmp(bytes.data(), given[k].data, bytes.size()) != 0)) return false;
        }
        return true;
    }
};

struct model_state {
    std::shared_ptr<model_data const> data;
    mutable constant_values constants;
    std::vector<value_info> inputs, outputs;
    mutable std::mutex mutex;
    mutable std::vector<std::shared_ptr<model_trace const>> traces;
    mutable std::size_t next = 0;
    static constexpr std::size_t most_traces = 64;

    std::shared_ptr<model_trace const> find(std::span<named_argument const> given) const {
        std::lock_guard const lock(mutex);
        for (auto const& t : traces)
            if (t->is_for(given)) return t;
        return nullptr;
    }
    void add(std::shared_ptr<model_trace const> made) const {
        std::lock_guard const lock(mutex);
        if (traces.size() < most_traces) traces.push_back(std::move(made));
        else traces[next++ % most_traces] = std::move(made);
    }
    value_info const* find_input(std::string_view name) const {
        for (value_info const& i : inputs)
            if (i.name == name) return &i;
        return nullptr;
    }
};

// Reports that memory is exhausted as an error of the model, as other errors are.
template <class F> decltype(auto) within_memory(file_call const& call, F const& f) {
    try {
        return f();
    } catch (std::bad_alloc const&) {
    } catch (std::length_error const&) {}
    call.fail("needs more memory than there is");
}

inline value_info info_of(value_message const& v, model_data const& model) {
    file_call const& file = model.call();
    value_info out;
    out.name = v.name;
    if (v.type == value_message::kind::tensor) {
        std::optional<dtype> const type = dtype_of_element(v.element);
        if (!type)
            file.fail("its value " + quoted_piece(v.name) + " has elements of " + name_of_element(v.element) +
                      ", which tensors don't have");
        out.dtype = *type;
    } else {
        file.fail("its value " + quoted_piece(v.name) + " must be a tensor, as all inputs and outputs");
    }
    out.has_rank = v.has_shape;
    for (auto const& e : v.shape) out.dims.push_back({e.number < 0 ? dyn : e.number, std::string(e.symbol)});
    return out;
}
inline std::shared_ptr<model_state const> state_of(model_files files) {
    auto const out = std::make_shared<model_state>();
    out->data = read_model(std::move(files));
    for (value_message const& v : out->data->graph.inputs) {
        bool const has_default = out->data->find_initializer(v.name) != nullptr;
        out->inputs.push_back(info_of(v, *out->data));
        out->inputs.back().has_default = has_default;
    }
    for (value_message const& v : out->data->graph.outputs) out->outputs.push_back(info_of(v, *out->data));
    return out;
}
TRACEXPR_BODY std::shared_ptr<model_state const> load_state(std::string const& path) {
    file_call const call{"onnx::load", path};
    return within_memory(call, [&] { return state_of(model_files(call)); });
}
TRACEXPR_BODY std::shared_ptr<model_state const> load_state(std::string bytes, std::string const& called) {
    file_call const call{"onnx::from_bytes", called};
    return within_memory(call, [&] {
        auto const kept = std::make_shared<std::string const>(std::move(bytes));
        return state_of(model_files(call, kept, *kept));
    });
}
TRACEXPR_BODY std::span<value_info const> inputs_of(model_state const& model) { return model.inputs; }
TRACEXPR_BODY std::span<value_info const> outputs_of(model_state const& model) { return model.outputs; }

// Returns an any_tensor without elements, of a dtype that is known only when the program runs.
template <std::size_t Alternative = 0> any_tensor empty_of(dtype type) {
    using T = typename std::variant_alternative_t<Alternative, any_tensor>::value_type;
    if constexpr (Alternative + 1 < std::variant_size_v<any_tensor>)
        if (type != dtype_of<T>) return empty_of<Alternative + 1>(type);
    if (type != dtype_of<T>)
        throw type_error("tx: onnx: a tensor of " + std::string(name(type)) + " has no place in tx::any_tensor");
    return tensor<T>{};
}
inline any_tensor any_of(stored_tensor const& value) {
    any_tensor out = empty_of(value.type);
    std::visit(
        [&]<class T>(tensor<T>& t) {
            t = tensor<T>::uninitialized(value.shape);
            if (t.size() > 0)
                std::memcpy(static_cast<void*>(tensor_access::overwritten(t)), value.data,
                            static_cast<std::size_t>(t.size()) * sizeof(typename tensor<T>::stored_type));
        },
        out);
    return out;
}
inline file_call call_of(model_state const& model) { return {"onnx::model", model.data->call().path}; }
TRACEXPR_BODY named_tensors parameters_of(model_state const& model) {
    return within_memory(call_of(model), [&] {
        named_tensors out;
        for (initializer const& i : model.data->initializers) out.emplace(std::string(i.name), any_of(i.value));
        return out;
    });
}

inline void check_argument(model_state const& model, named_argument const& given) {
    file_call const call = call_of(model);
    auto const wrong = [&](dtype type, std::string const& wanted) {
        std::string const text =
            "its input " + quoted_piece(given.name) + " is " + wanted + "; given " + spec_text(given.type, given.shape);
        if (type != given.type) throw type_error(call.says(text));
        throw shape_error(call.says(text));
    };
    if (value_info const* const input = model.find_input(given.name)) {
        bool fits = given.type == input->dtype;
        if (input->has_rank && given.shape.rank >= 0) {
            fits = fits && static_cast<std::size_t>(given.shape.rank) == input->dims.size();
            for (int a = 0; fits && a < given.shape.rank; ++a) {
                std::int64_t const wanted = input->dims[static_cast<std::size_t>(a)].extent;
                fits = wanted == dyn || given.shape[a] == dyn || given.shape[a] == wanted;
            }
        }
        if (fits) return;
        std::string text = std::string(name(input->dtype)) + "[";
        for (std::size_t a = 0; a < input->dims.size(); ++a)
            text += (a ? "," : "") + (input->dims[a].extent != dyn    ? std::to_string(input->dims[a].extent)
                                      : input->dims[a].symbol.empty() ? std::string("?")
                                                                      : shown_piece(input->dims[a].symbol));
        wrong(input->dtype, input->has_rank ? text + "]" : std::string(name(input->dtype)));
    } else if (initializer const* const i = model.data->find_initializer(given.name)) {
        if (given.type != i->value.type) wrong(i->value.type, spec_text(i->value.type, i->value.shape));
    } else {
        std::vector<std::string> inputs;
        for (value_info const& in : model.inputs) inputs.push_back(in.name);
        throw signature_error(
            call.says("has no input or initializer " + quoted_piece(given.name) + "; its inputs are " + listed_pieces(inputs)));
    }
}
// Rewrites the program so that its axes are in the order that kernels prefer, and parts that depend only on weights are captures.
inline void lay_out(runtime_program& program, constant_values& constants) {
    tx::graph const laid = with_layouts(program.traced.view());
    graph_view const g = laid.view();
    folded_parts const folded = folded_constants(g, constants);
    tx::graph out;
    graph_copier copier(g, out);
    copier.copy_needed(nodes_without(g, folded), [&](node_id id) {
        auto const known = folded.find(id);
        if (known == folded.end()) return node_id::none;
        program.kept.push_back(known->second);
        return out.append_capture(known->second->type, known->second->shape, captured_stored(known->second.get()));
    });
    copier.add_outputs(g.outputs);
    program.traced = std::move(out);
    program.simplified = simplify(program.traced.view());
}
// An input whose extents only the run knows must have those that the model declares as numbers: a reshape of one axis after the
// other compares them.
inline node_id of_declared_extents(trace_scope& scope, model_state const& model, std::string_view name, node_id x) {
    lowering low(scope);
    value_info const* const input = model.find_input(name);
    for (int a = 0; input && input->has_rank && a < low.rank(x); ++a) {
        std::int64_t const declared = input->dims[static_cast<std::size_t>(a)].extent;
        if (declared == dyn || low.extent(x, a) != dyn) continue;
        attribute_list target;
        for (int other = 0; other < low.rank(x); ++other) target.push_back(other == a ? declared : low.copied(x, other));
        x = low.reshape(x, target);
    }
    return x;
}
inline std::shared_ptr<model_trace const> make_trace(model_state const& model, std::span<named_argument const> given) {
    file_call const call = call_of(model);
    for (named_argument const& g : given) check_argument(model, g);
    for (value_info const& i : model.inputs) {
        bool is_given = i.has_default;
        for (named_argument const& g : given) is_given = is_given || g.name == i.name;
        if (!is_given) throw signature_error(call.says("needs its input " + quoted_piece(i.name)));
    }
    std::vector<given_value> values;
    std::vector<std::string_view> names;
    for (named_argument const& g : given) {
        if (g.shape.rank < 0)
            throw shape_error(call.says("the rank of " + quoted_piece(g.name) + " must be known while it is traced"));
        values.push_back({g.type, g.shape, g.data});
        names.push_back(g.name);
    }
    auto out = std::make_shared<model_trace>();
    out->path = call.path;
    std::vector<bool> depends;
    auto const record = [&](argument_scope& scope) {
        std::vector<node_id> parameters;
        for (std::size_t k = 0; k < values.size(); ++k) {
            node_id const parameter = scope.recorded.append_parameter(values[k].type, values[k].shape);
            parameters.push_back(of_declared_extents(scope, model, names[k], parameter));
        }
        model_tracer tracer(*model.data, scope, values);
        for (node_id const id : record_model(tracer, names, parameters)) scope.recorded.add_output(id);
        if (scope.token != node_id::none) scope.recorded.add_output(scope.token);
        if (char const* const problem = verify(scope.recorded.view()))
            call.fail("its graph is not what it should be: " + std::string(problem));
        depends = tracer.depends();
    };
    static constexpr pass_options passes{};
    out->program = traced_by<>({{},
                                nullptr,
                                [](void const* by, argument_scope& scope) { (*static_cast<decltype(record)*>(by))(scope); },
                                &record,
                                passes,
                                false});
    lay_out(out->program, model.constants);
    for (std::size_t k = 0; k < given.size(); ++k) {
        named_argument const& g = given[k];
        out->arguments.push_back(
            {std::string(g.name), g.type, g.shape, depends[k] ? array_of_elements(g.type, g.shape, g.data) : nullptr});
    }
    return out;
}
TRACEXPR_BODY std::shared_ptr<model_recording const> recording_for(std::shared_ptr<model_state const> const& model,
                                                                   std::span<named_argument const> arguments) {
    if (auto known = model->find(arguments)) return known;
    return within_memory(call_of(*model), [&] {
        std::shared_ptr<model_trace const> const made = make_trace(*model, arguments);
        model->add(made);
        return made;
    });
}

inline void run_recorded(model_recording const& recording, table_view<tiled_argument> arguments,
                         table_view<tiled_result> results) {
    graph_view const g = recording.program.simplified.view();
    buffer<dims> extents;
    for (tiled_argument const& a : arguments) extents.push_back(a.access->extents(a.leaf));
    auto const program = find_or_make_program<>(*recording.program.programs, recording.program.traced.view(), g, extents, {});
    // Outputs that the call doesn't ask for are computed, too.
    std::vector<any_tensor> others;
    others.reserve(value_outputs(g));
    buffer<tiled_result> all(results);
    for (std::size_t k = results.size(); k < value_outputs(g); ++k) {
        others.push_back(empty_of(g[g.outputs[k]].type));
        std::visit([&]<class T>(T& t) { all.push_back({&t, &result_leaf_access<T>::table}); }, others.back());
    }
    run_listed<>(*program, arguments, all);
    if (!innermost_recorder) return;
    buffer<seen_value> read, given;
    for (tiled_argument const& a : arguments) read.push_back(a.access->see(a.leaf));
    for (tiled_result const& r : all) given.push_back(r.access->see(r.leaf));
    if (recorder* const innermost = first_recorder())
        innermost->see({recording.program.traced.view(), read, given, nullptr, nullptr});
}
TRACEXPR_BODY void run_recording(model_recording const& recording, table_view<tiled_argument> arguments,
                                 table_view<tiled_result> results) {
    within_memory({"onnx::model", recording.path}, [&] { run_recorded(recording, arguments, results); });
}
TRACEXPR_BODY void append_recording(trace_scope& scope, model_recording const& recording, table_view<node_id> arguments,
                                    node_id* outputs) {
    if (scope.kept)
        for (auto const& k : recording.program.kept) scope.kept->push_back(k);
    buffer<appended_argument> nodes;
    for (node_id const id : arguments) nodes.push_back({id});
    append_graph<>(scope, recording.program.traced.view(), nodes, outputs);
}

TRACEXPR_BODY std::vector<std::string_view> names_for(model_state const& model, std::size_t count) {
    std::vector<std::string_view> all, needed;
    for (value_info const& i : model.inputs) {
        all.push_back(i.name);
        if (!i.has_default) needed.push_back(i.name);
    }
    if (count == all.size()) return all;
    if (count == needed.size()) return needed;
    std::string const wanted =
        std::to_string(needed.size()) + (needed.size() == all.size() ? std::string() : " to " + std::to_string(all.size()));
    throw signature_error("tx: onnx::model: " + model.data->call().path + ": takes " + wanted + " inputs; given " +
                          std::to_string(count));
}
TRACEXPR_BODY void throw_wrong_output(model_state const& model, std::size_t k, value_spec const& given,
                                      value_spec const& declared) {
    throw type_error("tx: onnx::model: " + model.data->call().path + ": its output " + quoted_piece(model.outputs[k].name) +
                     " is " + spec_text(given.type, given.shape) + "; the call declares " +
                     spec_text(declared.type, declared.shape));
}
TRACEXPR_BODY void require_outputs(model_state const& model, std::size_t wanted) {
    if (wanted <= model.outputs.size()) return;
    throw signature_error("tx: onnx::model: " + model.data->call().path + ": has " + std::to_string(model.outputs.size()) +
                          " outputs; the call declares " + std::to_string(wanted));
}

inline std::vector<any_tensor> run_on(std::shared_ptr<model_state const> const& model, std::vector<std::string_view> const& names,
                                      std::vector<any_tensor const*> const& inputs) {
    std::vector<named_argument> given;
    buffer<tiled_argument> leaves;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        std::visit(
            [&]<class T>(T const& t) {
                given.push_back({names[k], dtype_of<typename T::value_type>, t.dimensions(), leaf_access<T>::data(t)});
                leaves.push_back(argument_of_call(t));
            },
            *inputs[k]);
    auto const recording = recording_for(model, given);
    graph_view const g = recording->program.simplified.view();
    std::vector<any_tensor> out;
    out.reserve(value_outputs(g));
    buffer<tiled_result> results;
    for (std::size_t k = 0; k < value_outputs(g); ++k) {
        out.push_back(empty_of(g[g.outputs[k]].type));
        std::visit([&]<class T>(T& t) { results.push_back({&t, &result_leaf_access<T>::table}); }, out.back());
    }
    run_recording(*recording, leaves, results);
    return out;
}
TRACEXPR_BODY std::vector<any_tensor> run_any(std::shared_ptr<model_state const> const& model,
                                              std::vector<any_tensor> const& inputs) {
    return within_memory(call_of(*model), [&] {
        std::vector<any_tensor const*> all;
        for (any_tensor const& a : inputs) all.push_back(&a);
        return run_on(model, names_for(*model, inputs.size()), all);
    });
}
TRACEXPR_BODY named_tensors run_named(std::shared_ptr<model_state const> const& model, named_tensors const& inputs) {
    return within_memory(call_of(*model), [&] {
        std::vector<any_tensor const*> all;
        std::vector<std::string_view> names;
        for (auto const& [name, value] : inputs) names.push_back(name), all.push_back(&value);
        std::vector<any_tensor> values = run_on(model, names, all);
        named_tensors out;
        for (std::size_t k = 0; k < values.size(); ++k) out.emplace(model->outputs[k].name, std::move(values[k]));
        return out;
    });
}

} // namespace tx::onnx::detail
