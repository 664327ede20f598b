// The kernels of the ops of kind::routine; see compiled.cpp.
#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif

#include <tracexpr/conv/kernel.hpp>
#include <tracexpr/fft/kernel.hpp>
#include <tracexpr/matrices/eig_kernel.hpp>

namespace tx::detail {

void compiled_fft(routine_call const& call) { run_fft_routine(call); }
void compiled_convolution(routine_call const& call) { run_convolution_routine(call); }
void compiled_eig(routine_call const& call) { run_eig_routine(call); }

} // namespace tx::detail
