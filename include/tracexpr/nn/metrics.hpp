// The functions of this file measure how good predictions are. They are pure functions with the meaning of scikit-learn's, and
// take the truth first.
#pragma once

#include <tracexpr/nn/loss_common.hpp>
#include <tracexpr/trace/counting.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx::detail {

constexpr bool is_label(dtype t) { return is_integer(t) || t == dtype::boolean; }
TRACEXPR_ONCE constexpr node_id record_share(lowering& low, node_id is_right) {
    node_id const number = low.as(is_right, dtype::float64);
    return low.append(op::divide, record_sum(low, number), record_size(low, number));
}

// Computes the share of equal labels.
struct accuracy_builder {
    static constexpr char const* called = "nn::accuracy";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        if (!is_label(given[0].type) || !is_label(given[1].type)) return "labels must be integers or bool";
        return may_be_same(given[0].shape, given[1].shape) ? nullptr : "both must have one shape";
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::float64}; }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{dims{}}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        dtype const type = promote(low.type(x[0]), low.type(x[1]));
        return std::array<node_id, 1>{record_share(low, low.test(op::equal, low.as(x[0], type), low.as(x[1], type)))};
    }
};
// A label is among the first k if fewer than k classes come before it. Of equal scores the later class comes first, as in a
// stable sort that is read from its end.
TRACEXPR_ONCE constexpr node_id record_top_k_accuracy(lowering& low, node_id const* x, std::int64_t k) {
    node_id const label = low.as(x[0], dtype::int64), scores = x[1];
    int const last = low.rank(scores) - 1;
    node_id const number = low.iota_like<std::int32_t>(scores, last),
                  expanded_label = low.expand(low.as(label, dtype::int32), last);
    node_id const hit = low.test(op::equal, number, expanded_label);
    attribute_list const reduce_attributes(1, last);
    dtype const type = low.type(scores) == dtype::boolean ? dtype::int8 : low.type(scores);
    node_id const score = low.as(scores, type);
    node_id const label_score = low.append(op::sum, low.choose(hit, score, low.zero_like(score)), reduce_attributes);
    node_id const is_before = low.append(
        op::logical_or, low.test(op::greater, score, label_score),
        low.append(op::logical_and, low.test(op::equal, score, label_score), low.test(op::greater, number, expanded_label)));
    node_id const count = low.reduce(op::sum, low.as(is_before, dtype::int32), attribute_list(last));
    node_id const is_class = low.append(op::logical_and, low.test(op::greater_equal, label, low.literal(std::int64_t{0})),
                                        low.test(op::less, label, low.axis_size<std::int64_t>(scores, last)));
    node_id const is_known =
        low.test(op::equal, low.squeeze(label_score, last), low.squeeze(label_score, last)); // false where it is NaN
    node_id const is_among = low.test(op::less, count, low.number_like(count, static_cast<double>(k)));
    return record_share(low, low.append(op::logical_and, is_among, low.append(op::logical_and, is_class, is_known)));
}
template <std::int64_t K> struct top_k_accuracy_builder {
    static constexpr char const* called = "nn::top_k_accuracy";
    static constexpr char const* problem(builder_specs given) {
        dims const &labels = given[0].shape, &scores = given[1].shape;
        if (!is_label(given[0].type)) return "labels must be integers";
        if (!is_real_number(given[1].type)) return "scores must be real numbers";
        if (scores.rank == 0) return "scores must have an axis of classes, the last one";
        return scores.rank < 0 || may_be_same(labels, without_last(scores))
                   ? nullptr
                   : "labels must have the shape of scores without the last axis, that of classes";
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::float64}; }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{dims{}}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_top_k_accuracy(low, x, K)};
    }
};

template <std::int64_t Classes> struct confusion_matrix_fn {
    static constexpr char const* called = "nn::confusion_matrix";
    template <class A, class B> constexpr auto operator()(A const& truth, B const& predicted) const {
        auto const t = cast_to<std::int64_t>(row_of(truth)), p = cast_to<std::int64_t>(row_of(predicted));
        auto const is_class = logical_and(logical_and(t >= 0, t < Classes), logical_and(p >= 0, p < Classes));
        auto const place = where(is_class, t * Classes + p, Classes * Classes);
        return reshape<Classes, Classes>(counted_places<Classes * Classes>(place));
    }
};

