// This file tests halos of blocks of unequal extents in checked mode: each pair of ranks exchanges tensors of a shape of its own,
// and ranks at a wall have no neighbour on one side.
#include "checking.hpp"
#include "errors.hpp"

#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace mpi = tx::mpi;
using tx::shape;
using tx::tensor;
using matrix = tensor<double, shape<tx::dyn, tx::dyn>>;

namespace {

// Of a field whose blocks have 2, 3, 4, ... rows and 3, 4, 5, ... columns: what is along an axis, and where a block begins.
std::int64_t extent(int axis, std::int64_t place) { return 2 + axis + place; }
std::int64_t begin(int axis, std::int64_t place) {
    std::int64_t out = 0;
    for (std::int64_t k = 0; k < place; ++k) out += extent(axis, k);
    return out;
}
double field(std::int64_t row, std::int64_t column) { return static_cast<double>(100 * row + column + 1); }
matrix filled(std::int64_t rows, std::int64_t columns, std::int64_t first_row, std::int64_t first_column) {
    matrix out = tx::zeros<double>(shape<tx::dyn, tx::dyn>{}, rows, columns);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) out(i, j) = field(first_row + i, first_column + j);
    return out;
}
} // namespace

TEST_CASE("grid: halos of blocks of unequal extents, checked") {
    checking const mode;
    mpi::grid const grid(mpi::world(), {0, 0});
    auto const [row, column] = grid.coords();
    auto const [rows, columns] = grid.extents();
    matrix const mine = filled(extent(0, row), extent(1, column), begin(0, row), begin(1, column));
    std::int64_t const end_row = begin(0, rows), end_column = begin(1, columns);
    for (int repeat = 0; repeat < 2; ++repeat) {
        matrix const wide = mpi::halo<1>(mine, grid);
        REQUIRE(wide.extent(0) == mine.extent(0) + 2);
        REQUIRE(wide.extent(1) == mine.extent(1) + 2);
        bool fits = true;
        for (std::int64_t i = 0; i < wide.extent(0); ++i)
            for (std::int64_t j = 0; j < wide.extent(1); ++j) {
                std::int64_t const y = begin(0, row) + i - 1, x = begin(1, column) + j - 1;
                bool const is_inside = y >= 0 && y < end_row && x >= 0 && x < end_column;
                fits = fits && wide(i, j) == (is_inside ? field(y, x) : 0);
            }
        CHECK(fits);
    }
}

TEST_CASE("grid: a block that doesn't fit its neighbour's is found, and the pair named on all ranks") {
    if (mpi::world().size() == 1) return;
    checking const mode;
    mpi::grid const grid(mpi::world(), {0, 0});
    std::int64_t const last = mpi::world().size() - 1, above = last - grid.extents()[1]; // in front of the last along axis 0
    bool const is_last = mpi::world().rank() == last;
    matrix const mine = filled(2, is_last ? 4 : 3, 0, 0);
    std::string const text = text_of_error([&] { static_cast<void>(mpi::halo<1>(mine, grid)); });
    std::string const of_last = "rank " + std::to_string(last) + " calls tx::mpi::exchange(float64 (1, 4))";
    std::string const of_other = "rank " + std::to_string(above) + " calls tx::mpi::exchange(float64 (1, 3))";
    CHECK(text == "tx: mpi::exchange: two ranks that exchange must have tensors of one shape; " + of_last + ", " + of_other);
    CHECK(mpi::all_reduce(tensor<double, shape<>>(1), mpi::sum, mpi::world()).item() == static_cast<double>(last + 1));
}
