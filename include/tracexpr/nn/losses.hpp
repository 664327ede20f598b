// The losses of this file compare predictions or distributions with targets. Each is one compiled function when it is computed at
// once.
#pragma once

#include <tracexpr/nn/loss_common.hpp>

namespace tx::detail {

enum class point_loss { squared, absolute, huber, hinge, binary_cross_entropy };
TRACEXPR_ONCE constexpr char const* name_of(point_loss loss) {
    switch (loss) {
    case point_loss::squared: return "nn::mse_loss";
    case point_loss::absolute: return "nn::l1_loss";
    case point_loss::huber: return "nn::huber_loss";
    case point_loss::hinge: return "nn::hinge_loss";
    case point_loss::binary_cross_entropy: return "nn::binary_cross_entropy";
    }
    return nullptr;
}

// With w = min(|r|, delta) the loss is w^2 / 2 + delta (|r| - w). The square is that of w only, because the square of a large r
// may overflow, and its derivative then is infinite.
TRACEXPR_ONCE constexpr node_id record_huber(lowering& low, node_id difference, node_id delta) {
    node_id const size = low.append(op::absolute, difference), within = low.append(op::minimum, size, delta);
    node_id const half_square = low.append(op::multiply, low.append(op::multiply, low.number_like(within, 0.5), within), within);
    return low.append(op::add, half_square, low.append(op::multiply, delta, low.append(op::subtract, size, within)));
}
// log(1 + e^x) - x y is computed as max(x, 0) - x y, one product without cancellation, plus log(1 + e^-|x|). The derivative of
// -|x| at 0 is taken as 1, so that the loss has the derivative sigmoid(x) - y there, too.
TRACEXPR_ONCE constexpr node_id record_binary_cross_entropy(lowering& low, node_id x, node_id y) {
    node_id const zero = low.zero_like(x), positive = low.test(op::greater, x, zero);
    node_id const share = low.choose(positive, low.append(op::subtract, low.number_like(y, 1), y), low.append(op::negative, y));
    node_id const below = low.choose(positive, low.append(op::negative, x), x);
    return low.append(op::add, low.append(op::multiply, x, share), low.append(op::log1p, low.append(op::exp, below)));
}
TRACEXPR_ONCE constexpr node_id record_point_loss(lowering& low, point_loss loss, node_id const* x, bool is_mean) {
    dtype const type = widened_dtype(to_inexact(promote(low.type(x[0]), low.type(x[1]))));
    node_id const p = low.as(x[0], type), t = low.as(x[1], type);
    auto const each = [&] {
        switch (loss) {
        case point_loss::squared: return low.append(op::square, low.append(op::subtract, p, t));
        case point_loss::absolute: return low.append(op::absolute, low.append(op::subtract, p, t));
        case point_loss::huber: return record_huber(low, low.append(op::subtract, p, t), low.as(x[2], type));
        case point_loss::hinge:
            return low.append(op::maximum, low.zero_like(p),
                              low.append(op::subtract, low.number_like(p, 1), low.append(op::multiply, p, t)));
        case point_loss::binary_cross_entropy: return record_binary_cross_entropy(low, p, t);
        }
        return p;
    }();
    return is_mean ? record_loss_mean(low, each) : each;
}
TRACEXPR_ONCE constexpr char const* point_loss_problem(builder_specs given) {
    if (!are_real(given)) return "takes real numbers";
    dims const &p = given[0].shape, &t = given[1].shape;
    return t.rank == 0 || may_be_same(p, t) ? nullptr : "targets must have the shape of predictions, or none";
}
template <point_loss Loss, bool IsMean> struct point_loss_builder {
    static constexpr char const* called = name_of(Loss);
    static constexpr std::uint32_t hidden = 1u << 2;
    static constexpr char const* problem(builder_specs given) { return point_loss_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(common_type(given))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{IsMean ? dims{} : given[0].shape};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_point_loss(low, Loss, x, IsMean)};
    }
};
template <point_loss Loss, bool IsMean, class P, class T, class... More>
constexpr auto point_loss_of(P const& p, T const& t, More const&... more) {
    using builder = point_loss_builder<Loss, IsMean>;
    constexpr bool fits = built_problem<builder, P, T, More...> == nullptr;
    static_assert(fits, "tx: nn: losses: predictions and targets must be real numbers of one shape; a target may be a scalar");
    return apply_if<fits>(built_fn<builder>{}, p, t, more...);
}

