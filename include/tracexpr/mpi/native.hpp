// mpi.h without the C++ interface that MPI 3 removed, and its errors as tx::error.
#pragma once

#include <tracexpr/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <mpi.h>

namespace tx::mpi::detail {

// An error code in MPI's own words.
inline std::string text_of_error(int code) {
    char text[MPI_MAX_ERROR_STRING]{};
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
    return std::string(text, static_cast<std::size_t>(length));
}
[[noreturn]] inline void throw_error(int code, std::string_view function, std::int64_t rank) {
    throw error("tx: mpi::" + std::string(function) + ": rank " + std::to_string(rank) + ": " + text_of_error(code));
}
// Throws where a call of MPI's that `function` made on this rank went wrong.
inline void require(int code, std::string_view function, std::int64_t rank) {
    if (code != MPI_SUCCESS) [[unlikely]]
        throw_error(code, function, rank);
}

} // namespace tx::mpi::detail
