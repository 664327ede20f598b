// The tile executor's routines of float32; see compiled.cpp.
#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif
#define TRACEXPR_COMPILING_ROUTINES

#include <tracexpr/backends/tiles/tables.hpp>

TRACEXPR_DEFINES_ROUTINES(float32)
