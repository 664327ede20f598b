// This file turns checked mode on for a part of a test.
#pragma once

#include <tracexpr/mpi/checks.hpp>

// Calls are checked while this object lives. Ranks that share a processor need this much time.
class checking {
public:
    explicit checking(double seconds = 20) { tx::mpi::checked(true, seconds); }
    checking(checking const&) = delete;
    checking& operator=(checking const&) = delete;
    ~checking() { tx::mpi::checked(false); }
};
