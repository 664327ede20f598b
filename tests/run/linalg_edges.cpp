// This file tests tx::linalg on the core's own loops, and in every kind of function.
#include <linalg_edges.hpp>
