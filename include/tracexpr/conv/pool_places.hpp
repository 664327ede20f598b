// This file has pools that give the maxima of windows with their places, and the inverse of such a pool: max_pool_with_indices
// and max_unpool.
#pragma once

#include <tracexpr/conv/pooling.hpp>

namespace tx {
namespace detail {

// Records the number of each element within its channel's plane in row-major order, as int64 in the shape of x.
TRACEXPR_ONCE constexpr node_id plane_numbers(lowering& low, node_id x, window_options const& o) {
    node_id out = low.iota_like<std::int64_t>(x, o.axis(0));
    for (int k = 1; k < o.spatial; ++k) {
        std::int64_t const extent = low.extent(x, o.axis(k));
        node_id const n = extent == dyn ? low.axis_size<std::int64_t>(x, o.axis(k)) : whole_number(low, extent);
        out = low.append(op::add, low.append(op::multiply, out, n), low.iota_like<std::int64_t>(x, o.axis(k)));
    }
    return out;
}
// Records the greatest elements and their numbers together. Padding has the number -1, and every element stands before it.
TRACEXPR_ONCE constexpr std::array<node_id, 2> record_max_with_places(lowering& low, window_plan const& plan, node_id x) {
    struct element {
        node_id value, number;
    };
    node_id const values = padded_for_windows(low, x, plan, last_of_all(low, x, true));
    node_id const numbers = padded_for_windows(low, plane_numbers(low, x, plan.options), plan, whole_number(low, -1));
    bool const is_padded = !(values == x);
    auto const part_of = [&](element e, int k, std::int64_t start, std::int64_t behind, std::int64_t step) {
        return element{window_part(low, e.value, plan, k, start, behind, step),
                       window_part(low, e.number, plan, k, start, behind, step)};
    };
    auto const join = [&](element a, element b) {
        node_id before = stands_before(low, true, a.value, b.value);
        if (is_padded) before = low.test(op::logical_and, before, low.test(op::greater_equal, a.number, whole_number(low, 0)));
        if (is_padded) before = low.test(op::logical_or, before, low.test(op::less, b.number, whole_number(low, 0)));
        return element{low.choose(before, a.value, b.value), low.choose(before, a.number, b.number)};
    };
    element const out = folded_windows(element{values, numbers}, plan, part_of, join);
    return {out.value, out.number};
}
template <class Plan> struct max_with_places_builder {
    static constexpr char const* called = "max_pool_with_indices";
    static constexpr char const* asked = window_asked<Plan>;
    static constexpr char const* problem(builder_specs given) {
        if (!accepts(domain::ordered, given[0].type)) return "x must be real numbers";
        return window_problem(Plan::value, given[0].shape);
    }
    static constexpr std::array<dtype, 2> types(builder_specs given) { return {given[0].type, dtype::int64}; }
    static constexpr std::array<dims, 2> shapes(builder_specs given) {
        dims const d = windowed_shape(Plan::value, given[0].shape);
        return {d, d};
    }
    static constexpr std::array<node_id, 2> record(lowering& low, node_id const* x) {
        return record_max_with_places(low, Plan::value, x[0]);
    }
};

// Gives the shape of the result. The extents of planes are those of tx::output_extents if they are given, and otherwise the least
// that the windows of this plan need.
TRACEXPR_ONCE constexpr dims unpooled_shape(window_plan const& plan, dims d) {
    window_options const& o = plan.options;
    for (int k = 0; k < plan.spatial(); ++k) {
        std::int64_t& n = d[o.axis(k)];
        bool const is_said = o.has(window_option::output_extents);
        if (is_said) n = o.output_extents[k];
        else if (n != dyn) n = n == 0 ? 0 : (n - 1) * o.stride[k] + plan.reach(k) - o.before[k] - o.after[k];
    }
    return d;
}
TRACEXPR_ONCE constexpr char const* unpool_problem(window_plan const& plan, builder_specs given) {
    window_options const& o = plan.options;
    if (o.problem) return o.problem;
    if (given[0].type == dtype::boolean) return "x must be numbers";
    if (!is_integer(given[1].type)) return "indices must be integers";
    if (o.mode != window_mode::valid && o.mode != window_mode::widths)
        return "takes tx::widths as padding; say extents by tx::output_extents";
    dims const &x = given[0].shape, &indices = given[1].shape;
    if (x.rank >= 0 && x.rank != plan.spatial() + 2)
        return "x must have an axis for the batch, one for each extent of the window, and one for channels";
    if (x.rank >= 0 && indices.rank >= 0 && !may_equal(x, indices)) return "x and indices must have the same shape";
    if (x.rank < 0 || o.has(window_option::output_extents)) return nullptr;
    for (int k = 0; k < plan.spatial(); ++k)
        if (unpooled_shape(plan, x)[o.axis(k)] < 0 && x[o.axis(k)] != dyn)
            return "the padding must not exceed what windows reach";
    return nullptr;
}
// Records the extent of spatial axis k of the result as a scalar.
TRACEXPR_ONCE constexpr node_id unpooled_extent(lowering& low, node_id x, window_plan const& plan, int k) {
    window_options const& o = plan.options;
    std::int64_t const known = unpooled_shape(plan, low.shape(x))[o.axis(k)];
    if (known != dyn) return whole_number(low, known);
    node_id const n = low.axis_size<std::int64_t>(x, o.axis(k));
    node_id const steps =
        low.append(op::multiply, low.append(op::subtract, n, whole_number(low, 1)), whole_number(low, o.stride[k]));
    node_id const out = low.append(op::add, steps, whole_number(low, plan.reach(k) - o.before[k] - o.after[k]));
    return low.append(op::maximum, out, whole_number(low, 0));
}
// Records the result with each plane's elements as one axis, into which x is scattered, and reshapes it.
TRACEXPR_ONCE constexpr node_id record_unpool(lowering& low, window_plan const& plan, node_id const* operands) {
    window_options const& o = plan.options;
    node_id const x = operands[0], indices = low.as(operands[1], dtype::int64);
    int const rank = low.rank(x), channels = o.channel_axis();
    buffer<node_id> numbers;
    attribute_list extents, flat;
    for (int a = 0; a < rank; ++a) {
        int const k = a - o.axis(0);
        bool const is_spatial = k >= 0 && k < plan.spatial();
        std::int64_t const known = is_spatial ? unpooled_shape(plan, low.shape(x))[a] : low.extent(x, a);
        if (known == dyn) numbers.push_back(is_spatial ? unpooled_extent(low, x, plan, k) : low.axis_size<std::int64_t>(x, a));
        extents.push_back(known == dyn ? -static_cast<std::int64_t>(numbers.size()) : known);
        if (a == 0 || a == channels) flat.push_back(known == dyn ? -2 - a : known);
        else if (k == 0) flat.push_back(-1);
    }
    node_id const like = low.append(op::extents, dtype::boolean, numbers, extents);
    node_id const zeros = low.reshape(low.as(like, low.type(x)), flat);
    node_id const updates[]{zeros, low.reshape(x, flat), low.reshape(indices, flat)};
    node_id const set = low.append(op::scatter_set, low.type(x), updates, attribute_list(o.channels_first ? 2 : 1));
    return low.append(op::reshape, set, like);
}
template <class Plan> struct unpool_builder {
    static constexpr char const* called = "max_unpool";
    static constexpr char const* problem(builder_specs given) { return unpool_problem(Plan::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{unpooled_shape(Plan::value, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_unpool(low, Plan::value, x)};
    }
};

template <unsigned Allowed, class Window, class... Options> struct window_plan_of;
template <unsigned Allowed, std::int64_t... Window, class... Options>
struct window_plan_of<Allowed, window_t<Window...>, Options...> {
    static constexpr window_plan value = pool_plan<Window...>(given_options_of<Options...>(), Allowed);
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the greatest element in each window and its place, as a pair; the place is the element's number within its channel's
// plane of x, in row-major order, as int64. Takes the options of max_pool. Of equal elements the first counts, and so does the
// first of several NaNs.
template <std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto max_pool_with_indices(A const& x, Options...) {
    using window = detail::window_t<Window...>;
    using windows_plan = detail::window_plan_of<detail::options_of_pools, window, Options...>;
    constexpr bool fits = detail::check_pool<windows_plan, false, A>(window{});
    return detail::apply_if<fits>(detail::built_fn<detail::max_with_places_builder<windows_plan>>{}, x);
}
// Inverts max_pool_with_indices: it gives zeros except for the elements of x (n, windows..., c), which are put where the indices
// say. The extents of a plane are (windows - 1) stride + window - widths, or those of tx::output_extents. Also takes tx::stride,
// tx::widths, tx::dilation and tx::channels_first, as the pool did.
template <std::int64_t... Window, array_operand A, array_operand I, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto max_unpool(A const& x, I const& indices, Options...) {
    constexpr unsigned allowed = detail::window_option::stride | detail::window_option::dilation | detail::window_option::mode |
                                 detail::window_option::channels | detail::window_option::output_extents;
    using windows_plan = detail::window_plan_of<allowed, detail::window_t<Window...>, Options...>;
    using builder = detail::unpool_builder<windows_plan>;
    constexpr bool has_window = sizeof...(Window) >= 1 && sizeof...(Window) <= 3 && ((Window >= 1) && ...);
    constexpr bool fits = has_window && detail::built_problem<builder, A, I> == nullptr;
    static_assert(fits, "tx: max_unpool: x and the integer indices must have the shape that the pool of this window and these "
                        "options gave; takes tx::stride, tx::dilation, tx::widths, tx::channels_first and tx::output_extents");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, indices);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
