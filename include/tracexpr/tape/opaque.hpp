// tx::opaque and tx::host_callback call ordinary C++ that the library doesn't trace, whenever a graph runs. The callables take
// tensors whose elements they can read, and return tensors.
#pragma once

#include <tracexpr/graph/foreign_call.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/run/control_flow.hpp>
#include <tracexpr/run/signature.hpp>
#include <tracexpr/tape/derivatives.hpp>
#include <tracexpr/tape/function_recording.hpp>
#include <tracexpr/trace/callees.hpp>
#include <tracexpr/trace/effects.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

namespace tx {
namespace detail {

template <class T> struct opaque_result;
template <class T, class Shape> struct opaque_result<spec<T, Shape>> {
    using tensor_type = tensor<T, Shape>;
    static constexpr value_spec declared{dtype_of<T>, dims_of<Shape>};
};
template <class S> inline constexpr bool is_opaque_result = false;
template <class T, class Shape> inline constexpr bool is_opaque_result<spec<T, Shape>> = dims_of<Shape>.is_static();

[[noreturn]] TRACEXPR_ONCE void throw_wrong_result(std::size_t k, value_spec const& given, value_spec const& declared) {
    throw type_error("tx: opaque: the callable's result " + std::to_string(k) + " must be " +
                     spec_text(declared.type, declared.shape) + ", as it is declared; it gave " +
                     spec_text(given.type, given.shape));
}
// Converts result number k to its declared type, or throws.
template <class S, class R> typename opaque_result<S>::tensor_type as_declared(R const& r, std::size_t k) {
    using declared = opaque_result<S>;
    decltype(auto) value = value_now(r);
    using T = typename std::remove_cvref_t<decltype(value)>::value_type;
    if constexpr (dtype_of<T> == declared::declared.type &&
                  may_equal(dims_of_operand<std::remove_cvref_t<decltype(value)>>, declared::declared.shape)) {
        if (value.dimensions() != declared::declared.shape)
            throw_wrong_result(k, {dtype_of<T>, value.dimensions()}, declared::declared);
        return typename declared::tensor_type(value);
    } else {
        throw_wrong_result(k, {dtype_of<T>, value.dimensions()}, declared::declared);
    }
}

// Calls a callable with tensors. It returns a tensor or number, or several in a tuple, pair or array.
template <class... S> struct call_with_tensors {
    static constexpr bool has_derivative = true;
    using results = std::tuple<typename opaque_result<S>::tensor_type...>;
    template <class F, class... X> static constexpr bool can_call = std::is_invocable_v<F&, X const&...>;

    template <class F, class... X> static results call(F& f, X const&... x) {
        using given = std::remove_cvref_t<decltype(f(x...))>;
        if constexpr (sizeof...(S) == 0) {
            f(x...);
            return {};
        } else if constexpr (is_tuple_like<given>) {
            static_assert(std::tuple_size_v<given> == sizeof...(S),
                          "tx: opaque: the callable must give as many results as are declared: tx::opaque<S1, S2>(f, x)");
            given const all = f(x...);
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return results{as_declared<S>(std::get<I>(all), I)...};
            }(std::index_sequence_for<S...>{});
        } else {
            static_assert(sizeof...(S) == 1 && result_leaf<given>,
                          "tx: opaque: the callable must give as many results as are declared, tensors or numbers, several in a "
                          "tuple: tx::opaque<S1, S2>(f, x)");
            if constexpr (sizeof...(S) == 1 && result_leaf<given>) return results{as_declared<S>(f(x...), 0)...};
            else return {};
        }
    }
};
// Calls a callable with spans of the operands' elements, and behind them spans of the results, which it writes, unless it returns
// the results.
template <class... S> struct call_with_spans {
    static constexpr bool has_derivative = false;
    using results = typename call_with_tensors<S...>::results;
    template <class A> static std::span<typename A::value_type const> elements(A const& a) {
        return {a.data(), static_cast<std::size_t>(a.size())};
    }
    template <class A> static std::span<typename A::value_type> writable(A& a) {
        return {a.mutable_data(), static_cast<std::size_t>(a.size())};
    }
    template <class A> using span_of = std::span<typename A::value_type const>;
    template <class F, class... X> static constexpr bool writes =
        std::is_invocable_v<F&, span_of<X>..., std::span<typename opaque_result<S>::tensor_type::value_type>...>;
    template <class F, class... X> static constexpr bool can_call = writes<F, X...> || std::is_invocable_v<F&, span_of<X>...>;

    template <class F, class... X> static results call(F& f, X const&... x) {
        if constexpr (writes<F, X...>) {
            results out{opaque_result<S>::tensor_type::uninitialized()...};
            std::apply([&](auto&... to) { f(elements(x)..., writable(to)...); }, out);
            return out;
        } else {
            auto const with_elements = [&](auto const&... all) { return f(elements(all)...); };
            return call_with_tensors<S...>::call(with_elements, x...);
        }
    }
};

// device_callable is the type that tx::on_device returns. It marks the callable as one that takes tensors on the device that
// calls it.
template <class F> struct device_callable {
    F function;
    template <class... A> requires std::invocable<F&, A const&...> constexpr decltype(auto) operator()(A const&... a) {
        return function(a...);
    }
    template <class... A> requires std::invocable<F const&, A const&...>
    constexpr decltype(auto) operator()(A const&... a) const {
        return function(a...);
    }
};
template <class F> inline constexpr bool takes_device_tensors = false;
template <class F> inline constexpr bool takes_device_tensors<device_callable<F>> = true;
// If all objects of the callable's type are alike, no object is kept: one is made when it is called.
template <class F> inline constexpr bool is_made_for_each_call = std::is_empty_v<F> && std::is_default_constructible_v<F>;
template <class F> inline constexpr bool is_made_for_each_call<device_callable<F>> = is_made_for_each_call<F>;

// Holds the functions by which the graph calls such a callable.
template <class F, class Way, class... Inputs> struct TRACEXPR_NAMES_TARGET opaque_callable {
    using results = typename Way::results;

    static void run(void const* state, table_view<shown_value> operands, std::byte* const* to, std::uint64_t* handle,
                    device_memory const* memory) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            std::tuple<Inputs...> const given{loaded<Inputs>(operands[I], memory)...};
            results all;
            if (handle) all = record(state, *handle, std::get<I>(given)...);
            else all = Way::call(callable(state), std::get<I>(given)...);
            [&]<std::size_t... K>(std::index_sequence<K...>) {
                (store(std::get<K>(all), to[K], memory, K), ...);
            }(std::make_index_sequence<std::tuple_size_v<results>>{});
        }(std::index_sequence_for<Inputs...>{});
    }
    // Calls the callable and records what it does with its operands, for derivatives.
    static results record(void const* state, std::uint64_t& handle, Inputs const&... given) {
        need_routines_of_leaf const need;
        (need(given), ...);
        recorder tape(false);
        tape_record& record = tape.record();
        buffer<node_id> inputs, outputs;
        auto const watch = [&](auto const& x) {
            if (is_inexact(dtype_of<typename std::remove_cvref_t<decltype(x)>::value_type>))
                inputs.push_back(record.watch(numbered(x)));
        };
        (watch(given), ...);
        results const all = Way::call(callable(state), given...);
        auto const find = [&](auto const& y) {
            need(y);
            if (is_inexact(dtype_of<typename std::remove_cvref_t<decltype(y)>::value_type>))
                outputs.push_back(record.find(kept(y)));
        };
        std::apply([&](auto const&... y) { (find(y), ...); }, all);
        auto* const made = new_function_recording<>(record, std::move(inputs), std::move(outputs));
        made->before = std::exchange(last_recorded_call, made);
        handle = address_of(static_cast<recorded_call*>(made));
        return all;
    }

    // A callable without state is made when it is called, so a trace that the compiler makes can contain it.
    static constexpr bool has_state = !is_made_for_each_call<F>;
    // A callable with state is kept as long as the trace.
    struct kept_call {
        mutable F f;
        foreign_call call;
        std::uint64_t number;
        explicit kept_call(F const& of) : f(of), call{run, &f}, number{address_of(&call)} {}
    };
    static void const* number_of_kept(void const* call) { return &static_cast<kept_call const*>(call)->number; }

    static constexpr captured as_captured(trace_scope& scope, F const& f) {
        if constexpr (!has_state) {
            return stateless_callee<run>::as_captured();
        } else {
            if (__builtin_is_constant_evaluated() || !scope.kept) throw_opaque_with_state();
            auto const state = std::make_shared<kept_call const>(f);
            scope.kept->push_back(state);
            return captured_callee<number_of_kept>(state.get());
        }
    }
    [[noreturn]] static void throw_opaque_with_state() {
        throw trace_error("tx: opaque: a callable that captures something must be called in a trace that is made at run time");
    }

