// tx::nn::ctc_loss is the loss of sequences whose alignment with their labels is not known. Graves, Fernandez, Gomez and
// Schmidhuber, Connectionist Temporal Classification (2006), section 4.1: the probabilities of all alignments are added, step by
// step, as logarithms.
#pragma once

#include <tracexpr/nn/loss_common.hpp>
#include <tracexpr/transforms/loops.hpp>

#include <tuple>
#include <utility>

namespace tx::detail {

// This logarithm stands for the probability 0. It is finite, so that no derivative is NaN, and so small that no sum of logarithms
// of possible events comes near; half of it is the threshold between both.
inline constexpr double ctc_impossible = -1e30;

// Holds the states of an alignment: the labels, with a blank before, between and after them, (batch, 2 longest + 1).
struct ctc_states {
    node_id labels, is_label;
};
// Shifts x to the right along its last axis, and fills the gap with `fill`.
TRACEXPR_ONCE constexpr node_id moved_right(lowering& low, node_id x, std::int64_t places, node_id fill) {
    attribute_list widths;
    for (int a = 0; a < low.rank(x); ++a) widths.push_back(a == low.rank(x) - 1 ? places : 0), widths.push_back(0);
    node_id const operands[]{x, fill};
    return low.slice(low.append(op::pad, low.type(x), operands, widths), low.rank(x) - 1, 0, -places);
}
TRACEXPR_ONCE constexpr ctc_states record_ctc_states(lowering& low, node_id labels) {
    node_id const zero = low.zero_like(labels), operands[]{labels, zero};
    node_id const padded = low.append(op::pad, low.type(labels), operands, attribute_list(0, 0, 0, 1));
    node_id const parts[]{labels, padded};
    node_id const number = low.iota_like<std::int64_t>(low.concatenate(parts, 1), 1), one = low.literal(std::int64_t{1});
    node_id const is_label = low.test(op::equal, low.append(op::bitwise_and, number, one), one);
    node_id const place = low.append(op::right_shift, number, one);
    node_id const label = low.append(op::take_along_axis, padded, place, attribute_list(1));
    return {low.choose(is_label, label, zero), is_label};
}
constexpr node_id record_ctc_row_length(lowering& low, node_id lengths) { return low.expand(low.as(lengths, dtype::int64), 1); }

// This builder computes what each step reads from logits, labels, input lengths and label lengths: the log probabilities that the
// states emit, whether the sequence goes on, and which states may skip a blank. It also computes the first state.
struct ctc_setup_builder {
    static constexpr char const* called = "nn::ctc_loss";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        dims const &x = given[0].shape, &labels = given[1].shape;
        if (!is_real_number(given[0].type)) return "logits must be real numbers";
        for (std::size_t k = 1; k < 4; ++k)
            if (!is_integer(given[k].type)) return "labels and lengths must be integers";
        if (x.rank != 3 || labels.rank != 2 || given[2].shape.rank != 1 || given[3].shape.rank != 1)
            return "takes logits (batch, time, classes), labels (batch, longest) and two vectors of lengths (batch)";
        for (std::size_t k = 1; k < 4; ++k) {
            std::int64_t const batch = given[k].shape[0];
            if (batch != dyn && x[0] != dyn && batch != x[0]) return "logits, labels and lengths must be of one batch";
        }
        return x[2] == 0 ? "logits must have a class, the blank" : nullptr;
    }
    static constexpr dtype number(builder_specs given) { return widened_dtype(to_inexact(given[0].type)); }
    static constexpr std::array<dtype, 4> types(builder_specs given) {
        return {number(given), dtype::boolean, dtype::boolean, number(given)};
    }
    TRACEXPR_ONCE static constexpr std::array<dims, 4> shapes(builder_specs given) {
        std::int64_t const batch = given[0].shape[0], time = given[0].shape[1], longest = given[1].shape[1];
        std::int64_t const states = longest == dyn ? dyn : 2 * longest + 1;
        return {dims{{time, batch, states}, 3}, dims{{time, batch, 1}, 3}, dims{{batch, states}, 2}, dims{{batch, states}, 2}};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 4> record(lowering& low, node_id const* given) {
        dtype const type = widened_dtype(to_inexact(low.type(given[0])));
        node_id const x = low.as(given[0], type), impossible = low.number_like(x, ctc_impossible);
        node_id const none = low.literal(std::int64_t{0}),
                      last = low.append(op::subtract, low.axis_size<std::int64_t>(x, 2), low.literal(std::int64_t{1}));
        node_id const bounded = low.append(op::maximum, low.append(op::minimum, low.as(given[1], dtype::int64), last), none);
        ctc_states const states = record_ctc_states(low, bounded);
        node_id const at_each_time = low.iota_like<std::int64_t>(low.slice(x, 2, 0, 1), 2); // zeros in that shape
        node_id const place = low.append(op::add, low.expand(states.labels, 1), at_each_time);
        node_id const picked = low.append(op::take_along_axis, x, place, attribute_list(2));
        node_id const logs = low.append(op::maximum, impossible, low.append(op::subtract, picked, log_sum(low, x)));
        node_id const emitted = low.transpose(logs, attribute_list(1, 0, 2));
        node_id const time = low.iota_like<std::int64_t>(low.slice(emitted, 2, 0, 1), 0);
        node_id const is_active = low.test(op::less, time, record_ctc_row_length(low, given[2]));
        node_id const before = moved_right(low, states.labels, 2, none);
        node_id const may_skip = low.append(op::logical_and, states.is_label, low.test(op::not_equal, states.labels, before));
        node_id const is_first = low.test(op::equal, low.iota_like<std::int64_t>(states.labels, 1), none);
        return {emitted, is_active, may_skip, low.choose(is_first, low.zero_like(x), impossible)};
    }

private:
    TRACEXPR_ONCE static constexpr node_id log_sum(lowering& low, node_id x) {
        attribute_list const reduce_attributes(1, 2);
        node_id const greatest = low.append(op::stop_gradient, low.append(op::max, x, reduce_attributes));
        node_id const sum = low.append(op::sum, low.append(op::exp, low.append(op::subtract, x, greatest)), reduce_attributes);
        return low.append(op::add, low.append(op::log, sum), greatest);
    }
};
// Records one step. The operands are the log probabilities of the states, those that are emitted, whether the sequence goes on,
// and which states may skip the blank before them; the result is the log probabilities after the step.
struct ctc_step_builder {
    static constexpr char const* called = "nn::ctc_loss";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        node_id const stay = x[0], impossible = low.number_like(stay, ctc_impossible);
        node_id const advance = moved_right(low, stay, 1, impossible);
        node_id const skip = low.choose(x[3], moved_right(low, stay, 2, impossible), impossible);
        node_id const greatest =
            low.append(op::stop_gradient, low.append(op::maximum, stay, low.append(op::maximum, advance, skip)));
        node_id sum = node_id::none;
        for (node_id const path : {stay, advance, skip}) {
            node_id const share = low.append(op::exp, low.append(op::subtract, path, greatest));
            sum = sum == node_id::none ? share : low.append(op::add, sum, share);
        }
        node_id const next = low.append(op::add, low.append(op::add, greatest, low.append(op::log, sum)), x[1]);
        return std::array<node_id, 1>{low.choose(x[2], next, stay)};
    }
};
// Records the losses, from the log probabilities after the last step, labels, label lengths and logits, whose dtype and number of
// classes are used.
template <bool IsMean> struct ctc_end_builder {
    static constexpr char const* called = "nn::ctc_loss";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[3].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{IsMean ? dims{} : dims{{given[0].shape[0]}, 1}};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_end(low, x, IsMean)};
    }

