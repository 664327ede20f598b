// This file infers the result shape and dtype of every op from its operands' and its attributes. One rule serves types, traces
// and runs: a type reports `problem` by a static_assert, the others throw it.
#pragma once

#include <tracexpr/base/error.hpp>
#include <tracexpr/graph/routine_rules.hpp>
#include <tracexpr/graph/shape_rules.hpp>

#include <string>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace detail {
TRACEXPR_ONCE constexpr dims first_axes(dims const& of, int count) {
    dims out;
    for (int axis = 0; axis < count; ++axis) out.push_back(of[axis]);
    return out;
}
TRACEXPR_ONCE constexpr inferred infer_shape(op code, dims const& declared, extents_span operands, attribute_span attributes) {
    switch (info(code).kind) {
    case kind::pointwise: {
        inferred out{operands[0]};
        for (std::size_t k = 1; k < operands.size() && !out.problem; ++k) out = broadcast_shape(out.shape, operands[k]);
        return out;
    }
    case kind::reduction:
    case kind::arg_reduction: return reduced_shape(operands[0], attributes);
    case kind::scan: return same_shape_along(operands[0], attributes);
    case kind::order:
        return code == op::argselect ? selected_shape(operands[0], operands[1], attributes)
                                     : ordered_shape(code, operands[0], attributes);
    case kind::contraction: return matmul_shape(operands[0], operands[1]);
    case kind::decomposition: return decomposed_shape(code, operands);
    case kind::routine: return routine_shape(code, operands, attributes);
    case kind::leaf: return leaf_shape(code, declared, operands, attributes);
    case kind::random: return drawn_shape(operands, attributes);
    case kind::marker: return {operands[0]};
    case kind::view: {
        axis_map const m = view_map(code, operands[0], attributes, operands.size() == 2 ? &operands[1] : nullptr);
        return {m.shape, m.problem};
    }
    case kind::control:
    case kind::projection: return {declared}; // graph/regions.hpp checks these
    case kind::effect: return {dims{}};
    case kind::callback: return {declared.rank == 0 || operands.size() < 2 ? declared : first_axes(operands[1], declared.rank)};
    default: break;
    }
    switch (code) {
    case op::concatenate: return concatenated(operands, attributes);
    case op::pad: return padded(operands[0], attributes);
    case op::take: return taken(operands[0], operands[1], attributes);
    case op::take_along_axis: return taken_along(operands[0], operands[1], attributes);
    case op::view_add:
    case op::view_set: {
        axis_map const m = updated_map(operands[0], attributes);
        return updated(operands[0], operands[1], {m.shape, m.problem});
    }
    case op::index_add:
    case op::index_set:
    case op::index_max:
    case op::index_min: return updated(operands[0], operands[1], taken(operands[0], operands[2], attributes));
    case op::scatter_add:
    case op::scatter_set:
    case op::scatter_max:
    case op::scatter_min: return updated(operands[0], operands[1], taken_along(operands[0], operands[2], attributes));
    default: return {declared, "op without a shape rule"};
    }
}
// This function is not inlined: where the number of operands is known, g++ -O3 would warn about the ops that have more.
template <class Unused = void>
TRACEXPR_NOINLINE inferred infer_now(op code, dims const& declared, extents_span operands, attribute_span attributes) {
    return infer_shape(code, declared, operands, attributes);
}
TRACEXPR_INSTANCE(inferred infer_now<void>(op, dims const&, extents_span, attribute_span))
} // namespace detail

// Infers the shape of a node.
TRACEXPR_ONCE constexpr inferred infer(op code, dims const& declared, extents_span operands, attribute_span attributes) {
    if (__builtin_is_constant_evaluated()) return detail::infer_shape(code, declared, operands, attributes);
    else return detail::infer_now(code, declared, operands, attributes);
}

