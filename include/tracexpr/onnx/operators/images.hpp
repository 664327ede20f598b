// Records operators of ONNX on images: resizing, sampling at computed places, and regions.
#pragma once

#include <tracexpr/image/regions.hpp>
#include <tracexpr/image/sampling.hpp>
#include <tracexpr/onnx/operators/norms.hpp>

namespace tx::onnx::detail {

// Says how Resize and Upsample change one axis.
struct resized_axis {
    std::int64_t from = 1, to = 1;
    double scale = 1, start = 0, end = 1; // `start` and `end` are the region of tf_crop_and_resize
};
class resize_attributes {
public:
    explicit resize_attributes(op_call const& c)
        : mode{c.text("mode", "nearest")}, coordinates{c.text("coordinate_transformation_mode", "half_pixel")},
          nearest{c.text("nearest_mode", "round_prefer_floor")}, cubic{c.number("cubic_coeff_a", -0.75)},
          outside{c.number("extrapolation_value", 0)}, exclude_outside{c.integer("exclude_outside", 0) != 0},
          antialias{c.integer("antialias", 0) != 0} {}

    std::string_view mode, coordinates, nearest;
    double cubic, outside;
    bool exclude_outside, antialias;

    // Returns the place in x that place i of the result reads.
    double place(std::int64_t index, resized_axis const& a) const {
        double const i = static_cast<double>(index), n = static_cast<double>(a.from), m = static_cast<double>(a.to);
        if (coordinates == "asymmetric") return i / a.scale;
        double const exact = a.scale * n; // m is its integer part
        if (coordinates == "align_corners") return a.to == 1 || exact == 1 ? 0 : i * (n - 1) / (exact - 1);
        if (coordinates == "pytorch_half_pixel") return a.to == 1 ? 0 : (i + 0.5) / a.scale - 0.5;
        if (coordinates == "tf_half_pixel_for_nn") return (i + 0.5) / a.scale;
        if (coordinates == "tf_crop_and_resize")
            return a.to == 1 ? 0.5 * (a.start + a.end) * (n - 1) : a.start * (n - 1) + i * (a.end - a.start) * (n - 1) / (m - 1);
        if (coordinates == "half_pixel_symmetric") {
            double const adjustment = m / exact;
            return n / 2 * (1 - adjustment) + (i + 0.5) / a.scale - 0.5;
        }
        return (i + 0.5) / a.scale - 0.5;
    }
    std::int64_t nearest_place(double p) const {
        double const below = std::floor(p), rest = p - below;
        if (nearest == "floor") return whole_number(below);
        if (nearest == "ceil") return whole_number(std::ceil(p));
        bool const up = nearest == "round_prefer_ceil" ? rest >= 0.5 : rest > 0.5;
        return whole_number(below) + (up ? 1 : 0);
    }
    // Returns the elements that each place of the result reads, and their weights.
    resize_table table(resized_axis const& a) const {
        resize_table out;
        if (a.to == 0) return out; // whatever the scale, which may be tiny
        bool const is_linear = mode == "linear", is_smaller = antialias && a.scale < 1 && mode != "nearest";
        double const spread = is_smaller ? a.scale : 1;
        std::int64_t const reach = static_cast<std::int64_t>(std::ceil((is_linear ? 1.0 : 2.0) / spread));
        out.taps = mode == "nearest" ? 1 : 2 * reach;
        for (std::int64_t i = 0; i < a.to; ++i) {
            double const p = place(i, a);
            if (mode == "nearest") {
                out.add(nearest_place(p), a.from, 1);
                continue;
            }
            std::int64_t const before = whole_number(std::floor(p));
            std::size_t const first = out.weights.size();
            double total = 0;
            for (std::int64_t j = before - reach + 1; j <= before + reach; ++j) {
                double const distance = std::abs(static_cast<double>(j) - p) * spread;
                double weight = is_linear ? std::max(0.0, 1 - distance) : cubic_weight(distance, cubic);
                if (exclude_outside && (j < 0 || j >= a.from)) weight = 0;
                out.add(j, a.from, weight);
                total += weight;
            }
            if (exclude_outside || is_smaller)
                for (std::size_t k = first; k < out.weights.size(); ++k) out.weights[k] /= total;
        }
        return out;
    }
};
inline node_id resized_in(op_call const& c, node_id x, std::vector<resized_axis> const& axes, resize_attributes const& how) {
    dtype const type = c.type(x);
    bool const moves_only = how.mode == "nearest", crops = how.coordinates == "tf_crop_and_resize";
    if (!moves_only && how.mode != "linear" && how.mode != "cubic") c.fail("has no mode " + quoted_piece(how.mode));
    node_id out = moves_only ? x : c.as(x, widened_dtype(to_inexact(type)));
    for (std::size_t k = 0; k < axes.size(); ++k) {
        resized_axis const& a = axes[k];
        if (a.from == a.to && a.scale == 1 && !crops) continue;
        if (a.from == 0 && a.to > 0) c.fail("an axis without elements has none to show");
        constexpr std::int64_t most = std::int64_t{1} << 24;
        if (a.to > most) c.fail("makes an axis of more than 2^24 elements");
        if (a.from > most && how.antialias) c.fail("reads an axis of more than 2^24 elements for each place");
        dims made = c.shape(out);
        made[static_cast<int>(k)] = a.to;
        c.require_possible(made);
        out = resized_by_table(c.low(), out, static_cast<int>(k), a.to, how.table(a));
    }
    if (crops) { // places outside of x have a value of their own
        node_id inside = c.low().literal(true);
        for (std::size_t k = 0; k < axes.size(); ++k) {
            buffer<double> is_inside;
            for (std::int64_t i = 0; i < axes[k].to; ++i) {
                double const p = how.place(i, axes[k]);
                is_inside.push_back(p >= 0 && p <= static_cast<double>(axes[k].from - 1) ? 1 : 0);
            }
            dims column{{axes[k].to}, 1};
            for (std::size_t other = k + 1; other < axes.size(); ++other) column.push_back(1);
            inside = c.append(op::logical_and, inside, c.low().constant(column, dtype::boolean, is_inside));
        }
        out = c.choose(inside, out, c.number_like(out, how.outside));
    }
    if (!moves_only && is_integer(type)) out = c.append(op::round, out);
    return c.as(out, type);
}
// An axis whose scale is 1 may have any extent.
inline std::int64_t scaled_extent(op_call const& c, node_id x, int axis, double scale) {
    if (!(scale > 0)) c.fail("scales must be positive");
    if (scale == 1) return c.extent(x, axis);
    return whole_number(std::floor(scale * static_cast<double>(c.known_extent(x, axis))));
}
inline void record_resize_node(op_call& c) {
    node_id const x = c[0];
    dims const d = c.shape(x);
    resize_attributes const how(c);
    if (how.coordinates == "tf_crop_and_resize") static_cast<void>(c.known_shape(x));
    std::vector<int> axes;
    for (std::int64_t const a : c.integers("axes")) axes.push_back(c.axis(a, d.rank));
    if (axes.empty())
        for (int a = 0; a < d.rank; ++a) axes.push_back(a);
    std::vector<double> scales, region;
    std::vector<std::int64_t> sizes;
    if (c.has(1)) region = c.known_numbers(1);
    if (c.has(2)) scales = c.known_numbers(2);
    asked_extents asked;
    if (c.has(3)) asked = asked_extents_of(c, 3);
    for (auto const& size : asked.known) sizes.push_back(size ? *size : dyn);
    if (scales.size() != axes.size() && sizes.size() != axes.size()) c.fail("needs a scale or a size for each axis");
    std::string_view const policy = c.text("keep_aspect_ratio_policy", "stretch");
    for (std::size_t k = 0; sizes.size() == axes.size() && k < axes.size(); ++k) {
        // An axis whose size only the run knows must keep its extent.
        if (sizes[k] != dyn || policy != "stretch") static_cast<void>(c.known_extent(x, axes[k]));
        else if (d[axes[k]] != dyn) static_cast<void>(c.known_integers(3));
    }
    if (sizes.size() == axes.size() && policy != "stretch") {
        double scale = policy == "not_larger" ? std::numeric_limits<double>::infinity() : 0;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            double const own = static_cast<double>(sizes[k]) / static_cast<double>(d[axes[k]]);
            scale = policy == "not_larger" ? std::min(scale, own) : std::max(scale, own);
        }
        scales.assign(axes.size(), scale);
        for (std::size_t k = 0; k < axes.size(); ++k)
            sizes[k] = whole_number(std::floor(scale * static_cast<double>(d[axes[k]]) + 0.5));
    } else if (sizes.size() == axes.size()) {
        scales.clear();
        for (std::size_t k = 0; k < axes.size(); ++k)
            scales.push_back(sizes[k] == dyn ? 1 : static_cast<double>(sizes[k]) / static_cast<double>(d[axes[k]]));
    } else {
        sizes.clear();
        for (std::size_t k = 0; k < axes.size(); ++k) sizes.push_back(scaled_extent(c, x, axes[k], scales[k]));
    }
    std::vector<resized_axis> all(static_cast<std::size_t>(d.rank));
    for (int a = 0; a < d.rank; ++a) all[static_cast<std::size_t>(a)].from = all[static_cast<std::size_t>(a)].to = d[a];
    for (std::size_t k = 0; k < axes.size(); ++k) {
        resized_axis& a = all[static_cast<std::size_t>(axes[k])];
        if (!(scales[k] > 0) || (sizes[k] < 0 && sizes[k] != dyn)) c.fail("scales must be positive");
        a.to = sizes[k], a.scale = scales[k];
        if (region.size() == 2 * axes.size()) a.start = region[k], a.end = region[k + axes.size()];
    }
    node_id const out = resized_in(c, x, all, how);
    if (asked.are_known()) return c.give(out);
    std::vector<node_id> numbers;
    for (int a = 0; a < d.rank; ++a) numbers.push_back(c.size_along(out, a));
    for (std::size_t k = 0; k < axes.size(); ++k) numbers[static_cast<std::size_t>(axes[k])] = asked.numbers[k];
    c.give(as_told(c, op::broadcast_to, out, numbers));
}
// Records Upsample, the predecessor of Resize.
inline void record_upsample(op_call& c) {
    node_id const x = c[0];
    std::vector<double> const scales = c.known_numbers(1);
    if (scales.size() != static_cast<std::size_t>(c.rank(x))) c.fail("needs a scale for each axis");
    resize_attributes how(c);
    how.coordinates = "asymmetric", how.nearest = "floor";
    std::vector<resized_axis> all;
    for (int a = 0; a < c.rank(x); ++a) {
        double const scale = scales[static_cast<std::size_t>(a)];
        all.push_back({c.extent(x, a), scaled_extent(c, x, a, scale), scale});
    }
    c.give(resized_in(c, x, all, how));
}

