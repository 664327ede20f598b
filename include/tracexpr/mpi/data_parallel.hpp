// With tx::mpi::data_parallel every rank has the parameters and a part of the examples, and gets the mean of all ranks' values
// and gradients.
#pragma once

#include <tracexpr/mpi/block_sums.hpp>
#include <tracexpr/mpi/ops.hpp>
#include <tracexpr/transforms/loops.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace tx::mpi {

// The options of tx::mpi::data_parallel.
struct data_parallel_options {
    bool deterministic = false; // whether every number of ranks that divides the number of blocks gives the same bits
    std::int64_t blocks = 64;   // used with deterministic: the number of blocks that all ranks' examples are cut into
    std::int64_t bucket_bytes = std::int64_t{4} << 20; // the approximate size of one message
};

namespace detail::ops {

// Holds leaves of a result that are summed over the ranks in one message.
struct sum_bucket {
    dtype type{};
    std::int64_t bytes = 0;
    buffer<std::int64_t> leaves;
    buffer<node_id> nodes;
};
// Returns the depth of each node: the length of the longest path that leads to it.
inline buffer<std::int32_t> depths_of(graph_view const& g) {
    buffer<std::int32_t> out(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) {
        std::int32_t depth = 0;
        for (std::size_t k = 0; k < g.nodes[i].arity; ++k) depth = std::max(depth, out[index(g.operand(g.nodes[i], k))] + 1);
        out[i] = depth;
    }
    return out;
}
// Groups leaves into messages, in the order in which a run computes them: the gradients of the last layer come first. An extent
// that is known only when the program runs counts as `guess`: a matrix, which may be large, then has a message of its own, which
// begins without waiting for others, and vectors share one. All ranks guess alike, whatever they have traced before.
inline std::vector<sum_bucket> buckets_of(graph_view const& g, table_view<node_id> leaves, std::int64_t bucket_bytes) {
    constexpr std::int64_t guess = 1024, much = std::int64_t{1} << 30;
    buffer<std::int32_t> const depths = depths_of(g);
    std::vector<std::size_t> order(leaves.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    auto const place = [&](std::size_t k) { return std::pair(depths[index(leaves[k])], k); };
    // std::sort is enough, as no two places are equal. (Clang 19 warns of std::stable_sort, whose memory comes from a function
    // that libstdc++ 12 deprecates.)
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    std::vector<sum_bucket> out;
    for (std::size_t const k : order) {
        node_id const id = leaves[k];
        std::int64_t bytes = static_cast<std::int64_t>(size_in_bytes(g[id].type));
        for (int axis = 0; axis < g.shape_of(id).rank; ++axis) {
            std::int64_t const extent = g.shape_of(id)[axis];
            bytes = std::min(bytes * (extent == dyn ? guess : std::clamp<std::int64_t>(extent, 1, much)), much);
        }
        auto const open = std::find_if(out.begin(), out.end(),
                                       [&](sum_bucket const& b) { return b.type == g[id].type && b.bytes < bucket_bytes; });
        sum_bucket& to = open != out.end() ? *open : out.emplace_back(sum_bucket{g[id].type, 0, {}, {}});
        to.bytes += bytes;
        to.leaves.push_back(static_cast<std::int64_t>(k)), to.nodes.push_back(id);
    }
    return out;
}
// Records the sums of these nodes over the ranks. Each message begins as soon as its operands are computed, and all are waited
// for at the end.
inline buffer<node_id> record_sums(trace_scope& scope, traced_communicator const& among, table_view<node_id> leaves,
                                   std::int64_t bucket_bytes) {
    std::vector<sum_bucket> const all = buckets_of(scope.recorded.view(), leaves, bucket_bytes);
    buffer<node_id> requests, out(leaves.size(), node_id::none);
    for (sum_bucket const& b : all) requests.push_back(append_begun_sums(scope, among, b.nodes, b.leaves));
    for (std::size_t k = 0; k < all.size(); ++k) {
        buffer<node_id> const sums = append_finished_sums(scope, among, requests[k], all[k].nodes);
        for (std::size_t i = 0; i < sums.size(); ++i) out[static_cast<std::size_t>(all[k].leaves[i])] = sums[i];
    }
    return out;
}

// Returns the operand that is summed for a leaf of the result: integers are converted to double, the dtype of their mean.
template <class A> constexpr auto mean_operand(A const& x) { return to_inexact(plain_operand(x)); }

// Converts a mean to the kind of its part of the result: an expr, or a symbolic tensor, as lists in structs hold.
template <class Part, class T, class Shape> auto as_part_type(expr<T, Shape> const& mean) {
    if constexpr (expr_type<std::remove_cvref_t<Part>> || scalar_type<std::remove_cvref_t<Part>>) return mean;
    else return tensor<T, Shape>(mean);
}

// Records the mean of a result over the ranks.
template <class R, class C> auto mean_over_ranks(trace_scope& scope, R const& result, C const& among, std::int64_t bucket_bytes) {
    buffer<node_id> leaves;
    for_each_leaf(result, [&](auto const& part) {
        auto const x = mean_operand(part);
        leaves.push_back(record_operand<dtype_of_operand<std::remove_cvref_t<decltype(x)>>>(scope, x));
    });
    traced_communicator const ranks = communicator_in(scope, among);
    buffer<node_id> const sums = record_sums(scope, ranks, leaves, bucket_bytes);
    std::size_t next = 0;
    return tree_map(
        [&](auto const& part) {
            using operand_type = std::remove_cvref_t<decltype(mean_operand(part))>;
            using T = ctype<dtype_of_operand<operand_type>>;
            using result_shape = typename traits<operand_type>::shape_type;
            expr<T, result_shape> const sum(scope, sums[next++]);
            return as_part_type<decltype(part), T, result_shape>(sum / tx::cast<T>(size_in(among, &scope)));
        },
        result);
}

// (n, ...) -> (blocks, n / blocks, ...)
template <class A> struct blocks_shape {
    static constexpr dims value = [] {
        dims const from = dims_of<typename traits<A>::shape_type>;
        dims out{{dyn, dyn}, from.rank < 0 ? from.rank : 2};
        for (int axis = 1; axis < from.rank; ++axis) out.push_back(from[axis]);
        return out;
    }();
};
template <class A> auto in_blocks(trace_scope& scope, A const& x, std::int64_t blocks) {
    using T = ctype<dtype_of_operand<A>>;
    graph& g = scope.recorded;
    node_id const id = record_operand<dtype_of<T>>(scope, x);
    dims const from = g.shape_of(id);
    if (from.rank < 1 || (from[0] != dyn && from[0] % blocks != 0))
        throw shape_error("tx: mpi: data_parallel: deterministic: all arguments but the first have an axis of examples in front, "
                          "which is cut in " +
                          std::to_string(blocks) + " blocks on each rank; given " + to_string(from));
    ad::attribute_list extents(blocks);
    extents.push_back(from[0] == dyn ? dyn : from[0] / blocks);
    for (int axis = 1; axis < from.rank; ++axis) extents.push_back(from[axis]);
    return expr<T, shape_from<blocks_shape<A>>>(scope, ad::unary(op::reshape, {g, id}, extents).id());
}
// Records the mean over the blocks of all ranks. The function is called once for each block, with the block as its examples.
template <class F, class C, class Parameters, class... Examples>
auto mean_over_blocks(trace_scope& scope, F const& f, C const& among, std::int64_t blocks, Parameters const& parameters,
                      Examples const&... examples) {
    rank_transport const& ranks = among.transport();
    if (blocks < 1 || ranks.size < 1 || blocks % ranks.size != 0)
        throw error("tx: mpi: data_parallel: the number of ranks must divide the blocks; there are " +
                    std::to_string(ranks.size) + " ranks and " + std::to_string(blocks) + " blocks");
    auto const cut = [&](auto const& tree) {
        return tree_map([&](auto const& part) { return in_blocks(scope, plain_operand(part), blocks / ranks.size); }, tree);
    };
    auto const step = [&](auto const& state, auto const& block) {
        return std::pair(state, with_parts(block, [&](auto const&... part) { return f(parameters, part...); }));
    };
    auto const stacked = tx::scan(step, std::int64_t{0}, std::make_tuple(cut(examples)...)).second;
    block_sum const sums(scope, communicator_in(scope, among), ranks, blocks);
    return tree_map(
        [&](auto const& part) {
            auto const x = mean_operand(part);
            using operand_type = std::remove_cvref_t<decltype(x)>;
            using T = ctype<dtype_of_operand<operand_type>>;
            using result = shape_from<collective_shape<collective_kind::scatter, typename traits<operand_type>::shape_type>>;
            node_id const all = record_operand<dtype_of<T>>(scope, x);
            return as_part_type<decltype(part), T, result>(expr<T, result>(scope, sums.of({scope.recorded, all}).id()) /
                                                           static_cast<T>(blocks));
        },
        stacked);
}

// Converts a tree to another type with the same parts: where a scan has stacked structs whose tensors have static extents, it
// gives tuples.
template <class To, class From> auto as_tree(From const& from) {
    if constexpr (std::is_same_v<To, From> || !(list_type<To> || parted<To> || aggregate<To>)) {
        return To(from);
    } else if constexpr (list_type<To>) {
        To out;
        list_form<From>::visit(
            from, [&](auto const& key, auto const& part) { list_form<To>::add(out, key, as_tree<list_part<To>>(part)); });
        return out;
    } else {
        using fields = decltype(parts_of(std::declval<To const&>()));
        return with_parts(from, [](auto const&... part) {
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return To{as_tree<std::remove_cvref_t<std::tuple_element_t<I, fields>>>(part)...};
            }(std::index_sequence_for<decltype(part)...>{});
        });
    }
}

// parallel_body is the callable that data_parallel traces.
template <class F, communicator_like C> struct parallel_body {
    F function;
    C among;
    data_parallel_options options;

    template <class... A> auto operator()(A const&... a) const {
        trace_scope& scope = *symbolic_scope(a...);
        using result = decltype(mean_over_ranks(scope, function(a...), among, options.bucket_bytes));
        if (options.deterministic) {
            if constexpr (sizeof...(A) > 1)
                return as_tree<result>(mean_over_blocks(scope, function, among, options.blocks, a...));
            else throw error("tx: mpi: data_parallel: deterministic: the function must take examples behind its parameters");
        }
        return mean_over_ranks(scope, function(a...), among, options.bucket_bytes);
    }
};

} // namespace detail::ops

// Wraps f, such as tx::value_and_grad(loss) or tx::grad(loss), in a function that is called with this rank's examples and gives
// the mean of all ranks' results: the value and gradients of the mean loss, if all ranks have equally many examples. Gradients
// are sent in buckets, each as soon as the backward pass has computed it, while that goes on. With `deterministic` the examples,
// the first axis of all arguments but the first, are cut into blocks, and the blocks' results are added in a fixed order, so
// every number of ranks that divides the number of blocks gives the same bits.
template <class F, communicator_like C> auto data_parallel(F f, C const& among, data_parallel_options options = {}) {
    return tx::function{detail::ops::parallel_body<F, C>{std::move(f), among, options}};
}

} // namespace tx::mpi
