// This file tests qr and svd on the core's own loops.
#include <linalg_rectangles.hpp>
