// Defines the functions that onnx/tracing.hpp declares.
#pragma once

#include <tracexpr/onnx/tracing.hpp>
#include <tracexpr/run/made_programs.hpp>

namespace tx::onnx::detail {

inline std::shared_ptr<host_array const> array_of_elements(dtype type, dims const& shape, void const* data) {
    host_array out = host_array::of(type, shape);
    if (!out.bytes.empty()) std::memcpy(out.bytes.data(), data, out.bytes.size());
    return std::make_shared<host_array const>(std::move(out));
}

inline std::shared_ptr<host_array const> model_tracer::known(traced_value const& value) {
    for (traced_scope* at = innermost_; at; at = at->outer)
        if (&at->scope == value.home) return known_in(*at, value.id);
    return nullptr;
}
inline std::shared_ptr<host_array const> model_tracer::known_in(traced_scope& at, node_id id) {
    auto const number = static_cast<std::int32_t>(id);
    if (auto const before = at.known.find(number); before != at.known.end()) return before->second;
    graph_view const g = at.scope.recorded.view();
    node const n = g[id];
    std::shared_ptr<host_array const> out;
    if (n.code == op::literal) {
        out = array_of_words(n.type, g.shape_of(n), {n.bits, words_of(n.type)});
    } else if (n.code == op::constant) {
        out = array_of_words(n.type, g.shape_of(n), g.blob.subspan(n.bits[0], n.bits[1]));
    } else if (n.code == op::capture) {
        captured const& c = g.captures[n.bits[0]];
        out = array_of_elements(n.type, c.shape(c.address), c.data(c.address));
    } else if (n.code == op::parameter) {
        std::size_t const k = static_cast<std::size_t>(n.bits[0]);
        if (!at.outer) {
            if (k < given_.size() && (given_[k].data || given_[k].shape.size() == 0)) {
                depends_[k] = true;
                out = array_of_elements(n.type, given_[k].shape, given_[k].data);
            }
        } else if (k >= at.states && at.taken && k < at.taken->size()) {
            out = known_in(*at.outer, (*at.taken)[k]);
        }
    } else {
        out = computed(at, id);
    }
    at.known.emplace(number, out);
    return out;
}
inline void model_tracer::note_loop(node_id result, node_id limit) {
    graph_view const g = innermost_->scope.recorded.view();
    node_id const loop = g[result].code == op::while_loop ? result : g.operand(g[result], 0);
    innermost_->loop_limits.emplace(static_cast<std::int32_t>(loop), limit);
    has_inner_loop_ = has_inner_loop_ || innermost_->outer;
}
inline bool model_tracer::ends_soon(traced_scope& at, node_id loop) {
    auto const noted = at.loop_limits.find(static_cast<std::int32_t>(loop));
    if (noted == at.loop_limits.end()) return true;
    std::shared_ptr<host_array const> const limit = known_in(at, noted->second);
    std::int64_t iterations = 0;
    if (limit) std::memcpy(&iterations, limit->bytes.data(), sizeof(iterations));
    return limit && iterations <= most_unrolled;
}
// Computes what an op gives for operands whose elements are known.
inline std::shared_ptr<host_array const> model_tracer::computed(traced_scope& at, node_id id) {
    graph_view const g = at.scope.recorded.view();
    // Collects the nodes that are needed, from the result up to those whose elements are known.
    std::vector<node_id> order, open{id};
    std::unordered_map<std::int32_t, bool> is_done;
    while (!open.empty()) {
        node_id const next = open.back();
        auto const number = static_cast<std::int32_t>(next);
        if (is_done.contains(number)) {
            if (!is_done[number]) is_done[number] = true, order.push_back(next);
            open.pop_back();
            continue;
        }
        is_done[number] = false;
        node const& n = g[next];
        if (n.type == dtype::token || is_callback(n) || n.code == op::placeholder || info(n.code).kind == kind::random)
            return nullptr;
        if (info(n.code).kind == kind::control && (has_inner_loop_ || !ends_soon(at, next))) return nullptr;
        for (std::size_t k = 0; k < n.arity; ++k)
            if (node_id const operand = g.operand(n, k); !is_done.contains(static_cast<std::int32_t>(operand)))
                open.push_back(operand);
    }
    std::sort(order.begin(), order.end());
    graph part;
    graph_copier copier(g, part, graph_copier::shapes::inferred);
    std::vector<std::shared_ptr<host_array const>> arguments;
    for (node_id const next : order) {
        node const& n = g[next];
        if (n.code != op::parameter && n.code != op::capture) {
            copier.copy(next);
            continue;
        }
        std::shared_ptr<host_array const> const value = known_in(at, next);
        if (!value) return nullptr;
        copier.replace(next, part.append_parameter(n.type, value->shape));
        arguments.push_back(value);
    }
    part.add_output(copier[id]);
    std::vector<void const*> elements;
    buffer<dims> extents;
    for (auto const& a : arguments) elements.push_back(a->bytes.data()), extents.push_back(a->shape);
    return std::make_shared<host_array const>(std::move(run_once<>(part.view(), elements.data(), extents).front()));
}

inline traced_value model_tracer::here(traced_value const& value) {
    if (value.parts || value.is_none || value.home == &innermost_->scope) return value;
    return {&innermost_->scope, innermost_->scope.taken_from(*value.home, value.id), {}, false};
}
inline captured captured_stored(stored_tensor const* t) {
    return {t, [](void const* of) { return static_cast<stored_tensor const*>(of)->data; },
            [](void const* of) { return static_cast<stored_tensor const*>(of)->shape; },
            [](void const* of) {
                stored_tensor const& value = *static_cast<stored_tensor const*>(of);
                return seen_value{nullptr, value.data, value.type, value.shape, seen_value::elsewhere};
            }};
}
// A few elements become literals of the graph; larger tensors are captured and live as long as the trace.
inline node_id model_tracer::record_stored(stored_tensor const& value, void const* address) {
    constexpr std::int64_t few = 64;
    graph& g = innermost_->scope.recorded;
    if (value.shape.size() > few && innermost_->scope.kept) {
        auto kept = std::make_shared<stored_tensor const>(value);
        static_cast<void>(address);
        captured const what = captured_stored(kept.get());
        innermost_->scope.kept->push_back(std::move(kept));
        return innermost_->scope.append_capture(value.type, value.shape, what);
    }
    buffer<std::uint64_t> words(static_cast<std::size_t>(value.shape.size()) * words_of(value.type));
    with_element(value.type, [&]<class T>(T const&) {
        auto const* const from = static_cast<std::byte const*>(value.data);
        for (std::size_t k = 0; k * words_of(value.type) < words.size(); ++k) {
            T element;
            std::memcpy(static_cast<void*>(&element), from + k * sizeof(T), sizeof(T));
            to_words(element, words.data() + k * words_of(value.type));
        }
    });
    if (value.shape.rank == 0)
        return g.append(op::literal, value.type, dims{}, {}, {}, {words[0], words.size() > 1 ? words[1] : 0});
    return g.append_constant(value.type, value.shape, words);
}

inline void model_tracer::record_initializers(graph_message const& g, name_frame& names) {
    auto const add = [&](std::string_view name, stored_tensor const& value) {
        names.values[name] = {&innermost_->scope, record_stored(value, nullptr), {}, false};
    };
    // These are the initializers of a graph within another; those of the outermost graph are read when the model is loaded.
    model_files const& files = model_.files;
    for (std::string_view const message : g.initializers) {
        tensor_message const t = tensor_message::read(message, file());
        add(t.name, stored(t, files));
    }
    for (std::string_view const message : g.sparse_initializers) {
        sparse_message const s = sparse_message::read(message, file());
        add(s.values.name, stored(s, files));
    }
}
inline void model_tracer::record_nodes(std::vector<std::string_view> const& nodes, name_frame& names) {
    for (std::string_view const message : nodes) record_node(message, names);
}
inline void model_tracer::count_iteration() {
    constexpr std::uint64_t most = 1'000'000;
    if (++recorded_ > most) file().fail("has more than 1,000,000 nodes, with those of functions and loops");
}
inline void model_tracer::record_node(std::string_view message, name_frame& names) {
    count_iteration();
    node_message const node = node_message::read(message, file());
    op_call call(*this, names, node, model_data::version_of(*names.opsets, node.domain));
    function_message const* const function = model_.find_function(node);
    try {
        if (function) {
            record_call(*function, call);
        } else {
            operator_row const* const row = find_operator(node.domain, node.type, call.version());
            if (!row) call.fail("is none of the library's operators");
            row->record(call);
        }
    } catch (shape_error const& e) {
        call.fail(e.what());
    }
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        if (node.outputs[k].empty()) continue;
        if (k >= call.given().size() || !call.given()[k].is_given()) call.fail("has no result " + std::to_string(k));
        if (trace_scope const* const home = call.given()[k].home)
            call.require_possible(dims(home->recorded.shape_of(call.given()[k].id)));
        names.values[node.outputs[k]] = call.given()[k];
    }
}
inline void model_tracer::record_call(function_message const& f, op_call& call) {
    if (call.names().level >= most_levels) call.fail("calls functions of functions, more than 64 of them");
    name_frame names;
    names.opsets = &f.opsets, names.caller = &call, names.function = &f, names.level = call.names().level + 1;
    for (std::size_t k = 0; k < f.inputs.size(); ++k)
        if (call.has(k)) names.values[f.inputs[k]] = call.value(k);
    record_nodes(f.nodes, names);
    for (std::size_t k = 0; k < f.outputs.size(); ++k)
        if (traced_value const* const value = names.find(f.outputs[k])) call.give(k, here(*value));
}
inline std::vector<node_id> record_model(model_tracer& tracer, std::span<std::string_view const> inputs,
                                         std::span<node_id const> parameters) {
    model_data const& model = tracer.model();
    name_frame names;
    names.opsets = &model.opsets;
    trace_scope& scope = tracer.innermost().scope;
    for (initializer const& i : model.initializers)
        names.values[i.name] = {&scope, tracer.record_stored(i.value, &i.value), {}, false, i.value.is_of_four_bits};
    for (std::size_t k = 0; k < inputs.size(); ++k) names.values[inputs[k]] = {&scope, parameters[k], {}, false};
    for (value_message const& v : model.graph.inputs)
        if (auto const given = names.values.find(v.name); given != names.values.end() && v.type == value_message::kind::tensor)
            given->second.is_of_four_bits = has_four_bits(v.element);
    tracer.record_nodes(model.graph.nodes, names);
    std::vector<node_id> out;
    for (value_message const& output : model.graph.outputs) {
        traced_value const* const value = names.find(output.name);
        if (!value) tracer.file().fail("nothing gives its output " + quoted_piece(output.name));
        if (!value->home)
            tracer.file().fail("its output " + quoted_piece(output.name) + " is a sequence or an optional; it must be a tensor");
        out.push_back(tracer.here(*value).id);
    }
    return out;
}

