// qr and svd through LAPACK, which the target tracexpr::blas brings.
#include <tracexpr/blas.hpp>

#include <linalg_rectangles.hpp>
