// This file describes one rank's call, as a message to the others in checked mode, and as text.
#pragma once

#include <tracexpr/mpi/state.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tx::mpi::detail {

// The record is sent as its bytes, which all ranks read alike, as they run the same program.
struct call_record {
    std::int64_t position = 0; // the number of the call among the checked calls on its communicator
    rank_call function{};
    rank_reduction by{};
    bool is_reversed = false;
    dtype type{};
    std::int64_t root = 0, to = -1, from = -1;
    std::int64_t rank = 0; // the rank of the shape below, on which all ranks must agree
    std::int64_t extents[max_rank]{};
    std::uint64_t pairs = 0; // a hash of permute's pairs
};

// Computes the FNV-1a hash (Fowler, Noll and Vo), applied to numbers instead of bytes.
inline std::uint64_t hash_of(table_view<std::int64_t> numbers) {
    std::uint64_t hash = 14695981039346656037u;
    for (std::int64_t const number : numbers) hash = (hash ^ static_cast<std::uint64_t>(number)) * 1099511628211u;
    return hash;
}

inline call_record record_of(collective_call const& call) {
    call_record out;
    collective_form const& form = call.form;
    out.function = call_of(form.what);
    if (form.what == collective_kind::barrier) return out;
    if (reduces(form.what)) out.by = form.by;
    out.is_reversed = form.reversed;
    out.type = call.type;
    if (has_root(form.what)) out.root = form.root;
    if (form.what == collective_kind::exchange) out.to = form.to, out.from = form.from;
    // Ranks other than the root may pass any operand to a scatter, so the result's shape is compared.
    dims const& agreed = form.what == collective_kind::scatter ? call.result_extents : call.extents;
    out.rank = agreed.rank;
    for (int axis = 0; axis < agreed.rank; ++axis) out.extents[axis] = agreed[axis];
    out.pairs = hash_of(form.pairs);
    return out;
}

inline bool same_shape(call_record const& a, call_record const& b) {
    bool same = a.rank == b.rank;
    for (int axis = 0; axis < max_rank; ++axis) same = same && a.extents[axis] == b.extents[axis];
    return same;
}
// Returns whether both records are of one collective. For an exchange the shapes may differ between pairs of ranks.
inline bool agree(call_record const& a, call_record const& b) {
    bool const is_exchange = a.function == call_of(collective_kind::exchange); // only the two partners must agree on a shape
    bool const same = a.position == b.position && a.function == b.function && a.by == b.by && a.is_reversed == b.is_reversed &&
                      a.type == b.type && a.root == b.root && a.pairs == b.pairs;
    return same && (is_exchange || same_shape(a, b));
}

// Returns the text of a call, such as "calls tx::mpi::all_reduce(sum, float32 (4,))".
inline std::string text_of(call_record const& call) {
    if (call.function == rank_call::session_end) return "ends its session";
    if (call.function == rank_call::compare) return "calls a program that is new";
    std::string out = "calls tx::mpi::" + std::string(name(call.function)) + "(";
    if (call.function < rank_call::split && call.function != call_of(collective_kind::barrier)) {
        bool const is_begun = call.function == rank_call::begun_all_reduce;
        auto const kind = is_begun ? collective_kind::all_reduce : static_cast<collective_kind>(call.function);
        dims shape;
        for (std::int64_t axis = 0; axis < call.rank; ++axis) shape.push_back(call.extents[axis]);
        if (reduces(kind)) out += std::string(tx::name(call.by)) + ", ";
        if (call.is_reversed) out += "reversed, ";
        out += std::string(tx::name(call.type)) + " " + to_string(shape);
        if (has_root(kind)) out += ", root " + std::to_string(call.root);
        if (kind == collective_kind::permute) out += ", pairs whose hash is " + std::to_string(call.pairs);
    }
    return out + ")";
}

// Returns the text of a list of ranks: "rank 2", "ranks 0, 1 and 3"
inline std::string text_of(std::vector<std::int64_t> const& ranks) {
    std::string out = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        if (k > 0) out += k + 1 == ranks.size() ? " and " : ", ";
        out += std::to_string(ranks[k]);
    }
    return out;
}

} // namespace tx::mpi::detail
