// This file has windows as rows of a matrix, and the sum of such windows in the places that they came from: unfold and fold.
#pragma once

#include <tracexpr/conv/pool_places.hpp>

namespace tx {
namespace detail {

inline constexpr unsigned options_of_unfold =
    window_option::stride | window_option::dilation | window_option::mode | window_option::channels;
// A window's elements are in row-major order: with channels last (position, channel), and with channels first (channel,
// position), as in PyTorch.
constexpr std::int64_t extent_product(std::int64_t a, std::int64_t b) { return a == dyn || b == dyn ? dyn : a * b; }
TRACEXPR_ONCE constexpr dims unfolded_shape(window_plan const& plan, dims const& x) {
    window_options const& o = plan.options;
    dims const windows = windowed_shape(plan, x);
    std::int64_t count = 1;
    for (int k = 0; k < plan.spatial(); ++k) count = extent_product(count, windows[o.axis(k)]);
    std::int64_t const row = extent_product(plan.elements(), x[o.channel_axis()]);
    return {{x[0], o.channels_first ? row : count, o.channels_first ? count : row}, 3};
}
// Records the windows of one axis after the other; the windows' elements become part of the channels' axis.
TRACEXPR_ONCE constexpr node_id record_unfold(lowering& low, window_plan const& plan, node_id x) {
    window_options const& o = plan.options;
    int const spatial = plan.spatial(), channels = o.channel_axis();
    x = padded_for_windows(low, x, plan, low.zero_like(x));
    for (int number = 0; number < spatial; ++number) {
        int const k = o.channels_first ? number : spatial - 1 - number, a = o.axis(k);
        std::int64_t const reach = plan.reach(k);
        // The windows' elements are the last axis.
        node_id windows = low.append(op::sliding_window_view, x, attribute_list(a, reach));
        windows = low.slice(low.slice(windows, a, 0, slice_open, o.stride[k]), spatial + 2, 0, slice_open, o.dilation[k]);
        attribute_list order, merged;
        for (int other = 0; other < spatial + 2; ++other) {
            if (other == channels && !o.channels_first) order.push_back(spatial + 2);
            order.push_back(other);
            if (other == channels && o.channels_first) order.push_back(spatial + 2);
        }
        windows = low.transpose(windows, order);
        for (int other = 0; other < spatial + 3; ++other)
            if (other == channels) merged.push_back(-1);
            else if (other != channels + 1) merged.push_back(low.copied(windows, other));
        if (low.extent(windows, channels) != dyn && low.extent(windows, channels + 1) != dyn)
            merged.value[channels] = low.extent(windows, channels) * low.extent(windows, channels + 1);
        x = low.reshape(windows, merged);
    }
    std::int64_t const row = low.copied(x, channels);
    return low.reshape(x,
                       o.channels_first ? attribute_list(low.copied(x, 0), row, -1) : attribute_list(low.copied(x, 0), -1, row));
}
template <class Plan> struct unfold_builder {
    static constexpr char const* called = "unfold";
    static constexpr char const* asked = window_asked<Plan>;
    static constexpr char const* problem(builder_specs given) { return window_problem(Plan::value, given[0].shape); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{unfolded_shape(Plan::value, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_unfold(low, Plan::value, x[0])};
    }
};

TRACEXPR_ONCE constexpr char const* fold_problem(window_plan const& plan, builder_specs given) {
    window_options const& o = plan.options;
    dims const& x = given[0].shape;
    if (o.problem) return o.problem;
    if (!o.has(window_option::output_extents)) return "needs the spatial extents of the result: tx::output_extents<...>";
    if (!accepts(domain::numeric, given[0].type)) return "x must be numbers";
    if (x.rank < 0) return nullptr;
    if (x.rank != 3) return "x must be (n, windows, elements), as unfold gives it";
    std::int64_t count = 1;
    for (int k = 0; k < plan.spatial(); ++k) count *= window_count(o, k, o.output_extents[k], plan.reach(k));
    std::int64_t const windows = x[o.channels_first ? 2 : 1], row = x[o.channels_first ? 1 : 2];
    if (windows != dyn && windows != count) return "x must have as many windows as fit into the extents of the result";
    if (row != dyn && row % plan.elements() != 0)
        return "the elements of a window, of all channels, must be divisible by the window's";
    return nullptr;
}
TRACEXPR_ONCE constexpr dims folded_shape(window_plan const& plan, dims const& x) {
    window_options const& o = plan.options;
    dims out;
    out.rank = plan.spatial() + 2;
    std::int64_t const row = x[o.channels_first ? 1 : 2];
    out[0] = x[0];
    out[o.channel_axis()] = row == dyn ? dyn : row / plan.elements();
    for (int k = 0; k < plan.spatial(); ++k) out[o.axis(k)] = o.output_extents[k];
    return out;
}
// Adds the windows along axis a, whose elements are axis `inside`, in the places where they stood, and drops the padding.
TRACEXPR_ONCE constexpr node_id folded_along(lowering& low, window_plan const& plan, node_id x, int k, int a, int inside) {
    window_options const& o = plan.options;
    std::int64_t const extent = o.output_extents[k], reach = plan.reach(k), step = o.stride[k];
    axis_padding const p = padding_of(o, k, extent, reach);
    std::int64_t const count = window_count(o, k, extent, reach), whole_extent = extent + p.before + p.after;
    node_id sum = node_id::none;
    for (std::int64_t j = 0; j < plan.window[k]; ++j) {
        node_id const part = low.squeeze(low.slice(x, inside, j, j + 1), inside);
        int const along = inside < a ? a - 1 : a;
        if (j == 0) { // A border around an empty slice gives zeros.
            attribute_list widths;
            for (int other = 0; other < low.rank(part); ++other)
                widths.push_back(0), widths.push_back(other == along ? whole_extent : 0);
            sum = low.append(op::pad, low.slice(part, along, 0, 0), low.zero_like(part), widths);
        }
        std::int64_t const start = j * o.dilation[k];
        if (count > 0)
            sum = low.update(op::view_add, sum, part, low.bounds_along(sum, along, start, start + (count - 1) * step + 1, step));
        if (j + 1 == plan.window[k]) sum = low.slice(sum, along, p.before, p.before + extent);
    }
    return sum;
}
TRACEXPR_ONCE constexpr node_id record_fold(lowering& low, window_plan const& plan, node_id x) {
    window_options const& o = plan.options;
    int const spatial = plan.spatial();
    for (int k = 0; k < spatial; ++k) {
        // The axes are, with channels last, (n, so far..., windows..., window, rest), and with channels first, (n, c, window,
        // rest, so far..., windows...).
        attribute_list split(k == 0 ? low.copied(x, 0) : low.copied(x, 0));
        std::int64_t rest = 1;
        for (int later = k + 1; later < spatial; ++later) rest *= plan.window[later];
        if (o.channels_first) split.push_back(-1), split.push_back(plan.window[k]), split.push_back(rest);
        for (int other = 0; other < spatial; ++other)
            split.push_back(other < k ? o.output_extents[other]
                                      : window_count(o, other, o.output_extents[other], plan.reach(other)));
        if (!o.channels_first) split.push_back(plan.window[k]), split.push_back(-1);
        x = folded_along(low, plan, low.reshape(x, split), k, o.channels_first ? 4 + k : 1 + k,
                         o.channels_first ? 2 : 1 + spatial);
    }
    return o.channels_first ? low.squeeze(x, 2) : x; // Nothing is left of the windows' axis.
}
template <class Plan> struct fold_builder {
    static constexpr char const* called = "fold";
    static constexpr char const* problem(builder_specs given) { return fold_problem(Plan::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{folded_shape(Plan::value, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_fold(low, Plan::value, x[0])};
    }
};
// unfold_plan is the plan of unfold and fold, whose stride is 1 unless a call gives another.
template <unsigned Allowed, class Window, class... Options> struct unfold_plan {
    static constexpr window_plan made() {
        window_plan out = window_plan_of<Allowed, Window, Options...>::value;
        if (!out.options.has(window_option::stride)) out.options.stride[0] = out.options.stride[1] = out.options.stride[2] = 1;
        return out;
    }
    static constexpr window_plan value = made();
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives windows as rows, (n, spatial..., c) -> (n, windows, window c), where each row has the window's elements, of all channels,
// in row-major order: unfold<3, 3>(x). With tx::channels_first it is PyTorch's (n, c, spatial...) -> (n, c window, windows).
// Takes tx::stride, which is 1 unless given, tx::dilation, and padding by tx::mode or tx::widths. (im2col)
template <std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto unfold(A const& x, Options...) {
    using windows_plan = detail::unfold_plan<detail::options_of_unfold, detail::window_t<Window...>, Options...>;
    constexpr bool fits = sizeof...(Window) >= 1 && sizeof...(Window) <= 3 && ((Window >= 1) && ...) &&
                          detail::built_problem<detail::unfold_builder<windows_plan>, A> == nullptr;
    static_assert(fits,
                  "tx: unfold: needs a window of one to three extents, which fit into x (n, spatial..., c) with its padding, "
                  "or (n, c, spatial...) with tx::channels_first; takes tx::stride, tx::dilation, tx::mode, tx::widths");
    return detail::apply_if<fits>(detail::built_fn<detail::unfold_builder<windows_plan>>{}, x);
}
// Adds rows of windows in the places that the windows come from, which is the transpose of unfold: fold<3, 3>(rows,
// tx::output_extents<8, 8>), (n, windows, window c) -> (n, 8, 8, c). Takes the options of unfold. (PyTorch: fold)
template <std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto fold(A const& x, Options...) {
    using windows_plan = detail::unfold_plan<detail::options_of_unfold | detail::window_option::output_extents,
                                             detail::window_t<Window...>, Options...>;
    constexpr bool fits = sizeof...(Window) >= 1 && sizeof...(Window) <= 3 && ((Window >= 1) && ...) &&
                          detail::built_problem<detail::fold_builder<windows_plan>, A> == nullptr;
    static_assert(fits, "tx: fold: needs tx::output_extents, and rows of windows that unfold gives for such extents, this window "
                        "and these options");
    return detail::apply_if<fits>(detail::built_fn<detail::fold_builder<windows_plan>>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
