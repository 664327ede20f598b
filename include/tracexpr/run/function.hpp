// This file holds tx::function: a callable over tensors that is traced once per signature, and run as compiled kernels.
#pragma once

#include <tracexpr/run/concrete.hpp>
#include <tracexpr/run/signature_argument.hpp>

namespace tx {

// Makes functions call their callables at each call, for debugging: whatever a callable prints of its tensors, or reads of them
// (value(), item()), is then there. Results are the same. Callables that the compiler traces do nothing that could be observed
// when they are called: of these only the kernels run.
inline void run_eagerly(bool on) { detail::eager_functions.store(on, std::memory_order_relaxed); }

namespace detail {
struct with_options;
template <class Unused> struct no_callable {};
template <class F, class O> using callable_for = typename callable_with_kernels<execution_of<O>(), F>::type;
template <class Form> inline constexpr bool is_signature = false;
template <class... S> inline constexpr bool is_signature<signature<S...>> = true;
} // namespace detail

// Computes a callable over tensors by compiled kernels. F is the callable, or a std::reference_wrapper of it; Form is void, or
// what else the constructor was given.
template <class F, class Form = void> class function : public detail::function_core<F, !std::is_void_v<Form>> {
    using core = detail::function_core<F, !std::is_void_v<Form>>;

public:
    using core::core;
    // Makes a function of a callable that is wrapped so that it also holds how the options say that it runs.
    template <class G, detail::options_type O> requires(!std::is_same_v<F, G> && std::is_same_v<F, detail::callable_for<G, O>>)
    constexpr function(G f, O o) : core(F{detail::held(f)}, o) {}

    // Computes the callable on the arguments: tensors, scalars, and trees of them, which are nested structs, tuples, arrays,
    // vectors, maps and optionals. (With the last three it is traced when it is called, anew if their keys or numbers of parts
    // change.) Inside another traced callable it becomes part of that trace.
    template <class... A> TRACEXPR_NAMES_TARGET constexpr auto operator()(A const&... a) const { return this->call(a...); }

    // Computes into an existing result. Memory is allocated only if its extents change or it shares its elements.
    template <class Result, class... A> TRACEXPR_NAMES_TARGET void into(Result& out, A const&... a) const {
        this->call_into(out, a...);
    }

    // Returns the callable with its trailing parameters bound, by reference, to tensors or trees of them, which must outlive the
    // function. Their values are those at each call.
    template <class... B> constexpr auto bind(B&... bound) const {
        static_assert(
            ((detail::facts<std::remove_const_t<B>>.is_tree && !detail::holds_foreign<std::remove_const_t<B>>) && ...),
            "tx: function::bind: binds tensors, variables and trees of them; make another library's array a tensor first");
        using held_type = decltype(detail::held(this->stored()));
        using bound_type = detail::bound_callable<held_type, std::remove_const_t<B>...>;
        return function<bound_type, Form>(bound_type{detail::held(this->stored()), {&bound...}}, this->settings());
    }
    template <class... B> requires(sizeof...(B) > 0) constexpr auto bind(B const&&...) const {
        static_assert(always_false<B...>,
                      "tx: function::bind: binds by reference, and these are temporaries; keep them in variables");
        return detail::failed{};
    }
};
template <class R, class... P, class Form> class function<R(P...), Form> {
public:
    template <class... B> constexpr function(B const&...) {
        static_assert(always_false<R, B...>, "tx: function: its template argument is the callable's type, and not a signature as "
                                             "for std::function; leave it to the compiler: tx::function f{callable}");
    }
    template <class... A> constexpr auto operator()(A const&...) const { return detail::failed{}; }
};
// The name of a function template, or of an overloaded function, has no type, so that the first guide is the only one that takes
// it.
template <class Unused, class Form> class function<detail::no_callable<Unused>, Form> {
    static_assert(always_false<Unused>,
                  "tx: function: takes a callable of one type, and perhaps a tx::signature and options behind "
                  "it; of a function template or overloaded function g write [](auto x) { return g(x); }");

public:
    function(...);
    template <class... A> constexpr auto operator()(A const&...) const { return detail::failed{}; }
};
template <class Unused = void> function(...) -> function<detail::no_callable<Unused>>;
template <class F> function(F) -> function<F>;
template <class F, detail::options_type O> function(F, O) -> function<detail::callable_for<F, O>, detail::with_options>;

// `function` is a function with one signature: every call that fits it uses one trace. Scalars, nested braces and other
// libraries' arrays convert to the specs' tensors.
template <class F, class... S> class function<F, signature<S...>>
    : public detail::signature_function<F, std::index_sequence_for<S...>, S...> {
    using core = detail::signature_function<F, std::index_sequence_for<S...>, S...>;

public:
    constexpr explicit function(F f, signature<S...> = {}, detail::call_options o = {}) : core(std::move(f), o) {}
    constexpr function(F f, detail::call_options o, signature<S...> = {}) : core(std::move(f), o) {}
    template <class G, detail::options_type O> requires(!std::is_same_v<F, G> && std::is_same_v<F, detail::callable_for<G, O>>)
    constexpr function(G f, signature<S...>, O o) : core(F{detail::held(f)}, o) {}
    template <class G, detail::options_type O> requires(!std::is_same_v<F, G> && std::is_same_v<F, detail::callable_for<G, O>>)
    constexpr function(G f, O o, signature<S...> = {}) : core(F{detail::held(f)}, o) {}

    TRACEXPR_NAMES_TARGET static constexpr bool is_static =
        detail::statically_traceable<detail::callable_of<F>, detail::tensor_of<S>...>;
    TRACEXPR_NAMES_TARGET static constexpr std::string_view why_not_static =
        detail::reason_of_call<detail::callable_of<F>, detail::tensor_of<S>...>();
    // Returns the trace for the signature, or for a narrower one.
    template <class... Specs> TRACEXPR_NAMES_TARGET constexpr auto concrete() const {
        if constexpr (sizeof...(Specs) == 0) return core::template concrete<S...>();
        else return core::template concrete<Specs...>();
    }
};
template <class F, class... S> function(F, signature<S...>) -> function<F, signature<S...>>;
template <class F, class... S, detail::options_type O> function(F, signature<S...>, O)
    -> function<detail::callable_for<F, O>, signature<S...>>;
template <class F, class... S, detail::options_type O> function(F, O, signature<S...>)
    -> function<detail::callable_for<F, O>, signature<S...>>;

// static_function is a function that the compiler must trace: if it can't, the call fails to compile with the compiler's reason.
template <class F> class static_function : public function<F> {
    using callable = detail::callable_of<F>;

public:
    using function<F>::function;

    template <class... A> TRACEXPR_NAMES_TARGET constexpr auto operator()(A const&... a) const {
        if constexpr (!require_static<A...>()) return detail::failed{};
        else if constexpr (!is_traced<A...>()) return show_reason<A...>();
        else return function<F>::operator()(a...);
    }
    template <class Result, class... A> TRACEXPR_NAMES_TARGET void into(Result& out, A const&... a) const {
        if constexpr (!require_static<A...>()) return;
        else if constexpr (!is_traced<A...>()) show_reason<A...>();
        else function<F>::into(out, a...);
    }

private:
    // Explains by static_assert why the compiler can't trace a call.
    template <class... A> static constexpr bool require_static() {
        if constexpr ((detail::holds_foreign<A> || ...)) return require_static<detail::borrowed_form<A>...>();
        else if constexpr (!(detail::facts<A>.is_tree && ...) || (detail::facts<A>.has_exprs || ...)) return true;
        else if constexpr (!require_traces()) return false;
        else if constexpr (!require_form()) return false;
        else return require_arguments<A...>();
    }
    template <class Unused = void> static constexpr bool require_traces() {
        constexpr bool traces = TRACEXPR_TRACES_HERE || !std::is_void_v<Unused>;
        static_assert(traces, "tx: static_function: the compiler must trace the callable, and traces nothing in a file with "
                              "TRACEXPR_KERNELS_NONE; use tx::function, or define TRACEXPR_KERNELS_TILES in its place");
        return traces;
    }
    template <class Unused = void> static constexpr bool require_form() {
        constexpr bool fits = detail::has_static_form<callable>;
        constexpr bool is_tree = detail::callable_form<callable>::state.is_tree;
        constexpr bool is_lambda = detail::is_capturing_lambda<callable>;
        static_assert(
            fits || !is_lambda,
            "tx: static_function: the callable captures a value that is not tx::capture'd, or has no rank; write "
            "[w = tx::capture(w)] of a tensor whose type tells its rank, a variable, a number or a callable, bind it, pass "
            "it as an argument, or use tx::function");
        static_assert(fits || is_lambda || is_tree, "tx: static_function: the callable must be an aggregate that holds tensors, "
                                                    "without constructors and private members, "
                                                    "so that the compiler sees them; make it one, or use tx::function");
        static_assert(fits || !is_tree,
                      "tx: static_function: the callable's members must be tensors whose type tells their rank; make a number a "
                      "tx::tensor<float, tx::shape<>>, or use tx::function");
        return fits;
    }
    template <class... A> static constexpr bool require_arguments() {
        constexpr bool fit = (detail::has_static_argument<detail::traced_as<A>> && ...);
        static_assert(fit, "tx: static_function: the compiler must know every argument's rank, and there is no tx::key; give the "
                           "tensor's type a rank, and take arrays, tuples or structs in place of vectors, maps and optionals, or "
                           "use tx::function");
        constexpr bool gives_lists = detail::gives_lists<callable, detail::traced_as<A>...>;
        static_assert(!gives_lists,
                      "tx: static_function: how many parts a vector, map or optional has only the run tells; return an "
                      "array, tuple or struct, or use tx::function");
        if constexpr (fit && !gives_lists)
            static_assert(
                is_traced<A...>(),
                "tx: static_function: the compiler can't trace the callable: its operator() must be constexpr, as a lambda's is, "
                "and do nothing that "
                "a constant expression must not, as print, throw, or read a variable that is no constant, and record at "
                "most " TRACEXPR_TEXT(
                    TRACEXPR_MAX_NODES) " nodes, so make a long loop one of tx::scan or tx::fori_loop; the reason follows");
        return fit && !gives_lists;
    }
    // Is the call traced, or wrong in a way that the function's own messages explain?
    template <class... A> static constexpr bool is_traced() {
        if constexpr ((detail::holds_foreign<A> || ...)) return is_traced<detail::borrowed_form<A>...>();
        else if constexpr (!(detail::has_static_argument<detail::traced_as<A>> && ...)) return true;
        else if constexpr (!detail::callable_with<callable, A...>) return true;
        else return detail::statically_traceable<callable, detail::traced_as<A>...>;
    }
    // Fails to compile with the compiler's own reason.
    template <class... A> static detail::failed show_reason() {
        constexpr std::size_t reason =
            detail::compile_time_trace<callable, detail::traced_as<detail::borrowed_form<A>>...>::make().size();
        return static_cast<void>(reason), detail::failed{};
    }
};
template <class Unused = void> static_function(...) -> static_function<detail::no_callable<Unused>>;
template <class F> static_function(F) -> static_function<F>;
template <class F, detail::options_type O> static_function(F, O) -> static_function<detail::callable_for<F, O>>;

namespace detail {
template <class F> inline constexpr bool is_function = false;
template <class F, class Form> inline constexpr bool is_function<function<F, Form>> = true;
template <class F> inline constexpr bool is_function<static_function<F>> = true;
} // namespace detail

template <class Traits, class F> requires detail::is_function<F>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, F const&) {
    static_assert(always_false<F>, "tx: function: a function itself can't be printed; print its result, f(x), or its graph, "
                                   "tx::graph_of<tx::spec<float, tx::shape<3>>>(f).to_text()");
    return out;
}

