// tx::nn::attention is scaled dot-product attention. With many queries and keys it is computed in blocks of rows, whose scores
// are computed again for derivatives: the matrix (queries, keys) is never in memory as a whole.
#pragma once

#include <tracexpr/nn/attention_nodes.hpp>
#include <tracexpr/transforms/loops.hpp>

namespace tx {

// This option of tx::nn::attention says that the last query sees all keys, and each query before it one key fewer.
enum causal_t { causal };

namespace nn {

// `scale` multiplies q k^T before the softmax; 0 means 1 / sqrt(d), where d is the number of features.
struct attention_options {
    double scale = 0;
};

} // namespace nn
namespace detail {

// Reshapes (..., n, d) to (blocks, ..., rows of a block, d), padded with zeros behind the last row.
TRACEXPR_ONCE constexpr node_id record_row_blocks(lowering& low, node_id x, std::int64_t block) {
    int const rank = low.rank(x), axis = rank - 2;
    std::int64_t const n = low.extent(x, axis), blocks = (n + block - 1) / block;
    attribute_list widths, order(axis);
    for (int a = 0; a < rank; ++a) {
        widths.push_back(0);
        widths.push_back(a == axis ? blocks * block - n : 0);
        if (a < axis) order.push_back(a);
    }
    order.push_back(axis + 1);
    order.push_back(axis + 2);
    node_id const whole = blocks * block == n ? x : low.append(op::pad, x, low.zero_like(x), widths);
    return low.transpose(layer_nodes(low).split(whole, axis, attribute_list(blocks, block)), order);
}
template <std::int64_t Block> struct row_blocks_builder {
    static constexpr char const* called = "attention";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims const x = given[0].shape;
        dims out = dims{{(x[x.rank - 2] + Block - 1) / Block}, 1};
        for (int a = 0; a < x.rank; ++a) out.push_back(a == x.rank - 2 ? Block : x[a]);
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_row_blocks(low, operands[0], Block)};
    }
};
// Reverses record_row_blocks and drops the padding, so that n rows are left.
TRACEXPR_ONCE constexpr node_id record_joined_rows(lowering& low, node_id x, std::int64_t n) {
    int const rank = low.rank(x);
    attribute_list order;
    for (int a = 1; a < rank - 2; ++a) order.push_back(a);
    order.push_back(0);
    order.push_back(rank - 2);
    order.push_back(rank - 1);
    node_id const rows = layer_nodes(low).merge(low.transpose(x, order), rank - 3);
    return low.extent(rows, rank - 3) == n ? rows : low.slice(rows, rank - 3, 0, n);
}
template <std::int64_t N> struct joined_rows_builder {
    static constexpr char const* called = "attention";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims const x = given[0].shape;
        dims out;
        for (int a = 1; a < x.rank; ++a) out.push_back(a == x.rank - 2 ? N : x[a]);
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_joined_rows(low, operands[0], N)};
    }
};
// Takes the elements from Begin up to End of axis number FromEnd from the end; an axis of extent 1 is left as it is, as it
// broadcasts.
template <int FromEnd, std::int64_t Begin, std::int64_t End> struct some_rows_builder {
    static constexpr char const* called = "attention";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr bool is_whole(dims const& d) { return d.rank < FromEnd || d[d.rank - FromEnd] == 1; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        if (!is_whole(out)) out[out.rank - FromEnd] = End - Begin;
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        if (is_whole(low.shape(operands[0]))) return std::array<node_id, 1>{operands[0]};
        return std::array<node_id, 1>{low.slice(operands[0], low.rank(operands[0]) - FromEnd, Begin, End)};
    }
};
template <int FromEnd, std::int64_t Begin, std::int64_t End, class A> constexpr auto some_rows(A const& a) {
    return built_fn<some_rows_builder<FromEnd, Begin, End>>{}(a);
}
// Makes k and v in which rows that aren't finite are 0, so that hidden ones can't make the result NaN, and `poison`, which makes
// scores of visible ones NaN (visible_keys).
struct prepared_keys_builder {
    static constexpr char const* called = "attention";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    TRACEXPR_ONCE static constexpr std::array<dtype, 3> types(builder_specs given) {
        dtype const t = computed_dtype(promote(given[0].type, given[1].type));
        return {t, t, t};
    }
    TRACEXPR_ONCE static constexpr std::array<dims, 3> shapes(builder_specs given) {
        dims const k = given[0].shape, v = given[1].shape;
        dims poison = broadcast(leading_dims(k), leading_dims(v));
        poison.push_back(1);
        poison.push_back(k[k.rank - 2]);
        return {k, v, poison};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 3> record(lowering& low, node_id const* operands) {
        dtype const t = computed_dtype(promote(low.type(operands[0]), low.type(operands[1])));
        visible_keys const keys =
            attention_recording(low, {true, false, false}).prepared(low.as(operands[0], t), low.as(operands[1], t));
        return {keys.k, keys.v, keys.poison};
    }
};
// Gives for each block of rows the position of its first query among the keys; that of the first block is an operand.
template <std::int64_t Blocks, std::int64_t Block> struct block_starts_builder {
    static constexpr char const* called = "attention";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::int32}; }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{dims{{Blocks}, 1}}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        layer_nodes on(low);
        node_id const places = on.multiply(low.iota<std::int32_t>(Blocks), low.literal(static_cast<std::int32_t>(Block)));
        return std::array<node_id, 1>{on.add(places, low.as(operands[1], dtype::int32))};
    }
};

