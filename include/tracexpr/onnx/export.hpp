// Writes graphs as ONNX files: tx::onnx::save("model.onnx", f, specs...).
#pragma once

#include <tracexpr/backends/host_array.hpp>
#include <tracexpr/onnx/model.hpp>
#include <tracexpr/run/function.hpp>

namespace tx::onnx {

// The options of tx::onnx::save.
struct save_options {
    int opset = 21; // the version of ONNX's operators, 18 to 28
    // These are the names of the inputs, one for each tensor of the arguments in their order, and of the outputs; by default x0,
    // x1 ... and y0, y1 ...
    std::vector<std::string> inputs{}, outputs{};
};

namespace detail {

inline constexpr int oldest_exported = 18, newest_exported = 28;

// Holds a trace, and what is known of its parameters: first those of the arguments, then tensors that the callable holds.
struct exported_graph {
    graph_view graph;
    std::vector<value_spec> inputs;
    std::vector<array_view> kept;
};
std::string bytes_of_model(exported_graph const& given, save_options const& options);
void save_model(std::string const& path, exported_graph const& given, save_options const& options);

template <class... A> std::vector<value_spec> specs_of_leaves() {
    std::vector<value_spec> out;
    auto const look = [&]<class Part>(Part const&) {
        out.push_back({dtype_of<typename leaf_access<Part>::value_type>, dims_of<typename leaf_access<Part>::shape_type>});
    };
    std::tuple<A...> const arguments;
    for_each_leaf(arguments, look);
    return out;
}
// Returns the argument that a spec stands for. A struct that stands for itself keeps its numbers, which a trace may read.
template <class S> tensor_of<S> argument_of(S const& s) {
    if constexpr (std::is_same_v<tensor_of<S>, S>) return s;
    else return {};
}
// Calls take(trace), with the trace of f for these arguments, of whose tensors only the types are used.
template <class F, class Take, class... A> auto with_exported(F const& f, Take const& take, A const&... a) {
    exported_graph out;
    out.inputs = specs_of_leaves<A...>();
    buffer<dims> shapes;
    for (value_spec const& s : out.inputs) shapes.push_back(s.shape);
    auto const look = [&]<class Part>(Part const& part) {
        using access = leaf_access<Part>;
        shapes.push_back(access::extents(part));
        out.kept.push_back({access::data(part), dtype_of<typename access::value_type>, access::extents(part)});
    };
    callable_form<F>::visit(f, look, ignore_value{});
    runtime_program const program = trace_now(table_view<dims>(shapes), nullptr, f, a...);
    out.graph = program.traced.view();
    return take(out);
}

// Finds the callable and the types of the arguments of what is saved.
template <class F, class... S> struct exported_call {
    template <class Take> static auto with(F const& f, Take const& take, S const&... s) {
        if constexpr (is_function<F>) {
            using callable = std::remove_cvref_t<decltype(f.traced_callable())>;
            return exported_call<callable, S...>::with(f.traced_callable(), take, s...);
        } else if constexpr (!check_specs<F, S...>()) {
            return take(exported_graph{});
        } else {
            return with_exported(f, take, argument_of(s)...);
        }
    }
};
template <class F, class... A> struct exported_call<concrete_function<F, A...>> {
    template <class Take> static auto with(concrete_function<F, A...> const& f, Take const& take) {
        return with_exported(unwrap(f.stored()), take, A{}...);
    }
};
template <class F, class... A> struct exported_call<concrete_trace<F, A...>> {
    template <class Take> static auto with(concrete_trace<F, A...> const& f, Take const& take) {
        return with_exported(unwrap(f.stored()), take, A{}...);
    }
};

// Takes the specs first, then options, as in `call(tx::spec..., {.opset = 21})`: a list in braces has the type that the next
// parameter has by default.
template <class F, class Take, class... Specs, class... Rest> auto
with_specs(F const& f, Take const& take, std::tuple<Specs const&...> const& specs, save_options const& options, Rest const&...) {
    constexpr bool come_last = (std::is_same_v<Rest, save_options> && ...);
    static_assert(come_last, "tx: onnx::save: options come behind the specs");
    auto const export_to = [&](exported_graph const& g) { return take(g, options); };
    if constexpr (come_last)
        return std::apply([&](Specs const&... s) { return exported_call<F, Specs...>::with(f, export_to, s...); }, specs);
    else return export_to({});
}
template <class F, class Take, class... Specs, class S, class... Rest> requires(!std::is_same_v<S, save_options>)
auto with_specs(F const& f, Take const& take, std::tuple<Specs const&...> const& specs, S const& s, Rest const&... rest) {
    return with_specs(f, take, std::tuple_cat(specs, std::tuple<S const&>(s)), rest...);
}

} // namespace detail

// Writes what a callable, a tx::function or a concrete function computes as a model: save("model.onnx", f, tx::spec<float,
// tx::shape<tx::dyn, 4>>{}, {.opset = 21}). There is a spec for each argument, or a struct of tensors like it, whose numbers
// become constants (up to eight arguments; none for a concrete function). Tensors that the callable captured or holds become
// initializers with their present values. Control flow becomes If, Loop and Scan. Throws tx::error, and leaves the file as it
// was, if ONNX has no counterpart of something (opaque callables, prints, assertions, assignments, complex numbers,
// decompositions): the message names all of it.
template <class F, class A = save_options, class B = save_options, class C = save_options, class D = save_options,
          class E = save_options, class G = save_options, class H = save_options, class I = save_options>
void save(std::string const& path, F const& f, A const& a = {}, B const& b = {}, C const& c = {}, D const& d = {},
          E const& e = {}, G const& g = {}, H const& h = {}, I const& i = {}, save_options const& last = {}) {
    detail::with_specs(
        f, [&](detail::exported_graph const& graph, save_options const& o) { detail::save_model(path, graph, o); },
        std::tuple<>(), a, b, c, d, e, g, h, i, last);
}
// Returns the bytes of the file that tx::onnx::save would write.
template <class F, class A = save_options, class B = save_options, class C = save_options, class D = save_options,
          class E = save_options, class G = save_options, class H = save_options, class I = save_options>
[[nodiscard]] std::string to_bytes(F const& f, A const& a = {}, B const& b = {}, C const& c = {}, D const& d = {},
                                   E const& e = {}, G const& g = {}, H const& h = {}, I const& i = {},
                                   save_options const& last = {}) {
    return detail::with_specs(
        f, [&](detail::exported_graph const& graph, save_options const& o) { return detail::bytes_of_model(graph, o); },
        std::tuple<>(), a, b, c, d, e, g, h, i, last);
}

} // namespace tx::onnx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/onnx/export_bodies.hpp>
#endif