// Returns in words why the compiler doesn't trace such a call, naming the first reason it finds; empty if it does trace it.
// Nothing is computed, and what only the run knows doesn't matter: a text that is a constant may be returned in a constant
// expression. (tx::static_function shows the compiler's own words.)
template <class F, class... A>
[[nodiscard]] TRACEXPR_NAMES_TARGET constexpr std::string_view why_not_static(F const& f, A const&...) {
    if constexpr (detail::is_function<F>) {
        using callable = std::remove_cvref_t<decltype(f.traced_callable())>;
        if (f.settings().jit == jit::never) return "the function was given tx::jit::never";
        return detail::reason_of_call<callable, detail::traced_as<detail::borrowed_form<A>>...>();
    } else {
        return detail::reason_of_call<detail::callable_of<F>, detail::traced_as<detail::borrowed_form<A>>...>();
    }
}

// Returns the graph of a callable, or of a function, for these argument specs (JAX: make_jaxpr). Nothing is computed. It is a
// constant expression if the compiler can trace the callable.
template <class... Specs, class F> [[nodiscard]] TRACEXPR_NAMES_TARGET constexpr auto graph_of(F const& f) {
    if constexpr (detail::is_function<F>) {
        return graph_of<Specs...>(f.traced_callable());
    } else if constexpr (!detail::check_specs<F, Specs...>()) {
        return detail::failed{};
    } else if constexpr (detail::statically_traceable<F, detail::tensor_of<Specs>...>) {
        return concrete_function<F, detail::tensor_of<Specs>...>::graph();
    } else {
        buffer<dims> shapes;
        auto const look = [&]<class Part>(Part const&) {
            shapes.push_back(dims_of<typename detail::leaf_access<Part>::shape_type>);
        };
        std::tuple<detail::tensor_of<Specs>...> const arguments;
        detail::for_each_leaf(arguments, look);
        auto const look_inside = [&]<class Part>(Part const& part) {
            shapes.push_back(detail::leaf_access<Part>::extents(part));
        };
        detail::callable_form<F>::visit(f, look_inside, detail::ignore_value{});
        return detail::shared_graph(std::make_shared<detail::runtime_program const>(
            detail::trace_now(table_view<dims>(shapes), nullptr, f, detail::tensor_of<Specs>{}...)));
    }
}

// Returns the spec of a callable's result, or a tree of specs (JAX: eval_shape).
template <class... Specs, class F> [[nodiscard]] constexpr auto spec_of(F const& f) {
    if constexpr (detail::is_function<F>) return spec_of<Specs...>(f.traced_callable());
    else if constexpr (!detail::check_specs<F, Specs...>()) return detail::failed{};
    else return typename detail::spec_tree<detail::result_tree_of<detail::traced_result<F, detail::tensor_of<Specs>...>>>::type{};
}

} // namespace tx