// Infers the dtype of a node. Operands have been cast to one dtype before; the op's domain says which dtypes are allowed.
TRACEXPR_ONCE constexpr inferred_dtype infer_dtype(op code, dtype declared, table_view<dtype> operands) {
    op_info const& row = info(code);
    if (row.kind == kind::control || row.kind == kind::projection) return {declared};
    if (row.kind == kind::callback) return {declared, accepts(code, declared) ? nullptr : "a call is known by a handle, uint64"};
    if (row.kind == kind::effect)
        return {dtype::token, operands.empty() || operands.back() != dtype::token ? "the last operand must be a token" : nullptr};
    if (row.kind == kind::leaf) return {declared, accepts(code, declared) ? nullptr : "no such dtype can be counted in"};
    if (row.kind == kind::random) {
        bool const draws = declared == (code == op::random_permutation ? dtype::int64 : dtype::uint64) ||
                           (code == op::random_bits && declared == dtype::uint32);
        if (operands[0] != dtype::uint64) return {{}, "the key must be uint64"};
        return {declared, draws ? nullptr : "bits are uint32 or uint64, permutations int64"};
    }
    if (row.kind == kind::routine) return detail::routine_dtype(code, declared, operands);
    if (code == op::cast) {
        auto const is_number = [](dtype t) { return t != dtype::string && t != dtype::token; };
        return {declared, is_number(operands[0]) && is_number(declared) ? nullptr : "strings are not cast"};
    }
    std::size_t const first = code == op::where ? 1 : 0;
    bool const finds = has_indices(code) || code == op::solve;
    if (first && operands[0] != dtype::boolean) return {{}, "the condition must be bool"};
    if (finds && !is_integer(operands.back())) return {{}, "indices must be integers"};
    if (code == op::argselect && operands.back() != dtype::int64) return {{}, "ranks must be int64"};
    std::size_t const alike = row.kind == kind::marker || row.kind == kind::view ? 1 : operands.size() - (finds ? 1 : 0);
    for (std::size_t k = first + 1; k < alike; ++k)
        if (operands[k] != operands[first]) return {{}, "operands must have one dtype"};
    dtype const type = operands[first];
    if (!accepts(code, type)) return {{}, "the op does not take operands of this dtype"};
    switch (row.result) {
    case result_rule::boolean: return {dtype::boolean};
    case result_rule::real_part: return {real_part(type)};
    case result_rule::index: return {dtype::int64};
    case result_rule::same:
    case result_rule::declared: return {type};
    }
    return {type};
}

namespace detail {
// Returns the shape that the attributes of reshape or broadcast_to ask for, as the user wrote it: -1 stands for an extent to
// infer, or to keep.
TRACEXPR_ONCE std::string wanted_shape(dims const& given, attribute_span target) {
    dims out;
    for (std::int64_t code : target.size() > std::size_t{max_rank} ? attribute_span{} : target)
        out.push_back(code >= -1 ? code : -2 - code < given.rank ? given[static_cast<int>(-2 - code)] : -1);
    return to_string(out, "-1");
}
// Returns the axes that a reduction, or an op along one axis, was asked for, as a message names them. Attributes count axes from
// the first one on; an axis that is too far from the last one is shown as the user wrote it.
inline std::string asked_axes(op code, dims const& given, attribute_span attributes) {
    bool const is_reduction = info(code).kind == kind::reduction || info(code).kind == kind::arg_reduction;
    bool const is_along = info(code).kind == kind::scan || info(code).kind == kind::order || code == op::concatenate ||
                          code == op::take || code == op::take_along_axis;
    if ((!is_reduction && !is_along) || attributes.empty()) return {};
    std::size_t const first = is_reduction ? 1 : 0, end = is_reduction ? attributes.size() : 1;
    std::string out = end - first == 1 ? ", axis " : ", axes ";
    for (std::size_t k = first; k < end; ++k)
        out += (k > first ? ", " : "") + std::to_string(attributes[k] < 0 ? attributes[k] - given.rank : attributes[k]);
    return out;
}
} // namespace detail

