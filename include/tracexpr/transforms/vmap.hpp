// tx::vmap calls a callable of single examples on many examples at once.
#pragma once

#include <tracexpr/transforms/grad.hpp>

#include <limits>

namespace tx {

// This value in the place of an axis means that the argument is not mapped: every example gets all of it.
enum none_t : int { none = std::numeric_limits<int>::min() };

// out_axes_t is the type of tx::out_axes: the batch axis of the result, one for all of it, or one for each part of a tuple.
template <int... Axes> struct out_axes_t {};
// Chooses the axis along which vmap stacks its results: tx::out_axes<1>, or one for each part of a tuple.
template <int... Axes> inline constexpr out_axes_t<Axes...> out_axes{};

namespace detail {

template <class Shape, int Axis> struct without_axis {
    static constexpr dims value = [] {
        dims const d = dims_of<Shape>;
        dims out{{}, d.rank < 0 ? d.rank : 0};
        for (int axis = 0; axis < d.rank; ++axis)
            if (axis != normalized_axis(Axis, d.rank)) out.push_back(d[axis]);
        return out;
    }();
};
template <class Shape, std::int64_t Extent, int Axis> struct with_axis {
    static constexpr dims given = dims_of<Shape>;
    static constexpr int place = normalized_axis(Axis, given.rank + 1);
    static constexpr bool fits = given.rank < 0 || (place >= 0 && place <= given.rank && given.rank < max_rank);
    static constexpr dims value = [] {
        dims out{{}, given.rank < 0 ? given.rank : 0};
        for (int axis = 0; fits && axis <= given.rank; ++axis) {
            if (axis == place) out.push_back(Extent);
            if (axis < given.rank) out.push_back(given[axis]);
        }
        return out;
    }();
};

// Says what the type of an argument tells of the axis that it is mapped along.
struct axis_facts {
    std::int64_t extent = dyn;
    bool clashes = false; // two leaves have different extents
    bool is_missing = false;
    bool is_fixed = false; // a struct has a tensor of fixed shape, so it can't hold one example
    TRACEXPR_ONCE constexpr axis_facts operator+(axis_facts const& b) const {
        bool const differ = extent != dyn && b.extent != dyn && extent != b.extent;
        return {extent == dyn ? b.extent : extent, clashes || b.clashes || differ, is_missing || b.is_missing,
                is_fixed || b.is_fixed};
    }
};
template <int Axis, bool InStruct, class A> constexpr axis_facts axis_facts_of();
template <int Axis, bool InStruct, class... Parts> struct axis_facts_of_parts {
    static constexpr axis_facts value() {
        return (axis_facts{} + ... + axis_facts_of<Axis, InStruct, std::remove_cvref_t<Parts>>());
    }
};
template <int Axis, bool InStruct, class A> constexpr axis_facts axis_facts_of() {
    axis_facts out;
    if constexpr (traced_leaf<A> && !(InStruct && scalar_type<A>)) {
        constexpr dims d = dims_of_operand<A>;
        constexpr int axis = normalized_axis(Axis, d.rank);
        out.is_fixed = InStruct && d.rank >= 0;
        out.is_missing = d.rank >= 0 && (axis < 0 || axis >= d.rank);
        if (d.rank >= 0 && !out.is_missing) out.extent = d[axis];
    } else if constexpr (list_type<A>) {
        out = axis_facts_of<Axis, InStruct, list_part<A>>();
    } else if constexpr (is_tuple_like<A>) {
        out = decltype(with_parts(std::declval<A&>(),
                                  []<class... P>(P&...) { return axis_facts_of_parts<Axis, InStruct, P...>{}; }))::value();
    } else if constexpr (aggregate<A>) {
        out = decltype(detail::with_fields(std::declval<A&>(),
                                           []<class... P>(P&...) { return axis_facts_of_parts<Axis, true, P...>{}; }))::value();
    }
    return out;
}
template <int Axis, class A> constexpr axis_facts axis_facts_of_argument() {
    if constexpr (Axis == none) return {};
    else return axis_facts_of<Axis, false, A>();
}

// Returns a tree with f(leaf) in the place of each leaf. A struct becomes a tuple of its fields, as its type fixes the shapes of
// its tensors. With Held scalars in structs are copied, as they are in arguments.
template <bool Held = false, bool InStruct = false, class A, class F> constexpr auto map_to_tree(A const& a, F const& f) {
    if constexpr (traced_leaf<A> && !(Held && InStruct && scalar_type<A>)) return f(a);
    else if constexpr (parted<A>) return map_parts(a, [&](auto const& part) { return map_to_tree<Held, InStruct>(part, f); });
    else if constexpr (aggregate<A>)
        return detail::with_fields(a, [&](auto const&... part) {
            return std::tuple<decltype(map_to_tree<Held, true>(part, f))...>{map_to_tree<Held, true>(part, f)...};
        });
    else return a;
}

[[noreturn]] TRACEXPR_ONCE void throw_uneven(std::int64_t a, std::int64_t b) {
    throw shape_error("tx: vmap: all mapped arguments must have one extent along their axes; given " + std::to_string(a) +
                      " and " + std::to_string(b));
}
[[noreturn]] TRACEXPR_ONCE void throw_no_such_axis(int axis, dims const& d) {
    throw shape_error("tx: vmap: an argument of shape " + to_string(d) + " has no axis " + std::to_string(axis));
}

// In has an axis, or tx::none, for each argument; if it is empty, all are mapped along axis 0.
template <class In, class Out> struct vmap_rule;
template <int... In, int... Out> struct vmap_rule<axes_t<In...>, axes_t<Out...>> {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        static_assert(sizeof...(In) == 0 || sizeof...(In) == sizeof...(A),
                      "tx: vmap: takes an axis, or tx::none, for each argument of the call");
        if constexpr (sizeof...(In) == 0)
            return mapped(std::integer_sequence<int, (static_cast<void>(sizeof(A)), 0)...>{}, scope, call, a...);
        else if constexpr (sizeof...(In) == sizeof...(A)) return mapped(std::integer_sequence<int, In...>{}, scope, call, a...);
        else return failed{};
    }
    // Checks the extents of concrete arguments, because ops would broadcast an axis of 1 whose extent the trace doesn't know.
    template <class... A> static void check_extents(A const&... a) {
        std::int64_t common = dyn;
        if constexpr (sizeof...(In) == 0) (check_extents_of<0>(common, a), ...);
        else if constexpr (sizeof...(In) == sizeof...(A)) (check_extents_of<In>(common, a), ...);
    }

private:
    template <int Axis, class A> static void check_extents_of(std::int64_t& common, A const& tree) {
        if constexpr (Axis != none)
            for_each_leaf(tree, [&]<class Leaf>(Leaf const& leaf) {
                dims const d = leaf_access<Leaf>::extents(leaf);
                int const axis = normalized_axis(Axis, d.rank);
                if (axis < 0 || axis >= d.rank || d[axis] == dyn) return;
                if (common != dyn && common != d[axis]) throw_uneven(common, d[axis]);
                common = d[axis];
            });
    }