private:
    static F& callable(void const* state) {
        if constexpr (has_state) {
            return *static_cast<F*>(const_cast<void*>(state));
        } else {
            thread_local F f{};
            return f;
        }
    }
    template <class X> static X loaded(shown_value const& from, [[maybe_unused]] device_memory const* memory) {
        std::int64_t const bytes = from.extents.size() * static_cast<std::int64_t>(sizeof(typename X::stored_type));
        if constexpr (takes_device_tensors<F> && !is_inline<typename X::value_type, typename X::shape_type>)
            if (memory) return tensor_access::from_remote<X>(memory->copied(from.data, bytes), from.extents);
        X out = X::uninitialized(from.extents);
        if (bytes == 0) return out;
        if constexpr (takes_device_tensors<F>)
            if (memory) return memory->to_host(out.mutable_data(), from.data, bytes), out;
        std::memcpy(static_cast<void*>(out.mutable_data()), from.data, static_cast<std::size_t>(bytes));
        return out;
    }
    template <class X> static void store(X const& from, std::byte* to, [[maybe_unused]] device_memory const* memory,
                                         [[maybe_unused]] std::size_t k) {
        std::int64_t const bytes = from.size() * static_cast<std::int64_t>(sizeof(typename X::stored_type));
        if (!to || bytes == 0) return;
        if constexpr (takes_device_tensors<F>) {
            if (memory) {
                remote_elements* const elsewhere = tensor_access::remote(from);
                return elsewhere ? memory->take(to, *elsewhere, bytes, k) : memory->to_device(to, from.data(), bytes);
            }
        }
        std::memcpy(to, from.data(), static_cast<std::size_t>(bytes));
    }
};

