// This file has tx::conv and tx::conv_transpose: convolutions in one to three dimensions, as neural networks use them (without
// reversing the filters). For float and double they are one op with a kernel. half and bfloat16 are computed in float, and
// complex numbers by their real and imaginary parts. Integers and dual numbers have no kernel and are computed as a matrix
// product for each tap of the window.
#pragma once

#include <tracexpr/conv/options.hpp>
#include <tracexpr/graph/routine_rules.hpp>
#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace detail {

inline constexpr unsigned options_of_conv =
    window_option::stride | window_option::dilation | window_option::groups | window_option::mode | window_option::channels;
inline constexpr unsigned options_of_conv_transpose = options_of_conv | window_option::output_extents;

// convolution_call is a call without the types of its operands.
struct convolution_call {
    given_options options;
    bool transposed = false;

    constexpr window_options options_for(int spatial) const {
        return tx::detail::options_for(options, spatial, transposed ? options_of_conv_transpose : options_of_conv);
    }
};

// These are the faults that a call may have, in the order in which they are looked for.
enum class convolution_fault { none, dtypes, ranks, options, channels, windows };
inline constexpr char const* convolution_faults[]{
    nullptr,
    "takes numbers, and no strings or bool",
    "x and w must have one rank, of 3 to 5: x (n, spatial..., c) and w (window..., c / groups, filters)",
    "takes each option once, with one number, or one for each spatial axis",
    "w must have the channels of one group of x, and the groups must divide the filters",
    "a window must have elements and lie within x and its padding",
};

// These are the orders of axes that bring x from channels first to channels last, or back, and filters from channels first to
// channels last.
TRACEXPR_ONCE constexpr attribute_list signal_axes(int rank, bool back) {
    attribute_list out(0);
    if (back) out.push_back(rank - 1);
    for (int axis = back ? 1 : 2; axis < (back ? rank - 1 : rank); ++axis) out.push_back(axis);
    if (!back) out.push_back(1);
    return out;
}
TRACEXPR_ONCE constexpr attribute_list filter_axes(int rank) {
    attribute_list out;
    for (int axis = 2; axis < rank; ++axis) out.push_back(axis);
    out.push_back(1), out.push_back(0);
    return out;
}
TRACEXPR_ONCE constexpr dims reordered(dims const& d, attribute_list const& axes) {
    dims out;
    for (std::size_t k = 0; k < axes.count; ++k) out.push_back(d[static_cast<int>(axes[k])]);
    return out;
}

// Gives the op's attributes for operands with channels last.
TRACEXPR_ONCE constexpr convolution_form convolution_form_of(convolution_call const& call, dims const& x, dims const& w) {
    int const spatial = w.rank - 2;
    window_options const o = call.options_for(spatial);
    convolution_form form;
    form.makes = call.transposed ? convolution_form::input : convolution_form::result;
    form.spatial = spatial, form.groups = o.groups;
    for (int k = 0; k < spatial; ++k) {
        convolution_form::spatial_axis& a = form.axis[k];
        a.stride = o.stride[k], a.dilation = o.dilation[k], a.before = o.before[k], a.after = o.after[k];
        if (o.mode == window_mode::same) a.before = convolution_form::same;
        if (o.mode == window_mode::full && w[k] == dyn) a.before = convolution_form::full;
        else if (o.mode == window_mode::full) a.before = a.after = form.reach(a, w[k]) - 1;
        if (!call.transposed) continue;
        std::int64_t const n = x[k + 1];
        if (o.has(window_option::output_extents)) a.extent = o.output_extents[k];
        else if (n == dyn) a.extent = -1;
        else if (o.mode == window_mode::same) a.extent = n * a.stride;
        else if (w[k] != dyn) a.extent = (n - 1) * a.stride + form.reach(a, w[k]) - a.before - a.after;
    }
    return form;
}
TRACEXPR_ONCE constexpr attribute_list attributes_of(convolution_form const& form) {
    attribute_list out;
    form.for_each_attribute([&](std::int64_t attribute) { out.push_back(attribute); });
    return out;
}

