// Trees of parameters are cut into one part for each rank: all elements of a dtype form one vector, padded with zeros to a
// multiple of the number of ranks, of which each rank has a piece. They are recorded in a trace, or computed at once on tensors.
#pragma once

#include <tracexpr/mpi/ops.hpp>
#include <tracexpr/optim/flat.hpp>
#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/join_lists.hpp>
#include <tracexpr/trace/parts.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace tx::mpi::detail::ops {

using optim::detail::dtype_in, optim::detail::kept_as, optim::detail::kept_leaf, optim::detail::shape_in;

// Converts a tree's leaves to tensors, as optimizers keep them.
template <class P> constexpr auto kept_of(P const& params) {
    return tree_map([]<class L>(L const& leaf) { return kept_as<kept_leaf<L>>(leaf); }, params);
}
template <class P> using kept_tree = decltype(kept_of(std::declval<P const&>()));

// Holds a list of the dtypes of a tree's leaves, in the order of the dtype enumeration.
template <class... T> struct dtype_list {
    using part = std::tuple<tensor<T, shape<dyn>>...>;
    template <class F> static constexpr auto each(F const& f) {
        return std::tuple<decltype(f(std::type_identity<T>{}))...>{f(std::type_identity<T>{})...};
    }
    template <class U> static constexpr std::size_t place = [] {
        std::size_t before = 0;
        static_cast<void>(((std::is_same_v<T, U> || (++before, false)) || ...));
        return before;
    }();
};
template <std::uint32_t Dtypes, class... T> constexpr auto listed_dtypes() {
    if constexpr (Dtypes == 0) return dtype_list<T...>{};
    else return listed_dtypes<(Dtypes & (Dtypes - 1)), T..., ctype<static_cast<dtype>(std::countr_zero(Dtypes))>>();
}
template <class P> using dtypes_of_tree = decltype(listed_dtypes<facts<kept_tree<P>>.dtypes>());
template <class P> using part_of_tree = typename dtypes_of_tree<P>::part;

// Calls f with each leaf of the parameters that has dtype T, and with the leaf of another tree in its place, which must have the
// same shape.
template <class T, class P, class Tree, class F> constexpr void for_each_like(P const& params, Tree const& tree, F const& f) {
    static_cast<void>(tree_map(
        [&]<class L>(L const& like, auto const& leaf) {
            if constexpr (std::is_same_v<dtype_in<L>, T>) {
                optim::detail::require_same_shape(like, leaf);
                f(like, leaf);
            }
            return like;
        },
        params, tree));
}

// Copies elements of a tensor; an op would look them up one by one. While calls are recorded (by a tape or a trace) an op is
// used, as it must see the read.
template <class T> tensor<T, shape<dyn>> elements_between(tensor<T, shape<dyn>> const& x, std::int64_t first, std::int64_t last) {
    if (innermost_recorder || tensor_access::remote(x)) return tx::slice(x, tx::range(first, last));
    auto out = tensor<T, shape<dyn>>::uninitialized(dims{{last - first}, 1});
    if (last > first) std::copy_n(x.data() + first, last - first, out.mutable_data());
    return out;
}
// Reads tensors of a tree from the front of a vector, one after the other, as optim::detail::flat_reader does in a trace.
template <class T> struct tensor_reader {
    tensor<T, shape<dyn>> flat;
    std::int64_t offset = 0;
    template <class L> auto next(L const& leaf) {
        auto const like = kept_as<kept_leaf<L>>(leaf);
        auto const part = elements_between(flat, offset, offset + like.size());
        offset += like.size();
        return tx::detail::apply(as_shape_fn<op::reshape, shape_in<L>>{}, part, like);
    }
};