// Precision is the number of right predictions of a class divided by the number of predictions of it, recall divides by the
// number of its true labels, and F1 is the harmonic mean of both.
enum class class_score { precision, recall, f1 };
constexpr char const* name_of(class_score s) {
    return s == class_score::precision ? "nn::precision" : s == class_score::recall ? "nn::recall" : "nn::f1_score";
}
template <class_score Score, class R, class P, class T>
constexpr auto scored(R const& right, P const& predicted, T const& truth) {
    auto const total = [&] {
        if constexpr (Score == class_score::precision) return predicted;
        else if constexpr (Score == class_score::recall) return truth;
        else return predicted + truth;
    }();
    auto const count = cast_to<double>(right) * (Score == class_score::f1 ? 2.0 : 1.0);
    return count / cast_to<double>(maximum(total, std::int64_t{1})); // 0 where there are none
}
template <class_score Score, std::int64_t Classes> struct class_score_fn {
    static constexpr char const* called = name_of(Score);
    template <class A, class B> constexpr auto operator()(A const& truth, B const& predicted) const {
        if constexpr (Classes > 0) {
            auto const counts = confusion_matrix_fn<Classes>{}(truth, predicted);
            return scored<Score>(diagonal(counts), sum(counts, axis<0>), sum(counts, axis<1>));
        } else {
            auto const t = cast_to<std::int64_t>(truth) == 1, p = cast_to<std::int64_t>(predicted) == 1;
            auto const count = [](auto const& is) { return sum(cast_to<std::int64_t>(is)); };
            return scored<Score>(count(logical_and(t, p)), count(p), count(t));
        }
    }
};

// Computes the share of the pairs of a positive and a negative example in which the positive one has the greater score; pairs
// with equal scores count half. Mann and Whitney (1947). Examples are sorted by score, and for each the examples of the other
// kind before its run of equal scores are counted.
TRACEXPR_ONCE constexpr node_id record_auc(lowering& low, node_id const* x) {
    node_id const order = low.append(op::argsort, dtype::int64, {&x[1], 1}, attribute_list(0, 0, order_of_all));
    node_id const score = low.append(op::take, x[1], order, attribute_list(0));
    node_id const one = low.literal(1.0), zero = low.literal(0.0);
    node_id const truth = low.append(op::take, low.as(x[0], dtype::int64), order, attribute_list(0));
    node_id const positive = low.as(low.test(op::equal, truth, low.literal(std::int64_t{1})), dtype::float64);
    node_id const negative = low.append(op::subtract, one, positive);
    node_id const operands[]{score, low.zero_like(score)};
    node_id const before = low.slice(low.append(op::pad, low.type(score), operands, attribute_list(1, 0)), 0, 0, -1);
    node_id const is_first = low.test(op::equal, low.iota_like<std::int64_t>(score, 0), low.literal(std::int64_t{0}));
    node_id const starts = low.append(op::logical_or, is_first, low.test(op::not_equal, score, before));
    // Counts the number of examples of a kind before the run of equal scores. It never decreases, so a cumulative maximum carries
    // it through the run.
    auto const in_front = [&](node_id kind) {
        node_id const so_far = low.append(op::subtract, low.append(op::cumsum, kind, attribute_list(0)), kind);
        return low.append(op::cummax, low.choose(starts, so_far, zero), attribute_list(0));
    };
    auto const pairs = [&](node_id kind, node_id other) {
        return record_sum(low, low.append(op::multiply, kind, in_front(other)));
    };
    node_id const all = low.append(op::multiply, record_sum(low, positive), record_sum(low, negative));
    node_id const difference = low.append(op::subtract, pairs(positive, negative), pairs(negative, positive));
    return low.append(op::multiply, low.literal(0.5), low.append(op::add, one, low.append(op::divide, difference, all)));
}
struct auc_builder {
    static constexpr char const* called = "nn::auc";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        if (!is_label(given[0].type)) return "the truth must be integers or bool";
        if (!is_real_number(given[1].type)) return "scores must be real numbers";
        if (given[0].shape.rank >= 0 && given[0].shape.rank != 1) return "takes vectors";
        if (given[1].shape.rank >= 0 && given[1].shape.rank != 1) return "takes vectors";
        return may_be_same(given[0].shape, given[1].shape) ? nullptr : "both must have one extent";
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::float64}; }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{dims{}}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_auc(low, x)};
    }
};

