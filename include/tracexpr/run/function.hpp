// tx::function: a callable over tensors, traced once per signature, and run as compiled kernels.
#pragma once

#include <tracexpr/run/graph_handle.hpp>
#include <tracexpr/run/registry.hpp>
#include <tracexpr/run/runtime_trace.hpp>
#include <tracexpr/run/eager.hpp>

#include <atomic>
#include <functional>

namespace tx {

// When callables are traced by the compiler: where possible (automatic), never, or always (else a compile error).
enum class jit { automatic, always, never };

struct options {
    bool reduce_retracing = false;
    tx::jit jit = tx::jit::automatic;
};

// dtype and shape of one argument.
template <element T, shape_type Shape> struct spec {
    using value_type = T;
    using shape_type = Shape;
};

namespace detail {
inline std::atomic<bool> eager_functions = false;

template <class S> struct tensor_of_spec;
template <class T, class Shape> struct tensor_of_spec<spec<T, Shape>> { using type = tensor<T, Shape>; };

template <class F> struct unwrap_reference { using type = F; };
template <class F> struct unwrap_reference<std::reference_wrapper<F>> { using type = std::remove_const_t<F>; };

// Leaves whose type alone says nothing: exprs and symbolic tensors make a call part of the trace under way.
template <class A> constexpr bool holds_expr() {
    if constexpr (expr_type<A>) return true;
    else if constexpr (is_tuple_like<A>) return [] <template <class...> class Tuple, class... P>(std::type_identity<Tuple<P...>>) { return (holds_expr<std::remove_cvref_t<P>>() || ...); }(std::type_identity<A>{});
    else return false;
}
template <class... A> constexpr bool any_symbolic(A const&... a) {
    bool found = false;
    auto const look = [&](auto const& part) {
        if constexpr (tensor_type<decltype(part)>) found = found || (part.readable() && tensor_access::is_symbolic(part));
    };
    (for_each_leaf(a, look), ...);
    return found;
}
} // namespace detail

// Makes every function call its callable directly on tensors, for debugging. Results are the same.
inline void run_eagerly(bool on) { detail::eager_functions = on; }

// One signature's trace of a function. Refers to the function's callable by value.
template <class F, class... A> class concrete_function {
    using stages = detail::stages<detail::compile_time_trace<F, A...>>;

public:
    // The graph that is run, and the one that was traced.
    static constexpr graph_handle graph() { return graph_handle(stages::graph()); }
    static constexpr graph_handle trace() { return graph_handle(stages::trace()); }
    static std::string signature() { return signature_text(stages::trace()); }

    explicit concrete_function(F f) : f_(std::move(f)) {}
    auto operator()(A const&... a) const {
        detail::leaf_list<stages::graph().parameters.size()> arguments;
        (arguments.add(a), ...);
        if constexpr (detail::bound_aggregate<F>) arguments.add(f_);
        return detail::run_to_result<stages, detail::result_tree_of<detail::traced_result<F, A...>>>(arguments);
    }

private:
    [[no_unique_address]] F f_;
};

template <class F> class function {
    using callable = typename detail::unwrap_reference<F>::type;

public:
    // Whether its calls are traced by the compiler. Asks for the callable's form only: a trace may still fail for some arguments.
    static constexpr bool is_static = detail::has_static_form<callable>;

    constexpr explicit function(F traced, options o = {}) : f_(std::move(traced)), options_{o} {}

    // Computes the callable on the arguments: tensors, scalars, and trees of them. Inside another traced callable it becomes part of that
    // trace.
    template <class... A> constexpr auto operator()(A const&... a) const {
        if constexpr ((detail::holds_foreign<A> || ...)) {
            return (*this)(detail::borrow(a)...);
        } else if constexpr ((detail::holds_expr<A>() || ...)) {
            return get()(detail::plain_argument(a)...);
        } else {
            using result = detail::result_tree_of<detail::traced_result<callable, A...>>;
            if (std::is_constant_evaluated() || detail::any_symbolic(a...)) return result(get()(detail::plain_argument(a)...));
            return run<result>(a...);
        }
    }

    // Computes into an existing result. Memory is allocated only where its extents change or it shares its elements.
    template <class Result, class... A> void into(Result& out, A const&... a) const {
        if constexpr ((detail::holds_foreign<A> || ...)) return into(out, detail::borrow(a)...);
        else compute_into(out, a...);
    }

    // The trace for one signature (tf.function's get_concrete_function).
    template <class... Specs> constexpr auto concrete() const {
        return concrete_function<callable, typename detail::tensor_of_spec<Specs>::type...>(get());
    }

    // How often the callable has been traced through this object, and each trace's signature.
    std::size_t tracing_count() const { return traces_.size(); }
    std::vector<std::string> signatures() const { return traces_.signatures(); }
    // Forgets every trace.
    void clear() { traces_.clear(); }

    // The callable with its trailing parameters bound to these tensors, by reference.
    template <class... B> auto bind(B const&... bound) const;

private:
    template <class... A> using static_stages = detail::stages<detail::compile_time_trace<callable, detail::traced_as<A>...>>;

    constexpr callable const& get() const {
        if constexpr (std::is_same_v<F, callable>) return f_;
        else return f_.get();
    }
    template <class... A> void note() const {
        traces_.note(detail::signature_number<function, detail::traced_as<A>...>, [] { return signature_text(static_stages<A...>::trace()); });
    }

    template <class Result, class... A> void compute_into(Result& out, A const&... a) const {
        using result = detail::result_tree_of<detail::traced_result<callable, A...>>;
        static_assert(std::is_same_v<Result, result>, "tx: function::into: the first argument must have the result's type");
        if constexpr (detail::statically_traceable<callable, detail::traced_as<A>...>) {
            if (!detail::eager_functions.load(std::memory_order_relaxed)) {
                note<A...>();
                detail::leaf_list<static_stages<A...>::graph().parameters.size()> arguments;
                (arguments.add(a), ...);
                if constexpr (detail::bound_aggregate<callable>) arguments.add(get());
                detail::run_into<static_stages<A...>>(out, arguments);
                return;
            }
        }
        out = run<result>(a...);
    }
    template <class Result, class... A> Result run(A const&... a) const {
        if (detail::eager_functions.load(std::memory_order_relaxed)) return Result(get()(detail::plain_argument(a)...));
        if constexpr (detail::statically_traceable<callable, detail::traced_as<A>...>) {
            if (options_.jit != jit::never) {
                note<A...>();
                detail::leaf_list<static_stages<A...>::graph().parameters.size()> arguments;
                (arguments.add(a), ...);
                if constexpr (detail::bound_aggregate<callable>) arguments.add(get());
                return detail::run_to_result<static_stages<A...>, Result>(arguments);
            }
        }
        return run_traced<Result>(a...);
    }
    // Traced at the first call for each signature, run by the reference executor.
    template <class Result, class... A> Result run_traced(A const&... a) const {
        detail::leaf_list<(detail::leaves_of<A>() + ... + 0) + detail::leaves_of<callable>()> arguments;
        (arguments.add(a), ...);
        std::shared_ptr<detail::runtime_program const> const program =
            traces_.find_or_trace(detail::runtime_signature(detail::signature_number<function, detail::traced_as<A>...>, a...),
                                  [&] { return detail::trace_now({arguments.extents, arguments.count}, get(), a...); });
        if constexpr (detail::bound_aggregate<callable>) arguments.add(get());
        Result result;
        detail::run_reference_into(result, program->simplified.view(), arguments);
        return result;
    }

    [[no_unique_address]] F f_;
    options options_;
    mutable detail::trace_registry traces_;
};
template <class F> function(F) -> function<F>;
template <class F> function(F, options) -> function<F>;

// A function that must be traced by the compiler: where it can't be, the call fails to compile with the compiler's reason.
template <class F> class static_function : public function<F> {
public:
    using function<F>::function;
    template <class... A> constexpr auto operator()(A const&... a) const {
        if constexpr ((detail::holds_foreign<A> || ...)) return (*this)(detail::borrow(a)...);
        else return traced(a...);
    }

private:
    template <class... A> constexpr auto traced(A const&... a) const {
        static_assert(detail::has_static_form<F>, "tx: static_function: the callable captures a value; bind it, pass it as an argument, or use tx::function");
        if constexpr (!(detail::holds_expr<A>() || ...)) {
            constexpr std::size_t traced = detail::compile_time_trace<F, detail::traced_as<A>...>::make().size();
            static_assert(traced > 0);
        }
        return function<F>::operator()(a...);
    }
};
template <class F> static_function(F) -> static_function<F>;

// The graph of a callable for these argument specs (JAX: make_jaxpr), and the specs of its result (JAX: eval_shape). Nothing is
// computed.
template <class... Specs, class F> constexpr graph_handle graph_of(F const&) {
    return concrete_function<F, typename detail::tensor_of_spec<Specs>::type...>::graph();
}

namespace detail {
template <class R> struct spec_tree { using type = R; };
template <class T, class Shape> struct spec_tree<tensor<T, Shape>> { using type = spec<T, Shape>; };
template <class... R> struct spec_tree<std::tuple<R...>> { using type = std::tuple<typename spec_tree<R>::type...>; };
template <class A, class B> struct spec_tree<std::pair<A, B>> { using type = std::pair<typename spec_tree<A>::type, typename spec_tree<B>::type>; };
template <class R, std::size_t N> struct spec_tree<std::array<R, N>> { using type = std::array<typename spec_tree<R>::type, N>; };
} // namespace detail
template <class... Specs, class F> constexpr auto spec_of(F const&) {
    using result = detail::result_tree_of<detail::traced_result<F, typename detail::tensor_of_spec<Specs>::type...>>;
    return typename detail::spec_tree<result>::type{};
}

} // namespace tx
