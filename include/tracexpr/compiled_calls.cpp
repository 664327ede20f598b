#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif
// The routines of the tile executor's calls, of all dtypes; see compiled.cpp.
#define TRACEXPR_COMPILING_CALLS

#include <tracexpr/backends/tiles/calls.hpp>
