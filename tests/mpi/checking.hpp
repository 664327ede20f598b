// Checked mode for a part of a test.
#pragma once

#include <tracexpr/mpi/checks.hpp>

// Calls are checked while it is there. Ranks that share a processor need that much time.
class checking {
public:
    explicit checking(double seconds = 20) { tx::mpi::checked(true, seconds); }
    checking(checking const&) = delete;
    checking& operator=(checking const&) = delete;
    ~checking() { tx::mpi::checked(false); }
};
