// Which triangle of a square matrix an op reads, and how: the attributes of op::solve_triangular, in order.
#pragma once

namespace tx {

struct triangle {
    bool lower = false, transposed = false, unit = false; // unit: its diagonal is taken for 1
};

} // namespace tx
