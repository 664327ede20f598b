// This file records scaled dot-product attention: for all queries at once, or for parts of them, so that causal ones don't read
// keys that they don't see. Passes then compute scores a block at a time.
#pragma once

#include <tracexpr/nn/building.hpp>

#include <limits>

namespace tx::detail {

// Says which operands there are: q, k, v, the scale, then `poison` if k and v are prepared, the mask if there is one, and, if
// they are prepared and causal, the position of the first query among the keys.
struct attention_variant {
    bool causal = false, masked = false, prepared = false;

    constexpr std::size_t mask() const { return prepared ? 5 : 4; }
    constexpr std::size_t start() const { return mask() + (masked ? 1 : 0); }
    constexpr bool hides_keys() const { return causal || masked; }
};

constexpr int head_axis(dims const& d) { return d.rank - 3; }
// Returns whether several heads of q share one head of k.
TRACEXPR_ONCE constexpr bool has_groups(dims const& q, dims const& k) {
    if (q.rank < 3 || k.rank < 3) return false;
    std::int64_t const heads = q[head_axis(q)], groups = k[head_axis(k)];
    return heads != dyn && groups != dyn && groups > 1 && heads != groups && heads % groups == 0;
}
TRACEXPR_ONCE constexpr dims leading_dims(dims const& d) {
    dims out;
    for (int a = 0; a + 2 < d.rank; ++a) out.push_back(d[a]);
    return out;
}
// Returns the leading extents of k or v, with the heads of q instead of their own where heads are shared.
TRACEXPR_ONCE constexpr dims leading_beside(dims const& q, dims const& k) {
    dims out = leading_dims(k);
    if (has_groups(q, k)) out[out.rank - 1] = q[head_axis(q)];
    return out;
}
TRACEXPR_ONCE constexpr char const* attention_problem(builder_specs given, attention_variant variant) {
    if (!are_real(given)) return "takes real numbers";
    dims const q = given[0].shape, k = given[1].shape, v = given[2].shape;
    if ((q.rank >= 0 && q.rank < 2) || (k.rank >= 0 && k.rank < 2) || (v.rank >= 0 && v.rank < 2))
        return "q, k and v must have an axis of places and one of features, (..., heads, n, d)";
    if (q.rank < 0 || k.rank < 0 || v.rank < 0) return nullptr;
    if (!agree(last_extent(q), last_extent(k))) return "q and k must have equal last extents";
    if (!agree(last_extent(k, 2), last_extent(v, 2))) return "k and v must have one number of keys";
    if (has_groups(q, k) && (v.rank < 3 || !agree(v[head_axis(v)], k[head_axis(k)])))
        return "k and v must have one number of heads";
    if (has_groups(q, k) && (q.rank >= max_rank || k.rank >= max_rank)) return "of grouped heads q has at most 7 axes";
    dims const of_k = leading_beside(q, k), of_v = leading_beside(q, v);
    if (!broadcastable(leading_dims(q), of_k) || !broadcastable(broadcast(leading_dims(q), of_k), of_v))
        return "the leading extents must broadcast; the heads of q must be a multiple of those of k and v";
    if (!variant.masked || given[variant.mask()].shape.rank < 0) return nullptr;
    dims scores = broadcast(leading_dims(q), of_k);
    scores.push_back(last_extent(q, 2));
    scores.push_back(last_extent(k, 2));
    dims const mask = given[variant.mask()].shape;
    bool fits = mask.rank <= scores.rank;
    for (int a = 1; fits && a <= mask.rank; ++a)
        fits = last_extent(mask, a) == 1 || agree(last_extent(mask, a), last_extent(scores, a));
    return fits ? nullptr : "the mask must broadcast to (..., heads, queries, keys)";
}
TRACEXPR_ONCE constexpr dims attention_shape(builder_specs given) {
    dims const q = given[0].shape, k = given[1].shape, v = given[2].shape;
    dims out = broadcast(broadcast(leading_dims(q), leading_beside(q, k)), leading_beside(q, v));
    out.push_back(last_extent(q, 2));
    out.push_back(last_extent(v));
    return out;
}

// Rows of k and v that a mask may hide are 0 where they aren't finite, as 0 times infinity or NaN would be NaN. `poison` is NaN
// for such keys, else 0, and is added to the scores, so keys that are seen make the result NaN.
struct visible_keys {
    node_id k, v, poison = node_id::none;
};

class attention_recording {
public:
    constexpr attention_recording(lowering& low, attention_variant variant) : low_{low}, on_(low), variant_{variant} {}

