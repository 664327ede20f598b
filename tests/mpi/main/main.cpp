// The main program of all tests in tests/mpi: doctest within a session. Rank 0 prints; others do where something failed on them.
#define DOCTEST_CONFIG_IMPLEMENT
#include <tracexpr/mpi.hpp>
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

int main(int argc, char** argv) {
    tx::mpi::session session(argc, argv);
    std::int64_t const rank = tx::mpi::world().rank();
    std::ostringstream printed;
    doctest::Context context(argc, argv);
    if (rank != 0) context.setCout(&printed);
    int const failures = context.run();
    if (rank != 0 && failures != 0) std::cerr << "rank " << rank << ":\n" << printed.str() << std::flush;
    return failures;
}