inline void record_grid_sample(op_call& c) {
    sampling_call call;
    std::string_view const mode = c.text("mode", "linear"), border = c.text("padding_mode", "zeros");
    call.options.interpolation = mode == "nearest"                      ? interpolation_kind::nearest
                                 : mode == "cubic" || mode == "bicubic" ? interpolation_kind::cubic
                                                                        : interpolation_kind::linear;
    call.options.border = border == "border"       ? border_kind::edge
                          : border == "reflection" ? border_kind::reflect
                                                   : border_kind::zeros;
    call.options.coordinates = c.integer("align_corners", 0) ? coordinate_kind::align_corners : coordinate_kind::half_pixel;
    call.options.channels_first = true;
    node_id const x = c.as(c[0], to_inexact(c.type(c[0])));
    builder_spec const given[]{{c.type(x), c.shape(x)}, {c.type(c[1]), c.shape(c[1])}};
    if (char const* const wrong = sampling_problem(call, given)) c.fail(wrong);
    c.require_possible(sampled_shape(call, given));
    c.give(c.as(record_sampling(c.low(), call, x, c[1]), c.type(c[0])));
}
inline void record_affine_grid(op_call& c) {
    std::vector<std::int64_t> const size = c.known_integers(1);
    if (size.size() != 4 && size.size() != 5) c.fail("needs the size of images or volumes");
    resize_call call;
    call.extents.count = static_cast<int>(size.size()) - 2;
    for (std::size_t k = 2; k < size.size(); ++k) call.extents.value[k - 2] = size[k];
    call.options.coordinates = c.integer("align_corners", 0) ? coordinate_kind::align_corners : coordinate_kind::half_pixel;
    builder_spec const given[]{{c.type(c[0]), c.shape(c[0])}};
    if (char const* const wrong = affine_problem(call, given)) c.fail(wrong);
    constexpr std::int64_t most_places = std::int64_t{1} << 26;
    std::int64_t places = 1;
    for (int k = 0; k < call.extents.count; ++k) {
        if (call.extents.value[k] > most_places / places) c.fail("makes more than 2^26 places");
        places *= call.extents.value[k];
    }
    c.give(record_affine(c.low(), call, c[0]));
}
inline bool are_boxes_shifted(op_call const& c) {
    return c.version() >= 16 && c.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
}
// Holds the points of boxes along an axis, (boxes, points): the elements on both sides of each, and their weights, which are 0
// for points outside.
struct box_points {
    node_id place[2], weight[2];
};
inline box_points points_of_boxes(op_call const& c, node_id boxes, std::int64_t column, std::int64_t extent, std::int64_t parts,
                                  std::int64_t samples) {
    double const scale = c.number("spatial_scale", 1), shift = are_boxes_shifted(c) ? 0.5 : 0;
    auto const edge = [&](std::int64_t k) { return plus(c, times(c, c.low().slice(boxes, 1, k, k + 1), scale), -shift); };
    node_id const start = edge(column);
    node_id length = c.append(op::subtract, edge(column + 2), start);
    if (!are_boxes_shifted(c)) length = c.append(op::maximum, length, c.number_like(length, 1));
    buffer<double> steps; // as parts of a box
    for (std::int64_t k = 0; k < parts * samples; ++k)
        steps.push_back((static_cast<double>(k) + 0.5) / static_cast<double>(parts * samples));
    node_id const step = c.low().constant(dims{{parts * samples}, 1}, c.type(boxes), steps);
    node_id const given = c.append(op::add, start, c.append(op::multiply, length, step));
    node_id const last = c.number_like(given, static_cast<double>(extent - 1)), zero = c.number_like(given, 0);
    node_id const is_inside = c.append(op::logical_and, c.append(op::greater_equal, given, c.number_like(given, -1)),
                                       c.append(op::less_equal, given, c.number_like(given, static_cast<double>(extent))));
    node_id const point = c.append(op::minimum, c.append(op::maximum, given, zero), last), below = c.append(op::floor, point);
    node_id const rest = c.append(op::subtract, point, below), present = c.as(is_inside, c.type(boxes));
    node_id const above = c.append(op::minimum, plus(c, below, 1), last);
    return {{c.as(below, dtype::int64), c.as(above, dtype::int64)},
            {c.append(op::multiply, present, plus(c, c.append(op::negative, rest), 1)), c.append(op::multiply, present, rest)}};
}
// Records the maximum of the weighted elements around the points in each part of a box.
inline void record_roi_max(op_call& c) {
    node_id const x = c[0], boxes = c.as(c[1], c.type(x));
    dims const d = c.known_shape(x), b = c.known_shape(boxes);
    std::int64_t const rows = c.integer("output_height", 1), columns = c.integer("output_width", 1);
    std::int64_t const samples = c.integer("sampling_ratio", 0);
    if (d.rank != 4 || d.size() < 1 || b.rank != 2 || b[1] != 4 || c.rank(c[2]) != 1)
        c.fail("takes images (n, channels, h, w), boxes (m, 4) and numbers (m)");
    box_points const ys = points_of_boxes(c, boxes, 1, d[2], rows, samples),
                     xs = points_of_boxes(c, boxes, 0, d[3], columns, samples);
    node_id const elements = c.reshape(c.low().transpose(x, attribute_list(0, 2, 3, 1)), dims{{d[0] * d[2] * d[3], d[1]}, 2});
    node_id const image = c.append(op::multiply, c.low().expand(c.as(c[2], dtype::int64), 1), c.integer(d[2]));
    node_id out = node_id::none;
    for (node_id const *row = ys.place, *row_weight = ys.weight; row != ys.place + 2; ++row, ++row_weight)
        for (std::size_t k = 0; k < 2; ++k) {
            node_id const line = c.append(op::multiply, c.append(op::add, image, *row), c.integer(d[3]));
            node_id const place = c.append(op::add, c.low().expand(line, 2), c.low().expand(xs.place[k], 1));
            node_id const weight = c.append(op::multiply, c.low().expand(*row_weight, 2), c.low().expand(xs.weight[k], 1));
            node_id const value =
                c.append(op::multiply, c.append(op::take, elements, place, attribute_list(0)), c.low().expand(weight, 3));
            out = out == node_id::none ? value : c.append(op::maximum, out, value);
        }
    out = c.reshape(out, dims{{b[0], rows, samples, columns, samples, d[1]}, 6});
    c.give(c.low().transpose(c.append(op::max, out, attribute_list(0, 2, 4)), attribute_list(0, 3, 1, 2)));
}
// Records the mean over the points in each box. If the number of points isn't given, each box has as many as it has elements,
// rounded up, so the boxes must be known.
inline void record_roi_align(op_call& c) {
    // The bound limits the tables that are made of the points of each box.
    constexpr std::int64_t most = 1 << 12;
    for (std::int64_t const n : {c.integer("output_height", 1), c.integer("output_width", 1), c.integer("sampling_ratio", 0)})
        if (n < 1 || n > most) c.fail("needs an output_height, an output_width and a sampling_ratio of 1 to 4096");
    if (c.text("mode", "avg") != "avg") return record_roi_max(c);
    region_call call;
    call.extents.count = 2;
    call.extents.value[0] = c.integer("output_height", 1), call.extents.value[1] = c.integer("output_width", 1);
    call.options.channels_first = true;
    call.options.coordinates = are_boxes_shifted(c) ? coordinate_kind::half_pixel : coordinate_kind::asymmetric;
    call.samples = static_cast<int>(c.integer("sampling_ratio", 0));
    node_id const operands[]{c[0], c[1], c[2], c.low().literal(c.number("spatial_scale", 1))};
    buffer<builder_spec> given;
    for (node_id const id : operands) given.push_back({c.type(id), c.shape(id)});
    if (char const* const wrong = region_problem(call, given)) c.fail(wrong);
    c.require_possible(dims{
        {given[1].shape[0], call.extents.value[0] * call.samples, call.extents.value[1] * call.samples, given[0].shape[1]}, 4});
    c.give(record_regions(c.low(), call, operands));
}
inline void record_center_crop_pad(op_call& c) {
    node_id const x = c[0];
    std::vector<std::int64_t> const wanted = c.known_integers(1);
    std::vector<std::int64_t> before(static_cast<std::size_t>(c.rank(x))), after(before.size());
    std::vector<std::int64_t> axes = c.integers("axes");
    if (axes.empty())
        for (int a = 0; a < c.rank(x); ++a) axes.push_back(a);
    if (axes.size() != wanted.size()) c.fail("needs an extent for each axis");
    for (std::size_t k = 0; k < axes.size(); ++k) {
        int const a = c.axis(axes[k], c.rank(x));
        std::int64_t const n = c.known_extent(x, a), m = wanted[k];
        if (m < 0 || m > std::int64_t{1} << 40) c.fail("an extent must not be negative");
        auto const at = static_cast<std::size_t>(a);
        if (m >= n) before[at] = (m - n) / 2, after[at] = m - n - before[at];
        else before[at] = -((n - m) / 2), after[at] = m - n - before[at];
    }
    c.give(padded_tensor(c, x, before, after, "constant", c.low().zero_like(x)));
}

