// Records normalizations and attention of ONNX.
#pragma once

#include <tracexpr/image/response.hpp>
#include <tracexpr/nn/attention_nodes.hpp>
#include <tracexpr/nn/norms.hpp>
#include <tracexpr/onnx/operators/windows.hpp>

namespace tx::onnx::detail {

inline dtype computed_in(op_call const& c, node_id x) { return widened_dtype(to_inexact(c.type(x))); }
// Reshapes a vector of channels so that it broadcasts with x, whose axis 1 is that of the channels.
inline node_id of_channels(op_call const& c, node_id v, node_id x, dtype type) {
    v = c.as(v, type);
    for (int a = 2; a < c.rank(x); ++a) v = c.low().expand(v, c.rank(v));
    return v;
}
inline void record_batch_normalization(op_call& c) {
    node_id const x = c[0];
    dtype const type = promote(computed_in(c, x), widened_dtype(c.type(c[3])));
    node_id mean = c.as(c[3], type), variance = c.as(c[4], type);
    node_id const wide = c.as(x, type);
    if (c.integer("training_mode", 0)) {
        attribute_list axes;
        for (int a = 0; a < c.rank(x); ++a)
            if (a != 1) axes.push_back(a);
        double const momentum = c.number("momentum", 0.9);
        node_id const now = c.mean(wide, axes, true), from_mean = c.append(op::subtract, wide, now);
        node_id const spread = c.mean(squared(c, from_mean), axes, true);
        node_id const flat_mean = c.low().append(op::squeeze, now, axes), flat_spread = c.low().append(op::squeeze, spread, axes);
        auto const running = [&](node_id old, node_id fresh, dtype to) {
            return c.as(c.append(op::add, times(c, old, momentum), times(c, fresh, 1 - momentum)), to);
        };
        c.give(1, running(mean, flat_mean, c.type(c[3]))), c.give(2, running(variance, flat_spread, c.type(c[4])));
        mean = flat_mean, variance = flat_spread;
    }
    node_id const eps = c.number_like(variance, c.number("epsilon", 1e-5));
    node_id const scale = c.append(op::multiply, c.as(c[1], type), c.append(op::rsqrt, c.append(op::add, variance, eps)));
    node_id const moved = c.append(op::subtract, wide, of_channels(c, mean, x, type));
    node_id const out =
        c.append(op::add, c.append(op::multiply, moved, of_channels(c, scale, x, type)), of_channels(c, c[2], x, type));
    c.give(0, c.as(out, c.type(x)));
}
inline void record_instance_normalization(op_call& c) {
    node_id const x = c[0];
    dtype const type = computed_in(c, x);
    node_id const eps = c.low().as(c.low().literal(c.number("epsilon", 1e-5)), type);
    node_id const out = record_normalized(c.low(), c.as(x, type), eps, spatial_axes(c, x), false);
    c.give(c.as(c.append(op::add, c.append(op::multiply, out, of_channels(c, c[1], x, type)), of_channels(c, c[2], x, type)),
                c.type(x)));
}
inline void record_group_normalization(op_call& c) {
    node_id const x = c[0];
    dtype const type = computed_in(c, x);
    int const rank = c.rank(x);
    if (rank < 2 || rank == max_rank) c.fail("takes 2 to 7 axes");
    std::int64_t const channels = c.known_extent(x, 1), groups = c.integer("num_groups", 0);
    bool const fits = groups >= 1 && groups <= std::max<std::int64_t>(channels, 1) && channels % groups == 0;
    if (!fits) c.fail("the channels must be a multiple of num_groups");
    attribute_list grouped(c.low().copied(x, 0), groups, channels / groups), together(c.low().copied(x, 0), channels), axes(2);
    for (int a = 2; a < rank; ++a) grouped.push_back(c.low().copied(x, a)), axes.push_back(a + 1);
    node_id const eps = c.low().as(c.low().literal(c.number("epsilon", 1e-5)), type);
    node_id const in_groups = record_normalized(c.low(), c.low().reshape(c.as(x, type), grouped), eps, axes, false);
    for (int a = 2; a < rank; ++a) together.push_back(c.low().copied(in_groups, a + 1));
    node_id const normal = c.low().reshape(in_groups, together);
    auto const each = [&](std::size_t k) { // before version 21 there is one number for each group
        bool const is_of_groups = c.rank(c[k]) == 1 && c.extent(c[k], 0) == groups && groups != channels;
        return of_channels(c, is_of_groups ? repeated(c, c[k], 0, channels / groups, true) : c[k], x, type);
    };
    c.give(c.as(c.append(op::add, c.append(op::multiply, normal, each(1)), each(2)), c.type(x)));
}
inline attribute_list axes_from(op_call const& c, node_id x, std::int64_t first) {
    attribute_list out;
    for (int a = c.axis(first, c.rank(x)); a < c.rank(x); ++a) out.push_back(a);
    return out;
}
inline void record_layer_normalization(op_call& c) {
    node_id const x = c[0];
    dtype const type = computed_in(c, x);
    attribute_list const axes = axes_from(c, x, c.integer("axis", -1));
    node_id const wide = c.as(x, type), mean = c.mean(wide, axes, true), from_mean = c.append(op::subtract, wide, mean);
    node_id const variance = c.mean(squared(c, from_mean), axes, true);
    node_id const inverse = c.append(op::rsqrt, plus(c, variance, c.number("epsilon", 1e-5)));
    node_id out = c.append(op::multiply, c.as(c.append(op::multiply, from_mean, inverse), c.type(x)), c[1]);
    if (c.has(2)) out = c.append(op::add, out, c[2]);
    c.give(0, out), c.give(1, mean), c.give(2, inverse);
}
inline void record_rms_normalization(op_call& c) {
    node_id const x = c[0];
    dtype const type = computed_in(c, x);
    attribute_list const axes = axes_from(c, x, c.integer("axis", -1));
    node_id const wide = c.as(x, type), squares = c.mean(squared(c, wide), axes, true);
    node_id const normal = c.append(op::multiply, wide, c.append(op::rsqrt, plus(c, squares, c.number("epsilon", 1e-5))));
    c.give(c.append(op::multiply, c.as(normal, c.type(c[1])), c[1]));
}
inline void record_lp_normalization(op_call& c) {
    node_id const x = c[0];
    attribute_list const axis(c.axis(c.integer("axis", -1), c.rank(x)));
    node_id const norm = norm_over(c, x, axis, c.integer("p", 2), true), zero = c.low().zero_like(norm);
    c.give(c.append(op::divide, x, c.choose(c.append(op::equal, norm, zero), c.number_like(norm, 1), norm)));
}
inline void record_mean_variance(op_call& c) {
    node_id const x = c[0];
    std::vector<std::int64_t> given = c.integers("axes");
    if (given.empty()) given = {0, 2, 3};
    attribute_list axes;
    for (std::int64_t const a : given) axes.push_back(c.axis(a, c.rank(x)));
    axes.sort();
    node_id const from_mean = c.append(op::subtract, x, c.mean(x, axes, true));
    node_id const deviation = c.append(op::sqrt, c.mean(squared(c, from_mean), axes, true));
    c.give(c.append(op::divide, from_mean, plus(c, deviation, 1e-9)));
}
inline void record_lrn(op_call& c) {
    node_id const x = c[0];
    response_call call;
    call.options.channels_first = true;
    call.size = c.integer("size", 1);
    auto const scalar = [&](double v) { return c.low().literal(v); };
    node_id const operands[]{x, scalar(c.number("alpha", 1e-4)), scalar(c.number("beta", 0.75)), scalar(c.number("bias", 1))};
    builder_spec const given[]{{c.type(x), c.shape(x)}};
    if (char const* const wrong = response_problem(call, given)) c.fail(wrong);
    dims windows = c.shape(x);
    if (windows.rank < max_rank) windows.push_back(std::min(call.size, 2 * windows[1] + 1));
    c.require_possible(windows);
    c.give(record_response(c.low(), call, operands));
}

// Reshapes (batch, n, heads * d) to (batch, heads, n, d).
inline node_id heads_apart(op_call const& c, node_id x, std::int64_t heads) {
    if (c.rank(x) == 4) return x;
    std::int64_t const features = c.rank(x) == 3 ? c.known_extent(x, 2) : -1;
    bool const fits = features >= 0 && heads >= 1 && heads <= std::max<std::int64_t>(features, 1) && features % heads == 0;
    if (!fits) c.fail("needs the number of heads of what has three axes");
    attribute_list const target(c.low().copied(x, 0), c.low().copied(x, 1), heads, features / heads);
    return c.low().transpose(c.low().reshape(x, target), attribute_list(0, 2, 1, 3));
}
inline node_id heads_together(op_call const& c, node_id x) {
    node_id const y = c.low().transpose(x, attribute_list(0, 2, 1, 3));
    std::int64_t const features = c.known_extent(y, 2) * c.known_extent(y, 3);
    return c.low().reshape(y, attribute_list(c.low().copied(y, 0), c.low().copied(y, 1), features));
}
// Returns what is added to the products of queries and keys: a mask, and -inf for keys that a query must not see; node_id::none
// if that is nothing. `past` is the number of keys before those of the first query, or node_id::none if there are no earlier
// ones.
inline node_id attention_bias(op_call const& c, node_id products, node_id past) {
    std::int64_t const keys = c.extent(products, 3);
    node_id const never = c.number_like(products, -std::numeric_limits<double>::infinity()), zero = c.low().zero_like(products);
    node_id bias = node_id::none, allowed = node_id::none;
    auto const allow = [&](node_id more) {
        allowed = allowed == node_id::none ? more : c.append(op::logical_and, allowed, more);
    };
    if (c.has(3)) {
        node_id mask = c[3];
        if (c.rank(mask) < 1) c.fail("its mask must have an axis of keys");
        bool const is_bool = c.type(mask) == dtype::boolean;
        std::int64_t const masked = c.extent(mask, c.rank(mask) - 1), missing = keys - masked;
        if (keys != dyn && masked != dyn && masked > 1 && missing > 0) { // keys behind the mask are not seen
            attribute_list widths;
            for (int a = 0; a < c.rank(mask); ++a) widths.push_back(0), widths.push_back(a + 1 == c.rank(mask) ? missing : 0);
            node_id const fill = is_bool ? c.low().literal(false) : c.as(never, c.type(mask));
            mask = c.append(op::pad, mask, fill, widths);
        }
        if (is_bool) allow(mask);
        else bias = c.as(mask, c.type(products));
    }
    // `offset` is the number of keys before query 0.
    node_id offset = past == node_id::none ? c.integer(std::int64_t{0}) : past;
    node_id const key = c.iota_along(products, 3);
    if (c.has(6)) {
        node_id count = c.as(c[6], dtype::int64);
        if (c.rank(count) != 1) c.fail("needs a number of keys for each example");
        for (int a = 1; a < 4; ++a) count = c.low().expand(count, a);
        allow(c.append(op::less, key, count));
        if (past == node_id::none) offset = c.append(op::subtract, count, c.size_along(products, 2));
    }
    node_id const query = c.append(op::add, c.low().expand(c.iota_along(products, 2), 1), offset);
    if (c.integer("is_causal", 0)) allow(c.append(op::less_equal, key, query));
    std::int64_t const left = c.integer("left_window_size", -1), right = c.integer("right_window_size", -1);
    if (left >= 0) allow(c.append(op::less_equal, c.append(op::subtract, query, key), c.integer(left)));
    if (right >= 0) allow(c.append(op::less_equal, c.append(op::subtract, key, query), c.integer(right)));
    if (allowed == node_id::none) return bias;
    return c.choose(allowed, bias == node_id::none ? zero : bias, never);
}
// Records attention as the newest versions define it: A. Vaswani et al., Attention Is All You Need (2017), with grouped heads.
inline void record_attention_node(op_call& c) {
    bool const is_flat = c.rank(c[0]) == 3;
    std::int64_t const q_heads = c.integer("q_num_heads", 0), kv_heads = c.integer("kv_num_heads", 0);
    node_id const q = heads_apart(c, c[0], q_heads);
    node_id k = heads_apart(c, c[1], kv_heads), v = heads_apart(c, c[2], kv_heads);
    node_id past = node_id::none;
    if (c.has(4) && c.has(5)) {
        if (c.rank(c[4]) != 4 || c.rank(c[5]) != 4) c.fail("takes earlier keys and values of four axes");
        past = c.size_along(c[4], 2);
        node_id const keys[]{c[4], k}, values[]{c[5], v};
        k = c.append(op::concatenate, {keys, 2}, attribute_list(2)),
        v = c.append(op::concatenate, {values, 2}, attribute_list(2));
    }
    c.give(1, k), c.give(2, v);
    dtype const type = computed_in(c, q);
    std::int64_t const heads = c.known_extent(q, 1), groups = c.known_extent(k, 1);
    if (groups < 1 || heads % groups != 0 || c.known_extent(v, 1) != groups)
        c.fail("the heads of q must be a multiple of those of k and v");
    node_id wide_k = c.as(k, type), wide_v = c.as(v, type);
    if (heads != groups)
        wide_k = repeated(c, wide_k, 1, heads / groups, true), wide_v = repeated(c, wide_v, 1, heads / groups, true);
    double const scale =
        c.has_attribute("scale") ? c.number("scale", 1) : 1 / std::sqrt(static_cast<double>(c.known_extent(q, 3)));
    node_id products = times(c, c.append(op::matmul, c.as(q, type), c.low().swap_last_axes(wide_k)), scale);
    if (double const most = c.number("softcap", 0); most > 0)
        products = times(c, c.append(op::tanh, times(c, products, 1 / most)), most);
    node_id const bias = attention_bias(c, products, past);
    node_id scores = products, weights;
    std::int64_t const mode = c.integer("qk_matmul_output_mode", 0);
    dtype const precision = promote(c.type_attribute("softmax_precision", type), type);
    if (bias == node_id::none) {
        weights = softmax_of(c, c.as(scores, precision), 3);
    } else { // a row that sees no key gives zeros
        node_id const never = c.number_like(products, -std::numeric_limits<double>::infinity());
        node_id const hidden = c.append(op::equal, bias, never);
        scores = c.choose(hidden, never, c.append(op::add, products, bias));
        node_id const none = c.append(op::min, hidden, attribute_list(1, c.rank(hidden) - 1));
        node_id const safe = c.as(c.choose(none, c.low().zero_like(scores), scores), precision);
        node_id const shares = softmax_of(c, safe, 3);
        weights = c.choose(none, c.low().zero_like(shares), shares);
    }
    weights = c.as(weights, c.type(q));
    if (c.wants(3)) c.give(3, mode == 2 ? c.as(scores, c.type(q)) : mode == 3 ? weights : c.as(products, c.type(q)));
    weights = c.as(weights, type);
    node_id out = c.as(c.append(op::matmul, weights, wide_v), c.type(q));
    if (is_flat) out = heads_together(c, out);
    c.give(0, out);
}
inline void record_rotary_embedding(op_call& c) {
    node_id const given = c[0];
    bool const is_flat = c.rank(given) == 3;
    node_id const x = heads_apart(c, given, c.integer("num_heads", 0)); // (batch, heads, n, d)
    if (c.rank(x) != 4) c.fail("takes x of three or four axes");
    std::int64_t const features = c.known_extent(x, 3), part = c.integer("rotary_embedding_dim", 0),
                       turned = part > 0 ? part : features, half = turned / 2;
    if (turned % 2 != 0 || turned > features) c.fail("turns an even number of features");
    auto const angles = [&](std::size_t k) {
        node_id out = c[k];
        if (c.has(3)) out = c.append(op::take, out, c.as(c[3], dtype::int64), attribute_list(0)); // (batch, n, half)
        return c.low().expand(out, 1);
    };
    node_id const cosine = angles(1), sine = angles(2), front = c.low().slice(x, 3, 0, turned);
    bool const are_neighbours = c.integer("interleaved", 0) != 0;
    std::int64_t const step = are_neighbours ? 2 : 1, next = are_neighbours ? 1 : half, end = are_neighbours ? turned : half;
    node_id const first = c.low().slice(front, 3, 0, end, step), second = c.low().slice(front, 3, next, turned, step);
    node_id const parts[]{c.append(op::subtract, c.append(op::multiply, cosine, first), c.append(op::multiply, sine, second)),
                          c.append(op::add, c.append(op::multiply, sine, first), c.append(op::multiply, cosine, second))};
    node_id out;
    if (are_neighbours) {
        node_id const columns[]{c.low().expand(parts[0], 4), c.low().expand(parts[1], 4)};
        node_id const pairs = c.append(op::concatenate, {columns, 2}, attribute_list(4));
        attribute_list target;
        for (int a = 0; a < 3; ++a) target.push_back(c.low().copied(pairs, a));
        target.push_back(turned);
        out = c.low().reshape(pairs, target);
    } else {
        out = c.append(op::concatenate, {parts, 2}, attribute_list(3));
    }
    if (turned < features) {
        node_id const both[]{out, c.low().slice(x, 3, turned, features)};
        out = c.append(op::concatenate, {both, 2}, attribute_list(3));
    }
    c.give(is_flat ? heads_together(c, out) : out);
}

} // namespace tx::onnx::detail