inline void op_call::fail(std::string const& problem) const {
    std::string name = node_.domain.empty() ? std::string() : shown_piece(node_.domain) + ".";
    name += shown_piece(node_.type);
    if (!node_.name.empty()) name += " " + quoted_piece(node_.name);
    at_.file().fail(name + ": " + (problem.starts_with("tx: ") ? problem.substr(4) : problem));
}
inline bool op_call::has(std::size_t k) const {
    if (k >= node_.inputs.size() || node_.inputs[k].empty()) return false;
    traced_value const* const known = names_.find(node_.inputs[k]);
    return known ? known->is_given() : names_.caller == nullptr; // an optional input of a function may be left out
}
inline traced_value op_call::value(std::size_t k) const {
    if (k >= node_.inputs.size() || node_.inputs[k].empty()) fail("needs an input " + std::to_string(k));
    traced_value const* const known = names_.find(node_.inputs[k]);
    if (!known) fail("nothing before it gives its input " + quoted_piece(node_.inputs[k]));
    return at_.here(*known);
}
inline node_id op_call::operator[](std::size_t k) const {
    traced_value const v = value(k);
    if (!v.home) fail("its input " + std::to_string(k) + " must be a tensor, not a sequence or an optional without a value");
    return v.id;
}
inline std::vector<node_id> op_call::all() const {
    std::vector<node_id> out;
    for (std::size_t k = 0; k < operands(); ++k) out.push_back((*this)[k]);
    return out;
}
inline std::shared_ptr<host_array const> op_call::known(std::size_t k) const {
    if (k >= node_.inputs.size()) return nullptr;
    traced_value const* const value = names_.find(node_.inputs[k]);
    return value && value->home ? at_.known(*value) : nullptr;
}
inline std::vector<double> op_call::known_numbers(std::size_t k) const {
    std::shared_ptr<host_array const> const value = known(k);
    if (!value || value->type == dtype::string)
        fail("its input " + std::to_string(k) +
             " must be known while the model is traced: it tells a shape, and depends on an argument that is part of a trace");
    std::vector<double> out(static_cast<std::size_t>(value->shape.size()));
    with_element(value->type, [&]<class T>(T const&) {
        if constexpr (tx::is_small_float(dtype_of<T>))
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = static_cast<double>(static_cast<float>(value->template data<T>()[i]));
        else if constexpr (std::is_convertible_v<T, double>)
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(value->template data<T>()[i]);
    });
    return out;
}
inline std::vector<std::int64_t> op_call::known_integers(std::size_t k) const {
    std::shared_ptr<host_array const> const value = known(k);
    std::vector<std::int64_t> out;
    if (value && value->type == dtype::int64) {
        out.resize(static_cast<std::size_t>(value->shape.size()));
        if (!out.empty()) std::memcpy(out.data(), value->bytes.data(), value->bytes.size());
    } else {
        for (double const number : known_numbers(k)) out.push_back(whole_number(number));
    }
    return out;
}
inline std::int64_t op_call::known_integer(std::size_t k) const {
    std::vector<std::int64_t> const all = known_integers(k);
    if (all.size() != 1) fail("its input " + std::to_string(k) + " must be one number");
    return all[0];
}
inline double op_call::known_number(std::size_t k) const {
    std::vector<double> const all = known_numbers(k);
    if (all.size() != 1) fail("its input " + std::to_string(k) + " must be one number");
    return all[0];
}
inline void op_call::give(std::size_t k, node_id id) { give(k, traced_value{&at_.innermost().scope, id, {}, false}); }
inline void op_call::give(std::size_t k, traced_value value) {
    if (given_.size() <= k) given_.resize(k + 1);
    given_[k] = std::move(value);
}

