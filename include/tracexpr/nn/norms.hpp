// This file holds normalization over the features of an example, over a batch, or over groups of channels. Variances are biased:
// they divide by the number of elements. float16 and bfloat16 are computed in float32.
#pragma once

#include <tracexpr/nn/building.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace nn {

// `eps` is added to a variance before its root is taken.
struct norm_options {
    double eps = 1e-5;
};
// `eps` is added to a mean of squares before its root is taken.
struct rms_norm_options {
    double eps = 1e-6;
};
// `momentum` is the weight of the new number in a running average. (As in PyTorch; Keras' momentum is 1 minus that)
struct statistics_options {
    double momentum = 0.1;
};

} // namespace nn
namespace detail {

enum class scaling { none, scale, scale_and_shift };

// Returns the dtype of the result. The operands are x, eps, and gamma and beta if there are such.
TRACEXPR_ONCE constexpr dtype norm_type(builder_specs given) {
    dtype out = to_inexact(given[0].type);
    for (std::size_t k = 2; k < given.size(); ++k) out = promote(out, given[k].type);
    return out;
}
TRACEXPR_ONCE constexpr dtype norm_type(lowering const& low, node_id const* operands, std::size_t count) {
    dtype out = to_inexact(low.type(operands[0]));
    for (std::size_t k = 2; k < count; ++k) out = promote(out, low.type(operands[k]));
    return out;
}
constexpr std::size_t operands_of(scaling s) { return 2 + static_cast<std::size_t>(s); }

// Returns the axis of the channels, which is the second one if `first`, else the last.
constexpr int channel_axis(int rank, bool first) { return first ? 1 : rank - 1; }
// Normalizes x to mean 0 and variance 1 along these axes; with about_zero the mean isn't subtracted.
TRACEXPR_ONCE constexpr node_id record_normalized(lowering& low, node_id x, node_id eps, attribute_list const& axes,
                                                  bool about_zero) {
    layer_nodes on(low);
    node_id const from_mean = about_zero ? x : on.subtract(x, on.mean(x, axes));
    node_id const variance = on.mean(low.append(op::square, from_mean), axes);
    return on.multiply(from_mean, low.append(op::rsqrt, on.add(variance, eps)));
}
// Checks that gamma and beta have the extents of the last axes of x.
TRACEXPR_ONCE constexpr char const* feature_problem(builder_specs given) {
    if (!are_real(given)) return "takes real numbers";
    dims const x = given[0].shape;
    if (x.rank == 0) return "x must have an axis";
    for (std::size_t k = 2; k < given.size(); ++k) {
        dims const g = given[k].shape;
        if (x.rank < 0 || g.rank < 0) continue;
        if (g.rank == 0 || g.rank > x.rank) return "gamma and beta must have the extents of the last axes of x";
        for (int a = 1; a <= g.rank; ++a)
            if (!agree(last_extent(x, a), last_extent(g, a))) return "gamma and beta must have the extents of the last axes of x";
        if (given[2].shape.rank >= 0 && given[2].shape.rank != g.rank) return "gamma and beta must have as many axes";
    }
    return nullptr;
}
TRACEXPR_ONCE constexpr node_id record_feature_norm(lowering& low, node_id const* operands, scaling scales, bool about_zero) {
    layer_nodes on(low);
    dtype const type = widened_dtype(norm_type(low, operands, operands_of(scales)));
    int const features = scales == scaling::none ? 1 : low.rank(operands[2]);
    attribute_list axes;
    for (int k = low.rank(operands[0]) - features; k < low.rank(operands[0]); ++k) axes.push_back(k);
    node_id out = record_normalized(low, low.as(operands[0], type), low.as(operands[1], type), axes, about_zero);
    if (scales != scaling::none) out = on.multiply(out, low.as(operands[2], type));
    return scales == scaling::scale_and_shift ? on.add(out, low.as(operands[3], type)) : out;
}
template <scaling Scales, bool AboutZero> struct feature_norm_builder {
    static constexpr char const* called = AboutZero ? "rms_norm" : "layer_norm";
    static constexpr std::uint32_t hidden = 1u << 1;
    static constexpr char const* problem(builder_specs given) { return feature_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{norm_type(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_feature_norm(low, operands, Scales, AboutZero)};
    }
};

// Checks the vectors of channels, which are the operands behind x and eps.
TRACEXPR_ONCE constexpr char const* channel_problem(builder_specs given, bool first, int least_rank, std::int64_t groups) {
    if (!are_real(given)) return "takes real numbers";
    dims const x = given[0].shape;
    if (x.rank >= 0 && x.rank < least_rank)
        return least_rank == 2 ? "x must have an axis of examples and one of channels"
                               : "x must have axes of examples, of places and of channels";
    if (x.rank >= max_rank && groups > 0) return "x has at most 7 axes";
    std::int64_t const channels = x.rank < 0 ? dyn : x[channel_axis(x.rank, first)];
    if (groups > 0 && channels != dyn && channels % groups != 0) return "the channels must be a multiple of the groups";
    for (std::size_t k = 2; k < given.size(); ++k) {
        dims const v = given[k].shape;
        if (v.rank >= 0 && (v.rank != 1 || !agree(v[0], channels))) return "takes vectors of as many numbers as x has channels";
    }
    return nullptr;
}
// The operands are x, eps, gamma, beta, mean and variance.
TRACEXPR_ONCE constexpr node_id record_batch_norm(lowering& low, node_id const* operands, bool first) {
    layer_nodes on(low);
    dtype const type = widened_dtype(norm_type(low, operands, 6));
    int const rank = low.rank(operands[0]), behind = rank - 1 - channel_axis(rank, first);
    auto const in_type = [&](int k) { return low.as(operands[k], type); };
    node_id const scale = on.multiply(in_type(2), low.append(op::rsqrt, on.add(in_type(5), in_type(1))));
    node_id const from_mean = on.subtract(in_type(0), on.beside(in_type(4), behind));
    return on.add(on.multiply(from_mean, on.beside(scale, behind)), on.beside(in_type(3), behind));
}
template <bool First> struct batch_norm_builder {
    static constexpr char const* called = "batch_norm";
    static constexpr std::uint32_t hidden = 1u << 1;
    static constexpr char const* problem(builder_specs given) { return channel_problem(given, First, 2, 0); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{norm_type(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_batch_norm(low, operands, First)};
    }
};
// The operands are x, eps, gamma and beta; the results y, mean and variance.
TRACEXPR_ONCE constexpr std::array<node_id, 3> record_batch_norm_training(lowering& low, node_id const* operands, bool first) {
    layer_nodes on(low);
    dtype const type = widened_dtype(norm_type(low, operands, 4));
    node_id const x = low.as(operands[0], type);
    int const rank = low.rank(x), channel = channel_axis(rank, first), behind = rank - 1 - channel;
    attribute_list axes;
    for (int k = 0; k < rank; ++k)
        if (k != channel) axes.push_back(k);
    node_id const mean = on.mean(x, axes), from_mean = on.subtract(x, mean);
    node_id const variance = on.mean(low.append(op::square, from_mean), axes);
    node_id const inverse = low.append(op::rsqrt, on.add(variance, low.as(operands[1], type)));
    node_id const scale = on.multiply(inverse, on.beside(low.as(operands[2], type), behind));
    node_id const y = on.add(on.multiply(from_mean, scale), on.beside(low.as(operands[3], type), behind));
    return {y, low.append(op::squeeze, mean, axes), low.append(op::squeeze, variance, axes)};
}
template <bool First> struct batch_norm_training_builder {
    static constexpr char const* called = "batch_norm_training";
    static constexpr char const* problem(builder_specs given) { return channel_problem(given, First, 2, 0); }
    static constexpr std::array<dtype, 3> types(builder_specs given) {
        dtype const t = norm_type(given), widened = widened_dtype(t);
        return {t, widened, widened};
    }
    static constexpr std::array<dims, 3> shapes(builder_specs given) {
        dims const x = given[0].shape, c = dims{{x[channel_axis(x.rank, First)]}, 1};
        return {x, c, c};
    }
    static constexpr std::array<node_id, 3> record(lowering& low, node_id const* operands) {
        return record_batch_norm_training(low, operands, First);
    }
};

// The operands are x, eps, and gamma and beta if there are such. `groups` is the number of groups of channels; 0 makes each
// channel a group.
TRACEXPR_ONCE constexpr node_id record_group_norm(lowering& low, node_id const* operands, std::int64_t groups, bool first,
                                                  scaling scales) {
    layer_nodes on(low);
    dtype const type = widened_dtype(norm_type(low, operands, operands_of(scales)));
    node_id x = low.as(operands[0], type);
    int const rank = low.rank(x), channel = channel_axis(rank, first), behind = rank - 1 - channel;
    std::int64_t const channels = low.extent(x, channel);
    if (groups > 0) x = on.split(x, channel, attribute_list(groups, channels == dyn ? dyn : channels / groups));
    attribute_list axes;
    for (int k = 1; k < low.rank(x); ++k)
        if (k != channel) axes.push_back(k);
    node_id out = record_normalized(low, x, low.as(operands[1], type), axes, false);
    if (groups > 0) out = on.merge(out, channel);
    if (scales == scaling::none) return out;
    return on.add(on.multiply(out, on.beside(low.as(operands[2], type), behind)), on.beside(low.as(operands[3], type), behind));
}
template <std::int64_t Groups, bool First, scaling Scales> struct group_norm_builder {
    static constexpr char const* called = Groups > 0 ? "group_norm" : "instance_norm";
    static constexpr std::uint32_t hidden = 1u << 1;
    static constexpr char const* problem(builder_specs given) {
        return channel_problem(given, First, Groups > 0 ? 2 : 3, Groups);
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{norm_type(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_group_norm(low, operands, Groups, First, Scales)};
    }
};

// The operands are the running averages of mean and variance, the mean and variance of a batch, and the momentum.
struct statistics_builder {
    static constexpr char const* called = "update_statistics";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        if (!are_real(given)) return "takes real numbers";
        for (std::size_t k = 0; k < 2; ++k)
            if (!may_equal(given[k].shape, given[k + 2].shape)) return "the averages must have the shapes of the batch's numbers";
        return nullptr;
    }
    static constexpr std::array<dtype, 2> types(builder_specs given) {
        return {to_inexact(given[0].type), to_inexact(given[1].type)};
    }
    static constexpr std::array<dims, 2> shapes(builder_specs given) { return {given[0].shape, given[1].shape}; }
    static constexpr std::array<node_id, 2> record(lowering& low, node_id const* operands) {
        return {averaged(low, operands, 0), averaged(low, operands, 1)};
    }
    TRACEXPR_ONCE static constexpr node_id averaged(lowering& low, node_id const* operands, int k) {
        layer_nodes on(low);
        dtype const type = computed_dtype(low.type(operands[k]));
        node_id const before = low.as(operands[k], type), now = low.as(operands[k + 2], type);
        return on.add(before, on.multiply(low.as(operands[4], type), on.subtract(now, before)));
    }
};

template <class Builder, class... A> constexpr auto built_norm(A const&... a) {
    return apply_if<(built_problem<Builder, A...> == nullptr)>(built_fn<Builder>{}, a...);
}

} // namespace detail

namespace nn {
inline namespace TRACEXPR_CALLS {

// Computes (x - mean) / sqrt(variance + eps) * gamma + beta over as many of the last axes of x as gamma and beta have, such as x
// (..., c), gamma and beta (c). Ba, Kiros and Hinton, Layer Normalization (2016).
template <array_operand X, array_operand G, array_operand B>
[[nodiscard]] constexpr auto layer_norm(X const& x, G const& gamma, B const& beta, norm_options options = {}) {
    using builder = detail::feature_norm_builder<detail::scaling::scale_and_shift, false>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B> == nullptr;
    static_assert(fits, "tx: layer_norm: gamma and beta must have the extents of the last axes of x, which are real numbers");
    return detail::built_norm<builder>(x, options.eps, gamma, beta);
}
// Computes (x - mean) / sqrt(variance + eps) over the last axis.
template <array_operand X> [[nodiscard]] constexpr auto layer_norm(X const& x, norm_options options = {}) {
    using builder = detail::feature_norm_builder<detail::scaling::none, false>;
    constexpr bool fits = detail::built_problem<builder, X, double> == nullptr;
    static_assert(fits, "tx: layer_norm: x must be real numbers with an axis");
    return detail::built_norm<builder>(x, options.eps);
}
// Computes x / sqrt(mean(x^2) + eps) * gamma over as many of the last axes of x as gamma has. Zhang and Sennrich, Root Mean
// Square Layer Normalization (2019).
template <array_operand X, array_operand G>
[[nodiscard]] constexpr auto rms_norm(X const& x, G const& gamma, rms_norm_options options = {}) {
    using builder = detail::feature_norm_builder<detail::scaling::scale, true>;
    constexpr bool fits = detail::built_problem<builder, X, double, G> == nullptr;
    static_assert(fits, "tx: rms_norm: gamma must have the extents of the last axes of x, which are real numbers");
    return detail::built_norm<builder>(x, options.eps, gamma);
}
// Computes x / sqrt(mean(x^2) + eps) over the last axis.
template <array_operand X> [[nodiscard]] constexpr auto rms_norm(X const& x, rms_norm_options options = {}) {
    using builder = detail::feature_norm_builder<detail::scaling::none, true>;
    constexpr bool fits = detail::built_problem<builder, X, double> == nullptr;
    static_assert(fits, "tx: rms_norm: x must be real numbers with an axis");
    return detail::built_norm<builder>(x, options.eps);
}

// Computes (x - mean) / sqrt(variance + eps) * gamma + beta with given vectors of channels, as a network does once it is trained:
// x (n, ..., c), all others (c). With tx::channels_first channels are the second axis.
template <array_operand X, array_operand G, array_operand B, array_operand M, array_operand V> [[nodiscard]] constexpr auto
batch_norm(X const& x, G const& gamma, B const& beta, M const& mean, V const& variance, norm_options options = {}) {
    using builder = detail::batch_norm_builder<false>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B, M, V> == nullptr;
    static_assert(fits, "tx: batch_norm: takes x (n, ..., c) and vectors (c); of x (n, c, ...) give tx::channels_first");
    return detail::built_norm<builder>(x, options.eps, gamma, beta, mean, variance);
}
template <array_operand X, array_operand G, array_operand B, array_operand M, array_operand V>
[[nodiscard]] constexpr auto batch_norm(X const& x, G const& gamma, B const& beta, M const& mean, V const& variance,
                                        channels_first_t, norm_options options = {}) {
    using builder = detail::batch_norm_builder<true>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B, M, V> == nullptr;
    static_assert(fits, "tx: batch_norm: takes x (n, c, ...) with tx::channels_first, and vectors (c)");
    return detail::built_norm<builder>(x, options.eps, gamma, beta, mean, variance);
}
// Gives (y, mean, variance): y is x normalized by its own mean and biased variance over all axes but that of the channels, and
// has derivatives through both. Ioffe and Szegedy, Batch Normalization (2015).
template <array_operand X, array_operand G, array_operand B>
[[nodiscard]] constexpr auto batch_norm_training(X const& x, G const& gamma, B const& beta, norm_options options = {}) {
    using builder = detail::batch_norm_training_builder<false>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B> == nullptr;
    static_assert(fits, "tx: batch_norm_training: takes x (n, ..., c) and vectors (c); of x (n, c, ...) give "
                        "tx::channels_first");
    return detail::built_norm<builder>(x, options.eps, gamma, beta);
}
template <array_operand X, array_operand G, array_operand B> [[nodiscard]] constexpr auto
batch_norm_training(X const& x, G const& gamma, B const& beta, channels_first_t, norm_options options = {}) {
    using builder = detail::batch_norm_training_builder<true>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B> == nullptr;
    static_assert(fits, "tx: batch_norm_training: takes x (n, c, ...) with tx::channels_first, and vectors (c)");
    return detail::built_norm<builder>(x, options.eps, gamma, beta);
}
// Gives the running averages of mean and variance after a batch with this mean and variance: each moves towards the new number by
// the factor momentum. PyTorch uses the unbiased variance here; multiply by n / (n - 1) for that.
template <array_operand RM, array_operand RV, array_operand M, array_operand V>
[[nodiscard]] constexpr auto update_statistics(RM const& running_mean, RV const& running_variance, M const& mean,
                                               V const& variance, statistics_options options = {}) {
    constexpr bool fits = detail::built_problem<detail::statistics_builder, RM, RV, M, V, double> == nullptr;
    static_assert(fits, "tx: update_statistics: the averages must have the shapes of the batch's mean and variance");
    return detail::built_norm<detail::statistics_builder>(running_mean, running_variance, mean, variance, options.momentum);
}
// Normalizes x over all places and the channels of a group, for each example; gamma and beta have one number for each channel: x
// (n, ..., c), gamma and beta (c), group_norm<8>(x, gamma, beta). Wu and He, Group Normalization (2018).
template <std::int64_t Groups, array_operand X, array_operand G, array_operand B>
[[nodiscard]] constexpr auto group_norm(X const& x, G const& gamma, B const& beta, norm_options options = {}) {
    static_assert(Groups > 0, "tx: group_norm: needs a group at least");
    using builder = detail::group_norm_builder<(Groups > 0 ? Groups : 1), false, detail::scaling::scale_and_shift>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B> == nullptr;
    static_assert(fits, "tx: group_norm: takes x (n, ..., c) and vectors (c), where c is a multiple of the groups; of x "
                        "(n, c, ...) give tx::channels_first");
    return detail::built_norm<builder>(x, options.eps, gamma, beta);
}
template <std::int64_t Groups, array_operand X, array_operand G, array_operand B>
[[nodiscard]] constexpr auto group_norm(X const& x, G const& gamma, B const& beta, channels_first_t, norm_options options = {}) {
    static_assert(Groups > 0, "tx: group_norm: needs a group at least");
    using builder = detail::group_norm_builder<(Groups > 0 ? Groups : 1), true, detail::scaling::scale_and_shift>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B> == nullptr;
    static_assert(fits, "tx: group_norm: takes x (n, c, ...) with tx::channels_first, and vectors (c), where c is a multiple "
                        "of the groups");
    return detail::built_norm<builder>(x, options.eps, gamma, beta);
}
// Normalizes x over all places, for each example and channel: x (n, ..., c), gamma and beta (c). Ulyanov, Vedaldi and Lempitsky,
// Instance Normalization (2016).
template <array_operand X, array_operand G, array_operand B>
[[nodiscard]] constexpr auto instance_norm(X const& x, G const& gamma, B const& beta, norm_options options = {}) {
    using builder = detail::group_norm_builder<0, false, detail::scaling::scale_and_shift>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B> == nullptr;
    static_assert(fits, "tx: instance_norm: takes x (n, places..., c) and vectors (c); of x (n, c, places...) give "
                        "tx::channels_first");
    return detail::built_norm<builder>(x, options.eps, gamma, beta);
}
template <array_operand X, array_operand G, array_operand B> [[nodiscard]] constexpr auto
instance_norm(X const& x, G const& gamma, B const& beta, channels_first_t, norm_options options = {}) {
    using builder = detail::group_norm_builder<0, true, detail::scaling::scale_and_shift>;
    constexpr bool fits = detail::built_problem<builder, X, double, G, B> == nullptr;
    static_assert(fits, "tx: instance_norm: takes x (n, c, places...) with tx::channels_first, and vectors (c)");
    return detail::built_norm<builder>(x, options.eps, gamma, beta);
}
template <class Unused = void, class... A> constexpr detail::failed layer_norm(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: layer_norm: takes x, and gamma and beta, whose axes are those that it is over, or "
                                        "none: tx::nn::layer_norm(x, gamma, beta), tx::nn::layer_norm(x)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace nn
} // namespace tx
