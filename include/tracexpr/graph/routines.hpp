// This file finds the kernels of the ops of kind::routine. The header of a family, or the compiled part of the library, puts a
// function for each of its ops into a table; all backends look there, so that none of them contains a kernel, and a program that
// uses no such op has none.
#pragma once

#include <tracexpr/base/error.hpp>
#include <tracexpr/base/table_view.hpp>
#include <tracexpr/graph/op.hpp>
#include <tracexpr/graph/shown.hpp>

#include <atomic>
#include <string>

namespace tx::detail {

// A routine_call is one call of a kernel. Operands and results are row-major and don't overlap; the pointer to a result that
// nobody needs is null. Operands whose elements nobody reads (graph/routine_rules.hpp) have only a shape.
struct routine_call {
    op code{};
    attribute_span attributes{};
    table_view<shown_value> operands{};
    dtype type{};   // of the first result
    dims extents{}; // of the first result
    std::byte* const* results = nullptr;
};
using routine = void (*)(routine_call const&);

inline constexpr std::size_t routine_count = static_cast<std::size_t>(op::eig) - static_cast<std::size_t>(op::fft) + 1;

// Where the compiled part is linked, it has the kernels (compiled_routines.cpp). In other programs a family's header has them,
// and puts them into the table by `inline bool const ... = know_routine(op::fft, run_fft_routine);`.
#if defined(TRACEXPR_COMPILED)
void compiled_fft(routine_call const& call);
void compiled_convolution(routine_call const& call);
void compiled_eig(routine_call const& call);
inline constinit std::atomic<routine> known_routines[routine_count]{compiled_fft, compiled_convolution, compiled_eig};
#else
inline constinit std::atomic<routine> known_routines[routine_count]{};
#endif

inline std::atomic<routine>& known_routine(op code) {
    return known_routines[static_cast<std::size_t>(code) - static_cast<std::size_t>(op::fft)];
}
inline bool know_routine(op code, routine by) {
    known_routine(code).store(by, std::memory_order_relaxed);
    return true;
}
// Returns the header that a program which doesn't link tracexpr::compiled must include for this op.
constexpr char const* header_of_routine(op code) {
    return code == op::fft ? "tracexpr/fft.hpp" : code == op::convolution ? "tracexpr/conv.hpp" : "tracexpr/matrices.hpp";
}
template <class Unused = void> TRACEXPR_NOINLINE void run_routine(routine_call const& call) {
    routine const known = known_routine(call.code).load(std::memory_order_relaxed);
    if (!known)
        throw error("tx: " + std::string(name(call.code)) + ": this program has no kernel for it; include <" +
                    header_of_routine(call.code) + ">, or link tracexpr::compiled");
    known(call);
}
TRACEXPR_INSTANCE(void run_routine<void>(routine_call const&))

} // namespace tx::detail