// The bounds of the scores of a head that are computed at once, and of the rows of a block.
inline constexpr std::int64_t most_scores_at_once = std::int64_t{1} << 20, fewest_rows_at_once = 32;
template <class Q, class K> inline constexpr bool goes_in_blocks = [] {
    constexpr dims q = dims_of_operand<Q>, k = dims_of_operand<K>;
    if (q.rank < 2 || k.rank < 2 || q.rank >= max_rank) return false;
    std::int64_t const n = q[q.rank - 2], m = k[k.rank - 2];
    return n != dyn && m != dyn && n > 2 * fewest_rows_at_once && n * m >= 4 * most_scores_at_once;
}();

template <bool Causal, bool Masked> struct blocked_attention_fn {
    static constexpr char const* called = "attention";

    template <class Q, class K, class V, class S, class... M>
    constexpr auto operator()(Q const& q, K const& k, V const& v, S const& scale, M const&... mask) const {
        if constexpr (Causal || Masked) {
            auto const [keys, values, poison] = built_fn<prepared_keys_builder>{}(k, v);
            if constexpr (Causal) return by_parts(std::make_index_sequence<parts>{}, q, keys, values, scale, poison, mask...);
            else return in_blocks(0, q, keys, values, scale, poison, mask...);
        } else {
            return in_blocks(0, q, k, v, scale);
        }
    }

private:
    // causal queries are divided into parts, which only read the keys up to their last query
    static constexpr std::size_t parts = 8;

    template <std::size_t... P, class Q, class K, class V, class S, class B, class... M> static constexpr auto
    by_parts(std::index_sequence<P...>, Q const& q, K const& k, V const& v, S const& scale, B const& poison, M const&... mask) {
        return concat_fn<-2>{}(part<P>(q, k, v, scale, poison, mask...)...);
    }
    template <std::size_t P, class Q, class K, class V, class S, class B, class... M>
    static constexpr auto part(Q const& q, K const& k, V const& v, S const& scale, B const& poison, M const&... mask) {
        constexpr std::int64_t n = last_extent(dims_of_operand<Q>, 2), m = last_extent(dims_of_operand<K>, 2);
        constexpr std::int64_t at = static_cast<std::int64_t>(P), of = static_cast<std::int64_t>(parts);
        constexpr std::int64_t begin = n * at / of, end = n * (at + 1) / of, last = end + m - n, seen = last < 0 ? 0 : last;
        return in_blocks(begin + m - n, some_rows<2, begin, end>(q), some_rows<2, 0, seen>(k), some_rows<2, 0, seen>(v), scale,
                         some_rows<1, 0, seen>(poison), some_rows<2, begin, end>(some_rows<1, 0, seen>(mask))...);
    }

    // `start` is the position of the first query among the keys. `rest` has the poison, if keys may be hidden, and the mask, if
    // there is one.
    template <class Q, class K, class V, class S, class... B>
    static constexpr auto in_blocks(std::int64_t start, Q const& q, K const& k, V const& v, S const& scale, B const&... rest) {
        constexpr std::int64_t n = last_extent(dims_of_operand<Q>, 2), m = last_extent(dims_of_operand<K>, 2);
        constexpr std::int64_t rows = most_scores_at_once / (m > 0 ? m : 1) / 16 * 16;
        constexpr std::int64_t most = rows < fewest_rows_at_once ? fewest_rows_at_once : rows;
        constexpr std::int64_t count = (n + most - 1) / most, block = ((n + count - 1) / count + 7) / 8 * 8;
        constexpr std::int64_t blocks = (n + block - 1) / block;
        auto const starts = built_fn<block_starts_builder<blocks, block>>{}(q, start);
        auto const cut = built_fn<row_blocks_builder<block>>{}(q);
        return built_fn<joined_rows_builder<n>>{}(mapped<block>(starts, cut, k, v, scale, rest...));
    }
    template <std::int64_t Block, class I, class Q, class K, class V, class S>
    static constexpr auto mapped(I const&, Q const& q, K const& k, V const& v, S const& scale) {
        return tx::map([&](auto const& some) { return built_fn<attention_builder<false, false, false>>{}(some, k, v, scale); },
                       q);
    }
    template <std::int64_t Block, class I, class Q, class K, class V, class S, class B>
    static constexpr auto mapped(I const& starts, Q const& q, K const& k, V const& v, S const& scale, B const& poison) {
        auto const some_queries = [&](auto const& both) {
            return built_fn<attention_builder<true, false, true>>{}(std::get<0>(both), k, v, scale, poison, std::get<1>(both));
        };
        return tx::map(some_queries, std::tuple(q, starts));
    }
    template <std::int64_t Block, class I, class Q, class K, class V, class S, class B, class M> static constexpr auto
    mapped(I const& starts, Q const& q, K const& k, V const& v, S const& scale, B const& poison, M const& mask) {
        auto const some_queries = [&](auto const& rows, auto const& part_of_mask, auto const& start) {
            if constexpr (Causal)
                return built_fn<attention_builder<true, true, true>>{}(rows, k, v, scale, poison, part_of_mask, start);
            else return built_fn<attention_builder<false, true, true>>{}(rows, k, v, scale, poison, part_of_mask);
        };
        constexpr dims of_mask = dims_of_operand<M>;
        if constexpr (of_mask.rank >= 2 && last_extent(of_mask, 2) != 1) {
            return tx::map([&](auto const& all) { return some_queries(std::get<0>(all), std::get<1>(all), std::get<2>(all)); },
                           std::tuple(q, built_fn<row_blocks_builder<Block>>{}(mask), starts));
        } else {
            return tx::map([&](auto const& all) { return some_queries(std::get<0>(all), mask, std::get<1>(all)); },
                           std::tuple(q, starts));
        }
    }
};