// Computes 1 - sum((t - p)^2) / sum((t - mean(t))^2) along the first axis, averaged over columns. Where the truth is constant it
// is 1 if the prediction is right, else 0.
TRACEXPR_ONCE constexpr node_id record_r2(lowering& low, node_id const* x) {
    dtype const type = widened_dtype(to_inexact(promote(low.type(x[0]), low.type(x[1]))));
    node_id const t = low.as(x[0], type), p = low.as(x[1], type), zero = low.zero_like(t), one = low.number_like(t, 1);
    node_id const count = low.as(low.axis_size<std::int64_t>(t, 0), type);
    node_id const mean = low.append(op::divide, low.append(op::sum, t, attribute_list(1, 0)), count);
    auto const squares = [&](node_id from) {
        return low.reduce(op::sum, low.append(op::square, low.append(op::subtract, t, from)), attribute_list(0));
    };
    node_id const rest = squares(p), total = squares(mean), is_constant = low.test(op::equal, total, zero);
    node_id const is_right = low.choose(low.test(op::equal, rest, zero), zero, one);
    node_id const part = low.append(op::divide, rest, low.choose(is_constant, one, total));
    node_id const each = low.append(op::subtract, one, low.choose(is_constant, is_right, part));
    return low.rank(each) == 0 ? each : low.append(op::divide, record_sum(low, each), record_size(low, each));
}
struct r2_builder {
    static constexpr char const* called = "nn::r2_score";
    static constexpr char const* problem(builder_specs given) { return row_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(common_type(given))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{dims{}}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_r2(low, x)};
    }

private:
    TRACEXPR_ONCE static constexpr char const* row_problem(builder_specs given) {
        for (std::size_t k = 0; k < 2; ++k)
            if (!is_real_number(given[k].type) || given[k].shape.rank == 0 || given[k].shape.rank > 2)
                return "takes vectors or matrices (examples, columns) of real numbers";
        return may_be_same(given[0].shape, given[1].shape) ? nullptr : "both must have one shape";
    }
};
struct mean_squared_error_builder {
    static constexpr char const* called = "nn::mean_squared_error";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        if (!is_real_number(given[0].type) || !is_real_number(given[1].type)) return "takes real numbers";
        return may_be_same(given[0].shape, given[1].shape) ? nullptr : "both must have one shape";
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(common_type(given))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{dims{}}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        dtype const type = widened_dtype(to_inexact(promote(low.type(x[0]), low.type(x[1]))));
        node_id const each = low.append(op::square, low.append(op::subtract, low.as(x[0], type), low.as(x[1], type)));
        return std::array<node_id, 1>{low.append(op::divide, record_sum(low, each), record_size(low, each))};
    }
};

template <class Builder, class A, class B> constexpr auto metric_of(A const& truth, B const& predicted) {
    constexpr bool fits = built_problem<Builder, A, B> == nullptr;
    static_assert(fits,
                  "tx: nn: metrics: the truth and what is predicted must be of one shape; labels are integers or bool, scores "
                  "real numbers");
    return apply_if<fits>(built_fn<Builder>{}, truth, predicted);
}
template <class Fn, class A, class B> constexpr auto counts_of_labels(A const& truth, B const& predicted) {
    constexpr bool fits =
        is_label(dtype_of_operand<A>) && is_label(dtype_of_operand<B>) && may_be_same(dims_of_operand<A>, dims_of_operand<B>);
    static_assert(fits, "tx: nn: confusion_matrix, precision, recall, f1_score: the truth and what is predicted must be labels, "
                        "integers or bool, of one shape");
    return apply_if<fits>(Fn{}, truth, predicted);
}

} // namespace tx::detail

