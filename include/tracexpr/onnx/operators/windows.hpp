// Records convolutions and pools of ONNX.
#pragma once

#include <tracexpr/conv/adaptive_pooling.hpp>
#include <tracexpr/conv/convolution.hpp>
#include <tracexpr/conv/folding.hpp>
#include <tracexpr/onnx/operators/products.hpp>

namespace tx::onnx::detail {

struct window_attributes {
    std::vector<std::int64_t> window, stride, dilation, before, after;
    bool is_same_upper = false;
    int spatial = 0;
};
// Bounds strides, dilations and the number of groups.
inline constexpr std::int64_t most_steps = std::int64_t{1} << 26;
// Reads the attributes of windows over x. `window` has the extents of the kernel. What the attributes don't give is the same for
// all spatial axes. Padded x may not have more elements than a value, so that products of its extents and those of windows in it
// don't overflow.
inline window_attributes attributes_of_windows(op_call const& c, std::vector<std::int64_t> window, dims const& x) {
    window_attributes out;
    out.spatial = x.rank - 2;
    auto const n = static_cast<std::size_t>(std::max(out.spatial, 0));
    if (out.spatial < 1 || out.spatial > most_spatial_axes) c.fail("takes one to three spatial axes; given " + to_string(x));
    if (window.size() != n) c.fail("needs an extent of the window for each spatial axis");
    auto const numbers = [&](char const* name) {
        std::vector<std::int64_t> given = c.integers(name);
        if (given.empty()) given.assign(n, 1);
        if (given.size() != n) c.fail(std::string(name) + " must have a number for each spatial axis");
        for (std::int64_t const v : given)
            if (v < 1 || v > most_steps) c.fail(std::string(name) + " must be 1 to 2^26");
        return given;
    };
    for (std::int64_t const v : window)
        if (v < 0 || v > std::int64_t{1} << 31) c.fail("a window must have elements");
    out.window = std::move(window), out.stride = numbers("strides"), out.dilation = numbers("dilations");
    out.before.assign(n, 0), out.after.assign(n, 0);
    std::string_view const automatic = c.text("auto_pad", "NOTSET");
    std::vector<std::int64_t> const pads = c.integers("pads");
    if (automatic == "NOTSET" && !pads.empty()) {
        if (pads.size() != 2 * n) c.fail("pads must have two numbers for each spatial axis");
        for (std::size_t k = 0; k < n; ++k) {
            out.before[k] = pads[k], out.after[k] = pads[k + n];
            if (std::min(pads[k], pads[k + n]) < 0 || std::max(pads[k], pads[k + n]) > std::int64_t{1} << 31)
                c.fail("pads must not be negative");
        }
    }
    bool const is_same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    for (std::size_t k = 0; is_same && k < n; ++k) {
        std::int64_t const extent = x[static_cast<int>(k) + 2], step = out.stride[k];
        if (extent == dyn) c.fail("the extents of what is padded must be known while it is traced");
        std::int64_t const reach = (out.window[k] - 1) * out.dilation[k] + 1, count = (extent + step - 1) / step;
        std::int64_t const total = std::max<std::int64_t>((count - 1) * step + reach - extent, 0);
        out.before[k] = automatic == "SAME_LOWER" ? total - total / 2 : total / 2;
        out.after[k] = total - out.before[k];
    }
    dims padded = x;
    for (std::size_t k = 0; k < n; ++k)
        if (std::int64_t& extent = padded[static_cast<int>(k) + 2]; extent != dyn) extent += out.before[k] + out.after[k];
    c.require_possible(padded);
    return out;
}
inline given_options options_given(window_attributes const& w) {
    given_options out;
    for (std::size_t k = 0; k < w.window.size(); ++k) {
        out.stride.push_back(w.stride[k]), out.dilation.push_back(w.dilation[k]);
        out.before.push_back(w.before[k]), out.after.push_back(w.after[k]);
    }
    out.mark(window_option::stride | window_option::dilation | window_option::mode | window_option::channels);
    out.mode = window_mode::widths, out.channels_first = true;
    return out;
}
inline std::vector<std::int64_t> window_of_filters(op_call const& c, node_id w) {
    std::vector<std::int64_t> out;
    for (int a = 2; a < c.rank(w); ++a) out.push_back(c.known_extent(w, a));
    return out;
}
inline node_id with_bias(op_call const& c, node_id out, std::size_t bias) {
    if (!c.has(bias)) return out;
    node_id b = c[bias];
    for (int a = 2; a < c.rank(out); ++a) b = c.low().expand(b, c.rank(b));
    return c.append(op::add, out, b);
}
inline node_id convolved(op_call const& c, convolution_call const& call, node_id x, node_id w) {
    builder_spec const given[]{{c.type(x), c.shape(x)}, {c.type(w), c.shape(w)}};
    if (convolution_fault const fault = fault_of(call, given); fault != convolution_fault::none)
        c.fail("doesn't fit its operands " + to_string(c.shape(x)) + ", " + to_string(c.shape(w)) + ": " +
               convolution_faults[static_cast<std::size_t>(fault)]);
    return c.low().as(record_convolution(c.low(), call, x, w), promote(c.type(x), c.type(w)));
}
inline void take_groups(op_call const& c, convolution_call& call) {
    call.options.groups = c.integer("group", 1);
    if (call.options.groups > most_steps) c.fail("group must be 1 to 2^26");
    call.options.mark(window_option::groups);
}
inline convolution_call convolution_of(op_call const& c, node_id x, node_id w) {
    convolution_call call;
    call.options = options_given(attributes_of_windows(c, window_of_filters(c, w), c.shape(x)));
    take_groups(c, call);
    return call;
}
inline void record_conv(op_call& c) { c.give(with_bias(c, convolved(c, convolution_of(c, c[0], c[1]), c[0], c[1]), 2)); }
inline void record_conv_transpose(op_call& c) {
    node_id const x = c[0], w = c[1];
    dims const d = c.shape(x);
    for (int a = 2; a < d.rank; ++a) static_cast<void>(c.known_extent(x, a));
    window_attributes at = attributes_of_windows(c, window_of_filters(c, w), d);
    std::vector<std::int64_t> more = c.integers("output_padding"), shape = c.integers("output_shape");
    auto const n = static_cast<std::size_t>(at.spatial);
    if (more.empty()) more.assign(n, 0);
    if (shape.size() > n) shape.erase(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(n));
    if (more.size() != n || (!shape.empty() && shape.size() != n))
        c.fail("output_padding and output_shape must have a number for each spatial axis");
    for (std::vector<std::int64_t> const* all : {&more, &shape})
        for (std::int64_t const v : *all)
            if (v < 0 || v > std::int64_t{1} << 31) c.fail("output_padding and output_shape must be numbers of elements");
    std::string_view const automatic = c.text("auto_pad", "NOTSET");
    bool const is_same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (is_same && shape.empty())
        for (std::size_t k = 0; k < n; ++k) shape.push_back(d[static_cast<int>(k) + 2] * at.stride[k]);
    // The whole extent that windows reach is computed first; the result is a part of it.
    std::vector<std::int64_t> start(n), extent(n);
    for (std::size_t k = 0; k < n; ++k) {
        std::int64_t const reach = (at.window[k] - 1) * at.dilation[k] + 1,
                           full = (d[static_cast<int>(k) + 2] - 1) * at.stride[k] + reach + more[k];
        start[k] = at.before[k], extent[k] = full - at.before[k] - at.after[k];
        if (!shape.empty()) {
            std::int64_t const total = std::max<std::int64_t>(full - shape[k], 0);
            start[k] = automatic == "SAME_LOWER" ? total - total / 2 : total / 2;
            extent[k] = shape[k];
        }
        at.before[k] = at.after[k] = 0;
    }
    convolution_call call;
    call.options = options_given(at), call.transposed = true;
    take_groups(c, call);
    node_id out = convolved(c, call, x, w);
    std::vector<std::int64_t> before(n + 2), after(n + 2);
    for (std::size_t k = 0; k < n; ++k) {
        before[k + 2] = -start[k];
        after[k + 2] = extent[k] + start[k] - c.extent(out, static_cast<int>(k) + 2);
        if (extent[k] < 0) c.fail("the padding must not exceed what windows reach");
    }
    c.give(with_bias(c, padded_tensor(c, out, before, after, "constant", c.low().zero_like(out)), 2));
}
inline node_id without_point(op_call const& c, node_id x, std::size_t point, bool is_of_filters) {
    node_id const wide = c.as(x, dtype::int32);
    if (!c.has(point)) return wide;
    node_id p = c.as(c[point], dtype::int32);
    if (c.rank(p) == 1 && c.extent(p, 0) == 1) p = c.low().squeeze(p, 0);
    if (c.rank(p) == 1 && is_of_filters)
        for (int a = 1; a < c.rank(x); ++a) p = c.low().expand(p, c.rank(p));
    return c.append(op::subtract, wide, p);
}
inline void record_conv_integer(op_call& c) {
    node_id const x = without_point(c, c[0], 2, false), w = without_point(c, c[1], 3, true);
    c.give(convolved(c, convolution_of(c, x, w), x, w));
}
inline void record_qlinear_conv(op_call& c) {
    node_id const x = without_point(c, c[0], 2, false), w = without_point(c, c[3], 5, true);
    node_id const sum = with_bias(c, convolved(c, convolution_of(c, x, w), x, w), 8);
    auto const wide = [&](node_id v) {
        v = c.as(v, dtype::float64);
        if (c.rank(v) == 1 && c.extent(v, 0) == 1) return c.low().squeeze(v, 0);
        if (c.rank(v) == 1)
            for (int a = 2; a < c.rank(sum); ++a) v = c.low().expand(v, c.rank(v));
        return v;
    };
    node_id const scale = c.append(op::divide, c.append(op::multiply, wide(c[1]), wide(c[4])), wide(c[6]));
    node_id const steps =
        c.append(op::add, c.append(op::round, c.append(op::multiply, c.as(sum, dtype::float64), scale)), wide(c[7]));
    dtype const to = c.type(c[7]);
    c.give(c.as(c.append(op::minimum, c.append(op::maximum, steps, c.number_like(steps, least_of(to))),
                         c.number_like(steps, most_of(to))),
                to));
}

inline window_plan plan_of_pool(op_call const& c, node_id x) {
    window_attributes const at = attributes_of_windows(c, c.integers("kernel_shape"), c.shape(x));
    given_options given = options_given(at);
    if (c.integer("ceil_mode", 0)) given.mark(window_option::ceil_mode);
    if (c.integer("count_include_pad", 0)) given.mark(window_option::count_padding);
    window_plan out;
    out.options = options_for(given, at.spatial, options_of_pools | window_option::count_padding);
    for (int k = 0; k < at.spatial; ++k) {
        out.window[k] = at.window[static_cast<std::size_t>(k)];
        if (out.window[k] < 1) c.fail("a window must have elements");
    }
    return out;
}
inline void check_pool(op_call const& c, pool_call const& call, node_id x) {
    builder_spec const given[]{{c.type(x), c.shape(x)}};
    if (char const* const wrong = pool_problem(call, given)) c.fail(std::string(wrong) + "; given " + to_string(c.shape(x)));
}
inline void record_average_pool(op_call& c) {
    pool_call const call{pool_kind::average, "AveragePool", plan_of_pool(c, c[0])};
    check_pool(c, call, c[0]);
    c.give(c.as(record_pool(c.low(), call, c[0]), c.type(c[0])));
}
inline void record_max_pool(op_call& c) {
    node_id const x = c[0];
    pool_call const call{pool_kind::max, "MaxPool", plan_of_pool(c, x)};
    check_pool(c, call, x);
    if (!c.wants(1)) return c.give(record_pool(c.low(), call, x));
    auto const [values, places] = record_max_with_places(c.low(), call.plan, x);
    // ONNX numbers places within the whole tensor, or column by column; here they are numbered within a channel's plane.
    dims const d = c.known_shape(x);
    std::int64_t plane = 1;
    for (int a = 2; a < d.rank; ++a) plane *= d[a];
    node_id place = places;
    if (c.integer("storage_order", 0) && d.rank == 4) {
        node_id const width = c.integer(d[3]), row = c.append(op::floor_divide, places, width);
        place = c.append(op::add, c.append(op::multiply, c.append(op::remainder, places, width), c.integer(d[2])), row);
    }
    node_id const image = c.append(op::multiply, c.low().iota_like<std::int64_t>(places, 0), c.integer(d[1]));
    node_id const channel = c.append(op::add, image, c.low().iota_like<std::int64_t>(places, 1));
    c.give(0, values), c.give(1, c.append(op::add, c.append(op::multiply, channel, c.integer(plane)), place));
}
inline void record_lp_pool(op_call& c) {
    pool_call const call{pool_kind::norm, "LpPool", plan_of_pool(c, c[0]),
                         static_cast<int>(std::clamp<std::int64_t>(c.integer("p", 2), 1, 1000))};
    check_pool(c, call, c[0]);
    c.give(c.as(record_pool(c.low(), call, c[0]), c.type(c[0])));
}
inline attribute_list spatial_axes(op_call const& c, node_id x) {
    attribute_list out;
    for (int a = 2; a < c.rank(x); ++a) out.push_back(a);
    return out;
}
inline void record_global_average(op_call& c) { c.give(c.mean(c[0], spatial_axes(c, c[0]), true)); }
inline void record_global_max(op_call& c) { c.give(c.reduce(op::max, c[0], spatial_axes(c, c[0]), true)); }
inline node_id norm_over(op_call const& c, node_id x, attribute_list const& axes, std::int64_t p, bool keep) {
    node_id const size = c.append(op::absolute, x);
    if (p == 1) return c.reduce(op::sum, size, axes, keep);
    if (p == 2) return c.append(op::sqrt, c.reduce(op::sum, squared(c, x), axes, keep));
    node_id const power = c.number_like(x, static_cast<double>(p)), root = c.number_like(x, 1 / static_cast<double>(p));
    return c.append(op::power, c.reduce(op::sum, c.append(op::power, size, power), axes, keep), root);
}
inline void record_global_lp(op_call& c) { c.give(norm_over(c, c[0], spatial_axes(c, c[0]), c.integer("p", 2), true)); }
inline void record_max_unpool(op_call& c) {
    node_id const x = c[0];
    dims const d = c.known_shape(x);
    window_plan plan = plan_of_pool(c, x);
    dims whole = unpooled_shape(plan, d), out = whole;
    for (int a = 2; a < whole.rank; ++a)
        if (whole[a] < 0) c.fail("the padding must not exceed what windows reach");
    c.require_possible(whole);
    if (c.has(2)) out = dims_from(c, c.known_integers(2));
    c.require_possible(out);
    // The places are numbers within the whole tensor that was pooled, whose shape follows from the windows.
    attribute_list flat(whole.size());
    node_id const zeros = c.append(op::broadcast_to, c.low().zero_like(x), flat);
    node_id const operands[]{zeros, c.reshape(x, dims{{d.size()}, 1}), c.reshape(c.as(c[1], dtype::int64), dims{{d.size()}, 1})};
    if (out.rank != whole.rank) c.fail("output_shape must have as many extents as x");
    std::vector<std::int64_t> const none(static_cast<std::size_t>(out.rank));
    std::vector<std::int64_t> more;
    for (int a = 0; a < out.rank; ++a) more.push_back(out[a] - whole[a]);
    node_id const set = c.reshape(c.append(op::scatter_set, {operands, 3}, attribute_list(0)), whole);
    c.give(padded_tensor(c, set, none, more, "constant", c.low().zero_like(set)));
}
inline void record_col2im(op_call& c) {
    node_id const x = c[0];
    dims const d = c.known_shape(x);
    std::vector<std::int64_t> const image = c.known_integers(1), block = c.known_integers(2);
    if (d.rank != 3) c.fail("takes (n, elements of windows, windows)");
    if (image.size() > std::size_t{most_spatial_axes}) c.fail("takes one to three spatial axes");
    for (std::int64_t const e : block)
        if (e < 1) c.fail("a window must have elements");
    c.require_possible(dims_from(c, block));
    dims like{{d[0], 1}, 2};
    for (std::int64_t const e : image) like.push_back(e);
    window_attributes const at = attributes_of_windows(c, block, like);
    given_options given = options_given(at);
    for (std::int64_t const e : image) given.output_extents.push_back(e);
    given.mark(window_option::output_extents);
    window_plan plan;
    plan.options = options_for(given, at.spatial, options_of_unfold | window_option::output_extents);
    for (int k = 0; k < at.spatial; ++k) plan.window[k] = block[static_cast<std::size_t>(k)];
    builder_spec const spec[]{{c.type(x), d}};
    if (char const* const wrong = fold_problem(plan, spec)) c.fail(wrong);
    c.give(record_fold(c.low(), plan, x));
}

} // namespace tx::onnx::detail
