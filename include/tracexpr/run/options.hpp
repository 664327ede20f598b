// This file holds the options that a function is given when it is made.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/passes/options.hpp>

#include <concepts>
#include <type_traits>

namespace tx {

// jit says whether the compiler traces callables: if possible (automatic), never, or always. A call for which that is impossible
// then throws trace_error. (static_function fails to compile instead.)
enum class jit { automatic, always, never };

// These are the choices of how a function runs what the compiler traced. Each choice is a type of its own, because kernels that
// aren't run must not be compiled. native: as kernels that are compiled for the trace. tiles: on the tile executor, as what is
// traced at run time, so that nothing is compiled but the trace. automatic: native, but tiles in files that are compiled with
// TRACEXPR_KERNELS_TILES.
namespace kernels {
template <execution Which> using choice = std::integral_constant<execution, Which>;
// Runs kernels, or tiles where TRACEXPR_KERNELS_TILES is defined.
inline constexpr choice<execution::automatic> automatic{};
// Runs kernels that are compiled for the trace.
inline constexpr choice<execution::native> native{};
// Runs the tile executor: nothing is compiled but the trace.
inline constexpr choice<execution::tiles> tiles{};
} // namespace kernels

// Clang 16 deduces no template arguments of aggregates, so with it there is no member `kernels`.
#if __cpp_deduction_guides >= 201907L || (defined(__clang__) && __clang_major__ >= 17 && !defined(__CUDACC__))
template <class Kernels = kernels::choice<execution::automatic>> struct options {
    // This concerns traces that are made at run time: after a second shape of the same rank the differing extents become unknown,
    // and no further trace is made. What the compiler traces costs nothing at run time and has one trace for each shape type.
    bool reduce_retracing = false;
    tx::jit jit = tx::jit::automatic;
    [[no_unique_address]] Kernels kernels{};
};
namespace detail {
template <execution Kernels> constexpr auto options_of(bool reduce_retracing, tx::jit jit) {
    return options<kernels::choice<Kernels>>{reduce_retracing, jit};
}
} // namespace detail
#else
struct options {
    bool reduce_retracing = false;
    tx::jit jit = tx::jit::automatic;
};
namespace detail {
template <execution> constexpr options options_of(bool reduce_retracing, tx::jit jit) { return {reduce_retracing, jit}; }
} // namespace detail
#endif

namespace detail {

template <class O> concept options_type = requires(O const& o) {
    { o.reduce_retracing } -> std::same_as<bool const&>;
    { o.jit } -> std::same_as<tx::jit const&>;
};
template <class O> constexpr execution execution_of() {
    if constexpr (requires { O{}.kernels; }) return decltype(O{}.kernels)::value;
    else return execution::automatic;
}

// call_options are the options that aren't part of a function's type.
struct call_options {
    bool reduce_retracing = false;
    tx::jit jit = tx::jit::automatic;

    constexpr call_options() = default;
    template <options_type O> constexpr call_options(O const& o) : reduce_retracing{o.reduce_retracing}, jit{o.jit} {}
};

} // namespace detail
} // namespace tx