inline std::optional<attribute_message> op_call::attribute(std::string_view name) const {
    for (std::string_view const message : node_.attributes) {
        attribute_message const a = attribute_message::read(message, at_.file());
        if (a.name != name) continue;
        if (a.of_function.empty()) return a;
        if (!names_.caller) return std::nullopt;
        if (std::optional<attribute_message> const given = names_.caller->attribute(a.of_function)) return given;
        for (std::string_view const d : names_.function->defaults) {
            attribute_message const otherwise = attribute_message::read(d, at_.file());
            if (otherwise.name == a.of_function) return otherwise;
        }
        return std::nullopt;
    }
    return std::nullopt;
}
inline std::int64_t op_call::integer(std::string_view name, std::int64_t otherwise) const {
    std::optional<attribute_message> const a = attribute(name);
    return a ? a->integer(at_.file()) : otherwise;
}
inline double op_call::number(std::string_view name, double otherwise) const {
    std::optional<attribute_message> const a = attribute(name);
    return a ? static_cast<double>(a->number(at_.file())) : otherwise;
}
inline std::string_view op_call::text(std::string_view name, std::string_view otherwise) const {
    std::optional<attribute_message> const a = attribute(name);
    return a ? a->bytes(4, at_.file()) : otherwise;
}
inline std::vector<std::int64_t> op_call::integers(std::string_view name) const {
    std::optional<attribute_message> const a = attribute(name);
    return a ? a->integers(at_.file()) : std::vector<std::int64_t>();
}
inline std::vector<float> op_call::numbers(std::string_view name) const {
    std::optional<attribute_message> const a = attribute(name);
    return a ? a->numbers(at_.file()) : std::vector<float>();
}
inline std::vector<std::string_view> op_call::texts(std::string_view name) const {
    std::optional<attribute_message> const a = attribute(name);
    return a ? a->texts(at_.file()) : std::vector<std::string_view>();
}
inline dtype op_call::type_numbered(std::int64_t number) const {
    std::optional<dtype> const known = dtype_of_element(number);
    if (!known) fail("asks for " + name_of_element(number) + ", which tensors don't have");
    return *known;
}
inline dtype op_call::type_attribute(std::string_view name, dtype otherwise) const {
    std::optional<attribute_message> const a = attribute(name);
    return a ? type_numbered(a->integer(at_.file())) : otherwise;
}

