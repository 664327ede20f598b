// This file records one step of recurrent networks, given the product of its input with the weights.
#pragma once

#include <tracexpr/nn/linear.hpp>

namespace tx::detail {

// The operands of each cell are the product of the input and the weights, plus the bias, (..., gates h), and the state h (...,
// h); then c of an LSTM, the weights of h (h, gates h), and the bias of h of a GRU.
enum class cell { rnn, gru, lstm };
constexpr std::int64_t gates_of(cell kind) { return kind == cell::lstm ? 4 : kind == cell::gru ? 3 : 1; }
constexpr std::size_t weights_place(cell kind) { return kind == cell::lstm ? 3 : 2; }

constexpr dims leading_rows(dims d) {
    --d.rank;
    return d;
}
TRACEXPR_ONCE constexpr char const* cell_problem(builder_specs given, cell kind) {
    if (!are_real(given)) return "takes real numbers";
    dims const x = given[0].shape, h = given[1].shape, w = given[weights_place(kind)].shape;
    if (h.rank == 0 || x.rank == 0) return "the state must have an axis, (..., h)";
    if (w.rank >= 0 && w.rank != 2) return "the weights must have two axes";
    if (x.rank < 0 || h.rank < 0 || w.rank < 0) return nullptr;
    std::int64_t const size = last_extent(h), gates = size == dyn ? dyn : size * gates_of(kind);
    if (!agree(w[0], size) || !agree(w[1], gates) || !agree(last_extent(x), gates))
        return "the weights must be (in, gates h) and (h, gates h), and the bias (gates h), with 4 gates of an LSTM, 3 of a GRU "
               "and 1 "
               "of an RNN";
    if (!may_equal(leading_rows(x), leading_rows(h))) return "the state must have the leading extents of the input";
    if (kind == cell::lstm && given[2].shape.rank >= 0 && !may_equal(h, given[2].shape)) return "h and c must have one shape";
    return nullptr;
}
// Returns part k of the last axis, which is divided into `gates` parts.
TRACEXPR_ONCE constexpr node_id gate(lowering& low, node_id x, std::int64_t gates, std::int64_t k) {
    int const axis = low.rank(x) - 1;
    std::int64_t const all = low.extent(x, axis);
    if (all != dyn) return gates == 1 ? x : low.slice(x, axis, all / gates * k, all / gates * (k + 1));
    node_id const parts = layer_nodes(low).split(x, axis, attribute_list(gates, dyn));
    return low.squeeze(low.slice(parts, axis, k, k + 1), axis);
}
// The step is that of Hochreiter and Schmidhuber, Long Short-Term Memory (1997), with the forget gate of Gers, Schmidhuber and
// Cummins (1999).
TRACEXPR_ONCE constexpr std::array<node_id, 2> record_lstm(lowering& low, dtype type, node_id const* operands) {
    layer_nodes on(low);
    node_id const h = low.as(operands[1], type), c = low.as(operands[2], type);
    node_id const all = on.add(low.as(operands[0], type), record_product(low, h, low.as(operands[3], type)));
    node_id const in = on.sigmoid(gate(low, all, 4, 0)), forget = on.sigmoid(gate(low, all, 4, 1));
    node_id const candidate = on.tanh(gate(low, all, 4, 2)), out = on.sigmoid(gate(low, all, 4, 3));
    node_id const next = on.add(on.multiply(forget, c), on.multiply(in, candidate));
    return {on.multiply(out, on.tanh(next)), next};
}
// The step is that of Cho et al., Learning Phrase Representations (2014), with the reset gate applied after the product, as in
// cuDNN and PyTorch.
TRACEXPR_ONCE constexpr node_id record_gru(lowering& low, dtype type, node_id const* operands) {
    layer_nodes on(low);
    node_id const x = low.as(operands[0], type), h = low.as(operands[1], type);
    node_id const u = on.add(record_product(low, h, low.as(operands[2], type)), low.as(operands[3], type));
    node_id const reset = on.sigmoid(on.add(gate(low, x, 3, 0), gate(low, u, 3, 0)));
    node_id const update = on.sigmoid(on.add(gate(low, x, 3, 1), gate(low, u, 3, 1)));
    node_id const candidate = on.tanh(on.add(gate(low, x, 3, 2), on.multiply(reset, gate(low, u, 3, 2))));
    return on.add(candidate, on.multiply(update, on.subtract(h, candidate)));
}
TRACEXPR_ONCE constexpr node_id record_rnn(lowering& low, dtype type, node_id const* operands) {
    layer_nodes on(low);
    node_id const u = record_product(low, low.as(operands[1], type), low.as(operands[2], type));
    return on.tanh(on.add(low.as(operands[0], type), u));
}
TRACEXPR_ONCE constexpr std::array<node_id, 2> record_cell(lowering& low, node_id const* operands, cell kind) {
    dtype const type = computed_dtype(low.type(operands[1]));
    if (kind == cell::lstm) return record_lstm(low, type, operands);
    return {kind == cell::gru ? record_gru(low, type, operands) : record_rnn(low, type, operands), node_id::none};
}
template <cell Kind> struct cell_builder {
    static constexpr std::size_t parts = Kind == cell::lstm ? 2 : 1;
    static constexpr char const* called = Kind == cell::lstm ? "lstm" : Kind == cell::gru ? "gru" : "rnn";
    static constexpr char const* problem(builder_specs given) { return cell_problem(given, Kind); }
    static constexpr std::array<dtype, parts> types(builder_specs given) {
        std::array<dtype, parts> out{};
        for (dtype& t : out) t = to_inexact(given[1].type);
        return out;
    }
    static constexpr std::array<dims, parts> shapes(builder_specs given) {
        std::array<dims, parts> out{};
        for (dims& d : out) d = given[1].shape;
        return out;
    }
    static constexpr std::array<node_id, parts> record(lowering& low, node_id const* operands) {
        auto const made = record_cell(low, operands, Kind);
        std::array<node_id, parts> out{};
        for (std::size_t k = 0; k < parts; ++k) out[k] = made[k];
        return out;
    }
};

} // namespace tx::detail