private:
    static constexpr node_id record_end(lowering& low, node_id const* x, bool is_mean) {
        node_id const count = record_ctc_row_length(low, x[2]), zero = low.literal(std::int64_t{0});
        node_id const number = low.iota_like<std::int64_t>(x[0], 1), twice = low.append(op::add, count, count);
        node_id const behind = low.append(op::subtract, twice, number); // 0 at the last blank, 1 at the last label
        node_id const is_end = low.append(op::logical_and, low.test(op::greater_equal, behind, zero),
                                          low.test(op::less_equal, behind, low.literal(std::int64_t{1})));
        node_id const ends = low.choose(is_end, x[0], low.number_like(x[0], ctc_impossible));
        attribute_list const reduce_attributes(1, 1);
        node_id const greatest = low.append(op::stop_gradient, low.append(op::max, ends, reduce_attributes));
        node_id const sum = low.append(op::sum, low.append(op::exp, low.append(op::subtract, ends, greatest)), reduce_attributes);
        node_id const total = low.squeeze(low.append(op::add, low.append(op::log, sum), greatest), 1);
        node_id const is_possible = low.test(op::greater, total, low.number_like(total, 0.5 * ctc_impossible));
        node_id loss = low.choose(is_possible, low.append(op::negative, total),
                                  low.number_like(total, std::numeric_limits<double>::infinity()));
        loss = low.choose(low.test(op::not_equal, total, total), total, loss); // NaN is kept
        loss = low.choose(has_invalid_labels(low, x), low.number_like(total, std::numeric_limits<double>::quiet_NaN()), loss);
        return is_mean ? record_loss_mean(low, loss) : loss;
    }
    // Returns whether a label within its length is no class.
    static constexpr node_id has_invalid_labels(lowering& low, node_id const* x) {
        node_id const label = low.as(x[1], dtype::int64), zero = low.literal(std::int64_t{0});
        node_id const counts = low.test(op::less, low.iota_like<std::int64_t>(label, 1), record_ctc_row_length(low, x[2]));
        node_id const is_class = low.append(op::logical_and, low.test(op::greater_equal, label, zero),
                                            low.test(op::less, label, low.axis_size<std::int64_t>(x[3], 2)));
        node_id const operand[]{is_class};
        node_id const is_invalid = low.append(op::logical_and, counts, low.append(op::logical_not, dtype::boolean, operand));
        return low.append(op::max, is_invalid, attribute_list(largest_of_none, 1));
    }
};

