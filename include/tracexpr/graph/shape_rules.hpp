// This file infers the result's shape of each family of ops from its operands' shapes and its attributes. Unknown extents give
// unknown extents.
#pragma once

#include <tracexpr/graph/axis_map.hpp>

#include <bit>

TRACEXPR_BEGIN_PASSES

namespace tx {

TRACEXPR_ONCE constexpr inferred broadcast_shape(dims const& a, dims const& b) {
    if (!broadcastable(a, b)) return {{}, "shapes must broadcast: extents, aligned from the right, are equal or 1"};
    return {broadcast(a, b)};
}

// The attributes of a reduction are keepdims (0 or 1) and the axes, which are not negative and differ.
TRACEXPR_ONCE constexpr inferred reduced_shape(dims const& d, attribute_span attributes) {
    std::uint32_t gone = 0;
    for (std::int64_t axis : attributes.subspan(1)) {
        if (axis < 0 || axis >= d.rank) return {{}, "axes must lie within the rank"};
        if (gone >> axis & 1u) return {{}, "axes must differ"};
        gone |= 1u << axis;
    }
    dims out;
    for (int axis = 0; axis < d.rank; ++axis)
        if (!(gone >> axis & 1u)) out.push_back(d[axis]);
        else if (attributes[0] & 1) out.push_back(1);
    return {out};
}

// This bit is set beside keepdims for a maximum that may have no elements: the result is then -inf, or 0 of unsigned numbers.
inline constexpr std::int64_t largest_of_none = 2;
// Says why axes of these extents can't be reduced, or null: a reduction whose combination starts from an infinity or NaN needs an
// element. For bool, max and min are any and all, which have a result without elements.
TRACEXPR_ONCE constexpr char const* empty_reduction_problem(op code, dtype type, dims const& d, attribute_span attributes) {
    constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52; // nvcc compares no infinities
    bool const is_place = info(code).kind == kind::arg_reduction,
               begins = (std::bit_cast<std::uint64_t>(info(code).combines.start) & exponent) != exponent;
    if (!is_place && (begins || type == dtype::boolean || (attributes[0] & largest_of_none))) return nullptr;
    std::uint32_t gone = 0;
    for (std::int64_t axis : attributes.subspan(1)) gone |= 1u << axis;
    bool none = false, asked = true;
    for (int axis = 0; axis < d.rank; ++axis) {
        if (gone >> axis & 1u) none = none || d[axis] == 0;
        else if (d[axis] == 0 || d[axis] == dyn) asked = false; // The result is empty, or may be.
    }
    return none && (asked || is_place) ? "must not reduce an axis of extent 0" : nullptr;
}

TRACEXPR_ONCE constexpr inferred concatenated(extents_span operands, attribute_span attributes) {
    if (operands.empty()) return {{}, "needs at least one operand"};
    int const along = static_cast<int>(attributes[0]);
    dims out = operands[0];
    if (along < 0 || along >= out.rank) return {{}, "the axis must lie within the rank"};
    for (dims const& d : operands.subspan(1)) {
        if (d.rank != out.rank) return {{}, "all operands must have the same rank"};
        for (int axis = 0; axis < out.rank; ++axis) {
            if (axis == along) out[axis] = out[axis] == dyn || d[axis] == dyn ? dyn : out[axis] + d[axis];
            else if (out[axis] == dyn) out[axis] = d[axis];
            else if (d[axis] != dyn && d[axis] != out[axis]) return {{}, "extents must agree on all axes but the one joined"};
        }
    }
    return {out};
}

// The attributes of pad are the numbers of elements before and after, for each axis.
TRACEXPR_ONCE constexpr inferred padded(dims const& d, attribute_span widths) {
    if (widths.size() != 2 * static_cast<std::size_t>(d.rank)) return {{}, "needs a pair of widths for each axis"};
    dims out;
    for (int axis = 0; axis < d.rank; ++axis) {
        std::int64_t const before = widths[2 * static_cast<std::size_t>(axis)],
                           after = widths[2 * static_cast<std::size_t>(axis) + 1];
        if (before < 0 || after < 0) return {{}, "widths must not be negative"};
        out.push_back(d[axis] == dyn ? dyn : d[axis] + before + after);
    }
    return {out};
}

TRACEXPR_ONCE constexpr inferred same_shape_along(dims const& d, attribute_span attributes) {
    if (attributes[0] < 0 || attributes[0] >= d.rank) return {{}, "the axis must lie within the rank"};
    return {d};
}

// The attributes of sort are the axis, and 1 for descending order. Those of argsort have a third number: how many indices are
// wanted; -1 means all. One more number at the end, if there is one, is a rank: the elements are then partitioned around the one
// that has it, and those on either side keep their order. argselect has only the axis; its second operand holds ranks along it,
// as a vector for all rows, or shaped as the indices of take_along_axis.
inline constexpr std::int64_t order_of_all = -1;
constexpr std::size_t order_attributes(op code) { return code == op::argselect ? 1 : code == op::sort ? 2 : 3; }
constexpr bool orders_around(op code, attribute_span attributes) { return attributes.size() > order_attributes(code); }
constexpr bool orders_all(op code, attribute_span attributes) {
    return code == op::sort || (code == op::argsort && attributes[2] == order_of_all);
}
TRACEXPR_ONCE constexpr inferred ordered_shape(op code, dims const& d, attribute_span attributes) {
    inferred out = same_shape_along(d, attributes);
    if (out.problem) return out;
    if (orders_around(code, attributes)) {
        std::int64_t const extent = out.shape[static_cast<int>(attributes[0])], rank = attributes[order_attributes(code)];
        if (extent != dyn && (rank >= extent || rank < -extent)) return {{}, "the place must lie within the axis"};
    }
    if (orders_all(code, attributes)) return out;
    std::int64_t& extent = out.shape[static_cast<int>(attributes[0])];
    if (extent != dyn && extent < attributes[2]) return {{}, "the axis must have as many elements as are asked for"};
    extent = attributes[2];
    return out;
}

TRACEXPR_ONCE constexpr inferred taken(dims const& d, dims const& indices, attribute_span attributes) {
    int const along = static_cast<int>(attributes[0]);
    if (along < 0 || along >= d.rank) return {{}, "the axis must lie within the rank"};
    if (d.rank - 1 + indices.rank > max_rank) return {{}, "the rank must be at most 8"};
    dims out;
    for (int axis = 0; axis < along; ++axis) out.push_back(d[axis]);
    for (int axis = 0; axis < indices.rank; ++axis) out.push_back(indices[axis]);
    for (int axis = along + 1; axis < d.rank; ++axis) out.push_back(d[axis]);
    return {out};
}

TRACEXPR_ONCE constexpr inferred taken_along(dims const& d, dims const& indices, attribute_span attributes) {
    int const along = static_cast<int>(attributes[0]);
    if (along < 0 || along >= d.rank) return {{}, "the axis must lie within the rank"};
    if (indices.rank != d.rank) return {{}, "indices must have the operand's rank"};
    for (int axis = 0; axis < d.rank; ++axis)
        if (axis != along && d[axis] != indices[axis] && d[axis] != dyn && indices[axis] != dyn)
            return {{}, "indices must have the operand's extents on all axes but the one indexed"};
    return {indices};
}
constexpr inferred selected_shape(dims const& d, dims const& ranks, attribute_span attributes) {
    return ranks.rank == 1 ? taken(d, ranks, attributes) : taken_along(d, ranks, attributes);
}

// The operands of view_add and view_set are x, and values of the shape `part` which are added to, or put in place of, a part of
// x. The index_... and scatter_... ops find the part as take and take_along_axis do, and have the indices as their last operand.
TRACEXPR_ONCE constexpr inferred updated(dims const& x, dims const& added, inferred const& part) {
    if (part.problem) return part;
    if (!may_equal(part.shape, added)) return {{}, "what is added or set must have the shape of the part that it goes to"};
    return {x};
}

// (..., m, k) x (..., k, n) -> (..., m, n); the leading axes broadcast.
TRACEXPR_ONCE constexpr inferred matmul_shape(dims const& a, dims const& b) {
    if (a.rank < 2 || b.rank < 2) return {{}, "operands must have at least one axis"};
    std::int64_t const inner = a[a.rank - 1], other = b[b.rank - 2];
    if (inner != other && inner != dyn && other != dyn) return {{}, "the last extent of a must equal the last but one of b"};
    dims batch_a = a, batch_b = b;
    batch_a.rank -= 2, batch_b.rank -= 2;
    if (!broadcastable(batch_a, batch_b)) return {{}, "leading extents must broadcast"};
    dims out = broadcast(batch_a, batch_b);
    out.push_back(a[a.rank - 2]);
    out.push_back(b[b.rank - 1]);
    return {out};
}

// (..., n, n): checks that matrices are square, as far as the extents are known.
TRACEXPR_ONCE constexpr inferred square_shape(dims const& d) {
    if (d.rank < 2) return {{}, "takes a matrix, or several in the last two axes"};
    std::int64_t const rows = d[d.rank - 2], columns = d[d.rank - 1];
    if (rows != columns && rows != dyn && columns != dyn) return {{}, "the last two extents must be equal"};
    dims out = d;
    out[d.rank - 2] = out[d.rank - 1] = rows == dyn ? columns : rows;
    return {out};
}
// (..., n, n) and (..., n, k) -> (..., n, k); the leading axes broadcast.
TRACEXPR_ONCE constexpr inferred solved_shape(dims const& a, dims const& b) {
    inferred const square = square_shape(a);
    if (square.problem) return square;
    if (b.rank < 2) return {{}, "the right side must have at least two axes"};
    inferred const out = matmul_shape(square.shape, b);
    return {out.shape,
            out.problem ? "the right side must have as many rows as the matrix, and leading extents that broadcast" : nullptr};
}
// qr and svd take matrices of any extents.
constexpr bool takes_rectangles(op code) { return code == op::qr || code == op::svd; }
// min(m, n) of matrices (..., m, n), as far as the extents are known.
TRACEXPR_ONCE constexpr std::int64_t smaller_side(dims const& d) {
    std::int64_t const rows = d[d.rank - 2], columns = d[d.rank - 1];
    if (rows == 0 || columns == 0) return 0;
    return rows == dyn || columns == dyn ? dyn : rows < columns ? rows : columns;
}
// Returns the shape of result k of a decomposition of a. cholesky and eigh decompose (a + a^T) / 2. The results of lu are L and U
// in one matrix, the place of each row before pivoting, and for each row -1 if it was swapped when it became the pivot's row,
// else 1; those of eigh are the eigenvectors and the eigenvalues; those of qr and svd are the factors.
TRACEXPR_ONCE constexpr dims decomposed_part(op code, dims const& a, std::size_t k) {
    dims out = a;
    bool const is_vector = code == op::svd ? k == 1 : code != op::qr && k > 0;
    if (takes_rectangles(code)) out[a.rank - (k == 0 || is_vector ? 1 : 2)] = smaller_side(a);
    if (!is_vector) return out;
    out[a.rank - 2] = out[a.rank - 1];
    --out.rank;
    return out;
}
// The last two operands of solve are the first two results of lu.
TRACEXPR_ONCE constexpr inferred decomposed_shape(op code, extents_span operands) {
    if (takes_rectangles(code)) {
        if (operands[0].rank < 2) return {{}, "takes a matrix, or several in the last two axes"};
        return {decomposed_part(code, operands[0], 0)};
    }
    if (code == op::cholesky || code == op::lu || code == op::eigh) return square_shape(operands[0]);
    inferred const out = solved_shape(operands[0], operands[1]);
    if (out.problem || code == op::solve_triangular) return out;
    dims places = operands[2];
    if (places.rank > 0) --places.rank;
    bool const are_factors = may_equal(square_shape(operands[0]).shape, operands[2]) && may_equal(places, operands[3]);
    return {out.shape, are_factors ? nullptr : "the factors must be those of the matrix"};
}

// Each key of an operand (...) draws as many elements as `shape` has, where the shape is that of the second operand, or is in the
// attributes after the stream and the number of 32-bit words of an element: the result is (..., shape...).
TRACEXPR_ONCE constexpr inferred drawn_shape(extents_span operands, attribute_span attributes) {
    bool const is_told = operands.size() == 2;
    if (attributes.size() < 2) return {{}, "the stream and the words of an element must be told"};
    int const rank = is_told ? operands[1].rank : static_cast<int>(attributes.size()) - 2;
    if (operands[0].rank < 0 || rank < 0) return {{}, "the ranks must be known"};
    if (operands[0].rank + rank > max_rank) return {{}, "the rank must be at most 8"};
    dims out = operands[0];
    for (int axis = 0; axis < rank; ++axis) {
        out.push_back(is_told ? operands[1][axis] : attributes[static_cast<std::size_t>(axis) + 2]);
        if (out[out.rank - 1] < 0 && !is_told) return {{}, "extents must be known, or told by an operand"};
    }
    return {out};
}

// Returns the product of the extents of these axes, or of all axes if none is named; dyn where one of them is unknown.
TRACEXPR_ONCE constexpr std::int64_t elements_along(dims const& d, attribute_span axes) {
    if (axes.empty()) return d.size();
    std::int64_t count = 1;
    for (std::int64_t axis : axes)
        count = count == dyn || d[static_cast<int>(axis)] == dyn ? dyn : count * d[static_cast<int>(axis)];
    return count;
}

// The attributes of op::extents have a number for each axis: its extent, or -1 - k for the value of operand k. `declared` has the
// extents that are known in spite of the latter; graph/counting.hpp finds the others.
TRACEXPR_ONCE constexpr inferred extents_shape(dims const& declared, extents_span operands, attribute_span attributes) {
    if (attributes.size() > std::size_t{max_rank}) return {{}, "the rank must be at most 8"};
    for (dims const& d : operands)
        if (d.rank != 0) return {{}, "extents must be scalars"};
    dims out;
    for (std::int64_t code : attributes) {
        if (code < 0 && static_cast<std::size_t>(-1 - code) >= operands.size())
            return {{}, "an extent must be a number or an operand"};
        out.push_back(code >= 0 ? code : declared.rank > out.rank ? declared[out.rank] : dyn);
    }
    return {out};
}

// Leaves keep the shape that they were made with. iota counts along an axis, in the shape of an operand if it has one; axis_size
// multiplies the extents of its axes, or of all axes if it names none; extents is false everywhere, in a shape that numbers
// determine.
TRACEXPR_ONCE constexpr inferred leaf_shape(op code, dims const& declared, extents_span operands, attribute_span attributes) {
    dims const& shape = code == op::iota && !operands.empty() ? operands[0] : declared;
    if (code == op::iota) return same_shape_along(shape, attributes);
    if (code == op::extents) return extents_shape(declared, operands, attributes);
    if (code == op::axis_size)
        for (std::int64_t axis : attributes)
            if (axis < 0 || axis >= operands[0].rank) return {{}, "axes must lie within the rank"};
    return {shape};
}

} // namespace tx

TRACEXPR_END_PASSES
