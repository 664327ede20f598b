#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif
// The pointwise and moving routines of the tile executor, of all dtypes; see compiled.cpp.
#define TRACEXPR_COMPILING_ROUTINES

#include <tracexpr/backends/tiles/tables.hpp>
