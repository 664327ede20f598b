// This file holds products that sum over shared axes: matmul, dot, vecdot, inner, outer, tensordot, trace. Each becomes one
// batched matmul, or a product and a sum where every axis that isn't summed belongs to both operands. Dtypes promote as in a * b,
// and integers stay integers; float16 and bfloat16 are computed in float32.
#pragma once

#include <tracexpr/trace/contract.hpp>
#include <tracexpr/trace/reductions.hpp>
#include <tracexpr/trace/shaping.hpp>

namespace tx {
namespace detail {

// A Kind has `static constexpr inferred shape(dims, dims)` and `static constexpr node_id record(lowering&, dtype, node_id,
// node_id)`.
template <class Kind, class A, class B> struct product_owner {
    static constexpr inferred rule() {
        dims const a = dims_of_operand<A>, b = dims_of_operand<B>;
        if (a.rank < 0 || b.rank < 0) return {dims{{}, dims::unknown_rank}};
        return Kind::shape(a, b);
    }
};
template <class Kind, class A, class B> inline constexpr char const* product_problem =
    checked_shape<product_owner<Kind, A, B>>::rule.problem;

// How a product is recorded: computed in one dtype, and cast to another.
struct product_recorder : op_recorder {
    node_id (*product)(lowering&, dtype, node_id, node_id);
    void (*explain)(dims const&, dims const&); // throws for shapes that don't fit where the types don't show them; else null
    dtype computed, type;

