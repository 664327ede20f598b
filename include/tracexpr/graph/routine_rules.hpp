// This file holds the attributes of the ops of kind::routine (fft, convolution, eig), and the shapes and dtypes of their results.
// Their kernels come with the headers of their families (graph/routines.hpp).
#pragma once

#include <tracexpr/graph/op.hpp>
#include <tracexpr/graph/shape_rules.hpp>

#include <limits>

TRACEXPR_BEGIN_PASSES

namespace tx {

// A dtype rule gives a dtype, or the text of what must hold but does not.
struct inferred_dtype {
    dtype type{};
    char const* problem = nullptr;
};

namespace detail {

// op::fft transforms along one axis without a scale: X[k] = sum of x[j] exp(-2 pi i j k / n), or with +2 pi i for the inverse. Of
// real numbers only X[0] to X[n / 2] are computed, and to_real computes n real numbers from these. The attributes are the
// direction, the axis and n; n is -1 where the operand tells it. A second operand, whose elements nobody reads, has n as its
// extent along that axis.
struct fft_form {
    enum way { forward, inverse, of_real, to_real };

    std::int64_t does = forward;
    int axis = 0;
    std::int64_t n = -1;

    constexpr fft_form(way how, int along, std::int64_t extent = -1) : does{how}, axis{along}, n{extent} {}
    constexpr explicit fft_form(attribute_span a) : does{a[0]}, axis{static_cast<int>(a[1])}, n{a[2]} {}
    constexpr bool is_complex() const { return does == forward || does == inverse; }
};

// op::convolution is one of three products, each linear in both operands, of signals x (..., spatial..., c), filters w (...,
// window..., c / groups, filters) and results y (..., spatial..., filters):
//     result  y[o, f] = sum over j and c of x[o * stride + j * dilation - before, c] w[j, c, f]
//     input   x from y and w, so that <result(x, w), y> = <x, input(y, w)>
//     filter  w from x and y, so that <result(x, w), y> = <w, filter(x, y)>
// Elements of x outside of it count as 0. The first `kept` leading axes of x and y are axes of w, too, and broadcast; filter sums
// over all other leading axes. The extents of the spatial axes of x, or those of the window, are attributes of input and filter;
// where the compiler doesn't know one it is -1, and a third operand, whose elements nobody reads, has the shape of the result.
struct convolution_form {
    enum part { result, input, filter };
    struct spatial_axis {
        std::int64_t stride = 1, dilation = 1, before = 0, after = 0, extent = -1;
    };
    static constexpr int most_axes = 3, numbers_in_front = 4, numbers_of_axis = 5;

    std::int64_t makes = result;
    int spatial = 0;
    std::int64_t groups = 1;
    int kept = 0;
    spatial_axis axis[most_axes]{};

