// The kernels of the ops of kind::routine; see compiled.cpp.
#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif

#include <tracexpr/graph/routines.hpp>
#if __has_include(<tracexpr/fft/kernel.hpp>)
#include <tracexpr/fft/kernel.hpp>
#endif
#if __has_include(<tracexpr/conv/kernel.hpp>)
#include <tracexpr/conv/kernel.hpp>
#endif
#if __has_include(<tracexpr/matrices/eig_kernel.hpp>)
#include <tracexpr/matrices/eig_kernel.hpp>
#endif

namespace tx::detail {
namespace {
[[noreturn, maybe_unused]] void throw_no_kernel(routine_call const& call) {
    throw error("tx: " + std::string(name(call.code)) + ": the compiled part has no kernel for it");
}
} // namespace

#if __has_include(<tracexpr/fft/kernel.hpp>)
void compiled_fft(routine_call const& call) { run_fft_routine(call); }
#else
void compiled_fft(routine_call const& call) { throw_no_kernel(call); }
#endif
#if __has_include(<tracexpr/conv/kernel.hpp>)
void compiled_convolution(routine_call const& call) { run_convolution_routine(call); }
#else
void compiled_convolution(routine_call const& call) { throw_no_kernel(call); }
#endif
#if __has_include(<tracexpr/matrices/eig_kernel.hpp>)
void compiled_eig(routine_call const& call) { run_eig_routine(call); }
#else
void compiled_eig(routine_call const& call) { throw_no_kernel(call); }
#endif

} // namespace tx::detail
