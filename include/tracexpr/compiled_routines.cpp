// The pointwise and moving routines of the tile executor, of all dtypes; see compiled.cpp.
#define TRACEXPR_COMPILING_ROUTINES

#include <tracexpr/backends/tiles/tables.hpp>
