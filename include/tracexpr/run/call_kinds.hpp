// The ways in which tx::function's calls may go: eagerly, with more or less knowledge of the arguments, on threads, on a device.
#pragma once

#include <tracexpr/run/device_call.hpp>
#include <tracexpr/run/options.hpp>

#include <atomic>

namespace tx::detail {

inline std::atomic<bool> eager_functions = false;

// A traced result as a tree of symbolic tensors.
template <class Result, class R> constexpr Result symbolic_result(R const& r) {
    if constexpr (std::is_same_v<Result, R>) return r;
    else if constexpr (list_type<Result>)
        return map_list_to<Result>(r, [](auto const& part) { return symbolic_result<list_part<Result>>(part); });
    else if constexpr (is_tuple_like<Result>)
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return Result{symbolic_result<std::tuple_element_t<I, Result>>(std::get<I>(r))...};
        }(std::make_index_sequence<std::tuple_size_v<Result>>{});
    else if constexpr (aggregate<Result>)
        return [&]<std::size_t... I>(auto const& parts, std::index_sequence<I...>) {
            return Result{symbolic_result<std::tuple_element_t<I, fields_of<Result>>>(std::get<I>(parts))...};
        }(with_fields(r, [](auto const&... part) { return std::tie(part...); }),
               std::make_index_sequence<std::tuple_size_v<fields_of<Result>>>{});
    else return Result(r);
}

// What a run-time trace may know of the ranks and extents that the arguments' types leave open.
enum class knowledge { all, as_little_as_it_can, none };

[[noreturn]] TRACEXPR_NOINLINE inline void throw_not_static() {
    throw trace_error("tx: function: tx::jit::always needs a callable and arguments that the compiler can trace; "
                      "tx::static_function tells what prevents it");
}

// While a call runs: how many threads its loops are for.
template <bool Threaded> struct placement {
    template <class F> constexpr explicit placement(F const&) {}
};
template <> struct placement<true> {
    template <class F> explicit placement(F const& f) : scope_(place_of(unwrap(f)).threads) {}

private:
    threads_scope scope_;
};

} // namespace tx::detail
