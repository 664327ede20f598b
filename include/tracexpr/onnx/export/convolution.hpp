// Writes op::convolution as Conv and ConvTranspose, which have channels first, one leading axis, and filters in front.
#pragma once

#include <tracexpr/onnx/export/exporter.hpp>

#include <optional>
#include <utility>

namespace tx::onnx::detail {

// Converts (leading..., spatial..., c) to (leading, c, spatial...), and back.
class channels_writer {
public:
    channels_writer(exporter& e, convolution_form const& form) : e_{e}, form_{form} {}

    // Returns the product of the leading extents, as a vector of one element.
    value_name examples(value_name const& x, dims const& d) {
        std::vector<int> leading;
        for (int axis = 0; axis < d.rank - form_.spatial - 1; ++axis) leading.push_back(axis);
        return e_.size_along(x, d, leading);
    }
    value_name to_front(value_name const& x, dims const& d) {
        int const leading = d.rank - form_.spatial - 1;
        std::vector<value_name> extents{examples(x, d)};
        std::vector<std::int64_t> order{0, form_.spatial + 1};
        for (int k = 0; k <= form_.spatial; ++k) extents.push_back(e_.extent_of(x, d, leading + k));
        for (int k = 1; k <= form_.spatial; ++k) order.push_back(k);
        return e_.transpose(leading == 1 ? x : e_.reshape(x, e_.joined(extents)), order);
    }
    // Moves the channels to the end; the leading axes are those of `like`.
    value_name to_back(value_name const& y, value_name const& like, dims const& of_like) {
        int const leading = of_like.rank - form_.spatial - 1;
        std::vector<std::int64_t> order{0};
        for (int k = 0; k < form_.spatial; ++k) order.push_back(k + 2);
        order.push_back(1);
        value_name const out = e_.transpose(y, order);
        if (leading == 1) return out;
        std::vector<value_name> extents;
        for (int axis = 0; axis < leading; ++axis) extents.push_back(e_.extent_of(like, of_like, axis));
        extents.push_back(e_.add("Shape", {out}, {{"start", 1}}));
        return e_.reshape(out, e_.joined(extents));
    }
    // Converts (window..., c / groups, filters) to (filters, c / groups, window...). ConvTranspose wants the filters of each
    // group in front, which is the same.
    value_name filters_to_front(value_name const& w) {
        std::vector<std::int64_t> order{form_.spatial + 1, form_.spatial};
        for (int k = 0; k < form_.spatial; ++k) order.push_back(k);
        return e_.transpose(w, order);
    }

private:
    exporter& e_;
    convolution_form const& form_;
};

inline constexpr char const* unknown_extents = "the derivative of a convolution of unknown extents";

// ONNX gives padding as numbers, or as "same" along all axes.
inline std::optional<std::vector<written_attribute>> convolution_attributes(convolution_form const& form, dims const& x,
                                                                            dims const& window) {
    std::vector<std::int64_t> strides, dilations, before, after;
    int same = 0;
    bool is_known = true;
    for (int k = 0; k < form.spatial; ++k) {
        std::int64_t const of_x = x[x.rank - 1 - form.spatial + k];
        bool const is_same = form.axis[k].before == convolution_form::same,
                   is_full = form.axis[k].before == convolution_form::full;
        is_known = is_known && !(is_same && (of_x == dyn || window[k] == dyn)) && !(is_full && window[k] == dyn);
        same += is_same;
        convolution_form::spatial_axis const a = form.padded(k, of_x, window[k]);
        strides.push_back(a.stride), dilations.push_back(a.dilation), before.push_back(a.before), after.push_back(a.after);
    }
    if (!is_known && same != form.spatial) return std::nullopt;
    before.insert(before.end(), after.begin(), after.end());
    std::vector<written_attribute> out{{"strides", strides}, {"dilations", dilations}, {"group", form.groups}};
    if (is_known) out.emplace_back("pads", before);
    else out.emplace_back("auto_pad", "SAME_UPPER");
    return out;
}
// The derivative of the filters is a convolution of x by y, with the examples as channels, strides as dilations, and dilations as
// strides.
inline value_name write_filter_derivative(exporter& e, channels_writer& w, convolution_form const& form) {
    dims const &x = e.shape(0), &made = e.made_shape();
    int const leading = x.rank - form.spatial - 1;
    std::int64_t const channels = x[x.rank - 1];
    convolution_form turned = form;
    for (int k = 0; k < form.spatial; ++k) {
        if (made[k] == dyn) return e.fail(unknown_extents);
        turned.axis[k] = form.padded(k, x[leading + k], made[k]);
        if (x[leading + k] == dyn && form.axis[k].before == convolution_form::same) return e.fail(unknown_extents);
        std::swap(turned.axis[k].stride, turned.axis[k].dilation);
    }
    if (channels == dyn) return e.fail(unknown_extents);
    value_name const examples = w.examples(e[0], x);
    std::vector<value_name> apart{examples, e.integers({form.groups, channels / form.groups})},
        together{e.integers({channels / form.groups}), e.add("Mul", {examples, e.integers({form.groups})})};
    std::vector<std::int64_t> order{2, 1, 0}, examples_behind{1, 0}, back;
    for (int k = 0; k < form.spatial; ++k) {
        apart.push_back(e.extent_of(e[0], x, leading + k)), together.push_back(apart.back());
        order.push_back(k + 3), examples_behind.push_back(k + 2), back.push_back(k + 2);
    }
    back.push_back(0), back.push_back(1);
    value_name const by_channel =
        e.reshape(e.transpose(e.reshape(w.to_front(e[0], x), e.joined(apart)), order), e.joined(together));
    value_name const y = e.transpose(w.to_front(e[1], e.shape(1)), examples_behind);
    std::vector<std::int64_t> strides, dilations, pads, starts(static_cast<std::size_t>(form.spatial), 0), stops, axes;
    for (int k = 0; k < form.spatial; ++k) {
        strides.push_back(turned.axis[k].stride), dilations.push_back(turned.axis[k].dilation);
        pads.push_back(turned.axis[k].before), stops.push_back(made[k]), axes.push_back(k + 2);
    }
    for (int k = 0; k < form.spatial; ++k) pads.push_back(turned.axis[k].after);
    value_name const filters =
        e.add("Conv", {by_channel, y}, {{"strides", strides}, {"dilations", dilations}, {"group", form.groups}, {"pads", pads}});
    return e.transpose(e.add("Slice", {filters, e.integers(starts), e.integers(stops), e.integers(axes)}), back);
}

inline value_name write_input_derivative(exporter& e, channels_writer& w, convolution_form const& form) {
    dims const &first = e.shape(0), &second = e.shape(1);
    std::vector<std::int64_t> strides, dilations, before, after, more;
    for (int k = 0; k < form.spatial; ++k) {
        std::int64_t const of_x = e.made_shape()[e.made_shape().rank - 1 - form.spatial + k],
                           of_y = first[first.rank - 1 - form.spatial + k];
        if (of_x == dyn || of_y == dyn || second[k] == dyn) return e.fail(unknown_extents);
        convolution_form::spatial_axis const a = form.padded(k, of_x, second[k]);
        std::int64_t const full = (of_y - 1) * a.stride + convolution_form::reach(a, second[k]);
        std::int64_t const rest = full - a.before - of_x; // negative if the last steps read no element
        strides.push_back(a.stride), dilations.push_back(a.dilation), before.push_back(a.before);
        after.push_back(rest > 0 ? rest : 0), more.push_back(rest < 0 ? -rest : 0);
    }
    std::vector<std::int64_t> pads = before;
    pads.insert(pads.end(), after.begin(), after.end());
    value_name x = e.add("ConvTranspose", {w.to_front(e[0], first), w.filters_to_front(e[1])},
                         {{"strides", strides}, {"dilations", dilations}, {"group", form.groups}, {"pads", pads}});
    std::vector<std::int64_t> widths(2 * (static_cast<std::size_t>(form.spatial) + 2), 0);
    bool pads_more = false;
    for (std::size_t k = 0; k < more.size(); ++k) {
        widths[static_cast<std::size_t>(form.spatial) + 4 + k] = more[k];
        pads_more = pads_more || more[k] > 0;
    }
    if (pads_more) x = e.add("Pad", {x, e.integers(widths), e.number(e.made_type(), 0)});
    return w.to_back(x, e[0], first);
}
inline value_name write_convolution(exporter& e) {
    convolution_form const form(e.attributes());
    if (form.kept > 0) return e.fail("a convolution with filters for each example");
    channels_writer w(e, form);
    e.rank(0), e.rank(1);
    dims const &first = e.shape(0), &second = e.shape(1);
    if (form.makes == convolution_form::result) {
        std::optional<std::vector<written_attribute>> const attributes = convolution_attributes(form, first, second);
        if (!attributes) return e.fail("a convolution whose padding only a run knows");
        return w.to_back(e.add("Conv", {w.to_front(e[0], first), w.filters_to_front(e[1])}, *attributes), e[0], first);
    }
    return form.makes == convolution_form::input ? write_input_derivative(e, w, form) : write_filter_derivative(e, w, form);
}

} // namespace tx::onnx::detail