TRACEXPR_ONCE constexpr convolution_fault fault_of(convolution_call const& call, builder_specs given) {
    dims x = given[0].shape, w = given[1].shape;
    for (builder_spec const& s : given)
        if (s.type == dtype::string || s.type == dtype::boolean) return convolution_fault::dtypes;
    if (is_complex(given[0].type) != is_complex(given[1].type) && (is_dual(given[0].type) || is_dual(given[1].type)))
        return convolution_fault::dtypes;
    int const rank = x.rank >= 0 ? x.rank : w.rank;
    if ((x.rank >= 0 && w.rank >= 0 && x.rank != w.rank) || (rank >= 0 && (rank < 3 || rank > 5)))
        return convolution_fault::ranks;
    if (call.options_for(rank < 0 ? -1 : rank - 2).problem) return convolution_fault::options;
    if (x.rank < 0 || w.rank < 0) return convolution_fault::none;
    if (call.options.channels_first) x = reordered(x, signal_axes(x.rank, false)), w = reordered(w, filter_axes(w.rank));
    std::int64_t const channels = x[rank - 1], per_group = w[rank - 2], filters = w[rank - 1], groups = call.options.groups;
    std::int64_t const wanted = call.transposed ? filters : per_group == dyn ? dyn : per_group * groups;
    bool const divides = filters == dyn || filters % groups == 0;
    if (!divides || (channels != dyn && wanted != dyn && channels != wanted)) return convolution_fault::channels;
    dims const shapes[]{x, w};
    return convolved_shape(shapes, attributes_of(convolution_form_of(call, x, w))).problem ? convolution_fault::windows
                                                                                           : convolution_fault::none;
}
TRACEXPR_ONCE constexpr dims convolution_shape(convolution_call const& call, builder_specs given) {
    bool const first = call.options.channels_first;
    dims x = given[0].shape, w = given[1].shape;
    if (first) x = reordered(x, signal_axes(x.rank, false)), w = reordered(w, filter_axes(w.rank));
    dims const shapes[]{x, w};
    dims const out = convolved_shape(shapes, attributes_of(convolution_form_of(call, x, w))).shape;
    return first ? reordered(out, signal_axes(out.rank, true)) : out;
}

// This records the op, or the ops that it is made of, for operands of one dtype with channels last.
class convolution_recorder {
public:
    constexpr convolution_recorder(lowering& low, convolution_call const& call) : low_{low}, call_{call} {}

    TRACEXPR_ONCE constexpr node_id record(node_id x, node_id w) {
        dtype const type = low_.type(x);
        if (accepts(domain::machine, type)) return by_kernel(x, w);
        if (is_complex(type)) return by_parts(x, w, type);
        return call_.transposed ? added_by_taps(x, w) : by_taps(x, w);
    }

private:
    TRACEXPR_ONCE constexpr node_id by_kernel(node_id x, node_id w) {
        convolution_form const form = convolution_form_of(call_, low_.shape(x), low_.shape(w));
        node_id const operands[]{x, w, node_id::none};
        bool is_known = true;
        for (int k = 0; k < form.spatial; ++k) is_known = is_known && (!call_.transposed || form.axis[k].extent != dyn);
        if (is_known) return low_.append(op::convolution, low_.type(x), {operands, 2}, attributes_of(form));
        node_id const told[]{x, w, shape_of_transposed(x, w, form)};
        return low_.append(op::convolution, low_.type(x), told, attributes_of(form));
    }
    // Computes (a + i b) (c + i d) by its real and imaginary part.
    TRACEXPR_ONCE constexpr node_id by_parts(node_id x, node_id w, dtype type) {
        dtype const part = real_part(type);
        node_id const x_parts[]{low_.append(op::real, part, {&x, 1}), low_.append(op::imag, part, {&x, 1})};
        node_id const w_parts[]{low_.append(op::real, part, {&w, 1}), low_.append(op::imag, part, {&w, 1})};
        node_id const re = low_.append(op::subtract, by_kernel(x_parts[0], w_parts[0]), by_kernel(x_parts[1], w_parts[1]));
        node_id const im = low_.append(op::add, by_kernel(x_parts[0], w_parts[1]), by_kernel(x_parts[1], w_parts[0]));
        return low_.append(op::add, low_.as(re, type), low_.append(op::times_i, low_.as(im, type)));
    }

