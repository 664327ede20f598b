// tx::grid_sample reads images at coordinates that are computed, and tx::affine_grid makes such coordinates.
#pragma once

#include <tracexpr/image/resizing.hpp>

namespace tx {
namespace detail {

// Holds images (n, h, w, c) or volumes (n, d, h, w, c), and the same elements as a table with one row of channels for each pixel.
struct image_rows {
    lowering& low;
    node_id table; // (n h w, c)
    node_id x;     // (n, spatial..., c)
    int spatial = 2;

    constexpr node_id size(int k) const { return low.axis_size<std::int64_t>(x, 1 + k); }
    // Returns the rows of image number `image` at integral places along each axis, which must lie within the image.
    TRACEXPR_ONCE constexpr node_id at(node_id image, node_id const* places) const {
        node_id row = image;
        for (int k = 0; k < spatial; ++k)
            row = low.append(op::add, low.append(op::multiply, row, size(k)), low.as(places[k], dtype::int64));
        return low.append(op::take, table, row, attribute_list(0));
    }
};
TRACEXPR_ONCE constexpr image_rows image_rows_of(lowering& low, node_id x) {
    int const spatial = low.rank(x) - 2;
    return {low, low.reshape(x, attribute_list(-1, low.copied(x, spatial + 1))), x, spatial};
}
TRACEXPR_ONCE constexpr node_id channels_to_end(lowering& low, node_id x) {
    attribute_list order(0);
    for (int a = 2; a < low.rank(x); ++a) order.push_back(a);
    order.push_back(1);
    return low.transpose(x, order);
}
TRACEXPR_ONCE constexpr node_id channels_to_front(lowering& low, node_id x) {
    attribute_list order(0, low.rank(x) - 1);
    for (int a = 1; a + 1 < low.rank(x); ++a) order.push_back(a);
    return low.transpose(x, order);
}

// Does arithmetic on coordinates, in their own dtype.
struct place_math {
    lowering& low;

    constexpr node_id number(node_id like, double value) const { return low.number_like(like, value); }
    constexpr node_id add(node_id p, node_id q) const { return low.append(op::add, p, q); }
    constexpr node_id subtract(node_id p, node_id q) const { return low.append(op::subtract, p, q); }
    constexpr node_id multiply(node_id p, node_id q) const { return low.append(op::multiply, p, q); }
    constexpr node_id within(node_id p, node_id least, node_id most) const {
        return low.append(op::minimum, low.append(op::maximum, p, least), most);
    }
    TRACEXPR_ONCE constexpr node_id is_inside(node_id p, node_id last) const {
        return low.test(op::logical_and, low.test(op::greater_equal, p, number(p, 0)), low.test(op::less_equal, p, last));
    }
    // Mirrors p at `start` and at `start` + span, as often as needed.
    TRACEXPR_ONCE constexpr node_id mirrored(node_id p, double start, node_id span) const {
        node_id const twice = low.append(op::maximum, multiply(span, number(p, 2)), number(p, 1));
        node_id const up = low.append(op::remainder, subtract(p, number(p, start)), twice);
        return add(low.append(op::minimum, up, subtract(twice, up)), number(p, start));
    }
};

struct sampling_call {
    image_choices options;
};
// Holds the coordinates along one axis of a sampled image, and how those outside are moved into the image.
struct sampled_axis {
    place_math math;
    image_choices const& options;
    node_id place, last; // last: extent - 1

    TRACEXPR_ONCE constexpr node_id moved(node_id p) const {
        if (options.border == border_kind::edge) return math.within(p, math.number(p, 0), last);
        if (options.border == border_kind::zeros) return p;
        bool const at_corners = options.coordinates == coordinate_kind::align_corners;
        node_id const span = at_corners ? last : math.add(last, math.number(p, 1));
        return math.within(math.mirrored(p, at_corners ? 0.0 : -0.5, span), math.number(p, 0), last);
    }
};
// Adds up the weighted elements around each place, by recursion over the axes: add_from handles the axes from k on, and `weight`
// is the product of the weights along the axes before.
struct sampler {
    image_rows const& rows;
    image_choices const& options;
    sampled_axis const* axes;
    node_id image;
    node_id sum = node_id::none;