// The terms p (log p - log q) are 0 where p is 0; there neither the logarithm of 0 nor an infinite log q is used.
TRACEXPR_ONCE constexpr node_id record_kl_divergence(lowering& low, node_id const* x, bool is_mean) {
    dtype const type = widened_dtype(to_inexact(promote(low.type(x[0]), low.type(x[1]))));
    node_id const log_q = low.as(x[0], type), p = low.as(x[1], type), zero = low.zero_like(p);
    node_id const is_zero = low.test(op::equal, p, zero);
    node_id const log_p = low.append(op::log, low.choose(is_zero, low.number_like(p, 1), p));
    node_id const distance = low.choose(is_zero, zero, low.append(op::subtract, log_p, log_q));
    node_id const rows = low.reduce(op::sum, low.append(op::multiply, p, distance), attribute_list(low.rank(p) - 1));
    return is_mean ? record_loss_mean(low, rows) : rows;
}
// Vectors are divided by their largest absolute value, so that their squares are in range; a vector of zeros has the similarity 0
// and the derivative 0.
struct unit_sums {
    node_id scaled, norm;
};
TRACEXPR_ONCE constexpr unit_sums record_scaled(lowering& low, node_id x) {
    attribute_list const last(low.rank(x) - 1);
    attribute_list reduce_attributes(1 | largest_of_none);
    reduce_attributes.push_back(low.rank(x) - 1);
    node_id const greatest = low.append(op::stop_gradient, low.append(op::max, low.append(op::absolute, x), reduce_attributes));
    node_id const is_zero = low.test(op::less_equal, greatest, low.zero_like(greatest));
    node_id const scaled =
        low.choose(is_zero, low.zero_like(x), low.append(op::divide, x, low.choose(is_zero, low.number_like(x, 1), greatest)));
    node_id const squares = low.reduce(op::sum, low.append(op::square, scaled), last);
    node_id const none = low.test(op::equal, squares, low.zero_like(squares));
    return {scaled, low.append(op::sqrt, low.choose(none, low.number_like(squares, 1), squares))};
}
TRACEXPR_ONCE constexpr node_id record_cosine_similarity(lowering& low, node_id const* x) {
    dtype const type = widened_dtype(to_inexact(promote(low.type(x[0]), low.type(x[1]))));
    unit_sums const a = record_scaled(low, low.as(x[0], type)), b = record_scaled(low, low.as(x[1], type));
    node_id const product = low.append(op::multiply, a.scaled, b.scaled);
    return low.append(op::divide, low.reduce(op::sum, product, attribute_list(low.rank(product) - 1)),
                      low.append(op::multiply, a.norm, b.norm));
}
TRACEXPR_ONCE constexpr char const* row_loss_problem(builder_specs given) {
    for (std::size_t k = 0; k < given.size(); ++k) {
        if (!is_real_number(given[k].type)) return "takes real numbers";
        if (given[k].shape.rank == 0) return "both must have an axis";
    }
    return may_be_same(given[0].shape, given[1].shape) ? nullptr : "both must have one shape";
}
template <bool IsMean> struct kl_divergence_builder {
    static constexpr char const* called = "nn::kl_divergence";
    static constexpr char const* problem(builder_specs given) { return row_loss_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(common_type(given))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{IsMean ? dims{} : without_last(given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_kl_divergence(low, x, IsMean)};
    }
};
struct cosine_similarity_builder {
    static constexpr char const* called = "nn::cosine_similarity";
    static constexpr char const* problem(builder_specs given) { return row_loss_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(common_type(given))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{without_last(given[0].shape)}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_cosine_similarity(low, x)};
    }
};
template <class Builder, class A, class B> constexpr auto row_loss_of(A const& a, B const& b) {
    constexpr bool fits = built_problem<Builder, A, B> == nullptr;
    static_assert(fits, "tx: nn: kl_divergence, cosine_similarity: both arguments must be real numbers of one shape, with the "
                        "classes along the last axis");
    return apply_if<fits>(built_fn<Builder>{}, a, b);
}

} // namespace tx::detail

