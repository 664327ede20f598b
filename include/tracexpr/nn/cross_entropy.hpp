// This file holds cross_entropy and nll_loss, losses of classification with label smoothing, ignored labels and weights of
// classes.
#pragma once

#include <tracexpr/nn/loss_common.hpp>

namespace tx::detail {

// The option `.weights` is a weight for each class, from a list of numbers or a vector, which may be part of a trace.
class class_weights {
public:
    // At least one number is required, so that options without weights don't match the overload with weights.
    template <class First, class... Rest> requires(std::is_arithmetic_v<First> && (std::is_arithmetic_v<Rest> && ...))
    constexpr class_weights(First first, Rest... rest)
        : values_(tensor<double, shape<1 + sizeof...(Rest)>>{static_cast<double>(first), static_cast<double>(rest)...}) {}
    template <array_operand W> requires(!expr_type<W>) constexpr class_weights(W const& weights) : values_(checked(weights)) {}
    template <expr_type W> constexpr class_weights(W const& weights)
        : scope_{&weights.scope()}, node_{tx::cast<double>(weights).id()} {
        static_cast<void>(fits<W>());
    }
    // Returns the weights as an operand: a node if one of the other operands is one.
    template <class... A> constexpr auto beside(A const&... others) const {
        if constexpr ((expr_type<A> || ...)) {
            trace_scope& scope = *scope_among(others...);
            if (!scope_) return lift(scope, values_);
            if (scope_ != &scope) throw_foreign_symbol();
            return expr<double, shape<dyn>>(scope, node_);
        } else {
            if (scope_) throw trace_error("tx: nn: losses: weights that are traced need logits that are traced");
            return values_;
        }
    }

private:
    using vector = tensor<double, shape<dyn>>;
    template <class W> static constexpr bool fits() {
        constexpr bool is_vector = dims_of_operand<W>.rank == 1 && is_real_number(dtype_of_operand<W>);
        static_assert(is_vector, "tx: nn: losses: .weights must be a vector of real numbers, one for each class");
        return is_vector;
    }
    template <class W> static constexpr vector checked(W const& weights) {
        if constexpr (fits<W>()) return tx::cast<double>(weights);
        else return {};
    }

