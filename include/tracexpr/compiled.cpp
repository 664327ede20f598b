// What programs ask of the library while they run and what doesn't depend on their types: the passes, derivatives of traces made
// at run time, the reference executor. A program that is compiled with TRACEXPR_COMPILED and has this file among its sources
// compiles all that once, here, instead of in each of its files, all of them for the same processor. (CMake: link
// tracexpr::compiled.)
#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif
#define TRACEXPR_COMPILING

#include <tracexpr/tracexpr.hpp>
#include <tracexpr/arrays.hpp>
#include <tracexpr/conv.hpp>
#include <tracexpr/distributions.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/image.hpp>
#include <tracexpr/inspect.hpp>
#include <tracexpr/matrices.hpp>
#include <tracexpr/nn.hpp>
#include <tracexpr/special.hpp>
#include <tracexpr/statistics.hpp>
