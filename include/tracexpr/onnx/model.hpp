// Models that are read from ONNX files are callables: they run on tensors whose types only the model tells, or are called with
// static types, in and out of traces.
#pragma once

#include <tracexpr/files/any_tensor.hpp>
#include <tracexpr/run/signature.hpp>
#include <tracexpr/tracexpr.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tx::onnx {

// Describes an extent of a model's input or output: a number, a symbol, or neither, which equals "".
struct dimension {
    std::int64_t extent = dyn; // tx::dyn if the model gives no number
    std::string symbol;

    friend bool operator==(dimension const& d, std::int64_t number) { return d.extent == number && number != dyn; }
    friend bool operator==(dimension const& d, std::string_view name) { return d.extent == dyn && d.symbol == name; }
};
// Describes an input or output of a model.
struct value_info {
    std::string name;
    tx::dtype dtype{};
    std::vector<dimension> dims;
    bool has_rank = true;     // false: the model doesn't say how many axes it has
    bool has_default = false; // true for an input that may be left out
};

namespace detail {

using namespace tx::detail;

struct model_state;
// Describes an argument for an input or initializer.
struct named_argument {
    std::string_view name;
    dtype type{};
    dims shape{};
    void const* data = nullptr; // null if only a run knows the elements
};
// Holds a model's trace for arguments of some shapes.
struct model_recording {
    runtime_program program;
    std::string path; // of the model, for messages
};

std::shared_ptr<model_state const> load_state(std::string const& path);
std::shared_ptr<model_state const> load_state(std::string bytes, std::string const& called);
std::span<value_info const> inputs_of(model_state const& model);
std::span<value_info const> outputs_of(model_state const& model);
named_tensors parameters_of(model_state const& model);
// Returns the trace for these arguments, which is made if there is none yet. Its parameters are the arguments, in order.
std::shared_ptr<model_recording const> recording_for(std::shared_ptr<model_state const> const& model,
                                                     std::span<named_argument const> arguments);
// Runs a trace on the leaves of a call.
void run_recording(model_recording const& recording, table_view<tiled_argument> arguments, table_view<tiled_result> results);
// Appends a trace to another one, with these nodes as its parameters.
void append_recording(trace_scope& scope, model_recording const& recording, table_view<node_id> arguments, node_id* outputs);
std::vector<any_tensor> run_any(std::shared_ptr<model_state const> const& model, std::vector<any_tensor> const& inputs);
named_tensors run_named(std::shared_ptr<model_state const> const& model, named_tensors const& inputs);
// Returns the names of the inputs that `count` arguments are for.
std::vector<std::string_view> names_for(model_state const& model, std::size_t count);
[[noreturn]] void throw_wrong_output(model_state const& model, std::size_t k, value_spec const& given,
                                     value_spec const& declared);
void require_outputs(model_state const& model, std::size_t wanted);

template <class S> struct call_result;
template <class T, class Shape> struct call_result<spec<T, Shape>> {
    using value_type = T;
    using shape_type = Shape;
    using tensor_type = tensor<T, Shape>;
    static constexpr value_spec declared{dtype_of<T>, dims_of<Shape>};
};
template <class S> inline constexpr bool is_call_result = false;
template <class T, class Shape> inline constexpr bool is_call_result<spec<T, Shape>> = true;
template <class S, bool IsExpr> auto call_symbol(trace_scope& scope, node_id id) {
    using declared = call_result<S>;
    expr<typename declared::value_type, typename declared::shape_type> const e(scope, id);
    if constexpr (IsExpr) return e;
    else return typename declared::tensor_type(e);
}
// Returns the results of a call: one, or a tuple.
template <class... Parts> auto one_or_tuple(Parts... parts) {
    if constexpr (sizeof...(Parts) == 1) return (parts, ...);
    else return std::tuple<Parts...>(std::move(parts)...);
}
template <class W> concept weights_map = requires(W const& w) {
    typename W::key_type;
    typename W::mapped_type;
    requires std::is_convertible_v<typename W::key_type const&, std::string_view>;
    w.begin();
};

struct no_weights {};
template <class W> inline constexpr bool holds_exprs = false;
template <weights_map W> inline constexpr bool holds_exprs<W> = expr_type<typename W::mapped_type>;
template <class W, class F> void visit_weight(W const& weight, F const& f) {
    if constexpr (std::is_same_v<W, any_tensor>) std::visit(f, weight);
    else f(weight);
}

} // namespace detail

// `model` is a model read from an ONNX file. Copies are the same model, and may be used from many threads at once.
class model {
public:
    explicit model(std::shared_ptr<detail::model_state const> state) : state_{std::move(state)} {}

    std::shared_ptr<detail::model_state const> const& state() const { return state_; }

    // Returns the inputs, in the model's order. Those that have a default may be left out of a call.
    std::span<value_info const> inputs() const { return detail::inputs_of(*state_); }
    // Returns the outputs, in the model's order.
    std::span<value_info const> outputs() const { return detail::outputs_of(*state_); }
    // Returns the initializers, which are the constants of the model unless a call passes others.
    named_tensors parameters() const { return detail::parameters_of(*state_); }

    // Computes the outputs for these inputs, which are all inputs, or all without a default, in the model's order. The model is
    // traced once for each combination of dtypes and shapes of the inputs, and elements of those on which shapes depend.
    std::vector<any_tensor> run(std::vector<any_tensor> const& inputs) const { return detail::run_any(state_, inputs); }
    // Computes the outputs for inputs given by name, which may include initializers.
    named_tensors run(named_tensors const& inputs) const { return detail::run_named(state_, inputs); }

