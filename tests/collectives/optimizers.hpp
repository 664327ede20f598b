// Optimizers whose state is spread over ranks that are threads. (Included here, so that no test of them links MPI.)
#pragma once

#include <rank_threads.hpp>
#include <tracexpr/mpi/sharded.hpp>