    vector values_{};
    trace_scope* scope_ = nullptr;
    node_id node_ = node_id::none;
};

// The operands are scores, labels, smoothing, the label to ignore and, if is_weighted, weights.
struct class_loss_variant {
    bool of_logits, is_weighted, is_mean;
};
constexpr bool are_probabilities(builder_specs given) { return is_floating(given[1].type); }

TRACEXPR_ONCE constexpr char const* class_loss_problem(class_loss_variant const& variant, builder_specs given) {
    dims const &scores = given[0].shape, &labels = given[1].shape;
    if (!is_real_number(given[0].type)) return "scores must be real numbers";
    if (scores.rank == 0) return "scores must have an axis of classes, the last one";
    if (are_probabilities(given)) {
        if (!variant.of_logits) return "labels must be integers";
        if (!may_be_same(scores, labels)) return "labels must be integers, or probabilities in the shape of logits";
    } else {
        if (!is_integer(given[1].type)) return "labels must be integers, or probabilities in the shape of logits";
        if (scores.rank > 0 && !may_be_same(without_last(scores), labels))
            return "labels must have the shape of scores without the last axis, that of classes";
    }
    if (variant.is_weighted && scores.rank > 0) {
        std::int64_t const classes = scores[scores.rank - 1], weights = given[4].shape.rank == 1 ? given[4].shape[0] : dyn;
        if (classes != dyn && weights != dyn && classes != weights) return "weights must be one for each class";
    }
    return nullptr;
}

// Records such a loss.
class class_loss {
public:
    constexpr class_loss(lowering& to, class_loss_variant const& of, node_id const* x)
        : low{to}, variant{of}, type{widened_dtype(to_inexact(to.type(x[0])))}, last{to.rank(x[0]) - 1},
          scores{to.as(x[0], type)}, smoothing{to.as(x[2], type)} {
        if (variant.of_logits) shift();
        if (variant.is_weighted) weights = low.as(x[4], type);
    }
    // Computes log(sum(e^scores)) of each row; scores are shifted by their maximum, on which the loss doesn't depend.
    TRACEXPR_ONCE constexpr void shift() {
        attribute_list reduce_attributes(1 | largest_of_none);
        reduce_attributes.push_back(last);
        scores = subtract(scores, low.append(op::stop_gradient, low.append(op::max, scores, reduce_attributes)));
        log_sum = low.append(op::log, row_sum(low.append(op::exp, scores)));
    }
    // Computes the loss sum(-share log softmax(x)) with share = (1 - smoothing) p + smoothing / classes. Where a share is 0 and
    // the score is -inf, the term is 0.
    TRACEXPR_ONCE constexpr node_id of_probabilities(node_id given) {
        node_id const one = number(1), p = low.as(given, type);
        node_id const share = low.append(op::add, multiply(subtract(one, smoothing), p), divide(smoothing, classes()));
        node_id const out_of_reach = low.test(op::equal, scores, number(-std::numeric_limits<double>::infinity()));
        node_id const is_zero = low.append(op::logical_and, low.test(op::equal, share, number(0)), out_of_reach);
        node_id loss = low.choose(is_zero, number(0), subtract(low.expand(log_sum, last), scores));
        if (variant.is_weighted) loss = multiply(loss, weights);
        node_id const each = row_sum(multiply(share, loss));
        return variant.is_mean ? record_loss_mean(low, each) : each;
    }
    TRACEXPR_ONCE constexpr node_id of_labels(node_id given, node_id ignore) {
        node_id const label = low.as(given, dtype::int64), zero = low.literal(std::int64_t{0});
        node_id const count = low.axis_size<std::int64_t>(scores, last);
        node_id const is_class =
            low.append(op::logical_and, low.test(op::greater_equal, label, zero), low.test(op::less, label, count));
        node_id const place = low.choose(is_class, label, zero);
        node_id const ignored = low.test(op::equal, label, ignore);
        node_id const picked = low.append(op::take_along_axis, scores, low.expand(place, last), attribute_list(last));
        node_id each = distance(low.squeeze(picked, last));
        node_id rate = node_id::none;
        if (variant.is_weighted) {
            rate = low.append(op::take, weights, place, attribute_list(0));
            each = multiply(rate, each);
        }
        if (variant.of_logits) each = smoothed(each);
        each = low.choose(is_class, each, number(std::numeric_limits<double>::quiet_NaN()));
        each = low.choose(ignored, number(0), each);
        if (!variant.is_mean) return each;
        node_id const counted = low.choose(ignored, number(0), variant.is_weighted ? rate : number(1));
        return record_quotient_or_zero(low, record_sum(low, each), record_sum(low, counted));
    }

private:
    // Computes the negative of the log probability that was picked.
    constexpr node_id distance(node_id picked) {
        return variant.of_logits ? subtract(log_sum, picked) : low.append(op::negative, picked);
    }
    // Computes (1 - smoothing) loss + smoothing times the mean loss over all classes. Where smoothing is 0, the mean, which may
    // be infinite, isn't used.
    TRACEXPR_ONCE constexpr node_id smoothed(node_id each) {
        node_id const spread = variant.is_weighted
                                   ? subtract(multiply(log_sum, record_sum(low, weights)), row_sum(multiply(weights, scores)))
                                   : subtract(multiply(log_sum, classes()), row_sum(scores));
        node_id const is_none = low.test(op::equal, smoothing, number(0));
        node_id const mean = low.choose(is_none, number(0), divide(spread, classes()));
        return low.append(op::add, multiply(subtract(number(1), smoothing), each), multiply(smoothing, mean));
    }
    constexpr node_id number(double value) { return low.number_like(scores, value); }
    TRACEXPR_ONCE constexpr node_id classes() {
        std::int64_t const known = low.extent(scores, last);
        return known != dyn ? number(static_cast<double>(known)) : low.as(low.axis_size<std::int64_t>(scores, last), type);
    }
    constexpr node_id row_sum(node_id x) { return low.reduce(op::sum, x, attribute_list(last)); }
    constexpr node_id subtract(node_id a, node_id b) { return low.append(op::subtract, a, b); }
    constexpr node_id multiply(node_id a, node_id b) { return low.append(op::multiply, a, b); }
    constexpr node_id divide(node_id a, node_id b) { return low.append(op::divide, a, b); }

