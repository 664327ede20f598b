// tx::linalg through LAPACK, which the target tracexpr::blas brings.
#include <tracexpr/blas.hpp>

#include <linalg_edges.hpp>
