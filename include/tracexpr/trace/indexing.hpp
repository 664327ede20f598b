// This file holds functions that read parts of a tensor: slice with indices known to the compiler, take and take_along_axis with
// tensors of indices.
#pragma once

#include <tracexpr/trace/lowering.hpp>
#include <tracexpr/trace/places.hpp>

namespace tx {
namespace detail {

// A slice as ops: the bounds of slice, then the axes to squeeze, then the axes to add.
class slice_plan {
public:
    attribute_list bounds{}, removed{}, added{};
    bool whole = true, too_many = false, zero_step = false;
    int outside = -1; // the axis whose index is out of bounds, or -1

    template <class... Indices> static constexpr slice_plan of(dims const& d) {
        slice_plan plan(d, (consumes<Indices> + ... + 0), (std::is_same_v<Indices, ellipsis_t> + ... + 0));
        if (!plan.too_many) (plan.add(Indices{}), ...);
        while (plan.axis_ < d.rank) plan.keep();
        return plan;
    }

private:
    template <class Index> static constexpr int consumes =
        !std::is_same_v<Index, ellipsis_t> && !std::is_same_v<Index, new_axis_t>;

    constexpr slice_plan(dims const& d, int indices, int ellipses)
        : too_many{indices > d.rank || ellipses > 1}, shape_{d}, left_over_{d.rank - indices} {}

    TRACEXPR_ONCE constexpr void push(std::int64_t start, std::int64_t stop, std::int64_t step) {
        bounds.push_back(start), bounds.push_back(stop), bounds.push_back(step);
        if (start != slice_open || stop != slice_open || step != 1) whole = false;
        ++axis_;
    }
    constexpr void keep() {
        push(slice_open, slice_open, 1);
        ++made_;
    }
    template <std::int64_t Place> constexpr void add(at_t<Place>) {
        std::int64_t const extent = shape_[axis_];
        if (extent != dyn && (Place >= extent || Place < -extent)) outside = axis_;
        removed.push_back(axis_);
        push(Place, Place == -1 ? slice_open : Place + 1, 1);
    }
    constexpr void add(range_t<>) { keep(); }
    template <std::int64_t Start, std::int64_t Stop, std::int64_t... Step> constexpr void add(range_t<Start, Stop, Step...>) {
        std::int64_t const step = (Step + ... + (sizeof...(Step) == 0));
        if (step == 0) zero_step = true;
        push(Start, Stop, step == 0 ? 1 : step);
        ++made_;
    }
    constexpr void add(ellipsis_t) {
        for (int k = 0; k < left_over_; ++k) keep();
    }
    constexpr void add(new_axis_t) { added.push_back(made_++); }

    dims shape_;
    int left_over_;
    int axis_ = 0, made_ = 0;
};

TRACEXPR_ONCE constexpr node_id record_slice_here(trace_scope& scope, node_id x, slice_plan const& plan) {
    lowering low(scope);
    if (!plan.whole) x = low.append(op::slice, x, plan.bounds);
    if (plan.removed.count) x = low.append(op::squeeze, x, plan.removed);
    return plan.added.count ? low.append(op::expand_dims, x, plan.added) : x;
}
TRACEXPR_HERE_OR_ONCE(node_id, record_slice, record_slice_here, (trace_scope & scope, node_id x, slice_plan const& plan),
                      (scope, x, plan))

struct slice_recorder : op_recorder {
    slice_plan const& plan;
    slice_plan (*of_rank)(dims const&); // makes the plan where only the run knows the rank; else null

