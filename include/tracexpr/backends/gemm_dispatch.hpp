// Who multiplies large matrices: the own kernel, or CBLAS where the CMake target tracexpr::blas defines TRACEXPR_USE_BLAS.
#pragma once

#if defined(TRACEXPR_USE_BLAS)
#include <tracexpr/blas.hpp>
#endif

namespace tx::simd {

struct no_blas {
    template <class T> static constexpr bool knows = false;
};

#if defined(TRACEXPR_USE_BLAS)
using default_blas = tx::cblas;
#else
using default_blas = no_blas;
#endif

} // namespace tx::simd
