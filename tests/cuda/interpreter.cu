// What was traced at run time as CUDA runs it, for functions of float: the interpreter of its loops, and the run of its steps.
#include <tracexpr/thrust/program_run.hpp>

template void tx::detail::run_device_program<tx::detail::interpreted_dtypes<float>()>(device_queue&, device_program const&, simd::io const&, capture_finder);