    constexpr convolution_form() = default;
    constexpr explicit convolution_form(attribute_span a)
        : makes{a[0]}, spatial{static_cast<int>(a[1])}, groups{a[2]}, kept{static_cast<int>(a[3])} {
        for (int k = 0; k < spatial; ++k) {
            attribute_span const own = a.subspan(static_cast<std::size_t>(numbers_in_front + numbers_of_axis * k));
            axis[k] = {own[0], own[1], own[2], own[3], own[4]};
        }
    }
    // Calls f with each attribute, in order.
    template <class F> constexpr void for_each_attribute(F f) const {
        f(makes), f(std::int64_t{spatial}), f(groups), f(std::int64_t{kept});
        for (int k = 0; k < spatial; ++k)
            f(axis[k].stride), f(axis[k].dilation), f(axis[k].before), f(axis[k].after), f(axis[k].extent);
    }
    // This number in place of `before` pads so that y has an element for each stride in x; the greater half of the padding is
    // behind.
    static constexpr std::int64_t same = std::numeric_limits<std::int64_t>::min();
    // This number in place of `before` pads so that y has an element for each window that overlaps x.
    static constexpr std::int64_t full = same + 1;
    static constexpr std::int64_t reach(spatial_axis const& a, std::int64_t of_window) {
        return (of_window - 1) * a.dilation + 1;
    }
    // Returns the axis with its padding computed from the extents of x and the window.
    TRACEXPR_ONCE constexpr spatial_axis padded(int k, std::int64_t of_x, std::int64_t of_window) const {
        spatial_axis a = axis[k];
        if (a.before == full) a.before = a.after = reach(a, of_window) - 1;
        if (a.before != same) return a;
        std::int64_t const missing = (of_x - 1) / a.stride * a.stride + reach(a, of_window) - of_x,
                           total = missing > 0 ? missing : 0;
        a.before = total / 2, a.after = total - a.before;
        return a;
    }
    // Returns the extent of y along a spatial axis; it is 0 where the window is longer than the padded x.
    TRACEXPR_ONCE constexpr std::int64_t result_extent(int k, std::int64_t of_x, std::int64_t of_window) const {
        if (of_x == dyn || (of_window == dyn && axis[k].before != same)) return dyn;
        if (axis[k].before == same) return (of_x + axis[k].stride - 1) / axis[k].stride;
        spatial_axis const a = padded(k, of_x, of_window);
        std::int64_t const room = of_x + a.before + a.after - reach(a, of_window);
        return room < 0 ? 0 : room / a.stride + 1;
    }
};

TRACEXPR_ONCE constexpr inferred transformed_shape(extents_span operands, attribute_span attributes) {
    fft_form const form(attributes);
    dims out = operands[0];
    if (out.rank < 0) return {out};
    if (form.axis < 0 || form.axis >= out.rank) return {{}, "the axis must lie within the rank"};
    std::int64_t const given = out[form.axis];
    if (given == 0) return {{}, "the axis must not be empty"};
    if (form.is_complex()) return {out};
    if (form.does == fft_form::of_real) {
        if (given != dyn) out[form.axis] = given / 2 + 1;
        return {out};
    }
    bool const is_told = operands.size() == 2 && operands[1].rank == out.rank;
    std::int64_t const told = is_told ? operands[1][form.axis] : form.n;
    std::int64_t const n = told != -1 || is_told ? told : given == dyn ? dyn : 2 * (given - 1);
    if (n != dyn && (n < 1 || (given != dyn && n / 2 + 1 != given))) return {{}, "n real numbers have n / 2 + 1 coefficients"};
    out[form.axis] = n;
    return {out};
}

// Infers the shape of the one of x, w and y that the convolution makes of the other two, and checks that their shapes fit.
TRACEXPR_ONCE constexpr inferred convolved_shape(extents_span operands, attribute_span attributes) {
    convolution_form const form(attributes);
    dims const &first = operands[0], &second = operands[1];
    if (first.rank < 0 || second.rank < 0) return {{}, "the ranks must be known"};
    int const inner = form.spatial + 1;
    bool const has_window = form.makes != convolution_form::filter;
    if (first.rank < form.kept + inner)
        return {{}, "the first operand needs a spatial axis for each of the window, and one of channels"};
    if (has_window && second.rank != form.kept + inner + 1)
        return {{}, "filters need the axes of the window, then c / groups and their number"};
    if (!has_window && second.rank != first.rank) return {{}, "the operands must have one rank"};
    dims out;
    int const leading = first.rank - inner;
    for (int axis = 0; axis < (has_window ? leading : form.kept); ++axis) {
        std::int64_t const a = first[axis], b = axis < form.kept ? second[axis] : 1;
        if (a != b && a != 1 && b != 1 && a != dyn && b != dyn) return {{}, "leading axes must broadcast"};
        out.push_back(a == 1 ? b : b == 1 || b == a ? a : dyn);
    }
    for (int axis = form.kept; !has_window && axis < leading; ++axis)
        if (first[axis] != second[axis] && first[axis] != dyn && second[axis] != dyn)
            return {{}, "leading axes must be the same"};
    auto const told = [&](int k) {
        int const place = (has_window ? leading : form.kept) + k;
        bool const is_told = operands.size() == 3 && place < operands[2].rank && operands[2][place] != dyn;
        return is_told ? operands[2][place] : form.axis[k].extent;
    };
    std::int64_t const channels = first[first.rank - 1];
    for (int k = 0; k < form.spatial; ++k) {
        std::int64_t const of_first = first[leading + k], of_second = second[second.rank - inner - (has_window ? 1 : 0) + k],
                           made = form.makes == convolution_form::result ? form.result_extent(k, of_first, of_second) : told(k),
                           of_x = form.makes == convolution_form::input ? made : of_first,
                           of_window = has_window ? of_second : made,
                           of_y = form.makes == convolution_form::result ? made
                                  : has_window                           ? of_first
                                                                         : of_second;
        if (of_window == 0 || of_y == 0) return {{}, "a window must have elements, and lie within x and its padding"};
        std::int64_t const wanted = form.result_extent(k, of_x, of_window);
        if (wanted != of_y && wanted != dyn && of_y != dyn) return {{}, "the extents of x, window and y must belong together"};
        out.push_back(made);
    }
    std::int64_t const per_group = second[second.rank - 2], filters = second[second.rank - 1];
    auto const divides = [&](std::int64_t extent) { return extent == dyn || extent % form.groups == 0; };
    if (form.makes == convolution_form::filter) {
        if (!divides(channels) || !divides(filters)) return {{}, "the groups must divide the channels and the filters"};
        out.push_back(channels == dyn ? dyn : channels / form.groups);
        out.push_back(filters);
        return {out};
    }
    if (!divides(filters)) return {{}, "the groups must divide the filters"};
    bool const makes_input = form.makes == convolution_form::input;
    if (makes_input && channels != filters && channels != dyn && filters != dyn)
        return {{}, "y must have a channel for each filter"};
    if (!makes_input && channels != dyn && per_group != dyn && channels != per_group * form.groups)
        return {{}, "a filter must have the channels of a group, c / groups"};
    out.push_back(!makes_input ? filters : per_group == dyn ? dyn : per_group * form.groups);
    return {out};
}

TRACEXPR_ONCE constexpr inferred routine_shape(op code, extents_span operands, attribute_span attributes) {
    switch (code) {
    case op::fft: return transformed_shape(operands, attributes);
    case op::convolution: return convolved_shape(operands, attributes);
    default: { // eig: the first result holds the eigenvalues
        inferred square = square_shape(operands[0]);
        if (!square.problem) --square.shape.rank;
        return square;
    }
    }
}
// The dtype of an fft or eig node itself says whether the result is complex.
TRACEXPR_ONCE constexpr inferred_dtype routine_dtype(op code, dtype declared, table_view<dtype> operands) {
    if (!accepts(info(code).domain, operands[0])) return {{}, "the op does not take operands of this dtype"};
    if (code == op::convolution) return {operands[0], operands[0] == operands[1] ? nullptr : "operands must have one dtype"};
    if (code == op::eig) return {real_part(operands[0]) == dtype::float64 ? dtype::complex128 : dtype::complex64};
    return {declared, real_part(declared) == real_part(operands[0]) ? nullptr : "a transform keeps the precision"};
}
TRACEXPR_ONCE constexpr bool routine_attribute_count_fits(op code, std::size_t count) {
    if (code == op::fft) return count == 3;
    if (code == op::eig) return count == 0;
    return count > convolution_form::numbers_in_front &&
           (count - convolution_form::numbers_in_front) % convolution_form::numbers_of_axis == 0;
}
TRACEXPR_ONCE constexpr char const* routine_attribute_problem(op code, attribute_span attributes) {
    if (code == op::fft) return attributes[0] >= 0 && attributes[0] <= fft_form::to_real ? nullptr : "there are four ways";
    if (code == op::eig) return nullptr;
    std::size_t const axes = (attributes.size() - convolution_form::numbers_in_front) / convolution_form::numbers_of_axis;
    if (attributes[1] != static_cast<std::int64_t>(axes) || axes > convolution_form::most_axes)
        return "there are 1 to 3 spatial axes";
    convolution_form const form(attributes);
    if (form.makes < 0 || form.makes > convolution_form::filter || form.groups < 1 || form.kept < 0) return "no such convolution";
    for (int k = 0; k < form.spatial; ++k)
        if (form.axis[k].stride < 1 || form.axis[k].dilation < 1) return "strides and dilations must be at least 1";
    return nullptr;
}

} // namespace detail
} // namespace tx

TRACEXPR_END_PASSES
