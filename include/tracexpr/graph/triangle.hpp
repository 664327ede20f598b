// This file holds the attributes of op::solve_triangular, in order: which triangle of the matrix it reads, and how.
#pragma once

namespace tx {

struct triangle {
    bool lower = false, transposed = false, unit = false; // `unit` takes the diagonal for 1.
};

} // namespace tx