namespace tx::nn {

// The options of losses such as mse_loss(p, t, {.reduction = tx::none}), which give the loss of each element or of each row.
struct each_loss_options {
    tx::detail::no_reduction reduction;
};
// The options of tx::nn::huber_loss: the loss is a parabola for differences up to `delta`.
struct huber_options {
    double delta = 1;
};
// The options of tx::nn::huber_loss that give the loss of each element: huber_loss(p, t, {.reduction = tx::none, .delta = 2}).
struct each_huber_options {
    tx::detail::no_reduction reduction;
    double delta = 1;
};

inline namespace TRACEXPR_CALLS {

// Gives the mean of (p - t)^2 over all elements, (...), (...) -> (); targets may be one number. Without elements it is 0, as all
// losses are. Integers give float64.
template <array_operand P, operand T> [[nodiscard]] constexpr auto mse_loss(P const& predictions, T const& targets) {
    return tx::detail::point_loss_of<tx::detail::point_loss::squared, true>(predictions, targets);
}
template <array_operand P, operand T>
[[nodiscard]] constexpr auto mse_loss(P const& predictions, T const& targets, each_loss_options) {
    return tx::detail::point_loss_of<tx::detail::point_loss::squared, false>(predictions, targets);
}
// Gives (p - t)^2 of each element, (...), (...) -> (...)
template <array_operand P, operand T> [[nodiscard]] constexpr auto squared_error(P const& predictions, T const& targets) {
    return tx::detail::point_loss_of<tx::detail::point_loss::squared, false>(predictions, targets);
}
// Gives the mean of |p - t|, whose derivative is 0 where both are equal.
template <array_operand P, operand T> [[nodiscard]] constexpr auto l1_loss(P const& predictions, T const& targets) {
    return tx::detail::point_loss_of<tx::detail::point_loss::absolute, true>(predictions, targets);
}
template <array_operand P, operand T>
[[nodiscard]] constexpr auto l1_loss(P const& predictions, T const& targets, each_loss_options) {
    return tx::detail::point_loss_of<tx::detail::point_loss::absolute, false>(predictions, targets);
}
// Gives the mean of (p - t)^2 / 2 where |p - t| <= delta, and of delta (|p - t| - delta / 2) elsewhere. Huber, Robust Estimation
// of a Location Parameter (1964).
template <array_operand P, operand T>
[[nodiscard]] constexpr auto huber_loss(P const& predictions, T const& targets, huber_options options = {}) {
    return tx::detail::point_loss_of<tx::detail::point_loss::huber, true>(predictions, targets, options.delta);
}
template <array_operand P, operand T>
[[nodiscard]] constexpr auto huber_loss(P const& predictions, T const& targets, each_huber_options options) {
    return tx::detail::point_loss_of<tx::detail::point_loss::huber, false>(predictions, targets, options.delta);
}
// Gives the mean of max(0, 1 - p t) for targets -1 and 1; the derivative is 0 where p t = 1.
template <array_operand P, operand T> [[nodiscard]] constexpr auto hinge_loss(P const& predictions, T const& targets) {
    return tx::detail::point_loss_of<tx::detail::point_loss::hinge, true>(predictions, targets);
}
template <array_operand P, operand T>
[[nodiscard]] constexpr auto hinge_loss(P const& predictions, T const& targets, each_loss_options) {
    return tx::detail::point_loss_of<tx::detail::point_loss::hinge, false>(predictions, targets);
}
// Gives the mean of -y log(sigmoid(x)) - (1 - y) log(1 - sigmoid(x)) for logits x and labels y from 0 to 1.
template <array_operand P, operand T> [[nodiscard]] constexpr auto binary_cross_entropy(P const& logits, T const& labels) {
    return tx::detail::point_loss_of<tx::detail::point_loss::binary_cross_entropy, true>(logits, labels);
}
template <array_operand P, operand T>
[[nodiscard]] constexpr auto binary_cross_entropy(P const& logits, T const& labels, each_loss_options) {
    return tx::detail::point_loss_of<tx::detail::point_loss::binary_cross_entropy, false>(logits, labels);
}
// Gives the mean over rows of the sum of p (log p - log q), (..., classes), (..., classes) -> (). Where p is 0, the term and its
// derivative with respect to p are 0. (PyTorch's batchmean)
template <array_operand Q, array_operand P> [[nodiscard]] constexpr auto kl_divergence(Q const& log_q, P const& p) {
    return tx::detail::row_loss_of<tx::detail::kl_divergence_builder<true>>(log_q, p);
}
template <array_operand Q, array_operand P>
[[nodiscard]] constexpr auto kl_divergence(Q const& log_q, P const& p, each_loss_options) {
    return tx::detail::row_loss_of<tx::detail::kl_divergence_builder<false>>(log_q, p);
}
// Gives a b / (|a| |b|) along the last axis, (..., n), (..., n) -> (...); it is 0 with derivative 0 where one of both has length
// 0.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto cosine_similarity(A const& a, B const& b) {
    return tx::detail::row_loss_of<tx::detail::cosine_similarity_builder>(a, b);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