inline lowering& op_call::low() const { return at_.low(); }
inline dims op_call::known_shape(node_id x) const {
    dims const d = shape(x);
    if (!d.is_static()) fail("the shape of its operand must be known while the model is traced; it is " + to_string(d));
    return d;
}
inline std::int64_t op_call::known_extent(node_id x, int a) const {
    if (extent(x, a) == dyn)
        fail("the extent of axis " + std::to_string(a) +
             " of its operand must be known while the model is traced; its shape is " + to_string(shape(x)));
    return extent(x, a);
}
inline void op_call::require_possible(dims const& shape) const {
    std::int64_t left = most_elements;
    for (int a = 0; a < shape.rank; ++a) {
        if (shape[a] == dyn || shape[a] < 2) continue;
        if (shape[a] > left) fail("a tensor of shape " + to_string(shape) + " is larger than models may ask for");
        left /= shape[a];
    }
}
inline int op_call::axis(std::int64_t given, int rank) const {
    if (given < -rank || given >= rank)
        fail("axis " + std::to_string(given) + " lies outside of " + std::to_string(rank) + " axes");
    return static_cast<int>(given < 0 ? given + rank : given);
}
inline node_id op_call::append(op code, table_view<node_id> operands, attribute_span attributes) const {
    buffer<dtype> types;
    for (node_id const id : operands) {
        if (id == node_id::none) fail("an input is missing");
        if (rank(id) < 0) fail("the rank of its operand must be known while the model is traced");
        types.push_back(type(id));
    }
    inferred_dtype const out = infer_dtype(code, types[code == op::where ? 1 : 0], types);
    if (out.problem) {
        std::string given;
        for (dtype const t : types) given += (given.empty() ? "" : ", ") + std::string(name(t));
        fail(std::string(out.problem) + "; given " + given);
    }
    node_id const made = low().append(code, out.type, operands, attributes);
    require_possible(shape(made));
    return made;
}
inline node_id op_call::as(node_id x, dtype to) const {
    if (type(x) != to && (type(x) == dtype::string || to == dtype::string)) fail("strings are not cast");
    return low().as(x, to);
}
inline node_id op_call::integers(std::vector<std::int64_t> const& numbers) const {
    stored_tensor out = room_for(dtype::int64, dims{{static_cast<std::int64_t>(numbers.size())}, 1});
    if (!numbers.empty()) std::memcpy(writable(out), numbers.data(), numbers.size() * sizeof(std::int64_t));
    return at_.record_stored(out, nullptr);
}
inline node_id op_call::size_along(node_id x, int a) const {
    return extent(x, a) == dyn ? low().axis_size<std::int64_t>(x, a) : integer(extent(x, a));
}
inline node_id op_call::iota_along(node_id x, int a) const {
    if (extent(x, a) != dyn) return low().iota<std::int64_t>(extent(x, a));
    node_id const size = size_along(x, a);
    return low().iota_like<std::int64_t>(low().extents(dims{{dyn}, 1}, {&size, 1}, attribute_list(-1)), 0);
}
inline node_id op_call::reshape(node_id x, dims const& to) const {
    attribute_list target;
    for (int a = 0; a < to.rank; ++a) target.push_back(to[a] == dyn ? -1 : to[a]);
    return low().reshape(x, target);
}
inline node_id op_call::broadcast(node_id x, dims const& to) const {
    if (shape(x) == to) return x;
    attribute_list target;
    for (int a = 0; a < to.rank; ++a) target.push_back(to[a] == dyn ? -1 : to[a]);
    return append(op::broadcast_to, x, target);
}
inline node_id op_call::transpose(node_id x, std::vector<int> const& order) const {
    attribute_list permutation;
    for (int const a : order) permutation.push_back(a);
    if (order.size() != static_cast<std::size_t>(rank(x))) fail("the permutation must name every axis once");
    return low().transpose(x, permutation);
}
inline node_id op_call::reduce(op code, node_id x, attribute_list const& axes, bool keep) const {
    attribute_list form(keep ? 1 : 0);
    for (std::size_t k = 0; k < axes.count; ++k) form.push_back(axes[k]);
    return axes.count ? append(code, x, form) : x;
}
inline node_id op_call::mean(node_id x, attribute_list const& axes, bool keep) const {
    if (axes.count == 0) return x;
    node_id const sum = reduce(op::sum, x, axes, keep);
    std::int64_t known = 1;
    for (std::size_t k = 0; k < axes.count; ++k)
        if (std::int64_t const extent = shape(x)[static_cast<int>(axes[k])]; extent != dyn) known *= extent;
    node_id count = number_like(sum, static_cast<double>(known));
    for (std::size_t k = 0; k < axes.count; ++k)
        if (int const axis = static_cast<int>(axes[k]); shape(x)[axis] == dyn)
            count = append(op::multiply, count, as(low().axis_size<std::int64_t>(x, axis), type(sum)));
    return append(is_inexact(type(x)) ? op::divide : op::floor_divide, sum, count);
}

} // namespace tx::onnx::detail
