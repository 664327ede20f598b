// This file includes optimizers whose state is divided among ranks that are threads, so that no test of them links MPI.
#pragma once

#include <rank_threads.hpp>
#include <tracexpr/mpi/sharded.hpp>