    // Computes the outputs as tensors of the types of the specs: one, or a tuple. The arguments are tensors, exprs, variables or
    // numbers. In a trace the model becomes a part of it, and has derivatives. Throws tx::type_error if the model's outputs have
    // other types.
    template <class... Specs, operand... A> auto call(A const&... a) const {
        return call_on<Specs...>(detail::no_weights{}, detail::plain_operand(a)...);
    }
    // Computes the outputs with other values for initializers, a map from their names to tensors. Derivatives with respect to
    // these are those of the model's parameters.
    template <class... Specs, detail::weights_map Weights, operand... A> auto call(Weights const& weights, A const&... a) const {
        return call_on<Specs...>(weights, detail::plain_operand(a)...);
    }

private:
    template <class... Specs, class Weights, class... A> auto call_on(Weights const& weights, A const&... a) const {
        constexpr bool are_specs = sizeof...(Specs) > 0 && (detail::is_call_result<Specs> && ...);
        static_assert(are_specs,
                      "tx: onnx::model: the outputs must be declared by specs: m.call<tx::spec<float, tx::any_shape>>(x)");
        if constexpr (are_specs) {
            std::vector<std::string_view> const names = detail::names_for(*state_, sizeof...(A));
            detail::require_outputs(*state_, sizeof...(Specs));
            // Calls f(name, value) for each argument.
            auto const each = [&](auto const& f) {
                if constexpr (!std::is_same_v<Weights, detail::no_weights>)
                    for (auto const& [name, value] : weights)
                        detail::visit_weight(value, [&](auto const& v) { f(std::string_view(name), v); });
                std::size_t k = 0;
                (f(names[k++], a), ...);
            };
            trace_scope* scope = nullptr;
            each([&](std::string_view, auto const& value) {
                if (!scope) scope = tx::detail::scope_of(value);
            });
            if (!scope)
                each([&](std::string_view, auto const& value) {
                    if (!scope) scope = tx::detail::scope_of_live(value);
                });
            constexpr bool has_expr = (expr_type<A> || ... || detail::holds_exprs<Weights>);
            return [&]<std::size_t... K>(std::index_sequence<K...> all) {
                if (scope) return recorded<has_expr, Specs...>(*scope, each, all);
                if constexpr (has_expr) return recorded<has_expr, Specs...>(*scope, each, all); // an expr has a scope
                else return run_now<Specs...>(each, all);
            }(std::index_sequence_for<Specs...>{});
        } else {
            return tx::detail::failed{};
        }
    }
    template <bool HasExpr, class... Specs, class Each, std::size_t... K>
    auto recorded(trace_scope& scope, Each const& each, std::index_sequence<K...>) const {
        buffer<node_id> nodes;
        std::vector<detail::named_argument> given;
        each([&]<class A>(std::string_view name, A const& value) {
            nodes.push_back(tx::detail::record_operand<tx::detail::dtype_of_operand<A>>(scope, value));
            given.push_back({name, tx::detail::dtype_of_operand<A>, dims(scope.recorded.shape_of(nodes.back())), nullptr});
        });
        auto const recording = detail::recording_for(state_, given);
        buffer<node_id> results(outputs().size());
        detail::append_recording(scope, *recording, nodes, results.data());
        (require<Specs>(K, {scope.recorded[results[K]].type, dims(scope.recorded.shape_of(results[K]))}), ...);
        return detail::one_or_tuple(detail::call_symbol<Specs, HasExpr>(scope, results[K])...);
    }
    template <class... Specs, class Each, std::size_t... K> auto run_now(Each const& each, std::index_sequence<K...>) const {
        std::vector<detail::named_argument> given;
        buffer<tx::detail::tiled_argument> leaves;
        each([&]<class A>(std::string_view name, A const& value) {
            using access = tx::detail::leaf_access<A>;
            given.push_back({name, tx::detail::dtype_of_operand<A>, access::extents(value), access::data(value)});
            leaves.push_back(tx::detail::argument_of_call(value));
        });
        auto const recording = detail::recording_for(state_, given);
        graph_view const g = recording->program.simplified.view();
        (require<Specs>(K, {g[g.outputs[K]].type, dims(g.shape_of(g.outputs[K]))}), ...);
        std::tuple<typename detail::call_result<Specs>::tensor_type...> out;
        tx::detail::tiled_result const results[]{
            {&std::get<K>(out), &tx::detail::result_leaf_access<typename detail::call_result<Specs>::tensor_type>::table}...};
        detail::run_recording(*recording, leaves, {results, sizeof...(Specs)});
        return detail::one_or_tuple(std::move(std::get<K>(out))...);
    }
    template <class S> void require(std::size_t k, value_spec const& given) const {
        value_spec const declared = detail::call_result<S>::declared;
        if (given.type != declared.type || !may_equal(given.shape, declared.shape))
            detail::throw_wrong_output(*state_, k, given, declared);
    }

    std::shared_ptr<detail::model_state const> state_;
};

// Reads a model from a file. Elements may be in other files, in the model's folder or below. Throws tx::error if the file is
// damaged, or has operators that the library doesn't have: then one message names all of them.
[[nodiscard]] inline model load(std::string const& path) { return model(detail::load_state(path)); }
// Reads a model from memory, which has the bytes of a file.
[[nodiscard]] inline model from_bytes(std::string bytes) {
    return model(detail::load_state(std::move(bytes), "the bytes given"));
}

} // namespace tx::onnx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/onnx/model_bodies.hpp>
#endif