    template <int... Axis, class Call, class... A>
    static constexpr auto mapped(std::integer_sequence<int, Axis...>, trace_scope& scope, Call const& call, A const&... a) {
        constexpr axis_facts facts =
            (axis_facts{} + ... + axis_facts_of_argument<Axis, std::remove_cvref_t<decltype(inlined_argument(scope, a))>>());
        static_assert(((Axis != none) || ...), "tx: vmap: at least one argument must be mapped");
        static_assert(!facts.is_missing, "tx: vmap: a mapped argument must have the axis along which it is mapped; pass scalars "
                                         "and what all examples share as tx::none");
        static_assert(!facts.is_fixed, "tx: vmap: a struct with tensors of fixed shape can't stand for one example; pass a tuple "
                                       "of its tensors, or map it as tx::none");
        static_assert(!facts.clashes, "tx: vmap: all mapped arguments must have one extent along their axes");
        if constexpr (facts.is_missing || facts.is_fixed || facts.clashes || !((Axis != none) || ...)) {
            return failed{};
        } else {
            auto const all = inlined_arguments(scope, a...);
            batch_of_call batch{.extent = facts.extent};
            detail::with_parts(all, [&](auto const&... part) { (bring_forward<Axis>(scope, batch, part), ...); });
            ad::batching_pass& pass = *ad::new_batching(scope, batch.sample, batch.extent);
            ad::recorded_so_far const before(scope);
            std::size_t next = 0;
            auto const examples = detail::with_parts(all, [&](auto const&... part) {
                return std::tuple<decltype(example<Axis>(scope, pass, batch.fronts, next, part))...>{
                    example<Axis>(scope, pass, batch.fronts, next, part)...};
            });
            auto const result = with_parts(examples, call);
            buffer<node_id> targets;
            before.add_what_all_ranks_have_since(scope, targets);
            if (!targets.empty()) {
                buffer<node_id> const done = ad::batched(pass, targets, false);
                if (scope.token != before.token) scope.token = done[0];
            }
            return collected<facts.extent>(scope, pass, result);
        }
    }

    // Holds the leaves of a call's arguments with their batch axis in front, one of these leaves, and the extent of the axis.
    struct batch_of_call {
        node_id sample = node_id::none;
        std::int64_t extent = dyn;
        buffer<node_id> fronts{};

