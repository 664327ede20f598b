// The tile executor's routines of floating and complex numbers, dual numbers and strings; see compiled.cpp.
#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif
#define TRACEXPR_COMPILING_FLOATS

#include <tracexpr/backends/tiles/tables.hpp>
