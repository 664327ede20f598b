// This file implements NCCL's functions by MPI, on this process's memory. Like NCCL it drops NaN from maxima of floating numbers,
// so it refuses those.
#pragma once

#include <tracexpr/nccl/communicator.hpp>

#include <map>
#include <string>
#include <vector>

struct stand_in_comm {
    MPI_Comm comm;
    ncclResult_t failed = ncclSuccess;
};

namespace stand_in {

inline MPI_Comm next_ranks{};  // the ranks of the next communicator
inline int open = 0, aborted = 0, destroyed = 0, depth = 0;
inline std::map<std::string, int> calls;
inline std::vector<std::string> streams;  // what events do, in order
inline std::vector<MPI_Request> requests;

inline ncclResult_t result(int code) { return code == MPI_SUCCESS ? ncclSuccess : ncclSystemError; }
inline tx::dtype type_of(ncclDataType_t type) {
    constexpr tx::dtype types[]{tx::dtype::int8,    tx::dtype::uint8,   tx::dtype::int32,   tx::dtype::uint32,
                                tx::dtype::int64,   tx::dtype::uint64,  tx::dtype::float16, tx::dtype::float32,
                                tx::dtype::float64, tx::dtype::bfloat16};
    return types[type];
}
inline int bytes(std::size_t count, ncclDataType_t type) { return static_cast<int>(count * tx::size_in_bytes(type_of(type))); }
// Calls call(operation, numbers) with MPI's operation and the number of numbers.
template <class Call> ncclResult_t reduced(ncclDataType_t type, ncclRedOp_t op, std::size_t count, Call const& call) {
    constexpr tx::rank_reduction ops[]{tx::rank_reduction::sum, tx::rank_reduction::product, tx::rank_reduction::max,
                                       tx::rank_reduction::min};
    if (tx::is_floating(type_of(type)) && op > ncclProd) return ncclInvalidArgument;
    auto const& found = tx::mpi::detail::session_of_program->operations.find(type_of(type), ops[op]);
    return result(call(found, static_cast<int>(count) * found.numbers));
}
inline std::string name(cudaStream_t stream) { return stream ? "sums" : "queue"; }

} // namespace stand_in

char const* cudaGetErrorString(cudaError_t) { return "unknown"; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    static char any;
    *stream = reinterpret_cast<cudaStream_t>(&any);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned) {
    stand_in::streams.push_back(stand_in::name(stream) + " waits");
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    ++stand_in::open;
    *event = nullptr;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t stream) {
    stand_in::streams.push_back(stand_in::name(stream) + " marks");
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
    --stand_in::open;
    return cudaSuccess;
}

inline char const* ncclGetErrorString(ncclResult_t code) {
    return code == ncclRemoteError ? "remote process exited" : "stand-in's error";
}
inline ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    for (char& c : id->internal) c = 7;
    return ncclSuccess;
}
inline ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
    for (char const c : id.internal)
        if (c != 7) return ncclInvalidArgument;
    *comm = new stand_in_comm{};
    MPI_Comm_dup(stand_in::next_ranks, &(*comm)->comm);
    int mine = 0, all = 0;
    MPI_Comm_rank((*comm)->comm, &mine), MPI_Comm_size((*comm)->comm, &all);
    return mine == rank && all == size ? ncclSuccess : ncclInvalidUsage;
}
inline ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    ++stand_in::destroyed;
    MPI_Comm_free(&comm->comm);
    delete comm;
    return ncclSuccess;
}
inline ncclResult_t ncclCommAbort(ncclComm_t comm) {
    ++stand_in::aborted;
    delete comm;
    return ncclSuccess;
}
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* code) {
    *code = comm->failed;
    return ncclSuccess;
}
inline ncclResult_t ncclGroupStart() {
    ++stand_in::depth;
    return ncclSuccess;
}
inline ncclResult_t ncclGroupEnd() {
    if (--stand_in::depth > 0) return ncclSuccess;
    int const code = MPI_Waitall(static_cast<int>(stand_in::requests.size()), stand_in::requests.data(), MPI_STATUSES_IGNORE);
    stand_in::requests.clear();
    return stand_in::result(code);
}
inline ncclResult_t ncclSend(void const* from, std::size_t count, ncclDataType_t type, int to, ncclComm_t comm, cudaStream_t) {
    ++stand_in::calls["send"];
    if (stand_in::depth == 0) return ncclInvalidUsage;
    return stand_in::result(
        MPI_Isend(from, stand_in::bytes(count, type), MPI_BYTE, to, 0, comm->comm, &stand_in::requests.emplace_back()));
}
inline ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int from, ncclComm_t comm, cudaStream_t) {
    if (stand_in::depth == 0) return ncclInvalidUsage;
    return stand_in::result(
        MPI_Irecv(to, stand_in::bytes(count, type), MPI_BYTE, from, 0, comm->comm, &stand_in::requests.emplace_back()));
}
inline ncclResult_t ncclAllReduce(void const* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                                  ncclComm_t comm, cudaStream_t) {
    ++stand_in::calls["all_reduce"];
    return stand_in::reduced(type, op, count, [&](auto const& by, int numbers) {
        return MPI_Allreduce(from == to ? MPI_IN_PLACE : from, to, numbers, by.type, by.op, comm->comm);
    });
}
inline ncclResult_t ncclReduce(void const* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                               ncclComm_t comm, cudaStream_t) {
    ++stand_in::calls["reduce"];
    return stand_in::reduced(type, op, count, [&](auto const& by, int numbers) {
        return MPI_Reduce(from, to, numbers, by.type, by.op, root, comm->comm);
    });
}
inline ncclResult_t ncclReduceScatter(void const* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                                      ncclComm_t comm, cudaStream_t) {
    ++stand_in::calls["reduce_scatter"];
    return stand_in::reduced(type, op, count, [&](auto const& by, int numbers) {
        return MPI_Reduce_scatter_block(from, to, numbers, by.type, by.op, comm->comm);
    });
}
inline ncclResult_t ncclBroadcast(void const* from, void* to, std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                                  cudaStream_t) {
    ++stand_in::calls["broadcast"];
    int rank = 0;
    MPI_Comm_rank(comm->comm, &rank);
    if (rank == root) std::memcpy(to, from, static_cast<std::size_t>(stand_in::bytes(count, type)));
    return stand_in::result(MPI_Bcast(to, stand_in::bytes(count, type), MPI_BYTE, root, comm->comm));
}
inline ncclResult_t ncclAllGather(void const* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                                  cudaStream_t) {
    ++stand_in::calls["all_gather"];
    int const all = stand_in::bytes(count, type);
    return stand_in::result(MPI_Allgather(from, all, MPI_BYTE, to, all, MPI_BYTE, comm->comm));
}