template <class Unused = void> [[noreturn]] void throw_shape_error(std::string_view function, char const* problem,
                                                                   extents_span operands, std::string const& more = {}) {
    std::string message = "tx: " + std::string(function) + ": " + problem + "; given";
    for (std::size_t k = 0; k < operands.size(); ++k) message += (k ? ", " : " ") + to_string(operands[k]);
    throw shape_error(message + more);
}
TRACEXPR_INSTANCE(void throw_shape_error<void>(std::string_view, char const*, extents_span, std::string const&))
// Throws if the operands don't pass the check.
TRACEXPR_ONCE constexpr void require_operands(operand_check const& check, detail::builder_specs given) {
    char const* const wrong = check.problem(given);
    if (!wrong) return;
    buffer<dims> shapes;
    for (std::size_t k = 0; k < given.size(); ++k)
        if (k >= 32 || !(check.hidden >> k & 1u)) shapes.push_back(given[k].shape);
    throw_shape_error(check.called, wrong, shapes, check.asked ? ", " + std::string(check.asked) : std::string());
}
[[noreturn]] TRACEXPR_ONCE void throw_index_error(std::string_view function, std::string const& index, int axis,
                                                  std::int64_t extent) {
    throw shape_error("tx: " + std::string(function) + ": index " + index + " is out of bounds for axis " + std::to_string(axis) +
                      " with size " + std::to_string(extent));
}
// Checks the target of a reshape, in which at most one extent is -1, and throws if the size does not fit: this happens before
// memory is allocated.
TRACEXPR_ONCE constexpr void require_size(dims const& from, dims const& to) {
    std::int64_t size = 1;
    bool fits = true, is_left = false;
    for (int axis = 0; axis < to.rank; ++axis) {
        if (to[axis] < -1) return; // a negative extent is reported elsewhere
        is_left = is_left || to[axis] == -1;
        fits = fits && !__builtin_mul_overflow(size, to[axis] == -1 ? 1 : to[axis], &size);
    }
    dims const given[]{from, to};
    if (from.size() > 0 && (!fits || (!is_left && size != from.size())))
        throw_shape_error(name(op::reshape), "the size must stay the same", given);
}
// Throws if a slice that takes a single index of an axis lies outside of the axis.
TRACEXPR_ONCE constexpr void check_place(std::string_view function, dims const& of, attribute_span bounds, int axis) {
    attribute_span const own = bounds.subspan(3 * static_cast<std::size_t>(axis));
    std::int64_t const start = own[0] == slice_open ? 0 : own[0], extent = of[axis];
    bool const is_place = own[2] == 1 && own[1] == (start == -1 ? slice_open : start + 1);
    if (is_place && extent != dyn && (start >= extent || start < -extent))
        throw_index_error(function, std::to_string(start), axis, extent);
}
template <class Unused = void>
[[noreturn]] void throw_shape_error(op code, char const* problem, extents_span operands, attribute_span attributes = {}) {
    if (updates_view(code) && attributes.size() && attributes[0] == static_cast<std::int64_t>(op::slice))
        for (int axis = 0; axis < operands[0].rank; ++axis) check_place(name(code), operands[0], attributes.subspan(1), axis);
    std::string more;
    if ((code == op::reshape || code == op::broadcast_to) && operands.size() == 1)
        more = ", wanted " + detail::wanted_shape(operands[0], attributes);
    else if (std::string_view const p = problem; p.ends_with("within the rank") || p == "axes must differ")
        more = detail::asked_axes(code, operands[0], attributes);
    throw_shape_error(name(code), problem, operands, more);
}
TRACEXPR_INSTANCE(void throw_shape_error<void>(op, char const*, extents_span, attribute_span))

// stack is made of expand_dims and concatenate, whose messages would show other shapes than those of the operands, so it is
// checked here.
TRACEXPR_ONCE constexpr void check_stacked(extents_span operands) {
    for (dims const& d : operands)
        if (!may_equal(d, operands[0])) throw_shape_error("stack", "the operands must have the same shape", operands);
}

TRACEXPR_ONCE constexpr void check_elements(op code, dtype type, dims const& operand, attribute_span attributes) {
    if (char const* const problem = empty_reduction_problem(code, type, operand, attributes))
        throw_shape_error(code, problem, {&operand, 1});
}

TRACEXPR_ONCE constexpr dims infer_or_throw(op code, dims const& declared, extents_span operands, attribute_span attributes) {
    inferred const out = infer(code, declared, operands, attributes);
    if (out.problem) throw_shape_error(code, out.problem, operands, attributes);
    return out.shape;
}

} // namespace tx

TRACEXPR_END_PASSES