    constexpr product_recorder(node_id (*record_product)(lowering&, dtype, node_id, node_id),
                               void (*explain_shapes)(dims const&, dims const&), dtype computed_in, dtype result)
        : op_recorder{record_one, explain_shapes != nullptr}, product{record_product}, explain{explain_shapes},
          computed{computed_in}, type{result} {}
    static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands, node_id* results);
};
TRACEXPR_ONCE constexpr node_id record_product_here(trace_scope& scope, product_recorder const& r, node_id const* operands) {
    lowering low(scope);
    node_id const a = record_cast(scope.recorded, operands[0], r.computed),
                  b = record_cast(scope.recorded, operands[1], r.computed);
    low.require_rank(op::matmul, a);
    low.require_rank(op::matmul, b);
    if (r.explain) r.explain(low.shape(a), low.shape(b));
    return record_cast(scope.recorded, r.product(low, r.computed, a, b), r.type);
}
TRACEXPR_HERE_OR_ONCE(node_id, record_product, record_product_here,
                      (trace_scope & scope, product_recorder const& r, node_id const* operands), (scope, r, operands))
constexpr void product_recorder::record_one(op_recorder const& of, trace_scope& scope, node_id const* operands,
                                            node_id* results) {
    results[0] = record_product(scope, static_cast<product_recorder const&>(of), operands);
}
// Throws in the words of the product's own rule where the shapes don't fit.
template <class Kind> constexpr void explain_product(dims const& a, dims const& b) {
    dims const given[]{a, b};
    if (char const* const problem = Kind::shape(a, b).problem) throw_shape_error(Kind::called, problem, given);
}
template <class Kind, class A, class B> struct product_call {
    static constexpr dtype common = common_dtype<A, B>;
    static constexpr dtype computed = is_floating(common) && size_in_bytes(common) < 4 ? dtype::float32 : common;
    static constexpr bool is_open = dims_of_operand<A>.rank < 0 || dims_of_operand<B>.rank < 0;
    using shape = shape_from<checked_shape<product_owner<Kind, A, B>>>;
    using result = tensor<ctype<common>, shape>;
    static constexpr product_recorder recorder{Kind::record, is_open ? explain_product<Kind> : nullptr, computed, common};
};
template <class Kind> struct product_fn {
    static constexpr char const* called = Kind::called;
    static void explain(dims const& a, dims const& b) { explain_product<Kind>(a, b); }
    template <class... A> using result = typename product_call<Kind, A...>::result;
    template <class... A> static constexpr op_recorder const* recorder_for = &product_call<Kind, A...>::recorder;
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const {
        using call = product_call<Kind, A, B>;
        trace_scope& scope = *scope_among(a, b);
        node_id const operands[]{uncast_operand<call::computed>(scope, a), uncast_operand<call::computed>(scope, b)};
        return expr<ctype<call::common>, typename call::shape>(scope, record_product(scope, call::recorder, operands));
    }
};

// Follows NumPy: a vector is a row on the left and a column on the right, and the axis that it gains is removed from the result.
TRACEXPR_ONCE constexpr node_id record_matmul_here(lowering& low, dtype type, node_id a, node_id b) {
    int const rank_a = low.rank(a), rank_b = low.rank(b);
    if (rank_a == 1 && rank_b == 1) {
        axis_labels both;
        both.push_back(0);
        return contract(low, type, {a, both}, {b, both}, {});
    }
    node_id const product = low.append(op::matmul, rank_a == 1 ? low.expand(a, 0) : a, rank_b == 1 ? low.expand(b, 1) : b);
    if (rank_a == 1) return low.squeeze(product, low.rank(product) - 2);
    return rank_b == 1 ? low.squeeze(product, low.rank(product) - 1) : product;
}
TRACEXPR_HERE_OR_ONCE(node_id, record_matmul, record_matmul_here, (lowering & low, dtype type, node_id a, node_id b),
                      (low, type, a, b))
struct matmul_kind {
    static constexpr char const* called = "matmul";
    TRACEXPR_ONCE static constexpr inferred shape(dims const& a, dims const& b) {
        if (a.rank == 0 || b.rank == 0) return {{}, "operands must have at least one axis"};
        dims row, column;
        row.push_back(1), row.push_back(a[0]);
        column.push_back(b[0]), column.push_back(1);
        inferred const out = matmul_shape(a.rank == 1 ? row : a, b.rank == 1 ? column : b);
        if (out.problem) return out;
        dims result;
        for (int k = 0; k < out.shape.rank; ++k)
            if (!(k == out.shape.rank - 2 && a.rank == 1) && !(k == out.shape.rank - 1 && b.rank == 1))
                result.push_back(out.shape[k]);
        return {result};
    }
    static constexpr node_id record(lowering& low, dtype type, node_id a, node_id b) { return record_matmul(low, type, a, b); }
};

template <class AxesA, class AxesB> struct tensordot_kind;
template <int... A, int... B> struct tensordot_kind<axes_t<A...>, axes_t<B...>> {
    static constexpr char const* called = "tensordot";
    static constexpr inferred shape(dims const& a, dims const& b) {
        attribute_list const in_a = normalized_axes(a.rank, A...), in_b = normalized_axes(b.rank, B...);
        if (in_a.count != in_b.count || !are_axes(in_a, a.rank) || !are_axes(in_b, b.rank))
            return {{}, "needs as many axes of a as of b, different and within the ranks"};
        for (std::size_t i = 0; i < in_a.count; ++i) {
            std::int64_t const x = a[static_cast<int>(in_a[i])], y = b[static_cast<int>(in_b[i])];
            if (x != y && x != dyn && y != dyn) return {{}, "summed axes must have equal extents in a and b"};
        }
        if (a.rank + b.rank - 2 * static_cast<int>(in_a.count) > max_rank) return {{}, "the result must have at most 8 axes"};
        dims out;
        for (int k = 0; k < a.rank; ++k)
            if (!in_a.contains(k)) out.push_back(a[k]);
        for (int k = 0; k < b.rank; ++k)
            if (!in_b.contains(k)) out.push_back(b[k]);
        return {out};
    }
    static constexpr node_id record(lowering& low, dtype type, node_id a, node_id b) {
        attribute_list const in_a = normalized_axes(low.rank(a), A...), in_b = normalized_axes(low.rank(b), B...);
        axis_labels labels_a, labels_b, out;
        for (int k = 0; k < low.rank(a); ++k) {
            labels_a.push_back(k);
            if (!in_a.contains(k)) out.push_back(k);
        }
        for (int k = 0; k < low.rank(b); ++k) {
            std::size_t pair = 0;
            while (pair < in_b.count && in_b[pair] != k) ++pair;
            labels_b.push_back(pair < in_b.count ? static_cast<int>(in_a[pair]) : max_rank + k);
            if (pair == in_b.count) out.push_back(max_rank + k);
        }
        return contract(low, type, {a, labels_a}, {b, labels_b}, out);
    }
};
template <int Count, class = std::make_integer_sequence<int, Count>> struct counted_axes;
template <int Count, int... I> struct counted_axes<Count, std::integer_sequence<int, I...>> {
    using kind = tensordot_kind<axes_t<(I - Count)...>, axes_t<I...>>;
};

// Sums over the last axis of a and the last but one of b, or the only axis of a vector; a scalar operand multiplies.
struct dot_kind {
    static constexpr char const* called = "dot";
    using last = tensordot_kind<axes_t<-1>, axes_t<-2>>;
    static constexpr bool is_matmul(int rank_a, int rank_b) { return rank_b <= 2 || rank_a == 1; }
    TRACEXPR_ONCE static constexpr inferred shape(dims const& a, dims const& b) {
        if (a.rank == 0 || b.rank == 0) return {a.rank == 0 ? b : a};
        return is_matmul(a.rank, b.rank) ? matmul_kind::shape(a, b) : last::shape(a, b);
    }
    TRACEXPR_ONCE static constexpr node_id record(lowering& low, dtype type, node_id a, node_id b) {
        if (low.rank(a) == 0 || low.rank(b) == 0)
            return low.append(type == dtype::boolean ? op::logical_and : op::multiply, a, b);
        return is_matmul(low.rank(a), low.rank(b)) ? matmul_kind::record(low, type, a, b) : last::record(low, type, a, b);
    }
};
struct inner_kind {
    static constexpr char const* called = "inner";
    using last = tensordot_kind<axes_t<-1>, axes_t<-1>>;
    TRACEXPR_ONCE static constexpr inferred shape(dims const& a, dims const& b) {
        return a.rank == 0 || b.rank == 0 ? inferred{a.rank == 0 ? b : a} : last::shape(a, b);
    }
    TRACEXPR_ONCE static constexpr node_id record(lowering& low, dtype type, node_id a, node_id b) {
        if (low.rank(a) == 0 || low.rank(b) == 0)
            return low.append(type == dtype::boolean ? op::logical_and : op::multiply, a, b);
        return last::record(low, type, a, b);
    }
};
struct outer_kind {
    static constexpr char const* called = "outer";
    TRACEXPR_ONCE static constexpr inferred shape(dims const& a, dims const& b) {
        dims out;
        out.push_back(a.size()), out.push_back(b.size());
        return {out};
    }
    TRACEXPR_ONCE static constexpr node_id record(lowering& low, dtype type, node_id a, node_id b) {
        node_id const rows = low.expand(low.reshape(a, attribute_list(-1)), 1),
                      columns = low.expand(low.reshape(b, attribute_list(-1)), 0);
        return low.append(type == dtype::boolean ? op::logical_and : op::multiply, rows, columns);
    }
};
// Axis counts from the end in both operands.
template <int Axis> struct vecdot_kind {
    static constexpr char const* called = "vecdot";
    static constexpr inferred shape(dims const& a, dims const& b) {
        if (Axis >= 0 || -Axis > a.rank || -Axis > b.rank) return {{}, "the axis must be negative and lie within both ranks"};
        std::int64_t const x = a[a.rank + Axis], y = b[b.rank + Axis];
        if (!broadcastable(a, b) || (x != y && x != dyn && y != dyn))
            return {{}, "the axis must have equal extents, all others must broadcast"};
        dims const all = broadcast(a, b);
        attribute_list const form(0, all.rank + Axis);
        return reduced_shape(all, form);
    }
    static constexpr node_id record(lowering& low, dtype type, node_id a, node_id b) {
        node_id const left = is_complex(type) ? low.append(op::conj, a) : a;
        node_id const product = low.append(type == dtype::boolean ? op::logical_and : op::multiply, left, b);
        return low.reduce(type == dtype::boolean ? op::max : op::sum, product, attribute_list(low.rank(product) + Axis));
    }
};

template <int Offset, int First, int Second> struct trace_fn {
    static constexpr char const* called = "trace";
    template <class A> constexpr auto operator()(A const& a) const {
        return total_fn<op::sum, reduction_form<over::axes, reduced_axes::go, -1>>{}(
            record_rule<diagonal_rule<Offset, First, Second>>(a));
    }
};

template <class A, class B> inline constexpr bool have_axes = dims_of_operand<A>.rank != 0 && dims_of_operand<B>.rank != 0;
// Do the axes that matmul sums over agree?
TRACEXPR_ONCE constexpr bool inner_extents_agree(dims const& a, dims const& b) {
    if (a.rank <= 0 || b.rank <= 0) return true;
    std::int64_t const in_a = a[a.rank - 1], in_b = b[b.rank == 1 ? 0 : b.rank - 2];
    return in_a == in_b || in_a == dyn || in_b == dyn;
}
template <class A, class B> inline constexpr bool joinable = inner_extents_agree(dims_of_operand<A>, dims_of_operand<B>);

} // namespace detail