template <class A> using tensor_of_operand = tensor<ctype<dtype_of_operand<A>>, typename traits<A>::shape_type>;

// Records the call, and writes the nodes of its results to `out`.
template <class F, class Way, class... S, class... A>
constexpr void record_opaque(trace_scope& scope, node_id* out, F const& f, A const&... a) {
    using callable = opaque_callable<F, Way, tensor_of_operand<A>...>;
    if (!__builtin_is_constant_evaluated()) // a trace made at run time may be the first use of these dtypes
        simd::tiles::detail::need_routines<typename opaque_result<S>::tensor_type::value_type...,
                                           ctype<dtype_of_operand<A>>...>();
    buffer<node_id> operands;
    (operands.push_back(record_operand<dtype_of_operand<A>>(scope, a)), ...);
    call_form::result const specs[]{{opaque_result<S>::declared.type, opaque_result<S>::declared.shape}..., {}};
    record_callee(scope, callable::as_captured(scope, f), operands, {specs, sizeof...(S)},
                  {Way::has_derivative, takes_device_tensors<F>}, out);
}

template <class... S> constexpr auto single_or_tuple(std::tuple<S...>&& all) {
    if constexpr (sizeof...(S) == 1) return std::get<0>(std::move(all));
    else return std::move(all);
}
// Returns a result in the trace: an expr if an operand is one, else a symbolic tensor.
template <class S, bool IsExpr> constexpr auto opaque_symbol(trace_scope& scope, node_id id) {
    using tensor_type = typename opaque_result<S>::tensor_type;
    expr<typename tensor_type::value_type, typename tensor_type::shape_type> const e(scope, id);
    if constexpr (IsExpr) return e;
    else return tensor_type(e);
}