    lowering& low;
    class_loss_variant variant;
    dtype type;
    int last;
    node_id scores, smoothing, log_sum = node_id::none, weights = node_id::none;
};
TRACEXPR_ONCE constexpr node_id record_class_loss(lowering& low, class_loss_variant const& variant, node_id const* x) {
    class_loss loss(low, variant, x);
    return is_floating(low.type(x[1])) ? loss.of_probabilities(x[1]) : loss.of_labels(x[1], x[3]);
}

template <bool OfLogits, bool IsWeighted, bool IsMean> struct class_loss_builder {
    static constexpr class_loss_variant variant{OfLogits, IsWeighted, IsMean};
    static constexpr char const* called = OfLogits ? "nn::cross_entropy" : "nn::nll_loss";
    static constexpr std::uint32_t hidden = 1u << 2 | 1u << 3;
    static constexpr char const* problem(builder_specs given) { return class_loss_problem(variant, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(are_probabilities(given) ? promote(given[0].type, given[1].type) : given[0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{IsMean ? dims{} : without_last(given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_class_loss(low, variant, x)};
    }
};
template <bool OfLogits, bool IsMean, class A, class L, class... W>
constexpr auto class_loss_of(A const& scores, L const& labels, double smoothing, std::int64_t ignore, W const&... weights) {
    using builder = class_loss_builder<OfLogits, sizeof...(W) == 1, IsMean>;
    using number = tensor<double, shape<>>;
    using index = tensor<std::int64_t, shape<>>;
    constexpr bool fits = built_problem<builder, A, L, number, index, W...> == nullptr;
    static_assert(fits, "tx: nn: cross_entropy, nll_loss: scores must be (..., classes), labels integers (...), or, of "
                        "cross_entropy, probabilities (..., classes)");
    if (!(smoothing >= 0 && smoothing <= 1)) throw_value(builder::called, "the smoothing must lie between 0 and 1", smoothing);
    return apply_if<fits>(built_fn<builder>{}, scores, labels, number(smoothing), index(ignore), weights...);
}

} // namespace tx::detail

namespace tx::nn {

// The default of `ignore`: no label is ignored.
inline constexpr std::int64_t ignore_nothing = std::numeric_limits<std::int64_t>::min();

// The options of tx::nn::cross_entropy: each class gets a share smoothing / classes of each label, and rows with the label
// `ignore` don't count.
struct cross_entropy_options {
    double smoothing = 0;
    std::int64_t ignore = ignore_nothing;
};
// The options of tx::nn::cross_entropy that give the loss of each row: {.reduction = tx::none}.
struct each_cross_entropy_options {
    tx::detail::no_reduction reduction;
    double smoothing = 0;
    std::int64_t ignore = ignore_nothing;
};
// The options of tx::nn::cross_entropy with a weight for each class, {.weights = w} or {.weights = {1, 2}}: the mean is divided
// by the sum of the labels' weights.
struct weighted_cross_entropy_options {
    double smoothing = 0;
    std::int64_t ignore = ignore_nothing;
    tx::detail::class_weights weights;
};
// The options of tx::nn::cross_entropy that give the loss of each row, multiplied by the weight of its label.
struct each_weighted_cross_entropy_options {
    tx::detail::no_reduction reduction;
    double smoothing = 0;
    std::int64_t ignore = ignore_nothing;
    tx::detail::class_weights weights;
};
// The options of tx::nn::nll_loss: rows with the label `ignore` don't count.
struct nll_options {
    std::int64_t ignore = ignore_nothing;
};
// The options of tx::nn::nll_loss that give the loss of each row: {.reduction = tx::none}.
struct each_nll_options {
    tx::detail::no_reduction reduction;
    std::int64_t ignore = ignore_nothing;
};
// The options of tx::nn::nll_loss with a weight for each class: the mean is divided by the sum of the labels' weights.
struct weighted_nll_options {
    std::int64_t ignore = ignore_nothing;
    tx::detail::class_weights weights;
};
// The options of tx::nn::nll_loss that give the loss of each row, multiplied by the weight of its label.
struct each_weighted_nll_options {
    tx::detail::no_reduction reduction;
    std::int64_t ignore = ignore_nothing;
    tx::detail::class_weights weights;
};

inline namespace TRACEXPR_CALLS {

// Gives the mean over rows of -log softmax(logits)[label], (..., classes), (...) -> (). Labels are integers, or probabilities in
// the shape of logits, whose loss is -sum(p log softmax(logits)). A label that is no class gives NaN; the mean is 0 where no row
// counts. Means and smoothing are those of PyTorch.
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto cross_entropy(A const& logits, L const& labels, cross_entropy_options o = {}) {
    return tx::detail::class_loss_of<true, true>(logits, labels, o.smoothing, o.ignore);
}
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto cross_entropy(A const& logits, L const& labels, each_cross_entropy_options o) {
    return tx::detail::class_loss_of<true, false>(logits, labels, o.smoothing, o.ignore);
}
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto cross_entropy(A const& logits, L const& labels, weighted_cross_entropy_options o) {
    return tx::detail::class_loss_of<true, true>(logits, labels, o.smoothing, o.ignore, o.weights.beside(logits, labels));
}
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto cross_entropy(A const& logits, L const& labels, each_weighted_cross_entropy_options o) {
    return tx::detail::class_loss_of<true, false>(logits, labels, o.smoothing, o.ignore, o.weights.beside(logits, labels));
}
// Gives the mean over rows of -log_probabilities[label], (..., classes), (...) -> (), which is cross_entropy if log_probabilities
// are log_softmax(logits).
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto nll_loss(A const& log_probabilities, L const& labels, nll_options o = {}) {
    return tx::detail::class_loss_of<false, true>(log_probabilities, labels, 0, o.ignore);
}
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto nll_loss(A const& log_probabilities, L const& labels, each_nll_options o) {
    return tx::detail::class_loss_of<false, false>(log_probabilities, labels, 0, o.ignore);
}
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto nll_loss(A const& log_probabilities, L const& labels, weighted_nll_options o) {
    return tx::detail::class_loss_of<false, true>(log_probabilities, labels, 0, o.ignore,
                                                  o.weights.beside(log_probabilities, labels));
}
template <array_operand A, array_operand L>
[[nodiscard]] constexpr auto nll_loss(A const& log_probabilities, L const& labels, each_weighted_nll_options o) {
    return tx::detail::class_loss_of<false, false>(log_probabilities, labels, 0, o.ignore,
                                                   o.weights.beside(log_probabilities, labels));
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
