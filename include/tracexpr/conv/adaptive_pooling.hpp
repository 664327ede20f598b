// This file has pools whose call gives the extents of the result, whatever those of the operand are, and pools over whole planes.
#pragma once

#include <tracexpr/conv/pool_places.hpp>

namespace tx {
namespace detail {

struct adaptive_call {
    pool_kind kind; // "max" or "average"
    char const* called;
    int spatial; // -1: as many axes as x has, all of which are reduced
    std::int64_t extent[most_spatial_axes]{1, 1, 1};
    bool channels_first = false, keeps = true;
    char const* problem = nullptr;

    constexpr int first_axis() const { return channels_first ? 2 : 1; }
};

TRACEXPR_ONCE constexpr char const* adaptive_problem(adaptive_call const& call, builder_specs given) {
    dims const& x = given[0].shape;
    if (call.problem) return call.problem;
    if (!accepts(call.kind == pool_kind::max ? domain::ordered : domain::numeric, given[0].type)) return "x must be numbers";
    if (x.rank < 0) return nullptr;
    if (call.spatial < 0 ? x.rank < 3 : x.rank != call.spatial + 2)
        return "x must have an axis for the batch, at least one spatial axis, as many as extents are asked for, and one for "
               "channels";
    for (int k = 0; k < x.rank - 2; ++k)
        if (x[call.first_axis() + k] == 0) return "spatial axes must have at least one element";
    return nullptr;
}
TRACEXPR_ONCE constexpr dims adaptive_shape(adaptive_call const& call, dims const& x) {
    dims out;
    for (int a = 0; a < x.rank; ++a) {
        int const k = a - call.first_axis();
        bool const is_spatial = k >= 0 && k < x.rank - 2;
        if (!is_spatial || call.keeps) out.push_back(is_spatial ? (call.spatial < 0 ? 1 : call.extent[k]) : x[a]);
    }
    return out;
}

// Records the first of the greatest elements along an axis, and drops the axis. A small number of elements are compared one after
// the other. For more, the place is found by argmax and looked up, so that a derivative finds the first one, too.
inline constexpr std::int64_t most_compared_elements = 8;
TRACEXPR_ONCE constexpr node_id first_greatest(lowering& low, node_id x, int a) {
    std::int64_t const extent = low.extent(x, a);
    if (extent >= 1 && extent <= most_compared_elements) {
        node_id out = low.squeeze(low.slice(x, a, 0, 1), a);
        for (std::int64_t i = 1; i < extent; ++i) {
            node_id const next = low.squeeze(low.slice(x, a, i, i + 1), a);
            out = low.choose(stands_before(low, true, out, next), out, next);
        }
        return out;
    }
    node_id const operand[]{x};
    node_id const place = low.append(op::argmax, dtype::int64, operand, attribute_list(0, a));
    return low.squeeze(low.append(op::take_along_axis, x, low.expand(place, a), attribute_list(a)), a);
}
TRACEXPR_ONCE constexpr node_id pooled_along(lowering& low, pool_kind kind, node_id x, int a) {
    return kind == pool_kind::max ? first_greatest(low, x, a) : low.reduce(op::sum, x, attribute_list(a));
}
// Expands a vector by `behind` axes, so that its axis stands in front of that many.
TRACEXPR_ONCE constexpr node_id as_axis(lowering& low, node_id v, int behind) {
    for (int k = 0; k < behind; ++k) v = low.expand(v, k + 1);
    return v;
}

// Splits axis a into `count` windows of equal extents: (..., count, window, ...).
TRACEXPR_ONCE constexpr node_id in_equal_windows(lowering& low, node_id x, int a, std::int64_t count) {
    attribute_list to;
    for (int k = 0; k < low.rank(x); ++k) {
        if (k != a) to.push_back(low.copied(x, k));
        else to.push_back(count), to.push_back(low.extent(x, a) / count);
    }
    return low.reshape(x, to);
}
// Window i holds the elements from floor(i n / count) up to ceil((i + 1) n / count), as PyTorch's adaptive pools have it.
constexpr std::int64_t window_start(std::int64_t i, std::int64_t n, std::int64_t count) { return i * n / count; }
constexpr std::int64_t window_end(std::int64_t i, std::int64_t n, std::int64_t count) {
    return ((i + 1) * n + count - 1) / count;
}
// Pools an axis of known extent that `count` doesn't divide: the windows' elements are looked up, and windows that are shorter
// than the longest are filled up.
TRACEXPR_ONCE constexpr node_id known_windows(lowering& low, pool_kind kind, node_id x, int a, std::int64_t count) {
    std::int64_t const n = low.extent(x, a);
    std::int64_t longest = 1;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t const length = window_end(i, n, count) - window_start(i, n, count);
        longest = length > longest ? length : longest;
    }
    buffer<double> places, inside, lengths;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t const start = window_start(i, n, count), end = window_end(i, n, count);
        for (std::int64_t j = 0; j < longest; ++j) {
            places.push_back(static_cast<double>(start + j < end ? start + j : end - 1));
            inside.push_back(start + j < end ? 1 : 0);
        }
        lengths.push_back(static_cast<double>(end - start));
    }
    int const behind = low.rank(x) - 1 - a;
    dims const table{{count, longest}, 2};
    node_id const windows = low.append(op::take, x, low.constant(table, dtype::int64, places), attribute_list(a));
    // An element that stands in a window twice changes nothing.
    if (kind == pool_kind::max) return first_greatest(low, windows, a + 1);
    node_id mask = low.constant(table, dtype::int64, inside);
    for (int k = 0; k < behind; ++k) mask = low.expand(mask, k + 2);
    node_id const counted = low.test(op::not_equal, mask, whole_number(low, 0));
    node_id const sums = pooled_along(low, kind, low.choose(counted, windows, low.zero_like(x)), a + 1);
    return low.append(op::divide, sums, as_axis(low, low.constant(dims{{count}, 1}, low.type(x), lengths), behind));
}
// Pools an axis whose extent only the run knows: each window reads the whole axis and masks all but its own part.
TRACEXPR_ONCE constexpr node_id open_windows(lowering& low, pool_kind kind, node_id x, int a, std::int64_t count) {
    int const behind = low.rank(x) - 1 - a;
    node_id const n = low.axis_size<std::int64_t>(x, a), i = as_axis(low, low.iota<std::int64_t>(count), behind + 1);
    auto const times_n = [&](node_id by) { return low.append(op::multiply, by, n); };
    auto const divided = [&](node_id by) { return low.append(op::floor_divide, by, whole_number(low, count)); };
    node_id const start = divided(times_n(i)), next = times_n(low.append(op::add, i, whole_number(low, 1)));
    node_id const end = divided(low.append(op::add, next, whole_number(low, count - 1)));
    node_id const place = low.expand(low.iota_like<std::int64_t>(x, a), a);
    node_id const inside = low.test(op::logical_and, low.test(op::greater_equal, place, start), low.test(op::less, place, end));
    node_id const fill = kind == pool_kind::max ? last_of_all(low, x, true) : low.zero_like(x);
    node_id const reduced = pooled_along(low, kind, low.choose(inside, low.expand(x, a), fill), a + 1);
    if (kind == pool_kind::max) return reduced;
    return low.append(op::divide, reduced, low.as(low.squeeze(low.append(op::subtract, end, start), 1), low.type(x)));
}
TRACEXPR_ONCE constexpr node_id adapted_along(lowering& low, pool_kind kind, node_id x, int a, std::int64_t count) {
    std::int64_t const n = low.extent(x, a);
    if (n == dyn) return open_windows(low, kind, x, a, count);
    if (n == count) return x;
    if (n % count != 0) return known_windows(low, kind, x, a, count);
    node_id const reduced = pooled_along(low, kind, in_equal_windows(low, x, a, count), a + 1);
    return kind == pool_kind::max ? reduced : low.append(op::divide, reduced, low.number_like(x, static_cast<double>(n / count)));
}
// The spatial axes are reduced together: means as one sum, maxima along one axis in row-major order.
TRACEXPR_ONCE constexpr node_id record_global(lowering& low, adaptive_call const& call, node_id x) {
    int const spatial = low.rank(x) - 2, first = call.first_axis();
    if (call.kind == pool_kind::max) {
        attribute_list flat;
        for (int a = 0; a < low.rank(x); ++a)
            if (a < first || a >= first + spatial) flat.push_back(low.copied(x, a));
            else if (a == first) flat.push_back(-1);
        x = first_greatest(low, low.reshape(x, flat), first);
    } else {
        attribute_list axes;
        for (int k = 0; k < spatial; ++k) axes.push_back(first + k);
        node_id const operand[]{x};
        node_id const count = low.as(low.append(op::axis_size, dtype::int64, operand, axes), low.type(x));
        x = low.append(op::divide, low.reduce(op::sum, x, axes), count);
    }
    for (int k = 0; call.keeps && k < spatial; ++k) x = low.expand(x, first);
    return x;
}
TRACEXPR_ONCE constexpr node_id record_adaptive(lowering& low, adaptive_call const& call, node_id x) {
    if (call.kind == pool_kind::average) x = low.as(x, widened_dtype(to_inexact(low.type(x))));
    if (call.spatial < 0) return record_global(low, call, x);
    for (int k = call.spatial - 1; k >= 0; --k) x = adapted_along(low, call.kind, x, call.first_axis() + k, call.extent[k]);
    return x;
}
template <class Call> struct adaptive_builder {
    static constexpr char const* called = Call::value.called;
    static constexpr char const* problem(builder_specs given) { return adaptive_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{Call::value.kind == pool_kind::max ? given[0].type : to_inexact(given[0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{adaptive_shape(Call::value, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_adaptive(low, Call::value, x[0])};
    }
};
template <pool_kind Kind, class Extents, class... Options> struct adaptive_of;
template <pool_kind Kind, std::int64_t... Extents, class... Options> struct adaptive_of<Kind, window_t<Extents...>, Options...> {
    static constexpr adaptive_call made() {
        constexpr bool is_max = Kind == pool_kind::max;
        constexpr int count = static_cast<int>(sizeof...(Extents));
        adaptive_call out{Kind, is_max ? "adaptive_max_pool" : "adaptive_average_pool", count};
        std::int64_t const given[]{Extents..., 0};
        for (int k = 0; k < count && k < most_spatial_axes; ++k) {
            out.extent[k] = given[k];
            if (given[k] < 1) out.problem = "extents must be at least 1";
        }
        if (count < 1 || count > most_spatial_axes) out.problem = "takes one to three extents";
        out.channels_first = (std::is_same_v<Options, channels_first_t> || ...);
        return out;
    }
    static constexpr adaptive_call value = made();
};
template <pool_kind Kind, class... Options> struct global_of {
    static constexpr adaptive_call made() {
        adaptive_call out{Kind, Kind == pool_kind::max ? "global_max_pool" : "global_average_pool", -1};
        out.channels_first = (std::is_same_v<Options, channels_first_t> || ...);
        out.keeps = (std::is_same_v<Options, keepdims_t> || ...);
        return out;
    }
    static constexpr adaptive_call value = made();
};
template <class T> concept channel_order = std::is_same_v<T, channels_first_t> || std::is_same_v<T, channels_last_t>;
template <class T> concept global_option = channel_order<T> || std::is_same_v<T, keepdims_t>;

template <class Call, class A> constexpr auto adapted(A const& x) {
    using builder = adaptive_builder<Call>;
    constexpr bool fits = built_problem<builder, A> == nullptr;
    static_assert(fits,
                  "tx: adaptive pools, global pools: x must be numbers (n, spatial..., c), or (n, c, spatial...) with "
                  "tx::channels_first, with elements on one to three spatial axes, for each of which adaptive pools need an "
                  "extent of at least 1: tx::adaptive_max_pool<7, 7>(x)");
    return apply_if<fits>(built_fn<builder>{}, x);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the means of windows whose number is given by the result's extents: adaptive_average_pool<7, 7>(x), (n, h, w, c) -> (n,
// 7, 7, c). Window i of m along an extent n holds the elements from floor(i n / m) up to ceil((i + 1) n / m). The dtype is that
// of x, or float64 for integers. Takes tx::channels_first. (PyTorch: adaptive_avg_pool)
template <std::int64_t... Extents, array_operand A, detail::channel_order... Options>
[[nodiscard]] constexpr auto adaptive_average_pool(A const& x, Options...) {
    return detail::adapted<detail::adaptive_of<detail::pool_kind::average, detail::window_t<Extents...>, Options...>>(x);
}
// Gives the greatest element of each window of adaptive_average_pool, (n, h, w, c) -> (n, 7, 7, c). Of equal elements the
// derivative goes to the first.
template <std::int64_t... Extents, array_operand A, detail::channel_order... Options>
[[nodiscard]] constexpr auto adaptive_max_pool(A const& x, Options...) {
    return detail::adapted<detail::adaptive_of<detail::pool_kind::max, detail::window_t<Extents...>, Options...>>(x);
}
// Gives the mean of each channel's plane, (n, spatial..., c) -> (n, c), or (n, 1..., c) with tx::keepdims. Takes
// tx::channels_first.
template <array_operand A, detail::global_option... Options>
[[nodiscard]] constexpr auto global_average_pool(A const& x, Options...) {
    return detail::adapted<detail::global_of<detail::pool_kind::average, Options...>>(x);
}
// Gives the greatest element of each channel's plane, (n, spatial..., c) -> (n, c), or (n, 1..., c) with tx::keepdims. Takes
// tx::channels_first. Of equal elements the derivative goes to the first.
template <array_operand A, detail::global_option... Options>
[[nodiscard]] constexpr auto global_max_pool(A const& x, Options...) {
    return detail::adapted<detail::global_of<detail::pool_kind::max, Options...>>(x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