    // Records a node with the shape of a transposed convolution that has an extent which the compiler doesn't know.
    TRACEXPR_ONCE constexpr node_id shape_of_transposed(node_id x, node_id w, convolution_form const& form) {
        buffer<node_id> numbers;
        attribute_list codes;
        dims shape;
        auto const add = [&](std::int64_t extent, auto const& number) {
            shape.push_back(extent);
            codes.push_back(extent != dyn ? extent : -1 - static_cast<std::int64_t>(numbers.size()));
            if (extent == dyn) numbers.push_back(number());
        };
        add(low_.extent(x, 0), [&] { return low_.axis_size<std::int64_t>(x, 0); });
        for (int k = 0; k < form.spatial; ++k) add(form.axis[k].extent, [&] { return transposed_extent(x, w, form, k); });
        std::int64_t const per_group = low_.extent(w, form.spatial);
        add(per_group == dyn ? dyn : per_group * form.groups,
            [&] { return low_.append(op::multiply, low_.axis_size<std::int64_t>(w, form.spatial), low_.literal(form.groups)); });
        return low_.extents(shape, numbers, codes);
    }
    TRACEXPR_ONCE constexpr node_id transposed_extent(node_id x, node_id w, convolution_form const& form, int k) {
        convolution_form::spatial_axis const& a = form.axis[k];
        node_id const n = low_.axis_size<std::int64_t>(x, k + 1), stride = low_.literal(a.stride);
        if (a.before == convolution_form::same) return low_.append(op::multiply, n, stride);
        node_id const one = low_.literal(std::int64_t{1});
        node_id const steps = low_.append(op::multiply, low_.append(op::subtract, n, one), stride);
        node_id const window = low_.append(op::subtract, low_.axis_size<std::int64_t>(w, k), one);
        node_id const reach = low_.append(op::multiply, window, low_.literal(a.dilation));
        if (a.before == convolution_form::full) return low_.append(op::subtract, low_.append(op::add, steps, one), reach);
        return low_.append(op::add, low_.append(op::add, steps, reach), low_.literal(1 - a.before - a.after));
    }

