// tx::roi_align brings regions of images to one size, and tx::center_crop takes the middle of images.
#pragma once

#include <tracexpr/image/sampling.hpp>

namespace tx {

template <int Count> struct samples_t {};
// tx::roi_align reads Count points along each axis for one element of its result. The default is tx::samples<2>.
template <int Count> inline constexpr samples_t<Count> samples{};

namespace detail {

template <class T> inline constexpr int samples_of = 0;
template <int Count> inline constexpr int samples_of<samples_t<Count>> = Count;
template <class T> concept region_option = region_tag<T> || samples_of<T> > 0;
template <int Count> constexpr void take_image_option(image_choices&, samples_t<Count>) {}

struct region_call {
    image_extents extents; // of the result
    image_choices options;
    int samples = 2;
};
TRACEXPR_ONCE constexpr char const* region_problem(region_call const& call, builder_specs given) {
    dims const &x = given[0].shape, &boxes = given[1].shape, &images = given[2].shape, &scale = given[3].shape;
    if (!are_image_extents(call.extents) || call.extents.count != 2) return "needs two extents of at least 1";
    if (!is_floating(given[0].type) || !is_floating(given[1].type)) return "x and the boxes must be floating";
    if (!is_integer(given[2].type)) return "the numbers of images must be integers";
    if (x.rank < 0 || boxes.rank < 0 || images.rank < 0) return nullptr;
    if (x.rank != 4) return "x must be images (n, h, w, c), or (n, c, h, w) with tx::channels_first";
    if (boxes.rank != 2 || (boxes[1] != dyn && boxes[1] != 4)) return "boxes must be (k, 4): x1, y1, x2, y2";
    if (images.rank != 1 || (images[0] != dyn && boxes[0] != dyn && images[0] != boxes[0]))
        return "each box needs the number of its image: (k)";
    if (scale.rank > 0) return "the scale must be a scalar";
    return x[call.options.axis(0)] == 0 || x[call.options.axis(1)] == 0 ? "images must have elements" : nullptr;
}
TRACEXPR_ONCE constexpr dims region_shape(region_call const& call, builder_specs given) {
    dims out = given[0].shape;
    out[0] = given[1].shape[0];
    for (int k = 0; k < 2; ++k) out[call.options.axis(k)] = call.extents.value[k];
    return out;
}
// region_axis holds the points (k, points) along one axis of each of k boxes: each lies between the elements `before` and
// `after`, at the fraction `rest`. A point more than one element outside of the image has `counts` false, others outside are
// moved to the border.
struct region_axis {
    node_id before, after, rest, counts;
};
TRACEXPR_ONCE constexpr region_axis region_points(lowering& low, region_call const& call, node_id boxes, node_id scale,
                                                  node_id extent, int k) {
    place_math const math{low};
    bool const is_shifted = call.options.coordinates == coordinate_kind::half_pixel;
    auto const corner = [&](std::int64_t at) {
        node_id const given = math.multiply(low.slice(boxes, 1, at, at + 1), scale);
        return is_shifted ? math.subtract(given, math.number(given, 0.5)) : given;
    };
    node_id const start = corner(1 - k), difference = math.subtract(corner(3 - k), start);
    node_id const length = is_shifted ? difference : low.append(op::maximum, difference, math.number(start, 1));
    std::int64_t const points = call.extents.value[k] * call.samples;
    buffer<double> parts; // which part of the box lies before each point
    for (std::int64_t i = 0; i < points; ++i) parts.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(points));
    node_id const p = math.add(start, math.multiply(length, low.constant(dims{{points}, 1}, low.type(start), parts)));
    node_id const last = math.subtract(extent, math.number(p, 1)), zero = math.number(p, 0);
    node_id const counts =
        low.test(op::logical_and, low.test(op::greater_equal, p, math.number(p, -1)), low.test(op::less_equal, p, extent));
    node_id const inside = math.within(low.choose(counts, p, low.zero_like(p)), zero, last);
    node_id const before = low.append(op::floor, inside),
                  after = low.append(op::minimum, math.add(before, math.number(p, 1)), last);
    return {before, after, math.subtract(inside, before), counts};
}
// Each element of the result is the mean over its points, each of which is interpolated from four elements of the image. (He,
// Gkioxari, Dollar, Girshick: Mask R-CNN, 2017, section 3)
TRACEXPR_ONCE constexpr node_id record_regions(lowering& low, region_call const& call, node_id const* operands) {
    node_id x = operands[0];
    dtype const wanted = low.type(x), t = computed_dtype(wanted);
    if (call.options.channels_first) x = channels_to_end(low, x);
    image_rows const rows = image_rows_of(low, low.as(x, t));
    node_id const boxes = low.as(operands[1], t), images = low.as(operands[2], dtype::int64), scale = low.as(operands[3], t);
    place_math const math{low};
    region_axis axes[2]{};
    for (int k = 0; k < 2; ++k) {
        region_axis const a = region_points(low, call, boxes, scale, low.as(rows.size(k), t), k);
        auto const spread = [&](node_id v) { return low.expand(v, k == 0 ? 2 : 1); }; // (k, points of h, points of w)
        axes[k] = {spread(a.before), spread(a.after), spread(a.rest), spread(a.counts)};
    }
    node_id const image = low.expand(low.expand(images, 1), 2);
    node_id sum = node_id::none;
    for (int corner = 0; corner < 4; ++corner) {
        node_id places[2]{}, weight = node_id::none;
        for (int k = 0; k < 2; ++k) {
            bool const is_after = k == 0 ? corner >= 2 : corner % 2 == 1;
            places[k] = is_after ? axes[k].after : axes[k].before;
            node_id const along = is_after ? axes[k].rest : math.subtract(math.number(axes[k].rest, 1), axes[k].rest);
            weight = k == 0 ? along : math.multiply(weight, along);
        }
        node_id const part = math.multiply(rows.at(image, places), low.expand(weight, 3));
        sum = corner == 0 ? part : math.add(sum, part);
    }
    node_id const counts = low.test(op::logical_and, axes[0].counts, axes[1].counts);
    sum = low.choose(low.expand(counts, 3), sum, low.zero_like(sum));
    attribute_list split(low.copied(sum, 0), call.extents.value[0], call.samples, call.extents.value[1], call.samples,
                         low.copied(sum, 3));
    sum = low.reduce(op::sum, low.reshape(sum, split), attribute_list(2, 4));
    node_id const mean = low.append(op::divide, sum, low.number_like(sum, static_cast<double>(call.samples) * call.samples));
    node_id const out = low.as(mean, wanted);
    return call.options.channels_first ? channels_to_front(low, out) : out;
}
template <class Call> struct region_builder {
    static constexpr char const* called = "roi_align";
    static constexpr std::uint32_t hidden = 1u << 3;
    static constexpr char const* problem(builder_specs given) { return region_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{region_shape(Call::value, given)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_regions(low, Call::value, x)};
    }
};
template <class Extents, class... Options> struct region_call_of;
template <std::int64_t... Extents, class... Options> struct region_call_of<shape<Extents...>, Options...> {
    static constexpr int count = (samples_of<Options> + ... + 0);
    static constexpr region_call value{extents_given<Extents...>(), image_choices_of<Options...>(), count == 0 ? 2 : count};
};

TRACEXPR_ONCE constexpr char const* center_problem(resize_call const& call, builder_specs given) {
    dims const& x = given[0].shape;
    if (!are_image_extents(call.extents)) return "needs one to three extents of at least 1";
    if (x.rank < 0) return nullptr;
    if (x.rank != call.extents.count + 2) return "x must have an axis for the batch, one for each extent, and one for channels";
    for (int k = 0; k < call.extents.count; ++k) {
        std::int64_t const n = x[call.options.axis(k)];
        if (n != dyn && n < call.extents.value[k]) return "the part must not be larger than x";
    }
    return nullptr;
}
// Returns the m middle elements along axis a, whose extent is known only when the program runs.
TRACEXPR_ONCE constexpr node_id middle_of(lowering& low, node_id x, int a, std::int64_t m) {
    node_id const rest = low.append(op::subtract, low.axis_size<std::int64_t>(x, a), low.literal(m));
    node_id const start = low.append(op::floor_divide, rest, low.literal(std::int64_t{2}));
    return low.append(op::take, x, low.append(op::add, low.iota<std::int64_t>(m), start), attribute_list(a));
}
template <class Call> struct center_builder {
    static constexpr char const* called = "center_crop";
    static constexpr char const* problem(builder_specs given) { return center_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{resized_shape(Call::value, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        node_id x = operands[0];
        for (int k = 0; k < Call::value.extents.count; ++k) {
            int const a = Call::value.options.axis(k);
            std::int64_t const n = low.extent(x, a), m = Call::value.extents.value[k], start = (n - m) / 2;
            x = n == dyn ? middle_of(low, x, a, m) : low.slice(x, a, start, start + m);
        }
        return std::array<node_id, 1>{x};
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Brings regions of images to one size: roi_align<7, 7>(x, boxes, images, scale), (n, h, w, c), (k, 4), (k) -> (k, 7, 7, c). A
// box is x1, y1, x2, y2, which are multiplied by the scale to give pixels; images[i] is the number of the image that box i lies
// in. An element is the mean of tx::samples<2> times as many points along each axis, interpolated linearly. Options:
// tx::half_pixel (the default: corners of boxes are corners of pixels, as with torchvision's aligned=True and ONNX's half_pixel)
// or tx::asymmetric (corners of boxes are centres of pixels); tx::channels_first.
template <std::int64_t... Extents, array_operand A, array_operand B, array_operand I, operand S, detail::region_option... Options>
requires(detail::dims_of_operand<S>.rank <= 0)
[[nodiscard]] constexpr auto roi_align(A const& x, B const& boxes, I const& images, S const& scale, Options...) {
    using builder = detail::region_builder<detail::region_call_of<shape<(Extents < 0 ? 0 : Extents)...>, Options...>>;
    constexpr bool fits = detail::built_problem<builder, A, B, I, S> == nullptr;
    static_assert(fits,
                  "tx: roi_align: takes floating images (n, h, w, c), boxes (k, 4), the integer number of each box's image (k) "
                  "and a scale, and needs two extents of at least 1 in <>: tx::roi_align<7, 7>(x, boxes, images, 0.25f)");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, boxes, images, scale);
}
// Takes the middle of images: center_crop<24, 24>(x), (n, h, w, c) -> (n, 24, 24, c). Where an odd number of elements is cut off,
// one more is cut off at the end. Option: tx::channels_first.
template <std::int64_t... Extents, array_operand A, detail::channel_tag... Options>
[[nodiscard]] constexpr auto center_crop(A const& x, Options...) {
    using builder = detail::center_builder<detail::resize_of<shape<(Extents < 0 ? 0 : Extents)...>, Options...>>;
    constexpr bool fits = detail::built_problem<builder, A> == nullptr;
    static_assert(
        fits, "tx: center_crop: needs one to three extents of at least 1 in <>, no larger than those of x (n, spatial..., c): "
              "tx::center_crop<24, 24>(x)");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