        constexpr void add(ad::value const& x, int of_axis) {
            int const rank = x.rank(), axis = normalized_axis(of_axis, rank);
            if (rank >= 0 && (axis < 0 || axis >= rank)) throw_no_such_axis(of_axis, x.shape());
            ad::value const front = rank < 0 ? x : ad::with_moved_axis(x, axis, 0);
            std::int64_t const own = rank < 0 ? dyn : front.shape()[0];
            if (extent != dyn && own != dyn && extent != own) throw_uneven(extent, own);
            if (extent == dyn) extent = own;
            if (sample == node_id::none || own != dyn) sample = front.id();
            fronts.push_back(front.id());
        }
    };
    template <int Axis, class A> static constexpr void bring_forward(trace_scope& scope, batch_of_call& batch, A const& tree) {
        if constexpr (Axis != none)
            for_each_leaf(tree, [&](auto const& leaf) { batch.add({scope.recorded, node_of(scope, leaf)}, Axis); });
    }
    template <int Axis, class A> static constexpr auto example(trace_scope& scope, ad::batching_pass& pass,
                                                               table_view<node_id> fronts, std::size_t& next, A const& tree) {
        if constexpr (Axis == none) return tree;
        else
            return map_leaves(tree, [&]<class Leaf>(Leaf const&) {
                node_id const one = ad::example_of(pass, scope.recorded, fronts[next++]);
                using type = expr<ctype<leaf_dtype<Leaf>>, shape_from<without_axis<typename traits<Leaf>::shape_type, Axis>>>;
                if constexpr (tensor_type<Leaf>) return Leaf(type(scope, one));
                else return type(scope, one);
            });
    }

    template <std::int64_t Extent, class R>
    static constexpr auto collected(trace_scope& scope, ad::batching_pass& pass, R const& result) {
        buffer<node_id> const all = ad::batched(pass, leaf_nodes(scope, result), true);
        std::size_t next = 0;
        if constexpr (sizeof...(Out) <= 1) {
            constexpr int axis = (0 + ... + Out); // outside of the lambda, in which nvcc 13.0 loses an empty pack
            return map_to_tree(result, [&](auto const& leaf) { return collected_leaf<Extent, axis>(scope, all[next++], leaf); });
        } else {
            constexpr bool is_tuple = is_failed<R> || is_tuple_like<R>;
            static_assert(is_tuple, "tx: vmap: several out_axes need a callable that returns a tuple of as many parts");
            if constexpr (!is_tuple_like<R>) {
                return failed{};
            } else {
                constexpr bool is_paired = std::tuple_size_v<R> == sizeof...(Out);
                static_assert(is_paired, "tx: vmap: takes one of the out_axes for each part of the result");
                if constexpr (!is_paired) return failed{};
                else
                    return with_parts(result, [&](auto const&... part) {
                        auto const put = [&]<int Axis, class P>(std::integral_constant<int, Axis>, P const& p) {
                            return map_to_tree(
                                p, [&](auto const& leaf) { return collected_leaf<Extent, Axis>(scope, all[next++], leaf); });
                        };
                        return std::tuple<decltype(put(std::integral_constant<int, Out>{}, part))...>{
                            put(std::integral_constant<int, Out>{}, part)...};
                    });
            }
        }
    }
    template <std::int64_t Extent, int Axis, class Leaf>
    static constexpr auto collected_leaf(trace_scope& scope, node_id all, Leaf const&) {
        using owner = with_axis<typename traits<Leaf>::shape_type, Extent, Axis>;
        static_assert(owner::fits, "tx: vmap: the result must have the axis that out_axes names, and at most 8 axes");
        if constexpr (!owner::fits) {
            return failed{};
        } else {
            ad::value const front(scope.recorded, all);
            ad::value const placed = ad::with_moved_axis(front, 0, normalized_axis(Axis, front.rank()));
            return expr<ctype<leaf_dtype<Leaf>>, shape_from<owner>>(scope, placed.id());
        }
    }
};

} // namespace detail

// Returns a callable that calls f for many examples: along the first axis of every argument, or along the axes that are given,
// one for each argument (tx::vmap<0, tx::none, -1>(f)). Arguments may be trees; the axis is that of all their leaves. Results are
// stacked along a first axis, or along tx::out_axes<...>; a struct becomes a tuple of its fields. There is no loop: each op is
// recorded once, for all examples.
template <int... In, class F, int... Out> [[nodiscard]] constexpr auto vmap(F const& f, out_axes_t<Out...>) {
    return detail::transform<detail::vmap_rule<axes_t<In...>, axes_t<Out...>>>(f);
}
template <int... In, class F> [[nodiscard]] constexpr auto vmap(F const& f) { return tx::vmap<In...>(f, out_axes<>); }
template <int... In, class F, class... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto vmap(F const&, A const&...) {
    return detail::refuse_arguments_of_transform<F>();
}

} // namespace tx