    // Gives the form with numbers for its padding. Throws shape_error where only the run knows them, as there is no kernel to
    // compute them.
    TRACEXPR_ONCE constexpr convolution_form known_form(dims const& x, dims const& w, dims const& of) const {
        convolution_form form = convolution_form_of(call_, x, w);
        for (int k = 0; k < form.spatial; ++k) {
            if (w[k] == dyn || of[k + 1] == dyn)
                throw shape_error("tx: conv: of integers and dual numbers the extents must be known while it is traced; given " +
                                  to_string(x) + ", " + to_string(w));
            form.axis[k] = form.padded(k, of[k + 1], w[k]);
        }
        return form;
    }
    TRACEXPR_ONCE constexpr attribute_list padding(convolution_form const& form) const {
        attribute_list out(0, 0);
        for (int k = 0; k < form.spatial; ++k) out.push_back(form.axis[k].before), out.push_back(form.axis[k].after);
        out.push_back(0), out.push_back(0);
        return out;
    }
    // Calls f for each tap with the slice of the padded x that belongs to it, and the tap's filters, (groups, c / groups, filters
    // / groups).
    template <class F> constexpr void for_each_tap(convolution_form const& form, dims const& y, node_id w, F const& f) {
        std::int64_t window[3]{1, 1, 1}, at[3]{};
        for (int k = 0; k < form.spatial; ++k) window[k] = low_.extent(w, k);
        for (at[0] = 0; at[0] < window[0]; ++at[0])
            for (at[1] = 0; at[1] < window[1]; ++at[1])
                for (at[2] = 0; at[2] < window[2]; ++at[2]) {
                    attribute_list bounds(slice_open, slice_open, 1);
                    node_id filters = w;
                    for (int k = 0; k < form.spatial; ++k) {
                        std::int64_t const first = at[k] * form.axis[k].dilation;
                        bounds.push_back(first);
                        bounds.push_back(first + (y[k + 1] - 1) * form.axis[k].stride + 1);
                        bounds.push_back(form.axis[k].stride);
                        filters = low_.squeeze(low_.slice(filters, 0, at[k], at[k] + 1), 0);
                    }
                    bounds.push_back(slice_open), bounds.push_back(slice_open), bounds.push_back(1);
                    std::int64_t const c = low_.extent(w, form.spatial), fs = low_.extent(w, form.spatial + 1) / form.groups;
                    filters = low_.transpose(low_.reshape(filters, attribute_list(c, form.groups, fs)), attribute_list(1, 0, 2));
                    f(bounds, filters);
                }
    }
    // Multiplies (..., groups * a) by (groups, a, b), or by the transpose of (groups, b, a) -> (..., groups * b).
    TRACEXPR_ONCE constexpr node_id grouped_product(node_id x, node_id filters, bool transposed) {
        node_id const factors = transposed ? low_.transpose(filters, attribute_list(0, 2, 1)) : filters;
        int const last = low_.rank(x) - 1;
        std::int64_t const groups = low_.extent(factors, 0), a = low_.extent(factors, 1), b = low_.extent(factors, 2);
        attribute_list split_shape, joined_shape;
        for (int axis = 0; axis < last; ++axis)
            split_shape.push_back(low_.copied(x, axis)), joined_shape.push_back(low_.copied(x, axis));
        split_shape.push_back(groups), split_shape.push_back(1), split_shape.push_back(a), joined_shape.push_back(groups * b);
        return low_.reshape(low_.append(op::matmul, low_.reshape(x, split_shape), factors), joined_shape);
    }
    TRACEXPR_ONCE constexpr node_id by_taps(node_id x, node_id w) {
        dims const given[]{low_.shape(x), low_.shape(w)};
        convolution_form const form = known_form(given[0], given[1], given[0]);
        dims const y = convolved_shape(given, attributes_of(form)).shape;
        node_id const padded = low_.append(op::pad, x, low_.zero_like(x), padding(form));
        node_id sum = node_id::none;
        for_each_tap(form, y, w, [&](attribute_list const& bounds, node_id filters) {
            node_id const product = grouped_product(low_.append(op::slice, padded, bounds), filters, false);
            sum = sum == node_id::none ? product : low_.append(op::add, sum, product);
        });
        return sum;
    }
    TRACEXPR_ONCE constexpr node_id added_by_taps(node_id x, node_id w) {
        dims const given[]{low_.shape(x), low_.shape(w)};
        dims const out = convolved_shape(given, attributes_of(convolution_form_of(call_, given[0], given[1]))).shape;
        convolution_form const form = known_form(given[0], given[1], out);
        attribute_list padded_shape, inside(slice_open, slice_open, 1);
        padded_shape.push_back(low_.copied(x, 0));
        for (int k = 0; k < form.spatial; ++k) {
            padded_shape.push_back(out[k + 1] + form.axis[k].before + form.axis[k].after);
            inside.push_back(form.axis[k].before), inside.push_back(form.axis[k].before + out[k + 1]), inside.push_back(1);
        }
        padded_shape.push_back(out[out.rank - 1]);
        inside.push_back(slice_open), inside.push_back(slice_open), inside.push_back(1);
        node_id sum = low_.append(op::broadcast_to, low_.zero_like(x), padded_shape);
        for_each_tap(form, given[0], w, [&](attribute_list const& bounds, node_id filters) {
            sum = low_.update(op::view_add, sum, grouped_product(x, filters, true), bounds);
        });
        return low_.append(op::slice, sum, inside);
    }

    lowering& low_;
    convolution_call const& call_;
};

