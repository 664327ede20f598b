// Compiles functions of float that are traced at run time for CUDA: the interpreter of their loops, and the run of their steps.
#include <tracexpr/thrust/program_run.hpp>

template void tx::detail::run_device_program<tx::detail::interpreted_dtypes<float>()>(device_queue&, device_program const&, simd::io const&, capture_finder);
