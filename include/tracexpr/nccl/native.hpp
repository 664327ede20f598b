// This file includes nccl.h, which includes the CUDA runtime, and turns its error codes into tx::error.
#pragma once

#include <tracexpr/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <nccl.h>

namespace tx::nccl::detail {

[[noreturn]] inline void throw_error(ncclResult_t code, std::string_view function, std::int64_t rank) {
    throw error("tx: nccl::" + std::string(function) + ": rank " + std::to_string(rank) + ": " + ncclGetErrorString(code));
}
// Throws if a call of NCCL failed, which `function` made on this rank.
inline void require(ncclResult_t code, std::string_view function, std::int64_t rank) {
    if (code != ncclSuccess) [[unlikely]]
        throw_error(code, function, rank);
}
inline void require(cudaError_t code, std::string_view function, std::int64_t rank) {
    if (code != cudaSuccess) [[unlikely]]
        throw device_error("tx: nccl::" + std::string(function) + ": rank " + std::to_string(rank) + ": " +
                           cudaGetErrorString(code));
}

} // namespace tx::nccl::detail