    TRACEXPR_ONCE constexpr node_id result(node_id const* operands) {
        dtype const type = type_of(operands);
        node_id q = low_.as(operands[0], type);
        visible_keys keys{low_.as(operands[1], type), low_.as(operands[2], type)};
        if (variant_.prepared) keys.poison = low_.as(operands[4], type);
        else if (variant_.hides_keys()) keys = prepared(keys.k, keys.v);
        node_id mask = variant_.masked ? operands[variant_.mask()] : node_id::none;
        bool const grouped = has_groups(low_.shape(q), low_.shape(keys.k));
        if (grouped) group(q, keys, mask);
        node_id const scale = low_.as(operands[3], type);
        node_id const one_by_root = low_.append(op::rsqrt, on_.count(q, attribute_list(low_.rank(q) - 1)));
        q = on_.multiply(q, low_.choose(low_.test(op::equal, scale, low_.zero_like(scale)), one_by_root, scale));
        node_id const out = variant_.causal && !variant_.prepared
                                ? by_rows(q, keys, mask)
                                : of_rows(q, keys, mask, variant_.causal ? operands[variant_.start()] : node_id::none);
        return grouped ? on_.merge(out, low_.rank(out) - 4) : out;
    }
    TRACEXPR_ONCE constexpr visible_keys prepared(node_id k, node_id v) {
        node_id const in_k = poison_of(k), in_v = poison_of(v);
        node_id const poison = on_.add(in_k, in_v), spread = low_.swap_last_axes(poison);
        return {clean(k, in_k), clean(v, in_v), spread};
    }

private:
    TRACEXPR_ONCE constexpr dtype type_of(node_id const* operands) const {
        dtype out = low_.type(operands[0]);
        for (int k = 1; k < 3; ++k) out = promote(out, low_.type(operands[k]));
        return computed_dtype(out);
    }
    constexpr node_id is_finite(node_id x) {
        node_id const operand[]{x};
        return low_.append(op::isfinite, dtype::boolean, operand);
    }
    TRACEXPR_ONCE constexpr node_id poison_of(node_id rows) {
        node_id const nan = low_.number_like(rows, std::numeric_limits<double>::quiet_NaN());
        node_id const each = low_.choose(is_finite(rows), low_.zero_like(rows), nan);
        return on_.reduce_in_place(op::sum, each, attribute_list(low_.rank(rows) - 1));
    }
    constexpr node_id clean(node_id rows, node_id poison) { return low_.choose(is_finite(poison), rows, low_.zero_like(rows)); }
    // Splits the heads of q, (..., heads, n, d), to (..., groups, heads of each, n, d). k and v get an axis of 1 in the place of
    // the heads of each; so does a mask that is the same for all heads, and others are split as q.
    TRACEXPR_ONCE constexpr void group(node_id& q, visible_keys& keys, node_id& mask) {
        dims const of_q = low_.shape(q);
        std::int64_t const groups = low_.extent(keys.k, low_.rank(keys.k) - 3), heads = of_q[head_axis(of_q)];
        attribute_list const into(groups, heads / groups);
        q = on_.split(q, head_axis(of_q), into);
        keys.k = low_.expand(keys.k, low_.rank(keys.k) - 2);
        keys.v = low_.expand(keys.v, low_.rank(keys.v) - 2);
        if (keys.poison != node_id::none) keys.poison = low_.expand(keys.poison, low_.rank(keys.poison) - 2);
        if (mask == node_id::none || low_.rank(mask) < 3) return;
        dims const of_mask = low_.shape(mask);
        mask =
            of_mask[head_axis(of_mask)] == 1 ? low_.expand(mask, head_axis(of_mask)) : on_.split(mask, head_axis(of_mask), into);
    }

