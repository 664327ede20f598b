// tx::resize resizes each spatial axis on its own, by interpolation weights that are constants where the extents are known.
#pragma once

#include <tracexpr/image/options.hpp>
#include <tracexpr/trace/builder.hpp>

namespace tx {
namespace detail {

struct resize_call {
    image_extents extents;
    image_choices options;
    int spatial() const { return extents.count; }
};

TRACEXPR_ONCE constexpr std::int64_t floor_of(double x) {
    std::int64_t const whole = static_cast<std::int64_t>(x);
    return static_cast<double>(whole) > x ? whole - 1 : whole;
}
// Holds the place that element i of m has among n elements, as an exact fraction.
struct source_place {
    std::int64_t twice = 0, below = 1; // the place is twice / (2 below)
    constexpr double value() const { return static_cast<double>(twice) / (2.0 * static_cast<double>(below)); }
};
TRACEXPR_ONCE constexpr source_place resized_place(coordinate_kind kind, std::int64_t i, std::int64_t n, std::int64_t m) {
    switch (kind) {
    case coordinate_kind::pytorch_half_pixel:
        if (m == 1) return {0, 1};
        break;
    case coordinate_kind::align_corners: return m == 1 ? source_place{0, 1} : source_place{2 * i * (n - 1), m - 1};
    case coordinate_kind::asymmetric: return {2 * i * n, m};
    case coordinate_kind::half_pixel: break;
    }
    return {(2 * i + 1) * n - m, m}; // (i + 1/2) n / m - 1/2
}
// Rounds to the nearest element; a place in the middle between two gives the right one.
TRACEXPR_ONCE constexpr std::int64_t nearest_to(source_place const& p) {
    std::int64_t const top = p.twice + p.below, whole = 2 * p.below;
    return top >= 0 ? top / whole : -((-top + whole - 1) / whole);
}
// Computes the cubic convolution kernel at a distance x >= 0. (R. Keys, Cubic convolution interpolation for digital image
// processing, 1981, with his a)
TRACEXPR_ONCE constexpr double cubic_weight(double x, double a) {
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}
inline constexpr double cubic_slope = -0.75, cubic_slope_of_all = -0.5;

// Each element of a result is the weighted sum of `taps` elements; the table has their places and weights, one result after the
// other.
struct resize_table {
    std::int64_t taps = 1;
    buffer<double> places, weights;

