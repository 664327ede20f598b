// This file handles several tensors of places among the indices of slice, set and similar functions: one for each of several
// adjacent axes, broadcast together. Those axes are merged into one, along which one tensor holds the places.
#pragma once

#include <tracexpr/trace/functions.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tx::detail {

template <int K, class A> inline constexpr std::int64_t known_extent = dims_of_operand<A>.rank > K ? dims_of_operand<A>[K] : dyn;

// Gives 0 ... n - 1; places_along does so for axis K of `like`.
template <std::int64_t N> constexpr auto counted(trace_scope& scope) {
    return expr<std::int64_t, shape<N>>(scope, lowering(scope).template iota<std::int64_t>(N));
}
template <int K, class Like> constexpr auto places_along(Like const& like) {
    if constexpr (known_extent<K, Like> != dyn) return counted<known_extent<K, Like>>(like.scope());
    else return tx::arange<std::int64_t>(tx::extent<K>(like));
}

template <class I> inline constexpr bool is_at = false;
template <std::int64_t Place> inline constexpr bool is_at<at_t<Place>> = true;

// Which indices are tensors of places, and which stand between them. Single places between them are applied first, and so are
// places and ranges that only the run knows.
template <class... I> struct places_among {
    static constexpr std::size_t count = (are_places<I> + ... + 0);
    static constexpr std::size_t first = [] {
        bool const is_tensor[]{are_places<I>..., true};
        std::size_t k = 0;
        while (!is_tensor[k]) ++k;
        return k;
    }();
    static constexpr std::size_t last = [] {
        bool const is_tensor[]{are_places<I>..., false};
        std::size_t last_one = first;
        for (std::size_t k = first; k < sizeof...(I); ++k)
            if (is_tensor[k]) last_one = k;
        return last_one;
    }();
    // The first index that is applied before the tensors are; sizeof...(I) if there is none.
    static constexpr std::size_t applied_first = [] {
        bool const is_single[]{(is_place<I> || is_at<I>)..., false}, is_open[]{(is_place<I> || is_open_range<I>)..., false};
        std::size_t k = 0;
        while (k < sizeof...(I) && !is_open[k] && !(is_single[k] && k > first && k < last)) ++k;
        return k;
    }();
    static constexpr bool side_by_side = [] {
        bool const may_be_between[]{(are_places<I> || is_place<I> || is_at<I>)..., false};
        for (std::size_t k = first; k < last; ++k)
            if (!may_be_between[k]) return false;
        return true;
    }();
    // The broadcast shape of the tensors; where they don't all broadcast, of those up to the first that doesn't.
    struct shape_together {
        dims all{};
        bool fit = true;
        template <class Index> constexpr void add() {
            if constexpr (are_places<Index>)
                if (fit && (fit = broadcastable(all, dims_of_operand<Index>))) all = broadcast(all, dims_of_operand<Index>);
        }
    };
    static constexpr shape_together known = [] {
        shape_together out;
        (out.template add<I>(), ...);
        return out;
    }();
    static constexpr bool meet = known.fit;
    static constexpr dims together = known.all;
};

// Gives x with Count axes from First on merged into one.
template <int First, int Count> struct merged_axes {
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims const d = dims_of<Shape>;
            if (d.rank < 0) return {d};
            dims out;
            for (int k = 0; k < d.rank; ++k) {
                if (k <= First || k >= First + Count) out.push_back(d[k]);
                else out[First] = out[First] == dyn || d[k] == dyn ? dyn : out[First] * d[k];
            }
            return {out};
        }
    };
    template <class A> static constexpr auto of(A const& x) {
        lowering low(x.scope());
        attribute_list target;
        for (int k = 0; k < low.rank(x.id()); ++k) {
            if (k <= First || k >= First + Count) {
                target.push_back(k == First ? low.extent(x.id(), k) : low.copied(x.id(), k));
            } else {
                std::int64_t& all = target.value[First];
                all = all == dyn || low.extent(x.id(), k) == dyn ? dyn : all * low.extent(x.id(), k);
            }
        }
        return expr<typename A::value_type, shape_from<checked_shape<result<typename A::shape_type>>>>(
            x.scope(), low.reshape(x.id(), target));
    }
    // Splits the merged axes again, to the shape of `like`.
    template <class A, class Like> static constexpr auto split(A const& x, Like const& like) {
        lowering low(x.scope());
        dims const d = low.shape(like.id());
        node_id const out = d.is_static()
                                ? low.append(op::reshape, x.id(), attribute_span(d.extent, static_cast<std::size_t>(d.rank)))
                                : low.append(op::reshape, x.id(), like.id());
        return expr<typename A::value_type, typename Like::shape_type>(x.scope(), out);
    }
};

// Gives the place along the merged axis for places at axes First, First + 1, ... of x. Each is looked up along its own axis, so
// that a place below 0 counts from its end, and one outside throws.
template <int Axis, class A, class P> constexpr auto place_along(A const& x, P const& place) {
    auto const numbers = places_along<Axis>(x);
    if constexpr (Axis == 0 || Axis + dims_of_operand<P>.rank > max_rank) {
        return take(numbers, place, axis<0>);
    } else { // the axis has its number in x, so that an error names it
        return [&]<int... K>(std::integer_sequence<int, K...>) {
            return squeeze(take(expand_dims(numbers, axis<K...>), place, axis<Axis>), axis<K...>);
        }(std::make_integer_sequence<int, Axis>{});
    }
}
template <int Axis, class A, class Sum, class P, class... Rest>
constexpr auto place_among_more(A const& x, Sum const& before, P const& place, Rest const&... rest) {
    auto const sum = before * extent<Axis>(x) + place_along<Axis>(x, place);
    if constexpr (sizeof...(Rest) == 0) return sum;
    else return place_among_more<Axis + 1>(x, sum, rest...);
}
template <int First, class A, class P, class... Rest>
constexpr auto place_among_all(A const& x, P const& place, Rest const&... rest) {
    return place_among_more<First + 1>(x, place_along<First>(x, place), rest...);
}

// Calls f with the indices, where one tensor replaces all tensors. The other indices are known to the compiler.
template <class... I, class At, class F> constexpr auto with_one_tensor(At const& at, F const& f) {
    auto const left = [&]<std::size_t K, class Index>(std::integral_constant<std::size_t, K>, std::type_identity<Index>) {
        if constexpr (!are_places<Index>) return std::tuple<Index>();
        else if constexpr (K == places_among<I...>::first) return std::tuple<At>(at);
        else return std::tuple<>();
    };
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return std::apply(f, std::tuple_cat(left(std::integral_constant<std::size_t, K>{}, std::type_identity<I>{})...));
    }(std::index_sequence_for<I...>{});
}
// Calls f with those of the indices that are tensors.
template <class F, class... I> constexpr auto with_tensors_only(F const& f, I const&... indices) {
    auto const left = [](auto const& index) {
        if constexpr (are_places<std::remove_cvref_t<decltype(index)>>) return std::tie(index);
        else return std::tuple<>();
    };
    return std::apply(f, std::tuple_cat(left(indices)...));
}
// Gives a place that the compiler knows as a number.
template <class I> constexpr auto plain_place(I const& index) {
    if constexpr (is_at<I>) return []<std::int64_t Place>(at_t<Place>) { return Place; }(index);
    else return index;
}

} // namespace tx::detail
