// Who multiplies large matrices, and who takes them apart: the own kernels and loops, or CBLAS and LAPACK where the CMake target
// tracexpr::blas defines TRACEXPR_USE_BLAS.
#pragma once

#include <tracexpr/base/config.hpp>

#if defined(TRACEXPR_USE_BLAS)
#include <tracexpr/blas.hpp>
#endif

namespace tx::inline TRACEXPR_TARGET::simd {

struct no_blas {
    template <class T> static constexpr bool knows = false;
};

#if defined(TRACEXPR_USE_BLAS)
using default_blas = tx::cblas;
using default_lapack = tx::lapack;
#else
using default_blas = no_blas;
using default_lapack = no_blas;
#endif

} // namespace tx::inline TRACEXPR_TARGET::simd