    TRACEXPR_ONCE constexpr void add(std::int64_t place, std::int64_t extent, double weight) {
        places.push_back(static_cast<double>(place < 0 ? 0 : place >= extent ? extent - 1 : place));
        weights.push_back(weight);
    }
};
// The kernel is wider by the factor n / m if the result is smaller, and all elements that it reaches get a weight. Elements
// beyond the border get none, and the weights of each result add up to 1.
TRACEXPR_ONCE constexpr resize_table antialiased_table(resize_call const& call, std::int64_t n, std::int64_t m) {
    bool const is_cubic = call.options.interpolation == interpolation_kind::cubic;
    double const scale = n > m ? static_cast<double>(n) / static_cast<double>(m) : 1, reach = (is_cubic ? 2 : 1) * scale;
    resize_table out;
    std::int64_t const most = 2 * floor_of(reach) + 2;
    out.taps = most < n ? most : n;
    for (std::int64_t i = 0; i < m; ++i) {
        double const place = resized_place(call.options.coordinates, i, n, m).value();
        std::int64_t first = floor_of(place - reach) + 1;
        first = first < 0 ? 0 : first > n - out.taps ? n - out.taps : first;
        double total = 0;
        std::size_t const start = out.weights.size();
        for (std::int64_t j = first; j < first + out.taps; ++j) {
            double const signed_distance = (static_cast<double>(j) - place) / scale;
            double const distance = signed_distance < 0 ? -signed_distance : signed_distance;
            double const weight = is_cubic ? cubic_weight(distance, cubic_slope_of_all) : distance < 1 ? 1 - distance : 0;
            out.add(j, n, weight);
            total += weight;
        }
        for (std::size_t k = start; k < out.weights.size(); ++k) out.weights[k] /= total;
    }
    return out;
}
TRACEXPR_ONCE constexpr resize_table resize_table_of(resize_call const& call, std::int64_t n, std::int64_t m) {
    interpolation_kind const kind = call.options.interpolation;
    if (call.options.antialias && kind != interpolation_kind::nearest) return antialiased_table(call, n, m);
    resize_table out;
    out.taps = kind == interpolation_kind::nearest ? 1 : kind == interpolation_kind::linear ? 2 : 4;
    for (std::int64_t i = 0; i < m; ++i) {
        source_place const at = resized_place(call.options.coordinates, i, n, m);
        if (kind == interpolation_kind::nearest) {
            out.add(nearest_to(at), n, 1);
            continue;
        }
        double const place = at.value();
        std::int64_t const before = floor_of(place);
        double const rest = place - static_cast<double>(before);
        if (kind == interpolation_kind::linear) {
            out.add(before, n, 1 - rest);
            out.add(before + 1, n, rest);
        } else {
            for (int t = -1; t < 3; ++t) out.add(before + t, n, cubic_weight(t < 1 ? rest - t : t - rest, cubic_slope));
        }
    }
    return out;
}

// Of numbers that come in groups of `taps`, one for each result, returns number `tap` of each group.
TRACEXPR_ONCE constexpr buffer<double> tap_column(buffer<double> const& all, std::int64_t taps, std::int64_t tap) {
    buffer<double> out;
    for (std::size_t k = static_cast<std::size_t>(tap); k < all.size(); k += static_cast<std::size_t>(taps))
        out.push_back(all[k]);
    return out;
}
TRACEXPR_ONCE constexpr dims column_shape(lowering& low, node_id x, int a, std::int64_t m) {
    dims out;
    for (int k = a; k < low.rank(x); ++k) out.push_back(k == a ? m : 1);
    return out;
}
// Two taps are looked up in one loop. With more taps a product with a dense matrix is faster, except along long axes with few
// taps. (JAX always takes the product.)
inline constexpr std::int64_t most_looked_up = 2, most_looked_up_of_long = 8, longest_product = 256;
// Multiplies x along axis a by a matrix (m, n) from the left. The axes behind `a` are merged into one for the product.
TRACEXPR_ONCE constexpr node_id times_matrix(lowering& low, node_id x, int a, node_id matrix) {
    int const rank = low.rank(x);
    std::int64_t const m = low.extent(matrix, 0);
    if (a + 1 == rank) { // a vector is a matrix of one row
        node_id const transposed = low.transpose(matrix, attribute_list(1, 0));
        return rank > 1 ? low.append(op::matmul, x, transposed)
                        : low.squeeze(low.append(op::matmul, low.expand(x, 0), transposed), 0);
    }
    attribute_list flat, back;
    for (int k = 0; k <= a; ++k) flat.push_back(low.copied(x, k));
    std::int64_t rest = 1;
    for (int k = a + 1; k < rank; ++k) rest = rest == dyn || low.extent(x, k) == dyn ? dyn : rest * low.extent(x, k);
    flat.push_back(rest == dyn ? -1 : rest);
    if (a + 2 == rank) return low.append(op::matmul, matrix, x);
    int open = 0; // axes behind this one whose extents are known only when the program runs
    for (int k = a + 1; k < rank; ++k) open += low.extent(x, k) == dyn;
    node_id const product = low.append(op::matmul, matrix, low.reshape(x, flat));
    for (int k = 0; k < rank; ++k)
        back.push_back(k == a ? m : k < a ? low.copied(product, k) : low.extent(x, k) == dyn ? -1 : low.extent(x, k));
    if (open < 2) return low.reshape(product, back);
    attribute_list widths;
    for (int k = 0; k < rank; ++k) widths.push_back(0), widths.push_back(k == a ? m : 0);
    node_id const like =
        low.append(op::pad, low.slice(x, a, 0, 0), low.zero_like(x), widths); // its shape is used, not its values
    return low.append(op::reshape, product, like);
}
TRACEXPR_ONCE constexpr node_id resized_by_table(lowering& low, node_id x, int a, std::int64_t m, resize_table const& table) {
    std::int64_t const n = low.extent(x, a);
    if (table.taps > (n > longest_product ? most_looked_up_of_long : most_looked_up)) {
        buffer<double> matrix(static_cast<std::size_t>(n * m), 0.0);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t t = 0; t < table.taps; ++t) {
                std::size_t const k = static_cast<std::size_t>(i * table.taps + t);
                matrix[static_cast<std::size_t>(i * n + static_cast<std::int64_t>(table.places[k]))] += table.weights[k];
            }
        return times_matrix(low, x, a, low.constant(dims{{m, n}, 2}, low.type(x), matrix));
    }
    node_id sum = node_id::none;
    for (std::int64_t t = 0; t < table.taps; ++t) {
        node_id const places = low.constant(dims{{m}, 1}, dtype::int64, tap_column(table.places, table.taps, t));
        node_id part = low.append(op::take, x, places, attribute_list(a));
        if (table.taps > 1) {
            node_id const weight =
                low.constant(column_shape(low, x, a, m), low.type(x), tap_column(table.weights, table.taps, t));
            part = low.append(op::multiply, part, weight);
        }
        sum = t == 0 ? part : low.append(op::add, sum, part);
    }
    return sum;
}

// Records resizing along an axis whose extent n is known only when the program runs, which then computes the places and weights.
struct dynamic_resize {
    lowering& low;
    resize_call const& call;
    node_id x;
    int a;
    std::int64_t m;

