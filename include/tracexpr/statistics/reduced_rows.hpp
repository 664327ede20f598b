// Functions over some axes share the helpers in this file: they merge the axes into one last axis, and compute the shapes of
// results.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/reductions.hpp>

namespace tx::detail {

// Returns the floating dtype to which the dtypes of the operands promote.
TRACEXPR_ONCE constexpr dtype common_inexact(lowering const& low, node_id const* operands, std::size_t count) {
    buffer<builder_spec> given;
    for (std::size_t k = 0; k < count; ++k) given.push_back({low.type(operands[k]), {}});
    return common_inexact(given);
}
// Converts a C++ number to a float64 scalar, so that it isn't rounded to the dtype of the other operands.
template <class A> constexpr decltype(auto) as_float64_scalar(A const& a) {
    if constexpr (std::is_arithmetic_v<A>) return tensor<double, shape<>>(static_cast<double>(a));
    else return (a);
}

// Returns the shape d without these axes, which must be ascending.
TRACEXPR_ONCE constexpr dims reduced_dims(dims const& d, attribute_list const& axes, bool keep) {
    dims out;
    for (int a = 0; a < d.rank; ++a)
        if (!axes.contains(a)) out.push_back(d[a]);
        else if (keep) out.push_back(1);
    return out;
}
// Returns what is wrong with the axes for an operand of this shape, whose rank may be unknown, or null.
constexpr char const* axes_problem(dims const& d, attribute_list const& axes) {
    bool const fits = d.rank < 0 || are_axes(axes, d.rank);
    return fits ? nullptr : "axes must differ and lie within the rank of x; negative ones count from the end";
}
TRACEXPR_ONCE constexpr bool has_no_elements_along(dims const& d, attribute_list const& axes) {
    for (std::size_t k = 0; d.rank >= 0 && k < axes.count; ++k)
        if (d[static_cast<int>(axes[k])] == 0) return true;
    return false;
}

// Moves these axes to the end and merges them into one: (other axes..., elements).
TRACEXPR_ONCE constexpr node_id in_rows(lowering& low, node_id x, attribute_list const& axes) {
    attribute_list order, target;
    for (int a = 0; a < low.rank(x); ++a)
        if (!axes.contains(a)) order.push_back(a);
    int const others = static_cast<int>(order.count);
    for (std::size_t k = 0; k < axes.count; ++k) order.push_back(axes[k]);
    node_id const moved = low.transpose(x, order);
    if (axes.count == 1) return moved;
    std::int64_t together = 1;
    for (int a = 0; a < low.rank(moved); ++a) {
        std::int64_t const extent = low.extent(moved, a);
        if (a < others) target.push_back(low.copied(moved, a));
        else together = together == dyn || extent == dyn ? dyn : together * extent;
    }
    target.push_back(together == dyn ? -1 : together);
    return low.reshape(moved, target);
}
// Inserts axes of extent 1 in the places of reduced axes, where x has `front` more axes in front.
TRACEXPR_ONCE constexpr node_id with_ones(lowering& low, node_id x, attribute_list const& axes, int front = 0) {
    attribute_list places;
    for (std::size_t k = 0; k < axes.count; ++k) places.push_back(axes[k] + front);
    return axes.count == 0 ? x : low.append(op::expand_dims, x, places);
}
// Reduces over axes, which are kept with extent 1 if `keep` is set.
TRACEXPR_ONCE constexpr node_id reduced(lowering& low, op code, node_id x, attribute_list const& axes, bool keep) {
    attribute_list reduce_attributes(keep);
    for (std::size_t k = 0; k < axes.count; ++k) reduce_attributes.push_back(axes[k]);
    return axes.count == 0 ? x : low.append(code, x, reduce_attributes);
}
// Reshapes a vector so that its elements lie along `axis` of operands of this rank: (n) -> (n, 1, ..., 1).
TRACEXPR_ONCE constexpr node_id along_axis(lowering& low, node_id vector, int axis, int rank) {
    attribute_list places;
    for (int a = 1; a < rank - axis; ++a) places.push_back(a);
    return places.count == 0 ? vector : low.append(op::expand_dims, vector, places);
}
// Computes x[1:] - x[:-1] along an axis.
TRACEXPR_ONCE constexpr node_id differences(lowering& low, node_id x, int axis) {
    return low.append(op::subtract, low.slice(x, axis, 1, slice_open), low.slice(x, axis, slice_open, -1));
}
constexpr node_id is_nan(lowering& low, node_id x) {
    node_id const operand[]{x};
    return low.append(op::isnan, dtype::boolean, operand);
}
// Returns the extent of an axis as float64.
TRACEXPR_ONCE constexpr node_id count_along(lowering& low, node_id x, int axis) {
    std::int64_t const extent = low.extent(x, axis);
    return extent == dyn ? low.axis_size<double>(x, axis) : low.literal(static_cast<double>(extent));
}

} // namespace tx::detail
