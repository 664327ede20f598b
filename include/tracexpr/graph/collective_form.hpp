// This file describes collectives: operations that all processes of a communicator take part in. The core knows what each of them
// means; a transport, a table of functions which a bridge (tracexpr/mpi.hpp) fills, knows how messages travel.
#pragma once

#include <tracexpr/base/buffer.hpp>
#include <tracexpr/base/dtype.hpp>
#include <tracexpr/base/shape.hpp>
#include <tracexpr/base/table_view.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tx {

// The result on each rank r of p, given its operand x_r, is:
//   all_reduce      the reduction of all x            reduce          the same on the root, zeros elsewhere
//   broadcast       x of the root                     permute         x of the rank that a pair (from, to) says, else zeros
//   all_gather      (p, ...): all x                   gather          the same on the root, zeros elsewhere
//   scatter         of the root's (p, ...) row r      reduce_scatter  row r of the reduction of all (p, ...)
//   all_to_all      (p, ...): row r of all x          exchange        x of the rank `from`, while its own goes to `to`
//   scan            the reduction of x_0 ... x_r      exclusive_scan  of x_0 ... x_(r-1); rank 0 the neutral element
//   replicate       its own x, which all ranks have the same; no message travels
//   sequence        nothing: it says which collectives follow in the program
//   begin_sums      a request: the sums of several x are in flight        begin_exchange  a request: an exchange is in flight
//   finish          the results of the collective that a request stands for
enum class collective_kind : std::uint8_t {
    all_reduce,
    reduce,
    broadcast,
    all_gather,
    gather,
    scatter,
    reduce_scatter,
    all_to_all,
    permute,
    exchange,
    scan,
    exclusive_scan,
    barrier,
    replicate,
    sequence,
    begin_sums,
    begin_exchange,
    finish,
};
enum class rank_reduction : std::uint8_t { sum, product, max, min, logical_and, logical_or };

TRACEXPR_ONCE constexpr std::string_view name(collective_kind what) {
    constexpr std::string_view names[]{"all_reduce", "reduce",         "broadcast",  "all_gather", "gather",
                                       "scatter",    "reduce_scatter", "all_to_all", "permute",    "exchange",
                                       "scan",       "exclusive_scan", "barrier",    "replicate",  "sequence",
                                       "begin_sums", "begin_exchange", "finish"};
    return names[static_cast<std::size_t>(what)];
}
TRACEXPR_ONCE constexpr std::string_view name(rank_reduction by) {
    constexpr std::string_view names[]{"sum", "product", "max", "min", "logical_and", "logical_or"};
    return names[static_cast<std::size_t>(by)];
}
TRACEXPR_ONCE constexpr bool reduces(collective_kind what) {
    return what == collective_kind::all_reduce || what == collective_kind::reduce || what == collective_kind::reduce_scatter ||
           what == collective_kind::scan || what == collective_kind::exclusive_scan;
}
// True if the result has one axis more than the operand, in front, with an index for each rank. (scatters: one axis less.)
constexpr bool gathers(collective_kind what) { return what == collective_kind::all_gather || what == collective_kind::gather; }
constexpr bool scatters(collective_kind what) {
    return what == collective_kind::scatter || what == collective_kind::reduce_scatter;
}
// True if the operand has an axis of ranks in front.
constexpr bool takes_rows(collective_kind what) { return scatters(what) || what == collective_kind::all_to_all; }
constexpr bool has_root(collective_kind what) {
    return what == collective_kind::reduce || what == collective_kind::broadcast || what == collective_kind::gather ||
           what == collective_kind::scatter;
}

