// This header includes collectives between GPUs, through NCCL on the device's stream: tx::nccl::communicator can be used wherever
// a tx::mpi::communicator can. It needs the CMake target tracexpr::nccl, nvcc, and a process for each GPU.
#pragma once

#include <tracexpr/base/config.hpp>

#if !defined(__CUDACC__)
#error "tx: nccl.hpp: needs nvcc, as it is for tensors on GPUs; compile the file as CUDA, or include tracexpr/mpi.hpp"
#elif !__has_include(<nccl.h>)
#error "tx: nccl.hpp: needs nccl.h; install NVIDIA's libnccl-dev, or add its folder to the include paths"
#else
TRACEXPR_BEGIN_SHARED
#include <tracexpr/mpi.hpp>
#include <tracexpr/nccl/communicator.hpp>
#include <tracexpr/thrust.hpp>
TRACEXPR_END_SHARED
#endif