    constexpr node_id number(double value) const { return low.literal(value); }
    constexpr node_id add(node_id p, node_id q) const { return low.append(op::add, p, q); }
    constexpr node_id subtract(node_id p, node_id q) const { return low.append(op::subtract, p, q); }
    constexpr node_id multiply(node_id p, node_id q) const { return low.append(op::multiply, p, q); }
    constexpr node_id extent() const { return low.axis_size<double>(x, a); }
    // Returns the place of each element of the result, (m), as resized_place gives it.
    TRACEXPR_ONCE constexpr node_id places() const {
        node_id const i = low.iota<double>(m), n = extent();
        coordinate_kind const kind = call.options.coordinates;
        double const count = static_cast<double>(m);
        if (m == 1 && (kind == coordinate_kind::align_corners || kind == coordinate_kind::pytorch_half_pixel))
            return multiply(i, number(0));
        if (kind == coordinate_kind::align_corners)
            return low.append(op::divide, multiply(i, subtract(n, number(1))), number(count - 1));
        if (kind == coordinate_kind::asymmetric) return low.append(op::divide, multiply(i, n), number(count));
        node_id const twice = multiply(add(multiply(i, number(2)), number(1)), n);
        return low.append(op::divide, subtract(twice, number(count)), number(2 * count));
    }
    // Returns the elements at places (m), which are clamped to the image.
    TRACEXPR_ONCE constexpr node_id elements_at_places(node_id place) const {
        node_id const last = subtract(extent(), number(1));
        node_id const inside = low.append(op::minimum, low.append(op::maximum, place, number(0)), last);
        return low.append(op::take, x, low.as(inside, dtype::int64), attribute_list(a));
    }
    TRACEXPR_ONCE constexpr node_id weighted(node_id place, node_id weight) const {
        node_id column = low.as(weight, low.type(x));
        for (int k = a + 1; k < low.rank(x); ++k) column = low.expand(column, 1 + k - (a + 1));
        return multiply(elements_at_places(place), column);
    }
    // Keys' kernel (cubic_weight with a = slope) is `inner` for distances d < 1, and `outer` for 1 <= d < 2.
    TRACEXPR_ONCE constexpr node_id inner(node_id d, double slope) const {
        node_id const line = subtract(multiply(d, number(slope + 2)), number(slope + 3));
        return add(multiply(line, multiply(d, d)), number(1));
    }
    TRACEXPR_ONCE constexpr node_id outer(node_id d, double slope) const {
        node_id const line = subtract(multiply(d, number(slope)), number(5 * slope));
        return subtract(multiply(add(multiply(line, d), number(8 * slope)), d), number(4 * slope));
    }
    TRACEXPR_ONCE constexpr node_id record() const {
        interpolation_kind const kind = call.options.interpolation;
        node_id const place = places();
        if (kind == interpolation_kind::nearest) return elements_at_places(low.append(op::floor, add(place, number(0.5))));
        if (call.options.antialias) return antialiased(place);
        node_id const before = low.append(op::floor, place), rest = subtract(place, before);
        if (kind == interpolation_kind::linear)
            return add(weighted(before, subtract(number(1), rest)), weighted(add(before, number(1)), rest));
        node_id sum = node_id::none;
        for (int t = -1; t < 3; ++t) {
            node_id const distance = t < 1 ? subtract(rest, number(t)) : subtract(number(t), rest);
            node_id const weight = t == 0 || t == 1 ? inner(distance, cubic_slope) : outer(distance, cubic_slope);
            node_id const part = weighted(add(before, number(t)), weight);
            sum = t == -1 ? part : add(sum, part);
        }
        return sum;
    }
    // Records a product with the matrix (m, n) of all weights, most of which are 0.
    TRACEXPR_ONCE constexpr node_id antialiased(node_id place) const {
        bool const is_cubic = call.options.interpolation == interpolation_kind::cubic;
        node_id const count[]{low.axis_size<std::int64_t>(x, a)};
        node_id const n = low.append(op::extents, dtype::boolean, count, attribute_list(-1));
        node_id const j = low.iota_like<double>(n, 0);
        node_id const scale =
            low.append(op::maximum, low.append(op::divide, extent(), number(static_cast<double>(m))), number(1));
        node_id const distance = low.append(op::absolute, low.append(op::divide, subtract(j, low.expand(place, 1)), scale));
        node_id const zero = number(0);
        node_id const weight =
            is_cubic ? low.choose(low.test(op::less, distance, number(1)), inner(distance, cubic_slope_of_all),
                                  low.choose(low.test(op::less, distance, number(2)), outer(distance, cubic_slope_of_all), zero))
                     : low.append(op::maximum, subtract(number(1), distance), zero);
        node_id const total = low.expand(low.reduce(op::sum, weight, attribute_list(1)), 1);
        return times_matrix(low, x, a, low.as(low.append(op::divide, weight, total), low.type(x)));
    }
};

TRACEXPR_ONCE constexpr char const* resize_problem(resize_call const& call, builder_specs given) {
    dims const& x = given[0].shape;
    if (!are_image_extents(call.extents)) return "needs one to three extents of at least 1";
    bool const moves_only = call.options.interpolation == interpolation_kind::nearest;
    if (!moves_only && !accepts(domain::numeric, given[0].type))
        return "x must be numbers; other elements have a nearest one only";
    if (x.rank < 0) return nullptr;
    if (x.rank != call.extents.count + 2) return "x must have an axis for the batch, one for each extent, and one for channels";
    for (int k = 0; k < call.extents.count; ++k)
        if (x[call.options.axis(k)] == 0) return "spatial axes must have at least one element";
    return nullptr;
}
TRACEXPR_ONCE constexpr dims resized_shape(resize_call const& call, dims x) {
    for (int k = 0; k < call.extents.count; ++k) x[call.options.axis(k)] = call.extents.value[k];
    return x;
}
TRACEXPR_ONCE constexpr node_id resized_along(lowering& low, resize_call const& call, node_id x, int k) {
    int const a = call.options.axis(k);
    std::int64_t const n = low.extent(x, a), m = call.extents.value[k];
    if (n == dyn) return dynamic_resize{low, call, x, a, m}.record();
    if (n == m) return x; // in all modes each element then reads its own place
    return resized_by_table(low, x, a, m, resize_table_of(call, n, m));
}
// The axis that shrinks most is resized first, and those whose extents are known only when the program runs come last.
TRACEXPR_ONCE constexpr node_id record_resize(lowering& low, resize_call const& call, node_id x) {
    if (call.options.interpolation != interpolation_kind::nearest) x = low.as(x, computed_dtype(low.type(x)));
    bool done[3]{};
    for (int number = 0; number < call.extents.count; ++number) {
        int best = -1;
        double least = 0;
        for (int k = 0; k < call.extents.count; ++k) {
            std::int64_t const n = low.extent(x, call.options.axis(k));
            double const growth = n == dyn ? 1e300 : static_cast<double>(call.extents.value[k]) / static_cast<double>(n);
            if (!done[k] && (best < 0 || growth < least)) best = k, least = growth;
        }
        done[best] = true;
        x = resized_along(low, call, x, best);
    }
    return x;
}
template <class Call> struct resize_builder {
    static constexpr char const* called = "resize";
    static constexpr char const* problem(builder_specs given) { return resize_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        dtype const t = given[0].type;
        bool const stays = Call::value.options.interpolation == interpolation_kind::nearest || is_inexact(t);
        return std::array<dtype, 1>{stays ? t : dtype::float64};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{resized_shape(Call::value, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_resize(low, Call::value, x[0])};
    }
};
template <class Extents, class... Options> struct resize_of;
template <std::int64_t... Extents, class... Options> struct resize_of<shape<Extents...>, Options...> {
    static constexpr resize_call value{extents_given<Extents...>(), image_choices_of<Options...>()};
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Resizes images to other spatial extents: resize<32, 32>(x, tx::interpolation::cubic), (n, h, w, c) -> (n, 32, 32, c), with one
// to three spatial axes. Options in any order: tx::interpolation::nearest, linear (the default) or cubic (a = -0.75, beyond the
// border its elements are repeated); tx::half_pixel (the default), align_corners, asymmetric or pytorch_half_pixel;
// tx::antialias, by which smaller images average all elements (cubic then has a = -0.5; nearest ignores it); tx::channels_first.
// Nearest takes the right one of two elements that are equally near. Integers give float64, but nearest keeps the dtype.
template <std::int64_t... Extents, array_operand A, detail::resize_tag... Options>
[[nodiscard]] constexpr auto resize(A const& x, Options...) {
    constexpr bool has_extents = detail::are_image_extents(detail::extents_given<Extents...>());
    static_assert(has_extents, "tx: resize: needs one to three spatial extents of at least 1, in <>: tx::resize<32, 32>(x)");
    if constexpr (has_extents) {
        using builder = detail::resize_builder<detail::resize_of<shape<Extents...>, Options...>>;
        constexpr bool fits = detail::built_problem<builder, A> == nullptr;
        static_assert(fits,
                      "tx: resize: x must be numbers (n, spatial..., c), or (n, c, spatial...) with tx::channels_first, with "
                      "elements on as many spatial axes as extents are given");
        return detail::apply_if<fits>(detail::built_fn<builder>{}, x);
    } else {
        return detail::failed{};
    }
}

} // namespace TRACEXPR_CALLS
} // namespace tx
