// This file has windows that move over the spatial axes of an operand, as nodes: the padding that they need, and the elements at
// one place of every window. It works for extents that only the run knows.
#pragma once

#include <tracexpr/conv/options.hpp>
#include <tracexpr/trace/builder.hpp>

namespace tx::detail {

// window_plan holds windows with one extent for each spatial axis.
struct window_plan {
    window_options options;
    std::int64_t window[most_spatial_axes]{1, 1, 1};

    constexpr int spatial() const { return options.spatial; }
    constexpr std::int64_t reach(int k) const { return reach_of(window[k], options.dilation[k]); }
    TRACEXPR_ONCE constexpr std::int64_t elements() const {
        std::int64_t count = 1;
        for (int k = 0; k < spatial(); ++k) count *= window[k];
        return count;
    }
};
// Gives the plan of a pool, whose stride is its window unless the call gives another.
template <std::int64_t... Window> constexpr window_plan pool_plan(given_options const& given, unsigned allowed) {
    constexpr int spatial = static_cast<int>(sizeof...(Window));
    window_plan out;
    out.options = options_for(given, spatial, allowed);
    std::int64_t const window[]{Window..., 0};
    for (int k = 0; k < spatial && k < most_spatial_axes; ++k) {
        if (window[k] < 1 && out.options.problem == nullptr)
            out.options.problem = "a window needs at least one element on each axis";
        out.window[k] = window[k];
        if (!out.options.has(window_option::stride)) out.options.stride[k] = window[k];
    }
    return out;
}

// window_text is what messages say of the window.
template <int Spatial> struct window_text {
    static constexpr char const* value = Spatial == 1 ? "window (#,)" : Spatial == 2 ? "window (#, #)" : "window (#, #, #)";
};
template <class Plan> inline constexpr char const* window_asked =
    text_with<window_text<Plan::value.spatial()>, Plan::value.window[0], Plan::value.window[1], Plan::value.window[2]>::value;
// Tells what is wrong with x (n, spatial..., c), or null.
TRACEXPR_ONCE constexpr char const* window_problem(window_plan const& plan, dims const& x) {
    if (plan.options.problem) return plan.options.problem;
    if (x.rank < 0) return nullptr;
    if (x.rank != plan.spatial() + 2)
        return "x must have an axis for the batch, one for each extent of the window, and one for channels";
    for (int k = 0; k < plan.spatial(); ++k) {
        std::int64_t const extent = x[plan.options.axis(k)];
        if (extent != dyn && plan.options.mode != window_mode::same && window_count(plan.options, k, extent, plan.reach(k)) == 0)
            return "no window fits: x, with its padding, must have as many elements as a window reaches";
    }
    return nullptr;
}
TRACEXPR_ONCE constexpr dims windowed_shape(window_plan const& plan, dims x) {
    for (int k = 0; k < plan.spatial(); ++k) {
        int const a = plan.options.axis(k);
        x[a] = window_count(plan.options, k, x[a], plan.reach(k));
    }
    return x;
}

// Records a whole number.
constexpr node_id whole_number(lowering& low, std::int64_t number) { return low.literal(number); }
// Records how many elements are added in front of the first window, where windows of mode `same` keep an extent that only the run
// knows, up to strides. (See padding_of.)
TRACEXPR_ONCE constexpr node_id open_padding_before(lowering& low, node_id x, int a, std::int64_t step, std::int64_t reach) {
    node_id const n = low.axis_size<std::int64_t>(x, a);
    node_id const rest = low.append(op::remainder, low.append(op::subtract, n, whole_number(low, 1)),
                                    whole_number(low, step)); // It counts the elements behind the last start.
    node_id const total =
        low.append(op::maximum, low.append(op::subtract, whole_number(low, reach - 1), rest), whole_number(low, 0));
    return low.append(op::floor_divide, total, whole_number(low, 2));
}
// Records x with `by` elements of its end along axis a moved to its beginning; `by` is a scalar that only the run knows.
TRACEXPR_ONCE constexpr node_id rolled_by(lowering& low, node_id x, int a, node_id by) {
    node_id const n = low.axis_size<std::int64_t>(x, a);
    node_id const row = low.append(op::extents, dtype::boolean, {&n, 1}, attribute_list(-1));
    node_id const place = low.append(op::subtract, low.iota_like<std::int64_t>(row, 0), by);
    return low.append(op::take, x, low.append(op::remainder, place, n), attribute_list(a));
}
// Records x with the padding that its windows need, filled with the scalar `fill`.
TRACEXPR_ONCE constexpr node_id padded_for_windows(lowering& low, node_id x, window_plan const& plan, node_id fill) {
    window_options const& o = plan.options;
    attribute_list widths;
    bool any = false;
    for (int a = 0; a < low.rank(x); ++a) widths.push_back(0), widths.push_back(0);
    for (int k = 0; k < plan.spatial(); ++k) {
        std::int64_t const extent = low.extent(x, o.axis(k)), reach = plan.reach(k);
        std::size_t const at = 2 * static_cast<std::size_t>(o.axis(k));
        axis_padding const p = padding_is_known(o, k, extent) ? padding_of(o, k, extent, reach) : axis_padding{0, reach - 1};
        widths.value[at] = p.before, widths.value[at + 1] = p.after;
        any = any || p.before > 0 || p.after > 0;
    }
    if (!any) return x;
    node_id out = low.append(op::pad, x, fill, widths);
    for (int k = 0; k < plan.spatial(); ++k) {
        int const a = o.axis(k);
        if (!padding_is_known(o, k, low.extent(x, a)) && plan.reach(k) > 1)
            out = rolled_by(low, out, a, open_padding_before(low, x, a, o.stride[k], plan.reach(k)));
    }
    return out;
}
// Records a slice along spatial axis k, up to `behind` elements before the end.
TRACEXPR_ONCE constexpr node_id window_part(lowering& low, node_id x, window_plan const& plan, int k, std::int64_t start,
                                            std::int64_t behind, std::int64_t step) {
    return low.slice(x, plan.options.axis(k), start, behind == 0 ? slice_open : -behind, step);
}

} // namespace tx::detail
