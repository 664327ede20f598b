// What reads and writes files, and draws pictures; see compiled.cpp.
#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif
#define TRACEXPR_COMPILING_FILES

#include <tracexpr/files.hpp>
#include <tracexpr/files/csv_bodies.hpp>
#include <tracexpr/files/csv_table_bodies.hpp>
#include <tracexpr/files/npy_bodies.hpp>
#include <tracexpr/files/npz_bodies.hpp>
#include <tracexpr/files/safetensors_bodies.hpp>
#include <tracexpr/files/tree_bodies.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/plot/heat_map_bodies.hpp>
#include <tracexpr/plot/images_bodies.hpp>
#include <tracexpr/plot/lines_bodies.hpp>
#include <tracexpr/plot/progress_bodies.hpp>