template <bool Causal, bool Masked, class Q, class K, class V, class... M>
constexpr auto attend(double scale, Q const& q, K const& k, V const& v, M const&... mask) {
    using builder = attention_builder<Causal, Masked, false>;
    constexpr bool fits = built_problem<builder, Q, K, V, double, M...> == nullptr;
    static_assert(fits, "tx: attention: takes real q (..., heads, n, d), k (..., heads, m, d) and v (..., heads, m, c), where "
                        "the heads of q are a multiple of those of k and v, and a mask that broadcasts to (..., heads, n, m)");
    if constexpr (fits && goes_in_blocks<Q, K>)
        return detail::apply(blocked_attention_fn<Causal, Masked>{}, q, k, v, scale, mask...);
    else return apply_if<fits>(built_fn<builder>{}, q, k, v, scale, mask...);
}

} // namespace detail

namespace nn {
inline namespace TRACEXPR_CALLS {

// Computes softmax(q k^T / sqrt(d)) v: q (..., heads, n, d), k (..., heads, m, d), v (..., heads, m, c) -> (..., heads, n, c).
// Leading axes broadcast; k and v may have fewer heads, each of which is used for equally many heads of q. float16 and bfloat16
// are computed in float32. Without keys the result is 0. Vaswani et al., Attention Is All You Need (2017), section 3.2.
template <array_operand Q, array_operand K, array_operand V>
[[nodiscard]] constexpr auto attention(Q const& q, K const& k, V const& v, attention_options options = {}) {
    return detail::attend<false, false>(options.scale, q, k, v);
}
// In causal attention query i of n sees the keys up to i + m - n of m. Keys that aren't seen never reach the result, even if they
// are NaN; a key that is seen and isn't finite, or whose value isn't, makes the result NaN. A query that sees no key gives 0.
template <array_operand Q, array_operand K, array_operand V>
[[nodiscard]] constexpr auto attention(Q const& q, K const& k, V const& v, causal_t, attention_options options = {}) {
    return detail::attend<true, false>(options.scale, q, k, v);
}
// Attention with a mask, which broadcasts to (..., heads, n, m), hides keys: a mask of bools is true where a key is visible;
// numbers are added to the scores, and -inf hides a key. Hidden keys never reach the result.
template <array_operand Q, array_operand K, array_operand V, array_operand M>
[[nodiscard]] constexpr auto attention(Q const& q, K const& k, V const& v, M const& mask, attention_options options = {}) {
    return detail::attend<false, true>(options.scale, q, k, v, mask);
}
template <array_operand Q, array_operand K, array_operand V, array_operand M> [[nodiscard]] constexpr auto
attention(Q const& q, K const& k, V const& v, M const& mask, causal_t, attention_options options = {}) {
    return detail::attend<true, true>(options.scale, q, k, v, mask);
}

} // namespace TRACEXPR_CALLS
} // namespace nn
} // namespace tx