    constexpr slice_recorder(slice_plan const& known, slice_plan (*plan_of_rank)(dims const&))
        : op_recorder{record_one, plan_of_rank != nullptr}, plan{known}, of_rank{plan_of_rank} {}
    TRACEXPR_ONCE static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands,
                                                   node_id* results) {
        slice_recorder const& r = static_cast<slice_recorder const&>(of);
        lowering low(scope);
        low.require_rank(op::slice, operands[0]);
        if (r.of_rank) results[0] = record_slice(scope, operands[0], r.of_rank(low.shape(operands[0])));
        else results[0] = record_slice(scope, operands[0], r.plan);
    }
};
template <class Shape, class... Indices> struct sliced {
    static constexpr slice_plan plan = slice_plan::of<Indices...>(dims_of<Shape>.rank < 0 ? dims{} : dims_of<Shape>);
    static constexpr inferred rule() {
        dims const d = dims_of<Shape>;
        if (d.rank < 0) return {d};
        if (plan.too_many || plan.outside >= 0 || plan.zero_step) return {{}, "indices must fit"};
        axis_map const squeezed = view_map(op::squeeze, view_map(op::slice, d, plan.bounds).shape, plan.removed);
        axis_map const m = view_map(op::expand_dims, squeezed.shape, plan.added);
        return {m.shape, m.problem};
    }
};
template <class A, class... Indices> using slice_of = sliced<typename traits<A>::shape_type, Indices...>;
template <class... Indices> struct slice_fn {
    static constexpr slice_plan checked(dims const& d) {
        slice_plan const plan = slice_plan::of<Indices...>(d);
        if (plan.too_many) throw_shape_error(op::slice, "takes at most one index for each axis, and one ellipsis", {&d, 1});
        if (plan.outside >= 0) check_place(name(op::slice), d, plan.bounds, plan.outside);
        return plan;
    }
    template <class A> struct call {
        using result = tensor<ctype<dtype_of_operand<A>>, shape_from<checked_shape<slice_of<A, Indices...>>>>;
        static constexpr slice_recorder recorder{slice_of<A, Indices...>::plan, dims_of_operand<A>.rank < 0 ? checked : nullptr};
    };
    template <class... A> using result = typename call<A...>::result;
    template <class... A> static constexpr op_recorder const* recorder_for = &call<A...>::recorder;
    template <class A> constexpr auto operator()(A const& a) const {
        node_id id = a.id();
        call<A>::recorder.record_one(call<A>::recorder, a.scope(), &id, &id);
        return expr<typename A::value_type, typename result<A>::shape_type>(a.scope(), id);
    }
};
template <class A, class... Indices> inline constexpr bool slice_has_room =
    dims_of_operand<A>.rank < 0 || !slice_of<A, Indices...>::plan.too_many;
template <class A, class... Indices> inline constexpr bool slice_is_inside =
    dims_of_operand<A>.rank < 0 || slice_of<A, Indices...>::plan.outside < 0;
template <class A, class... Indices> inline constexpr bool slice_moves = !slice_of<A, Indices...>::plan.zero_step;
template <class A, class... Indices> inline constexpr bool slice_fits =
    checked_shape<slice_of<A, Indices...>>::rule.problem == nullptr;

template <class... Indices, class A> constexpr auto static_slice(A const& x) {
    constexpr bool has_room = slice_has_room<A, Indices...>;
    constexpr bool is_inside = slice_is_inside<A, Indices...>;
    constexpr bool moves = slice_moves<A, Indices...>;
    constexpr bool fits = !has_room || !is_inside || !moves || slice_fits<A, Indices...>;
    static_assert(has_room, "tx: slice: too many indices; at most one for each axis of x, and one ellipsis");
    static_assert(is_inside, "tx: slice: tx::at is out of bounds; places count from 0, or from -1 at the end");
    static_assert(moves, "tx: slice: the step of a range must not be 0");
    static_assert(fits, "tx: slice: the result must have at most 8 axes");
    return detail::apply_if<(has_room && is_inside && moves && fits)>(slice_fn<Indices...>{}, x);
}

// Without an axis it reads the flattened tensor.
template <int... Axis> struct take_fn {
    template <class Shape, class Indices> struct result {
        static constexpr inferred rule() {
            dims const d = dims_of<Shape>, indices = dims_of<Indices>;
            if (d.rank < 0 || indices.rank < 0) return {dims{{}, dims::unknown_rank}};
            if (sizeof...(Axis) == 0) return {indices};
            return sizeof...(Axis) == 1 ? taken(d, indices, normalized_axes(d.rank, Axis...)) : inferred{{}, "takes one axis"};
        }
    };
    template <class A, class I> constexpr auto operator()(A const& a, I const& indices) const {
        constexpr dtype type = dtype_of_operand<A>;
        using owner = checked_shape<result<typename traits<A>::shape_type, typename traits<I>::shape_type>>;
        using result_type = expr<ctype<type>, shape_from<owner>>;
        trace_scope& scope = *scope_among(a, indices);
        lowering low(scope);
        node_id const x = record_operand<type>(scope, a), places = record_operand<dtype_of_operand<I>>(scope, indices);
        low.require_rank(op::take, x);
        low.require_rank(op::take, places);
        if constexpr (sizeof...(Axis) == 0)
            return result_type(scope, low.append(op::take, low.reshape(x, attribute_list(-1)), places, attribute_list(0)));
        else return result_type(scope, low.append(op::take, x, places, normalized_axes(low.rank(x), Axis...)));
    }
};

// Extents of 1 broadcast, except along the axis.
template <int Axis> struct take_along_fn {
    static constexpr char const* called = "take_along_axis";
    template <class Shape, class Indices> struct result {
        static constexpr inferred rule() {
            dims d = dims_of<Shape>, indices = dims_of<Indices>;
            if (d.rank < 0 || indices.rank < 0) return {dims{{}, dims::unknown_rank}};
            return shape(d, indices);
        }
    };
    static constexpr inferred shape(dims d, dims indices) {
        int const along = normalized_axis(Axis, d.rank);
        if (along < 0 || along >= d.rank) return {{}, "the axis must lie within the rank"};
        if (indices.rank != d.rank) return {{}, "indices must have the operand's rank"};
        std::int64_t const extent = indices[along];
        d[along] = indices[along] = 1;
        inferred out = broadcast_shape(d, indices);
        out.shape[along] = extent;
        return out;
    }
    template <class A, class I> constexpr auto operator()(A const& a, I const& indices) const {
        constexpr dtype type = dtype_of_operand<A>;
        using owner = checked_shape<result<typename traits<A>::shape_type, typename traits<I>::shape_type>>;
        using result_type = expr<ctype<type>, shape_from<owner>>;
        trace_scope& scope = *scope_among(a, indices);
        lowering low(scope);
        node_id const x = record_operand<type>(scope, a), places = record_operand<dtype_of_operand<I>>(scope, indices);
        return result_type(scope, record(low, x, places));
    }
    static constexpr node_id record(lowering& low, node_id x, node_id places) {
        low.require_rank(op::take_along_axis, x);
        low.require_rank(op::take_along_axis, places);
        dims const given[]{low.shape(x), low.shape(places)};
        inferred const out = shape(given[0], given[1]);
        if (out.problem) throw_shape_error(op::take_along_axis, out.problem, given);
        int const along = normalized_axis(Axis, low.rank(x));
        return low.append(op::take_along_axis, stretched(low, x, out.shape, along), stretched(low, places, out.shape, along),
                          attribute_list(along));
    }
    static constexpr node_id stretched(lowering& low, node_id x, dims const& wanted, int along) {
        attribute_list target;
        bool grows = false;
        for (int k = 0; k < wanted.rank; ++k) {
            bool const grown = k != along && low.extent(x, k) == 1 && wanted[k] != 1 && wanted[k] != dyn;
            target.push_back(grown ? wanted[k] : dyn);
            grows = grows || grown;
        }
        return grows ? low.append(op::broadcast_to, x, target) : x;
    }
};

template <class Fn, class A, class I> inline constexpr bool lookup_fits =
    checked_shape<typename Fn::template result<typename traits<A>::shape_type, typename traits<I>::shape_type>>::rule.problem ==
    nullptr;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// x[...] with one index for each axis: slice(x, tx::at<2>, tx::range<1, 5>, tx::range<tx::open, tx::open, -1>, tx::ellipsis,
// tx::new_axis).
template <array_operand A, detail::static_index... Indices> [[nodiscard]] constexpr auto slice(A const& x, Indices...) {
    return detail::static_slice<detail::index_type<Indices>...>(x);
}

// The parts of x at the places `indices` along an axis: for (a, n, b) and indices of shape s the result is (a, s..., b). Without
// an axis x is flattened. Negative places count from the end; a place outside throws when the op runs.
template <int... Axis, array_operand A, operand I>
[[nodiscard]] constexpr auto take(A const& x, I const& indices, axes_t<Axis...> = {}) {
    constexpr bool has_integers = detail::are_indices<I>;
    constexpr bool fits = detail::lookup_fits<detail::take_fn<Axis...>, A, I>;
    static_assert(has_integers, "tx: take: indices must be integers");
    static_assert(fits, "tx: take: takes one axis within the rank of x, and a result of at most 8 axes");
    return detail::apply_if<(has_integers && fits)>(detail::take_fn<Axis...>{}, x, indices);
}
// take along one axis, the first by default, where take without an axis would flatten x.
template <int Axis = 0, array_operand A, operand I>
[[nodiscard]] constexpr auto gather(A const& x, I const& indices, axes_t<Axis> = {}) {
    constexpr bool has_integers = detail::are_indices<I>;
    constexpr bool fits = detail::lookup_fits<detail::take_fn<Axis>, A, I>;
    static_assert(has_integers, "tx: gather: indices must be integers");
    static_assert(fits, "tx: gather: takes one axis within the rank of x, and a result of at most 8 axes");
    return detail::apply_if<(has_integers && fits)>(detail::take_fn<Axis>{}, x, indices);
}
// out[..., i, ...] = x[..., indices[..., i, ...], ...]: there is an index for each element of the result. The other axes
// broadcast.
template <int Axis = -1, array_operand A, array_operand I>
[[nodiscard]] constexpr auto take_along_axis(A const& x, I const& indices, axes_t<Axis> = {}) {
    constexpr bool has_integers = detail::are_indices<I>;
    constexpr bool fits = detail::lookup_fits<detail::take_along_fn<Axis>, A, I>;
    static_assert(has_integers, "tx: take_along_axis: indices must be integers");
    static_assert(fits,
                  "tx: take_along_axis: indices must have the rank of x, and its extents or 1 on all axes but the one indexed");
    return detail::apply_if<(has_integers && fits)>(detail::take_along_fn<Axis>{}, x, indices);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
