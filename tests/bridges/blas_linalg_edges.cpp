// This file tests tx::linalg through LAPACK, which the target tracexpr::blas links.
#include <tracexpr/blas.hpp>

#include <linalg_edges.hpp>