inline namespace TRACEXPR_CALLS {

// (..., m, k) x (..., k, n) -> (..., m, n). The leading axes broadcast; a vector is a row on the left and a column on the right,
// and that axis does not appear in the result.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto matmul(A const& a, B const& b) {
    constexpr bool have_axes = detail::have_axes<A, B>;
    constexpr bool join = detail::joinable<A, B>;
    constexpr bool fit = !have_axes || !join || detail::product_problem<detail::matmul_kind, A, B> == nullptr;
    static_assert(have_axes, "tx: matmul: both operands must have at least one axis; multiply by a scalar with *");
    static_assert(join, "tx: matmul: the last extent of a must equal the last but one of b (of a vector: its only one); both "
                        "shapes stand in the note above");
    static_assert(fit,
                  "tx: matmul: the leading extents, all but the last two, must broadcast; both shapes stand in the note above");
    return detail::apply_if<(have_axes && join && fit)>(detail::product_fn<detail::matmul_kind>{}, a, b);
}
// NumPy's dot: the sum over the last axis of a and the last but one of b, or the only one of a vector; a product where one
// operand is a scalar.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto dot(A const& a, B const& b) {
    constexpr bool fits = detail::product_problem<detail::dot_kind, A, B> == nullptr;
    static_assert(fits, "tx: dot: the last extent of a must equal the last but one of b (of a vector: its only one); both shapes "
                        "stand in the note above");
    return detail::apply_if<fits>(detail::product_fn<detail::dot_kind>{}, a, b);
}
// The sum of conj(a) * b along one axis, which counts from the end; the other axes broadcast.
template <int Axis = -1, array_operand A, array_operand B> [[nodiscard]] constexpr auto vecdot(A const& a, B const& b) {
    constexpr bool fits = detail::product_problem<detail::vecdot_kind<Axis>, A, B> == nullptr;
    static_assert(
        fits,
        "tx: vecdot: the axis must be negative, lie within both ranks and have equal extents, and all other axes must broadcast");
    return detail::apply_if<fits>(detail::product_fn<detail::vecdot_kind<Axis>>{}, a, b);
}
template <array_operand A, array_operand B, int Axis> [[nodiscard]] constexpr auto vecdot(A const& a, B const& b, axes_t<Axis>) {
    return vecdot<Axis>(a, b);
}
// (..., k) and (..., k): the sum of products over the last axis of both.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto inner(A const& a, B const& b) {
    constexpr bool fits = detail::product_problem<detail::inner_kind, A, B> == nullptr;
    static_assert(fits, "tx: inner: the last axes of a and b must have equal extents");
    return detail::apply_if<fits>(detail::product_fn<detail::inner_kind>{}, a, b);
}
// a[i] * b[j] for the flattened operands.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto outer(A const& a, B const& b) {
    return detail::apply(detail::product_fn<detail::outer_kind>{}, a, b);
}
// The sum over axes of a and, in the same order, of b; or over the last Count axes of a and the first Count of b, two by default.
template <array_operand A, array_operand B, int... InA, int... InB>
[[nodiscard]] constexpr auto tensordot(A const& a, B const& b, axes_t<InA...>, axes_t<InB...>) {
    constexpr bool fits = detail::product_problem<detail::tensordot_kind<axes_t<InA...>, axes_t<InB...>>, A, B> == nullptr;
    static_assert(fits, "tx: tensordot: needs as many axes of a as of b, with equal extents, and a result of at most 8 axes");
    return detail::apply_if<fits>(detail::product_fn<detail::tensordot_kind<axes_t<InA...>, axes_t<InB...>>>{}, a, b);
}
template <int Count = 2, array_operand A, array_operand B> [[nodiscard]] constexpr auto tensordot(A const& a, B const& b) {
    constexpr bool fits =
        Count >= 0 && Count <= max_rank && detail::product_problem<typename detail::counted_axes<Count>::kind, A, B> == nullptr;
    static_assert(
        fits, "tx: tensordot: the last axes of a must have the extents of the first axes of b, and the result at most 8 axes");
    return detail::apply_if<fits>(detail::product_fn<typename detail::counted_axes<Count>::kind>{}, a, b);
}
// The sum of the elements on diagonal Offset of two axes, the first two by default.
template <int Offset = 0, array_operand A, int First = 0, int Second = 1>
[[nodiscard]] constexpr auto trace(A const& x, axes_t<First, Second> = {}) {
    constexpr bool fits = detail::fits<detail::diagonal_rule<Offset, First, Second>, A>;
    static_assert(fits, "tx: trace: needs two different axes within the rank of x");
    return detail::apply_if<fits>(detail::trace_fn<Offset, First, Second>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