// Selects boxes in the order of their scores, without those that overlap an earlier one too much. The number of boxes depends on
// the elements, so these must be known.
inline void record_non_max_suppression(op_call& c) {
    std::vector<double> const boxes = c.known_numbers(0), scores = c.known_numbers(1);
    dims const b = c.known_shape(c[0]), s = c.known_shape(c[1]);
    if (b.rank != 3 || s.rank != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2])
        c.fail("takes boxes (n, boxes, 4) and scores (n, classes, boxes)");
    std::int64_t const most = c.has(2) ? c.known_integer(2) : 0;
    double const overlap = c.has(3) ? c.known_number(3) : 0;
    double const least = c.has(4) ? c.known_number(4) : -std::numeric_limits<double>::infinity();
    bool const has_center = c.integer("center_point_box", 0) != 0;
    struct box {
        double low[2], high[2];
        double area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
    };
    auto const box_at = [&](std::int64_t image, std::int64_t k) {
        double const* const v = boxes.data() + (image * b[1] + k) * 4;
        box out{};
        for (int a = 0; a < 2; ++a) {
            if (has_center) out.low[a] = v[a] - v[a + 2] / 2, out.high[a] = v[a] + v[a + 2] / 2;
            else out.low[a] = std::min(v[a], v[a + 2]), out.high[a] = std::max(v[a], v[a + 2]);
        }
        return out;
    };
    auto const share = [](box const& p, box const& q) {
        double common = 1;
        for (int a = 0; a < 2; ++a) common *= std::max(0.0, std::min(p.high[a], q.high[a]) - std::max(p.low[a], q.low[a]));
        double const all = p.area() + q.area() - common;
        return all > 0 ? common / all : 0;
    };
    std::vector<std::int64_t> selected;
    for (std::int64_t image = 0; image < s[0]; ++image)
        for (std::int64_t kind = 0; kind < s[1]; ++kind) {
            double const* const own = scores.data() + (image * s[1] + kind) * s[2];
            std::vector<std::int64_t> order, taken;
            for (std::int64_t k = 0; k < s[2]; ++k)
                if ((!c.has(4) || own[k] > least) && !std::isnan(own[k])) order.push_back(k);
            std::sort(order.begin(), order.end(), [&](auto p, auto q) { return own[p] != own[q] ? own[p] > own[q] : p < q; });
            for (std::int64_t const k : order) {
                if (static_cast<std::int64_t>(taken.size()) >= most) break;
                bool is_free = true;
                for (std::int64_t const t : taken) is_free = is_free && share(box_at(image, k), box_at(image, t)) <= overlap;
                if (!is_free) continue;
                taken.push_back(k);
                selected.insert(selected.end(), {image, kind, k});
            }
        }
    c.give(c.low().reshape(c.integers(selected), attribute_list(static_cast<std::int64_t>(selected.size() / 3), 3)));
}

} // namespace tx::onnx::detail