// Cuts and joins trees, in the trace `scope` or on tensors.
template <bool IsTraced, class C> struct shards {
    template <class T> using vector = std::conditional_t<IsTraced, expr<T, shape<dyn>>, tensor<T, shape<dyn>>>;
    trace_scope* scope;
    C const& among;

    // Returns this rank's part of a tree that is the same on all ranks.
    template <class P, class Tree> constexpr auto parts_of(P const& params, Tree const& tree) const {
        return dtypes_of_tree<P>::each([&]<class T>(std::type_identity<T>) { return own_of<T>(leaves_of<T>(params, tree)); });
    }
    // Returns this rank's part of the mean of a tree over the ranks.
    template <class P, class Tree> constexpr auto mean_parts_of(P const& params, Tree const& tree) const {
        return dtypes_of_tree<P>::each(
            [&]<class T>(std::type_identity<T>) { return reduce_scatter(rows_of<T>(leaves_of<T>(params, tree)), mean, among); });
    }
    // Joins the parts of all ranks to a tree in the form of `params`.
    template <class Part, class P> constexpr auto whole_of(Part const& part, P const& params) const {
        auto readers =
            with_parts(part, [&](auto const&... of_dtype) { return std::tuple{reader(all_gather(of_dtype, among))...}; });
        return tree_map(
            [&]<class L>(L const& like) {
                auto const next = std::get<dtypes_of_tree<P>::template place<dtype_in<L>>>(readers).next(like);
                if constexpr (expr_type<L>) return next;
                else return kept_as<kept_leaf<L>>(next);
            },
            params);
    }

private:
    template <class N> constexpr auto extent_of(N n) const {
        if constexpr (IsTraced) return extent_expr(*scope, counter(*scope).number(n));
        else return n;
    }
    template <class T, class P, class Tree> constexpr auto leaves_of(P const& params, Tree const& tree) const {
        std::vector<vector<T>> out;
        for_each_like<T>(params, tree, [&]<class L, class X>(L const& like, X const& leaf) {
            if constexpr (!IsTraced) {
                out.push_back(tx::reshape<dyn>(tx::cast<T>(kept_as<kept_leaf<X>>(leaf))));
            } else {
                lowering low(*scope);
                node_id x = record_operand<dtype_of<T>>(*scope, leaf);
                if constexpr (!(dims_of<shape_in<L>>.is_static() && dims_of<shape_in<X>>.is_static())) // compared by the run
                    x = low.append(op::reshape, x, record_operand<dtype_of<T>>(*scope, like));
                out.push_back(vector<T>(*scope, low.reshape(x, attribute_list(-1))));
            }
        });
        return out;
    }
    // Returns how many elements the leaves have; dyn where it, or the number of ranks, is known only when the program runs.
    template <class V> static constexpr std::int64_t known_elements(std::vector<V> const& leaves) {
        std::int64_t elements = __builtin_is_constant_evaluated() ? dyn : 0;
        for (V const& leaf : leaves) {
            std::int64_t const n = leaf.dimensions()[0];
            elements = elements == dyn || n == dyn ? dyn : elements + n;
        }
        return elements;
    }
    // Returns the elements from `first` up to `last` of all leaves in a row, padded with zeros.
    template <class T>
    constexpr vector<T> section(std::vector<vector<T>> const& leaves, std::int64_t first, std::int64_t last) const {
        std::vector<vector<T>> out;
        std::int64_t before = 0, missing = last - first;
        for (auto const& leaf : leaves) {
            std::int64_t const n = leaf.dimensions()[0];
            std::int64_t const from = std::clamp(first - before, std::int64_t{0}, n), to = std::clamp(last - before, from, n);
            if (from == 0 && to == n) out.push_back(leaf);
            else if (from < to) {
                if constexpr (IsTraced) out.push_back(tx::slice(leaf, tx::range(from, to)));
                else out.push_back(elements_between(leaf, from, to));
            }
            before += n, missing -= to - from;
        }
        if (missing > 0 || out.empty()) out.push_back(tx::zeros<T, shape<dyn>>(extent_of(missing)));
        return tx::concat(axis<0>, out);
    }
    // Makes (n) -> (size, ceil(n / size)): the elements of all leaves, padded with zeros, one row for each rank.
    template <class T> constexpr auto rows_of(std::vector<vector<T>> leaves) const {
        std::int64_t const elements = known_elements(leaves);
        if constexpr (IsTraced)
            if (elements == dyn) return rows_of_unknown_extent<T>(std::move(leaves));
        std::int64_t const size = among.transport().size, length = (elements + size - 1) / size;
        return tx::reshape<shape<dyn, dyn>>(section<T>(leaves, 0, size * length), size, length);
    }
    template <class T> constexpr auto rows_of_unknown_extent(std::vector<vector<T>> leaves) const {
        extent_expr elements = extent_of(std::int64_t{0});
        for (auto const& leaf : leaves) elements = elements + tx::size(leaf);
        extent_expr const size = [&] {
            if (!__builtin_is_constant_evaluated()) return extent_of(among.transport().size);
            return extent_expr(*scope, counter(*scope).elements(communicator_in(*scope, among).ranks, attribute_list(0)));
        }();
        extent_expr const length = (elements + size - 1) / size;
        leaves.push_back(tx::zeros<T, shape<dyn>>(size * length - elements));
        return tx::reshape<shape<dyn, dyn>>(tx::concat(axis<0>, leaves), size, length);
    }
    // Returns this rank's row of rows_of(leaves).
    template <class T> constexpr vector<T> own_of(std::vector<vector<T>> const& leaves) const {
        std::int64_t const elements = known_elements(leaves);
        if constexpr (IsTraced)
            if (elements == dyn) {
                expr<std::int64_t, shape<>> const rank(*scope, communicator_in(*scope, among).rank);
                return tx::take(rows_of_unknown_extent<T>(leaves), rank, axis<0>);
            }
        rank_transport const& own = among.transport();
        std::int64_t const length = (elements + own.size - 1) / own.size;
        return section<T>(leaves, own.rank * length, (own.rank + 1) * length);
    }
    template <class Rows> constexpr auto reader(Rows const& rows) const {
        if constexpr (IsTraced)
            return optim::detail::flat_reader(*scope, lowering(*scope).reshape(lift(*scope, rows).id(), attribute_list(-1)));
        else return tensor_reader<typename Rows::value_type>{tx::reshape<dyn>(rows)};
    }
};

// Calls f with shards for the trace that the trees belong to or that is under way, or with shards on tensors.
template <class C, class F, class... Trees> constexpr auto with_shards(C const& among, F const& f, Trees const&... trees) {
    trace_scope* scope = symbolic_scope(trees...);
    if constexpr ((facts<Trees>.has_exprs || ...)) {
        return f(shards<true, C>{scope, among});
    } else {
        if (!scope) scope = scope_of_effect();
        return scope ? f(shards<true, C>{scope, among}) : f(shards<false, C>{nullptr, among});
    }
}

} // namespace tx::mpi::detail::ops