template <class Way, class... S, class F, class... A> constexpr auto call_opaque(F& f, A const&... a) {
    constexpr bool has_expr = (expr_type<A> || ...);
    if (trace_scope* const scope = scope_of_call(a...)) {
        node_id nodes[sizeof...(S) + 1]{};
        record_opaque<std::remove_const_t<F>, Way, S...>(*scope, nodes, f, a...);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            if constexpr (sizeof...(S) > 0) return single_or_tuple(std::tuple(opaque_symbol<S, has_expr>(*scope, nodes[I])...));
        }(std::index_sequence_for<S...>{});
    } else {
        auto all = Way::call(f, tensor_of_operand<A>(value_now(a))...);
        if constexpr (sizeof...(S) == 0) return;
        else if constexpr (has_expr)
            return single_or_tuple(std::apply([&](auto const&... r) { return std::tuple(lift(*scope_among(a...), r)...); }, all));
        else return single_or_tuple(std::move(all));
    }
}
template <class Way, bool AreSpecs, class F, class... A> constexpr bool check_opaque() {
    constexpr bool are_specs = AreSpecs;
    constexpr bool are_operands = (operand<A> && ...);
    static_assert(are_specs, "tx: opaque: its results must be declared by specs whose extents are known: "
                             "tx::opaque<tx::spec<float, tx::shape<2>>>(f, x)");
    static_assert(are_operands, "tx: opaque: operands must be tensors, exprs, C++ scalars or strings");
    if constexpr (are_specs && are_operands) {
        constexpr bool can_call = Way::template can_call<F, tensor_of_operand<A>...>;
        static_assert(can_call, "tx: opaque: the callable must take a tensor for each operand; that of tx::host_callback a span "
                                "of constant elements for each, and of elements for each result");
        return can_call;
    } else {
        return false;
    }
}

} // namespace detail

// Calls f, any C++ callable, with tensors: opaque<spec<float, shape<>>>(f, x, y) is its result; several declared results are a
// tuple, and none is void. Inside a traced callable f is called whenever the graph runs, exactly once, in program order with
// other effects, with the operands' values; under tx::vmap it is called for each example. What f captures is copied, unless it is
// a reference; several threads may call it at once. Throws tx::type_error if f's results aren't as declared; exceptions of f
// reach the caller unchanged.
template <class... S, class F, class... A> constexpr auto opaque(F&& f, A const&... operands) {
    using way = detail::call_with_tensors<S...>;
    if constexpr (!detail::check_opaque<way, (detail::is_opaque_result<S> && ...), std::remove_reference_t<F>, A...>())
        return detail::failed{};
    else return detail::call_opaque<way, S...>(f, detail::plain_operand(operands)...);
}

// Calls g, as tx::opaque does, with spans of the operands' elements (std::span<T const>), in row-major order, and behind them a
// span for each result, which g writes; or g returns the results. It has no derivative.
template <class... S, class G, class... A> constexpr auto host_callback(G&& g, A const&... operands) {
    using way = detail::call_with_spans<S...>;
    constexpr bool reads_memory_here = !detail::takes_device_tensors<std::remove_cvref_t<G>>;
    static_assert(reads_memory_here,
                  "tx: host_callback: its spans are of this process's memory; give a callable that takes tensors "
                  "on the device to tx::opaque: tx::opaque<S>(tx::on_device(f), x)");
    if constexpr (!reads_memory_here) return detail::failed{};
    else if constexpr (!detail::check_opaque<way, (detail::is_opaque_result<S> && ...), std::remove_reference_t<G>, A...>())
        return detail::failed{};
    else return detail::call_opaque<way, S...>(g, detail::plain_operand(operands)...);
}

// Marks f, for tx::opaque, as a callable that works on a device: in a function on a device it is called with tensors there
// instead of copies in this process's memory, and its results stay there; elsewhere the mark has no effect. f can call functions
// on the device, or pass tx::device_data(x) to kernels of its own, in the order of tx::stream_of(device). Elements that it reads
// (x(0)) are copied for that, as always, and small tensors of known shape hold their elements themselves. Results in this
// process's memory are copied to the device; a result on another device throws tx::device_error. on_device holds a copy of f;
// std::ref(f) refers to it.
template <class F> [[nodiscard]] constexpr auto on_device(F f) { return detail::device_callable<F>{std::move(f)}; }

} // namespace tx