    // Causal queries are processed in up to eight parts, each of which reads only the keys that its last query sees.
    TRACEXPR_ONCE constexpr node_id by_rows(node_id q, visible_keys const& keys, node_id mask) {
        constexpr std::int64_t fewest = 64, most_parts = 8;
        int const rows = low_.rank(q) - 2;
        std::int64_t const n = low_.extent(q, rows), m = low_.extent(keys.k, low_.rank(keys.k) - 2);
        std::int64_t const parts = n == dyn || m == dyn ? 1 : n / fewest < most_parts ? n / fewest : most_parts;
        if (parts <= 1) return of_rows(q, keys, mask, first_place(q, keys.k));
        buffer<node_id> all;
        for (std::int64_t part = 0; part < parts; ++part) {
            std::int64_t const begin = n * part / parts, end = n * (part + 1) / parts, last = end + m - n;
            std::int64_t const seen = last < 0 ? 0 : last;
            visible_keys const first{first_of(keys.k, 2, seen), first_of(keys.v, 2, seen), first_of(keys.poison, 1, seen)};
            node_id part_of_mask = mask;
            if (mask != node_id::none) {
                part_of_mask = first_of(mask, 1, seen);
                int const axis = low_.rank(mask) - 2;
                if (axis >= 0 && low_.extent(mask, axis) != 1) part_of_mask = low_.slice(part_of_mask, axis, begin, end);
            }
            node_id const start = low_.literal(static_cast<std::int32_t>(begin + m - n));
            all.push_back(of_rows(low_.slice(q, rows, begin, end), first, part_of_mask, start));
        }
        return low_.concatenate(all, low_.rank(all[0]) - 2);
    }
    TRACEXPR_ONCE constexpr node_id first_of(node_id x, int from_end, std::int64_t count) {
        int const axis = low_.rank(x) - from_end;
        return axis < 0 || low_.extent(x, axis) == 1 || low_.extent(x, axis) <= count ? x : low_.slice(x, axis, 0, count);
    }
    // Returns the position of the first query among the keys, m - n.
    TRACEXPR_ONCE constexpr node_id first_place(node_id q, node_id k) {
        return on_.subtract(low_.axis_size<std::int32_t>(k, low_.rank(k) - 2), low_.axis_size<std::int32_t>(q, low_.rank(q) - 2));
    }
    // Returns how many keys are processed at once if there are many, else 0: rows of thousands of scores, which lie far apart in
    // memory, are slow to multiply.
    TRACEXPR_ONCE constexpr std::int64_t keys_at_once(node_id scores_like, node_id keys) const {
        constexpr std::int64_t most = 512, fewest = 128, many = 2048;
        std::int64_t const m = low_.extent(keys, low_.rank(keys) - 2);
        if (m == dyn || m < many || low_.rank(keys) >= max_rank || low_.rank(scores_like) >= max_rank) return 0;
        for (std::int64_t count = most; count >= fewest; count -= 8)
            if (m % count == 0) return count;
        return 0;
    }
    // Reshapes x (..., n, m) to (..., pieces, n, keys of a piece); axes of extent 1 are kept.
    TRACEXPR_ONCE constexpr node_id in_pieces(node_id x, std::int64_t keys) {
        int const rank = low_.rank(x);
        if (rank == 0) return x;
        std::int64_t const m = low_.extent(x, rank - 1);
        if (m == 1) return rank == 1 ? x : low_.expand(x, rank - 2);
        node_id const pieces = on_.split(x, rank - 1, attribute_list(m / keys, keys));
        if (rank == 1) return low_.expand(pieces, 1);
        attribute_list order;
        for (int a = 0; a + 2 < rank; ++a) order.push_back(a);
        order.push_back(rank - 1);
        order.push_back(rank - 2);
        order.push_back(rank);
        return low_.transpose(pieces, order);
    }
    // Records the attention of some rows. `start` is the position of the first query among the keys if they are causal, else
    // node_id::none.
    TRACEXPR_ONCE constexpr node_id of_rows(node_id q, visible_keys keys, node_id mask, node_id start) {
        std::int64_t const piece = keys_at_once(q, keys.k);
        if (piece > 0) {
            std::int64_t const pieces = low_.extent(keys.k, low_.rank(keys.k) - 2) / piece;
            q = low_.expand(q, low_.rank(q) - 2);
            keys.k = on_.split(keys.k, low_.rank(keys.k) - 2, attribute_list(pieces, piece));
            keys.v = on_.split(keys.v, low_.rank(keys.v) - 2, attribute_list(pieces, piece));
            if (keys.poison != node_id::none) keys.poison = in_pieces(keys.poison, piece);
            if (mask != node_id::none) mask = in_pieces(mask, piece);
        }
        node_id scores = low_.append(op::matmul, q, low_.swap_last_axes(keys.k));
        if (keys.poison != node_id::none) scores = on_.add(scores, keys.poison);
        node_id const minus_infinity = low_.number_like(scores, -std::numeric_limits<double>::infinity());
        if (mask != node_id::none && low_.type(mask) == dtype::boolean) {
            scores = low_.choose(mask, scores, minus_infinity);
        } else if (mask != node_id::none) {
            node_id const added = low_.as(mask, low_.type(scores));
            scores = low_.choose(low_.test(op::equal, added, minus_infinity), minus_infinity, on_.add(scores, added));
        }
        if (start != node_id::none) scores = low_.choose(is_before(scores, start, piece), scores, minus_infinity);
        return weighted(scores, keys.v, minus_infinity, piece > 0);
    }
    TRACEXPR_ONCE constexpr node_id is_before(node_id scores, node_id start, std::int64_t piece) {
        int const rank = low_.rank(scores);
        node_id const place = on_.add(low_.iota_like<std::int32_t>(scores, rank - 2), start);
        node_id key = low_.iota_like<std::int32_t>(scores, rank - 1);
        if (piece > 0) {
            node_id const before = low_.literal(static_cast<std::int32_t>(piece));
            key = on_.add(key, on_.multiply(low_.iota_like<std::int32_t>(scores, rank - 3), before));
        }
        return low_.test(op::greater_equal, place, key);
    }
    // Computes softmax(scores) v with one division for each row of the result. A row that sees no key has the sum 0.
    TRACEXPR_ONCE constexpr node_id weighted(node_id scores, node_id v, node_id minus_infinity, bool has_pieces) {
        int const rank = low_.rank(scores);
        attribute_list const keys = has_pieces ? attribute_list(rank - 3, rank - 1) : attribute_list(rank - 1);
        node_id shift = low_.append(op::stop_gradient, on_.reduce_in_place(op::max, scores, keys, 1 | largest_of_none));
        if (variant_.hides_keys()) shift = low_.choose(low_.test(op::equal, shift, minus_infinity), low_.zero_like(shift), shift);
        node_id const e = low_.append(op::exp, on_.subtract(scores, shift));
        node_id total = on_.reduce_in_place(op::sum, e, keys), out = low_.append(op::matmul, e, v);
        if (has_pieces) out = low_.reduce(op::sum, out, attribute_list(rank - 3)), total = low_.squeeze(total, rank - 3);
        node_id const one = low_.number_like(total, 1);
        node_id const divisor = low_.choose(low_.test(op::equal, total, low_.zero_like(total)), one, total);
        return on_.multiply(out, low_.append(op::reciprocal, divisor));
    }

    lowering& low_;
    layer_nodes on_;
    attention_variant variant_;
};

constexpr node_id record_attention(lowering& low, node_id const* operands, attention_variant variant) {
    return attention_recording(low, variant).result(operands);
}
template <bool Causal, bool Masked, bool Prepared> struct attention_builder {
    static constexpr attention_variant variant{Causal, Masked, Prepared};
    static constexpr char const* called = "attention";
    static constexpr std::uint32_t hidden = 1u << 3 | (Prepared ? 1u << 4 : 0u);
    static constexpr char const* problem(builder_specs given) { return attention_problem(given, variant); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(promote(promote(given[0].type, given[1].type), given[2].type))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{attention_shape(given)}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_attention(low, operands, variant)};
    }
};

} // namespace tx::detail