namespace detail {
class device_memory;

// These are the numbers of the operands of op::collective. The first is the callee: the communicator, or what a region saved of
// its calls.
namespace collective_operands {
inline constexpr std::size_t callee = 0, communicator = 1, rank = 2, ranks = 3, input = 4, to = 5, from = 6;
}

// True if operand k of a collective's node must be in this process's memory although the elements are on a device.
TRACEXPR_ONCE constexpr bool is_for_host(collective_kind what, std::size_t k) {
    namespace at = collective_operands;
    return k < at::input || (what == collective_kind::finish && k == at::input) ||
           ((what == collective_kind::exchange || what == collective_kind::begin_exchange) && k > at::input);
}

// These are the numbers with which passes/collectives.hpp writes a sequence of collectives.
namespace sequence_code {
inline constexpr std::int64_t collective = 0, regions = 1, region = 2, end = 3;
}

// A collective_form holds what all ranks must agree on in one collective, and the ranks that an exchange sends to and receives
// from (negative: none).
struct collective_form {
    collective_kind what = collective_kind::barrier;
    rank_reduction by = rank_reduction::sum;
    bool reversed = false; // scans run from the last rank to the first
    bool shared = false;   // All ranks share the one result of this all_reduce, so its cotangent counts once.
    std::int64_t root = 0;
    std::int64_t to = -1, from = -1;
    // The pairs of permute: from, to, from, to ...; each rank is at most once on either side.
    table_view<std::int64_t> pairs{};

    // Appends the form as a node's own attributes, which follow those that all calls have.
    TRACEXPR_ONCE constexpr void append_to(buffer<std::int64_t>& attributes) const {
        for (std::int64_t const number : {static_cast<std::int64_t>(what), static_cast<std::int64_t>(by),
                                          std::int64_t{reversed} | std::int64_t{shared} << 1, root})
            attributes.push_back(number);
        for (std::int64_t const rank : pairs) attributes.push_back(rank);
    }
    constexpr collective_form() = default;
    constexpr explicit collective_form(collective_kind kind, rank_reduction reduction = rank_reduction::sum)
        : what{kind}, by{reduction} {}
    constexpr explicit collective_form(table_view<std::int64_t> attributes)
        : what{static_cast<collective_kind>(attributes[0])}, by{static_cast<rank_reduction>(attributes[1])},
          reversed{(attributes[2] & 1) != 0}, shared{(attributes[2] & 2) != 0}, root{attributes[3]},
          pairs{attributes.subspan(4)} {}
};
// A collective_call is one collective on row-major elements in this process's memory or in that of a device. The operand is not
// written to and does not overlap the result.
struct collective_call {
    collective_form form{};
    dtype type{};
    void const* operand = nullptr;
    dims extents{};         // of the operand
    void* result = nullptr; // never null where the result has elements
    dims result_extents{};
};

// A rank_transport says how the collectives of a communicator are done. Its address, as a number, is an operand of the nodes that
// use the communicator; it must stay valid for as long as one of them may run.
struct rank_transport {
    // Takes part in one collective. Throws tx::error.
    void (*run)(rank_transport const& self, collective_call const& call) = nullptr;
    // These begin a collective without waiting for it: an all_reduce in place, or an exchange. The elements belong to the
    // transport until finish(request) returns; progress advances all collectives in flight. begin_exchange may be null: then run
    // does the exchange at once.
    std::uint64_t (*begin_all_reduce)(rank_transport const& self, dtype type, rank_reduction by, void* elements,
                                      std::int64_t count) = nullptr;
    std::uint64_t (*begin_exchange)(rank_transport const& self, collective_call const& call) = nullptr;
    void (*progress)(rank_transport const& self) = nullptr;
    void (*finish)(rank_transport const& self, std::uint64_t request) = nullptr;
    // Compares the sequence of collectives that a program is about to make with the other ranks' sequences, if it has not done so
    // before. Throws on every rank that takes part if they differ. May be null: then nothing is compared.
    void (*compare)(rank_transport const& self, std::uint64_t hash, table_view<std::int64_t> sequence) = nullptr;
    // These are run, begin_all_reduce and finish for elements in the memory of a device. They are ordered by the device's queue,
    // so the results may not be computed yet when they return. They return false, and do nothing, for what must go through this
    // process's memory; all ranks then get the same answer. A null pointer means that everything must.
    bool (*run_on_device)(rank_transport const& self, collective_call const& call, device_memory const& memory) = nullptr;
    bool (*begin_on_device)(rank_transport const& self, dtype type, rank_reduction by, void* elements, std::int64_t count,
                            device_memory const& memory, std::uint64_t& request) = nullptr;
    void (*finish_on_device)(rank_transport const& self, std::uint64_t request, device_memory const& memory) = nullptr;
    std::uint64_t handle = 0; // The address of this object, where the graph finds it.
    std::int64_t rank = 0, size = 0;
};

} // namespace detail
} // namespace tx