    // Returns the elements at integral places, and 0 at places outside of the image.
    TRACEXPR_ONCE constexpr node_id value_at(node_id const* places) const {
        lowering& low = rows.low;
        place_math const math{low};
        node_id inside = node_id::none, safe[3]{};
        for (int k = 0; k < rows.spatial; ++k) {
            node_id const is_inside_axis = math.is_inside(places[k], axes[k].last);
            inside = k == 0 ? is_inside_axis : low.test(op::logical_and, inside, is_inside_axis);
        }
        for (int k = 0; k < rows.spatial; ++k) safe[k] = low.choose(inside, places[k], low.zero_like(places[k]));
        node_id const value = rows.at(image, safe);
        return low.choose(low.expand(inside, low.rank(inside)), value, low.zero_like(value));
    }
    TRACEXPR_ONCE constexpr void add_from(int k, node_id* places, node_id weight) {
        lowering& low = rows.low;
        place_math const math{low};
        if (k == rows.spatial) {
            node_id const value = value_at(places);
            node_id const part = weight == node_id::none
                                     ? value
                                     : math.multiply(value, low.as(low.expand(weight, low.rank(weight)), low.type(value)));
            sum = sum == node_id::none ? part : math.add(sum, part);
            return;
        }
        bool const is_cubic = options.interpolation == interpolation_kind::cubic;
        if (options.interpolation == interpolation_kind::nearest) {
            places[k] = low.append(op::round, axes[k].moved(axes[k].place)); // ties go to even places, as in PyTorch
            return add_from(k + 1, places, weight);
        }
        node_id const p = is_cubic ? axes[k].place : axes[k].moved(axes[k].place);
        node_id const before = low.append(op::floor, p), rest = math.subtract(p, before);
        for (int t = is_cubic ? -1 : 0; t < (is_cubic ? 3 : 2); ++t) {
            node_id const place = t == 0 ? before : math.add(before, math.number(p, t));
            places[k] = is_cubic ? axes[k].moved(place) : place;
            node_id const along = is_cubic ? cubic(math, rest, t) : t == 1 ? rest : math.subtract(math.number(p, 1), rest);
            add_from(k + 1, places, weight == node_id::none ? along : math.multiply(weight, along));
        }
    }
    TRACEXPR_ONCE static constexpr node_id cubic(place_math const& math, node_id rest, int t) {
        node_id const d = t < 1 ? math.subtract(rest, math.number(rest, t)) : math.subtract(math.number(rest, t), rest);
        double const a = cubic_slope;
        if (t == 0 || t == 1) {
            node_id const line = math.subtract(math.multiply(d, math.number(d, a + 2)), math.number(d, a + 3));
            return math.add(math.multiply(line, math.multiply(d, d)), math.number(d, 1));
        }
        node_id const line = math.subtract(math.multiply(d, math.number(d, a)), math.number(d, 5 * a));
        node_id const square = math.add(math.multiply(line, d), math.number(d, 8 * a));
        return math.subtract(math.multiply(square, d), math.number(d, 4 * a));
    }
};
TRACEXPR_ONCE constexpr char const* sampling_problem(sampling_call const& call, builder_specs given) {
    dims const &x = given[0].shape, &grid = given[1].shape;
    if (!is_inexact(given[0].type) || !is_floating(given[1].type)) return "x and the grid must be floating";
    if (x.rank < 0 || grid.rank < 0) return nullptr;
    if (x.rank != 4 && x.rank != 5) return "x must be images (n, h, w, c) or volumes (n, d, h, w, c)";
    if (grid.rank != x.rank) return "the grid must have as many axes as x: (n, places..., 2), or 3 for volumes";
    if (grid[grid.rank - 1] != dyn && grid[grid.rank - 1] != x.rank - 2)
        return "the last axis of the grid must have x, y, or x, y, z";
    if (x[0] != dyn && grid[0] != dyn && x[0] != grid[0]) return "x and the grid must have the same extent of the batch";
    if (x.rank == 5 && call.options.interpolation == interpolation_kind::cubic) return "volumes have no cubic interpolation";
    for (int k = 0; k < x.rank - 2; ++k)
        if (x[call.options.axis(k)] == 0) return "spatial axes must have at least one element";
    return nullptr;
}
TRACEXPR_ONCE constexpr dims sampled_shape(sampling_call const& call, builder_specs given) {
    dims out = given[0].shape;
    for (int k = 0; k < out.rank - 2; ++k) out[call.options.axis(k)] = given[1].shape[k + 1];
    return out;
}
TRACEXPR_ONCE constexpr node_id record_sampling(lowering& low, sampling_call const& call, node_id x, node_id grid) {
    dtype const wanted = low.type(x), t = computed_dtype(wanted);
    if (call.options.channels_first) x = channels_to_end(low, x);
    image_rows const rows = image_rows_of(low, low.as(x, t));
    dtype const places_type = real_part(t);
    grid = low.as(grid, places_type);
    place_math const math{low};
    int const end = low.rank(grid) - 1;
    sampled_axis axes[3]{{math, call.options, grid, grid}, {math, call.options, grid, grid}, {math, call.options, grid, grid}};
    for (int k = 0; k < rows.spatial; ++k) {
        int const from = rows.spatial - 1 - k; // the grid has x first, which belongs to the last axis
        node_id const g = low.squeeze(low.slice(grid, end, from, from + 1), end);
        node_id const n = low.as(rows.size(k), places_type), last = math.subtract(n, math.number(g, 1));
        node_id const half = math.multiply(math.add(g, math.number(g, 1)), math.number(g, 0.5));
        bool const at_corners = call.options.coordinates == coordinate_kind::align_corners;
        axes[k].last = last;
        axes[k].place = at_corners ? math.multiply(half, last) : math.subtract(math.multiply(half, n), math.number(g, 0.5));
    }
    sampler all{rows, call.options, axes, low.iota_like<std::int64_t>(axes[0].place, 0)};
    node_id places[3]{};
    all.add_from(0, places, node_id::none);
    node_id const out = low.as(all.sum, wanted);
    return call.options.channels_first ? channels_to_front(low, out) : out;
}
template <class Call> struct sampling_builder {
    static constexpr char const* called = "grid_sample";
    static constexpr char const* problem(builder_specs given) { return sampling_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{sampled_shape(Call::value, given)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_sampling(low, Call::value, x[0], x[1])};
    }
};
template <class... Options> struct sampling_of {
    static constexpr sampling_call value{image_choices_of<Options...>()};
};

TRACEXPR_ONCE constexpr char const* affine_problem(resize_call const& call, builder_specs given) {
    dims const& theta = given[0].shape;
    int const spatial = call.extents.count;
    if (!are_image_extents(call.extents) || spatial < 2) return "needs two or three extents of at least 1";
    if (!is_floating(given[0].type)) return "theta must be floating";
    if (theta.rank < 0) return nullptr;
    bool const fits = theta.rank == 3 && (theta[1] == dyn || theta[1] == spatial) && (theta[2] == dyn || theta[2] == spatial + 1);
    return fits ? nullptr : "theta must be (n, 2, 3), or (n, 3, 4) for volumes";
}
TRACEXPR_ONCE constexpr dims affine_shape(resize_call const& call, dims const& theta) {
    dims out{{theta[0]}, 1};
    for (int k = 0; k < call.extents.count; ++k) out.push_back(call.extents.value[k]);
    out.push_back(call.extents.count);
    return out;
}
// The coordinates of all pixels of an image and a 1, (places, spatial + 1), are multiplied by the transpose of theta.
TRACEXPR_ONCE constexpr node_id record_affine(lowering& low, resize_call const& call, node_id theta) {
    int const spatial = call.extents.count;
    std::int64_t total = 1;
    for (int k = 0; k < spatial; ++k) total *= call.extents.value[k];
    buffer<double> base;
    for (std::int64_t number = 0; number < total; ++number) {
        std::int64_t rest = number;
        for (int k = spatial - 1; k >= 0; --k) { // x comes first, which belongs to the last axis
            std::int64_t const n = call.extents.value[k], i = rest % n;
            rest /= n;
            bool const at_corners = call.options.coordinates == coordinate_kind::align_corners;
            if (at_corners) base.push_back(n == 1 ? 0 : static_cast<double>(2 * i - (n - 1)) / static_cast<double>(n - 1));
            else base.push_back(static_cast<double>(2 * i + 1 - n) / static_cast<double>(n));
        }
        base.push_back(1);
    }
    dtype const wanted = low.type(theta), t = computed_dtype(wanted);
    node_id const places = low.constant(dims{{total, spatial + 1}, 2}, t, base);
    node_id const out = low.append(op::matmul, places, low.transpose(low.as(theta, t), attribute_list(0, 2, 1)));
    attribute_list to(low.copied(out, 0));
    for (int k = 0; k < spatial; ++k) to.push_back(call.extents.value[k]);
    to.push_back(spatial);
    return low.as(low.reshape(out, to), wanted);
}
template <class Call> struct affine_builder {
    static constexpr char const* called = "affine_grid";
    static constexpr char const* problem(builder_specs given) { return affine_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{affine_shape(Call::value, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_affine(low, Call::value, x[0])};
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Reads images (n, h, w, c) at the coordinates of a grid (n, places..., 2), whose last axis has (x, y) from -1 to 1, or (x, y, z)
// for volumes: the result is (n, places..., c). Options in any order: tx::interpolation::linear (the default), nearest or cubic;
// elements outside are 0 by default, tx::edge repeats the border and tx::reflect mirrors the image; -1 and 1 are the borders of
// the image, or with tx::align_corners the centres of its outermost pixels; tx::channels_first. (PyTorch: grid_sample)
template <array_operand A, array_operand G, detail::sampling_tag... Options>
[[nodiscard]] constexpr auto grid_sample(A const& x, G const& grid, Options...) {
    using builder = detail::sampling_builder<detail::sampling_of<Options...>>;
    constexpr bool fits = detail::built_problem<builder, A, G> == nullptr;
    static_assert(fits,
                  "tx: grid_sample: takes floating images (n, h, w, c) and a grid (n, places..., 2) of as many axes, or volumes "
                  "and a grid of (x, y, z), which have no cubic interpolation; with tx::channels_first images (n, c, h, w)");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, grid);
}
// Makes a grid for tx::grid_sample, the coordinates to which the matrices theta (n, 2, 3) map the pixels of an image of the given
// extents: affine_grid<4, 6>(theta), (n, 4, 6, 2). For volumes theta is (n, 3, 4). tx::align_corners has the meaning it has in
// grid_sample. (PyTorch: affine_grid)
template <std::int64_t... Extents, array_operand A, class... Options>
requires(detail::is_one_of<Options, half_pixel_t, align_corners_t> && ...)
[[nodiscard]] constexpr auto affine_grid(A const& theta, Options...) {
    using builder = detail::affine_builder<detail::resize_of<shape<(Extents < 0 ? 0 : Extents)...>, Options...>>;
    constexpr bool fits = detail::built_problem<builder, A> == nullptr;
    static_assert(fits,
                  "tx: affine_grid: needs two or three extents of at least 1 in <>, and matrices (n, 2, 3), or (n, 3, 4) for "
                  "volumes: tx::affine_grid<32, 32>(theta)");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, theta);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