TRACEXPR_ONCE constexpr node_id record_convolution(lowering& low, convolution_call const& call, node_id x, node_id w) {
    dtype const common = promote(low.type(x), low.type(w));
    dtype const computed = is_floating(common) && size_in_bytes(common) < 4 ? dtype::float32 : common;
    x = low.as(x, computed), w = low.as(w, computed);
    if (!call.options.channels_first) return convolution_recorder(low, call).record(x, w);
    node_id const out = convolution_recorder(low, call).record(low.transpose(x, signal_axes(low.rank(x), false)),
                                                               low.transpose(w, filter_axes(low.rank(w))));
    return low.transpose(out, signal_axes(low.rank(out), true));
}
template <bool Transposed, class... Options> struct convolution_builder {
    static constexpr char const* called = Transposed ? "conv_transpose" : "conv";
    static constexpr convolution_call call{given_options_of<Options...>(), Transposed};

    static constexpr char const* problem(builder_specs given) {
        return convolution_faults[static_cast<std::size_t>(fault_of(call, given))];
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{promote(given[0].type, given[1].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{convolution_shape(call, given)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_convolution(low, call, x[0], x[1])};
    }
};

template <bool Transposed, class X, class W, class... Options> constexpr bool check_convolution() {
    constexpr builder_spec given[]{{dtype_of_operand<X>, dims_of_operand<X>}, {dtype_of_operand<W>, dims_of_operand<W>}};
    constexpr convolution_fault fault = fault_of(convolution_builder<Transposed, Options...>::call, given);
    static_assert(fault != convolution_fault::dtypes, "tx: conv: takes numbers, and no strings or bool; cast x and w first");
    static_assert(
        fault != convolution_fault::ranks,
        "tx: conv: x and w must have one rank, of 3 to 5: x (n, spatial..., c), w (window..., c / groups, filters), or with "
        "tx::channels_first x (n, c, spatial...), w (filters, c / groups, window...)");
    static_assert(
        fault != convolution_fault::options,
        "tx: conv: takes tx::stride, tx::dilation and tx::widths with one number, or one for each spatial axis, tx::groups, "
        "a tx::mode and an order of channels, each once, and conv_transpose tx::output_extents");
    static_assert(
        fault != convolution_fault::channels,
        "tx: conv: w must have c / groups channels, of conv_transpose as many filters as x has channels, and the groups "
        "must divide the filters; the shapes stand in the note above");
    static_assert(fault != convolution_fault::windows,
                  "tx: conv: a window must have elements and lie within x and its padding; output extents must belong to x");
    return fault == convolution_fault::none;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the sums of products of x with filters at each place: x (n, spatial..., c) and w (window..., c / groups, filters) -> (n,
// spatial..., filters), in one to three dimensions; y[o, f] = sum over j, c of x[o * stride + j * dilation - before, c] w[j, c,
// f]. Options, in any order: tx::stride<2, 2>, tx::dilation<2, 2>, tx::groups<4>, tx::mode::same, full or valid (no padding, the
// default) or tx::widths<1> for zeros around x (one for all axes, or one for each: tx::widths<0, 1>, tx::widths<2>), and
// tx::channels_first: x (n, c, spatial...), w (filters, c / groups, window...) -> (n, filters, spatial...).
template <array_operand X, array_operand W, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto conv(X const& x, W const& w, Options...) {
    constexpr bool fits = detail::check_convolution<false, X, W, Options...>();
    return detail::apply_if<fits>(detail::built_fn<detail::convolution_builder<false, Options...>>{}, x, w);
}
// Computes the transpose of conv with the same w and options, which gives the gradient of conv's x from that of its result: x (n,
// spatial..., filters) and w (window..., c / groups, filters) -> (n, spatial..., c). The extents are (n - 1) * stride + window -
// widths, or n * stride with tx::mode::same, or those of tx::output_extents<...>, for which conv would give the extents of x.
template <array_operand X, array_operand W, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto conv_transpose(X const& x, W const& w, Options...) {
    constexpr bool fits = detail::check_convolution<true, X, W, Options...>();
    return detail::apply_if<fits>(detail::built_fn<detail::convolution_builder<true, Options...>>{}, x, w);
}
template <class Unused = void, class... A> constexpr detail::failed conv(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>,
                  "tx: conv: takes x and w, and behind them tx::stride<...>, tx::dilation<...>, tx::widths<...>, "
                  "tx::groups<...>, tx::channels_first and a mode: tx::conv(x, w, tx::mode::same)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