namespace tx::nn {
inline namespace TRACEXPR_CALLS {

// Gives the share of labels that are right, (...), (...) -> (), as float64. (sklearn.metrics.accuracy_score)
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto accuracy(A const& truth, B const& predicted) {
    return tx::detail::metric_of<tx::detail::accuracy_builder>(truth, predicted);
}
// Gives the share of labels that are among the k classes with the greatest scores, (...), (..., classes) -> (). Of equal scores
// the later class comes first. (sklearn.metrics.top_k_accuracy_score)
template <std::int64_t K, array_operand A, array_operand S>
[[nodiscard]] constexpr auto top_k_accuracy(A const& truth, S const& scores) {
    static_assert(K > 0, "tx: nn: top_k_accuracy: k must be positive, as in top_k_accuracy<5>(truth, scores)");
    return tx::detail::metric_of<tx::detail::top_k_accuracy_builder<K>>(truth, scores);
}
// Counts how often each class (the row) is predicted as each class (the column): (n), (n) -> (classes, classes), int64. Labels
// that are no class aren't counted.
template <std::int64_t Classes, array_operand A, array_operand B>
[[nodiscard]] constexpr auto confusion_matrix(A const& truth, B const& predicted) {
    static_assert(Classes > 0, "tx: nn: confusion_matrix: there must be a class, as in confusion_matrix<10>(truth, predicted)");
    return tx::detail::counts_of_labels<tx::detail::confusion_matrix_fn<Classes>>(truth, predicted);
}
// Gives the share of right predictions among predictions of class 1; with a number of classes, that of each class:
// precision<10>(truth, predicted). It is 0 for a class that isn't predicted.
template <std::int64_t Classes = 0, array_operand A, array_operand B>
[[nodiscard]] constexpr auto precision(A const& truth, B const& predicted) {
    return tx::detail::counts_of_labels<tx::detail::class_score_fn<tx::detail::class_score::precision, Classes>>(truth,
                                                                                                                 predicted);
}
// Gives the share of right predictions among examples of class 1; with a number of classes, that of each class. It is 0 for a
// class without examples.
template <std::int64_t Classes = 0, array_operand A, array_operand B>
[[nodiscard]] constexpr auto recall(A const& truth, B const& predicted) {
    return tx::detail::counts_of_labels<tx::detail::class_score_fn<tx::detail::class_score::recall, Classes>>(truth, predicted);
}
// Gives the harmonic mean of precision and recall; with a number of classes, that of each class.
template <std::int64_t Classes = 0, array_operand A, array_operand B>
[[nodiscard]] constexpr auto f1_score(A const& truth, B const& predicted) {
    return tx::detail::counts_of_labels<tx::detail::class_score_fn<tx::detail::class_score::f1, Classes>>(truth, predicted);
}
// Gives the area under the ROC curve of scores for class 1, (n), (n) -> (): the share of pairs of a positive and a negative
// example in which the positive one has the greater score; equal scores count half. It is NaN where there is no such pair.
// (sklearn.metrics.roc_auc_score)
template <array_operand A, array_operand S> [[nodiscard]] constexpr auto auc(A const& truth, S const& scores) {
    return tx::detail::metric_of<tx::detail::auc_builder>(truth, scores);
}
// Gives the mean of (truth - predicted)^2, which is NaN without elements.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto mean_squared_error(A const& truth, B const& predicted) {
    return tx::detail::metric_of<tx::detail::mean_squared_error_builder>(truth, predicted);
}
// Gives 1 - sum((truth - predicted)^2) / sum((truth - mean)^2) along the first axis, averaged over columns.
// (sklearn.metrics.r2_score)
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto r2_score(A const& truth, B const& predicted) {
    return tx::detail::metric_of<tx::detail::r2_builder>(truth, predicted);
}
template <class Unused = void, class... A> constexpr tx::detail::failed confusion_matrix(tx::detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: nn: confusion_matrix: takes the labels and what is predicted, with the number of "
                                        "classes in <>: tx::nn::confusion_matrix<10>(truth, predicted)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
