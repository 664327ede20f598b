// Includes mpi.h without the C++ interface that MPI 3 removed, and turns its error codes into tx::error.
#pragma once

#include <tracexpr/base/error.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <mpi.h>

namespace tx::mpi::detail {

// Returns MPI's own text for an error code.
inline std::string text_of_error(int code) {
    char text[MPI_MAX_ERROR_STRING]{};
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
    return std::string(text, static_cast<std::size_t>(length));
}
[[noreturn]] inline void throw_error(int code, std::string_view function, std::int64_t rank) {
    throw error("tx: mpi::" + std::string(function) + ": rank " + std::to_string(rank) + ": " + text_of_error(code));
}
// Throws if a call of MPI failed, which `function` made on this rank.
inline void require(int code, std::string_view function, std::int64_t rank) {
    if (code != MPI_SUCCESS) [[unlikely]]
        throw_error(code, function, rank);
}

// While one of these exists, errors that MPI passes to MPI_COMM_WORLD's handler are returned by the call. MPICH 4.0 passes it the
// errors of requests that are waited for, whatever communicator they belong to.
class returned_errors {
public:
    returned_errors() { ++depth; }
    returned_errors(returned_errors const&) = delete;
    returned_errors& operator=(returned_errors const&) = delete;
    ~returned_errors() { --depth; }
    static bool are_wanted() { return depth > 0; }

private:
    static inline thread_local int depth = 0;
};
// For the time of a session, replaces MPI_COMM_WORLD's handler, if it would end the job, by one that returns errors while a
// returned_errors exists and else ends the job as before.
class world_errors {
public:
    world_errors() {
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
        if (before_ != MPI_ERRORS_ARE_FATAL) return;
        MPI_Comm_create_errhandler(&handle, &own_);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, own_);
    }
    world_errors(world_errors const&) = delete;
    world_errors& operator=(world_errors const&) = delete;
    ~world_errors() {
        if (own_ != MPI_ERRHANDLER_NULL) {
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
            MPI_Errhandler_free(&own_);
        }
        MPI_Errhandler_free(&before_);
    }

private:
    static void handle(MPI_Comm* comm, int* code, ...) {
        if (returned_errors::are_wanted()) return;
        std::fprintf(stderr, "MPI: %s\n", text_of_error(*code).c_str());
        MPI_Abort(*comm, *code);
    }
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL, own_ = MPI_ERRHANDLER_NULL;
};

} // namespace tx::mpi::detail
