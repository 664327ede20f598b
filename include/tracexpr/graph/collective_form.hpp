// Collectives: operations that all processes of a communicator take part in. The core knows what each of them means; how messages
// travel, a transport says, a table of functions that a bridge (tracexpr/mpi.hpp) fills.
#pragma once

#include <tracexpr/base/buffer.hpp>
#include <tracexpr/base/dtype.hpp>
#include <tracexpr/base/shape.hpp>
#include <tracexpr/base/table_view.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tx {

// What each rank r of p gets, given its operand x_r:
//   all_reduce      the reduction of all x            reduce          the same on the root, zeros elsewhere
//   broadcast       x of the root                     permute         x of the rank that a pair (from, to) says, else zeros
//   all_gather      (p, ...): all x                   gather          the same on the root, zeros elsewhere
//   scatter         of the root's (p, ...) row r      reduce_scatter  row r of the reduction of all (p, ...)
//   all_to_all      (p, ...): row r of all x          exchange        x of the rank `from`, while its own goes to `to`
//   scan            the reduction of x_0 ... x_r      exclusive_scan  of x_0 ... x_(r-1); rank 0 the neutral element
//   replicate       its own x, which all ranks have the same; no message travels
//   sequence        nothing: it says which collectives follow in the program
//   begin_sums      a request: the sums of several x are under way      begin_exchange  likewise of an exchange
//   finish          what a request stands for
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

constexpr std::string_view name(collective_kind what) {
    constexpr std::string_view names[]{"all_reduce", "reduce",         "broadcast",  "all_gather", "gather",
                                       "scatter",    "reduce_scatter", "all_to_all", "permute",    "exchange",
                                       "scan",       "exclusive_scan", "barrier",    "replicate",  "sequence",
                                       "begin_sums", "begin_exchange", "finish"};
    return names[static_cast<std::size_t>(what)];
}
constexpr std::string_view name(rank_reduction by) {
    constexpr std::string_view names[]{"sum", "product", "max", "min", "logical_and", "logical_or"};
    return names[static_cast<std::size_t>(by)];
}
constexpr bool reduces(collective_kind what) {
    return what == collective_kind::all_reduce || what == collective_kind::reduce || what == collective_kind::reduce_scatter ||
           what == collective_kind::scan || what == collective_kind::exclusive_scan;
}
// Has its result one axis more than the operand, or one less, that of the ranks in front?
constexpr bool gathers(collective_kind what) { return what == collective_kind::all_gather || what == collective_kind::gather; }
constexpr bool scatters(collective_kind what) {
    return what == collective_kind::scatter || what == collective_kind::reduce_scatter;
}
// Has its operand such an axis?
constexpr bool takes_rows(collective_kind what) { return scatters(what) || what == collective_kind::all_to_all; }
constexpr bool has_root(collective_kind what) {
    return what == collective_kind::reduce || what == collective_kind::broadcast || what == collective_kind::gather ||
           what == collective_kind::scatter;
}

namespace detail {
class device_memory;

// The operands of op::collective. The first is what is called: the communicator, or what a region kept of its calls.
namespace collective_operands {
inline constexpr std::size_t callee = 0, communicator = 1, rank = 2, ranks = 3, input = 4, to = 5, from = 6;
}

// Where the elements of a collective lie on a device: must operand k of its node lie in this process's memory all the same?
constexpr bool is_for_host(collective_kind what, std::size_t k) {
    namespace at = collective_operands;
    return k < at::input || (what == collective_kind::finish && k == at::input) ||
           ((what == collective_kind::exchange || what == collective_kind::begin_exchange) && k > at::input);
}

// How a sequence of collectives is written in numbers: passes/collectives.hpp.
namespace sequence_code {
inline constexpr std::int64_t collective = 0, regions = 1, region = 2, end = 3;
}

// What all ranks must agree on in one collective, and which rank an exchange sends to and receives from (negative: none).
struct collective_form {
    collective_kind what = collective_kind::barrier;
    rank_reduction by = rank_reduction::sum;
    bool reversed = false; // scans: from the last rank to the first
    bool shared = false;   // all_reduce: of one result that all ranks share, so its cotangent counts once
    std::int64_t root = 0;
    std::int64_t to = -1, from = -1;
    table_view<std::int64_t> pairs{}; // permute: from, to, from, to ...; each rank at most once on either side

    // As the node's own attributes, behind those of a call.
    constexpr void append_to(buffer<std::int64_t>& attributes) const {
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
// One collective on row-major elements in this process's memory, or in that of a device. The operand is not written to and does
// not overlap the result.
struct collective_call {
    collective_form form{};
    dtype type{};
    void const* operand = nullptr;
    dims extents{};         // of the operand
    void* result = nullptr; // never null where the result has elements
    dims result_extents{};
};

// How a communicator's collectives are done. Its address, as a number, is an operand of the nodes that use the communicator; it
// stays valid for as long as one of them may run.
struct rank_transport {
    // Takes part in one collective. Throws tx::error.
    void (*run)(rank_transport const& self, collective_call const& call) = nullptr;
    // The same without waiting for it: all_reduce, in place, and an exchange. Elements stay with the transport until
    // finish(request) returns; progress moves all that were begun. begin_exchange may be null: run does it at once.
    std::uint64_t (*begin_all_reduce)(rank_transport const& self, dtype type, rank_reduction by, void* elements,
                                      std::int64_t count) = nullptr;
    std::uint64_t (*begin_exchange)(rank_transport const& self, collective_call const& call) = nullptr;
    void (*progress)(rank_transport const& self) = nullptr;
    void (*finish)(rank_transport const& self, std::uint64_t request) = nullptr;
    // Compares the sequence of collectives that a program is about to make with that of the other ranks, where it is new. Throws
    // on every rank that is there if they differ. May be null: nothing is compared.
    void (*compare)(rank_transport const& self, std::uint64_t hash, table_view<std::int64_t> sequence) = nullptr;
    // run, begin_all_reduce and finish with elements in the memory of a device, in the order of its queue: what they give may
    // still be to be done when they return. False, and nothing is done, for what must go through this process's memory; all ranks
    // find the same. May be null: everything must.
    bool (*run_on_device)(rank_transport const& self, collective_call const& call, device_memory const& memory) = nullptr;
    bool (*begin_on_device)(rank_transport const& self, dtype type, rank_reduction by, void* elements, std::int64_t count,
                            device_memory const& memory, std::uint64_t& request) = nullptr;
    void (*finish_on_device)(rank_transport const& self, std::uint64_t request, device_memory const& memory) = nullptr;
    std::uint64_t handle = 0; // this object's address, where the graph finds it
    std::int64_t rank = 0, size = 0;
};

} // namespace detail
} // namespace tx
