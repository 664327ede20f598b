// This file tests qr and svd through LAPACK, which the target tracexpr::blas links.
#include <tracexpr/blas.hpp>

#include <linalg_rectangles.hpp>