template <bool IsMean> struct ctc_loss_fn {
    static constexpr char const* called = "nn::ctc_loss";
    template <class X, class L, class T, class N>
    constexpr auto operator()(X const& logits, L const& labels, T const& input_lengths, N const& label_lengths) const {
        auto const [emitted, is_active, may_skip, start] =
            built_fn<ctc_setup_builder>{}(logits, labels, input_lengths, label_lengths);
        auto const step = [skips = may_skip](auto const& logs, auto const& now) {
            auto const next = built_fn<ctc_step_builder>{}(logs, std::get<0>(now), std::get<1>(now), skips);
            return std::pair(next, std::tuple<>{});
        };
        auto const last = tx::scan(step, start, std::tuple(emitted, is_active)).first;
        return built_fn<ctc_end_builder<IsMean>>{}(last, labels, label_lengths, logits);
    }
};
template <bool IsMean, class X, class L, class T, class N>
constexpr auto ctc_loss_of(X const& logits, L const& labels, T const& input_lengths, N const& label_lengths) {
    constexpr bool fits = built_problem<ctc_setup_builder, X, L, T, N> == nullptr;
    static_assert(fits,
                  "tx: nn: ctc_loss: takes logits (batch, time, classes), integer labels (batch, longest), and the lengths of "
                  "both, (batch), integers; types must tell the ranks");
    return apply_if<fits>(ctc_loss_fn<IsMean>{}, logits, labels, input_lengths, label_lengths);
}

} // namespace tx::detail

namespace tx::nn {

// The options of tx::nn::ctc_loss that give the loss of each sequence: {.reduction = tx::none}.
struct each_ctc_options {
    tx::detail::no_reduction reduction;
};

inline namespace TRACEXPR_CALLS {

// Gives the mean over sequences of -log of the probability of their labels: logits (batch, time, classes), labels (batch,
// longest), input lengths (batch), label lengths (batch) -> (). Class 0 is the blank; elements behind the lengths don't count. A
// sequence that is too short for its labels has the loss inf with gradient 0; a label that is no class gives NaN.
template <array_operand X, array_operand L, array_operand T, array_operand N>
[[nodiscard]] constexpr auto ctc_loss(X const& logits, L const& labels, T const& input_lengths, N const& label_lengths) {
    return tx::detail::ctc_loss_of<true>(logits, labels, input_lengths, label_lengths);
}
template <array_operand X, array_operand L, array_operand T, array_operand N> [[nodiscard]] constexpr auto
ctc_loss(X const& logits, L const& labels, T const& input_lengths, N const& label_lengths, each_ctc_options) {
    return tx::detail::ctc_loss_of<false>(logits, labels, input_lengths, label_lengths);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
