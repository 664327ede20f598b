// This file joins arrays as NumPy's hstack, vstack, dstack and column_stack do, and has array_split and rot90.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/joining.hpp>
#include <tracexpr/trace/shaping.hpp>

namespace tx {
namespace detail {

enum class stacking { across, below, behind, columns }; // hstack, vstack, dstack, column_stack

// Gives the axes that an operand of that rank lacks, which are added before all operands are joined.
TRACEXPR_ONCE constexpr attribute_list axes_to_add(stacking how, int rank) {
    switch (how) {
    case stacking::across: return rank == 0 ? attribute_list(0) : attribute_list{};
    case stacking::below: return rank == 0 ? attribute_list(0, 1) : rank == 1 ? attribute_list(0) : attribute_list{};
    case stacking::columns: return rank == 0 ? attribute_list(0, 1) : rank == 1 ? attribute_list(1) : attribute_list{};
    case stacking::behind: break;
    }
    return rank == 0   ? attribute_list(0, 1, 2)
           : rank == 1 ? attribute_list(0, 2)
           : rank == 2 ? attribute_list(2)
                       : attribute_list{};
}
TRACEXPR_ONCE constexpr dims stacked_dims(stacking how, dims const& d) {
    attribute_list const added = axes_to_add(how, d.rank);
    dims out;
    for (int a = 0, own = 0; a < d.rank + static_cast<int>(added.count); ++a) out.push_back(added.contains(a) ? 1 : d[own++]);
    return out;
}
// Gives the axis along which operands are joined; `rank` is that of the first one.
TRACEXPR_ONCE constexpr int stacking_axis(stacking how, int rank) {
    if (how == stacking::below || (how == stacking::across && rank <= 1)) return 0;
    return how == stacking::behind ? 2 : 1;
}
TRACEXPR_ONCE constexpr inferred shape_of_stack(stacking how, builder_specs given) {
    buffer<dims> all;
    for (builder_spec const& s : given) all.push_back(stacked_dims(how, s.shape));
    for (dims const& d : all)
        if (d.rank != all[0].rank) return {{}, "the operands must have one rank"};
    return concatenated({all.data(), all.size()}, attribute_list(stacking_axis(how, given[0].shape.rank)));
}
TRACEXPR_ONCE constexpr node_id record_stack(lowering& low, stacking how, table_view<node_id> given) {
    buffer<node_id> parts;
    dtype common = low.type(given[0]);
    for (node_id const x : given) common = promote(common, low.type(x));
    for (node_id const x : given) {
        attribute_list const added = axes_to_add(how, low.rank(x));
        node_id const part = low.as(x, common);
        parts.push_back(added.count ? low.append(op::expand_dims, part, added) : part);
    }
    return low.concatenate(parts, stacking_axis(how, low.rank(given[0])));
}
template <stacking How, std::size_t Count> struct stack_builder {
    static constexpr char const* called = How == stacking::across   ? "hstack"
                                          : How == stacking::below  ? "vstack"
                                          : How == stacking::behind ? "dstack"
                                                                    : "column_stack";
    static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given)
            if ((s.type == dtype::string) != (given[0].type == dtype::string)) return "strings and numbers don't mix";
        return know_ranks(given) ? shape_of_stack(How, given).problem : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{common_type(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{shape_of_stack(How, given).shape};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_stack(low, How, {x, Count})};
    }
};
template <stacking How, class... A> constexpr auto stack_up(A const&... a) {
    using builder = stack_builder<How, sizeof...(A)>;
    constexpr bool fits = built_problem<builder, A...> == nullptr;
    static_assert(fits, "tx: hstack, vstack, dstack, column_stack: the operands must have one rank, and the same extents on all "
                        "axes but the one along which they are joined");
    return detail::apply_if<fits>(built_fn<builder>{}, a...);
}

// Turns x by that many quarters from the first axis to the second.
TRACEXPR_ONCE constexpr node_id record_turn(lowering& low, node_id x, int quarters, int from, int to) {
    int const rank = low.rank(x), left = ((quarters % 4) + 4) % 4;
    from = normalized_axis(from, rank), to = normalized_axis(to, rank);
    attribute_list swapped = every_axis(rank);
    swapped.value[from] = to, swapped.value[to] = from;
    auto const flipped = [&](node_id y, int axis) { return low.slice(y, axis, slice_open, slice_open, -1); };
    if (left == 0) return x;
    if (left == 1) return low.transpose(flipped(x, to), swapped);
    if (left == 2) return flipped(flipped(x, from), to);
    return flipped(low.transpose(x, swapped), to);
}
template <int Quarters, int From, int To> struct turn_builder {
    static constexpr char const* called = "rot90";
    static constexpr char const* problem(builder_specs given) {
        int const rank = given[0].shape.rank;
        bool const fits = rank < 0 || are_axes(normalized_axes(rank, From, To), rank);
        return fits ? nullptr : "the two axes must differ and lie within the rank of x";
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        int const from = normalized_axis(From, out.rank), to = normalized_axis(To, out.rank);
        if (Quarters % 2 != 0) std::swap(out[from], out[to]);
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_turn(low, x[0], Quarters, From, To)};
    }
};

// even_parts holds parts whose extents differ by one at most, the longer ones first.
struct even_parts {
    std::int64_t extent, count;
    constexpr std::int64_t start(std::int64_t k) const { return extent / count * k + (k < extent % count ? k : extent % count); }
};
template <int Count, int Axis> struct array_split_builder {
    static constexpr char const* called = "array_split";
    static constexpr char const* problem(builder_specs given) {
        int const rank = given[0].shape.rank, axis = normalized_axis(Axis, rank);
        if (rank < 0) return nullptr;
        if (axis < 0 || axis >= rank) return "the axis must lie within the rank of x; negative ones count from the end";
        return given[0].shape[axis] == dyn ? "the extent of the axis must be known while x is traced" : nullptr;
    }
    static constexpr std::array<dtype, Count> types(builder_specs given) {
        std::array<dtype, Count> out{};
        for (dtype& t : out) t = given[0].type;
        return out;
    }
    static constexpr std::array<dims, Count> shapes(builder_specs given) {
        std::array<dims, Count> out{};
        int const axis = normalized_axis(Axis, given[0].shape.rank);
        even_parts const parts{given[0].shape[axis], Count};
        for (int k = 0; k < Count; ++k) {
            out[static_cast<std::size_t>(k)] = given[0].shape;
            out[static_cast<std::size_t>(k)][axis] = parts.start(k + 1) - parts.start(k);
        }
        return out;
    }
    static constexpr std::array<node_id, Count> record(lowering& low, node_id const* x) {
        std::array<node_id, Count> out{};
        int const axis = normalized_axis(Axis, low.rank(x[0]));
        even_parts const parts{low.extent(x[0], axis), Count};
        for (int k = 0; k < Count; ++k)
            out[static_cast<std::size_t>(k)] = low.slice(x[0], axis, parts.start(k), parts.start(k + 1));
        return out;
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Joins arrays side by side: vectors end to end, others along the second axis: hstack(a, b), (m, k), (m, l) -> (m, k + l).
// Scalars count as vectors of one element. Operands of several dtypes are promoted to one, as in tx::concat.
template <array_operand... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto hstack(A const&... a) {
    return detail::stack_up<detail::stacking::across>(a...);
}
// Joins arrays one below the other; vectors become rows: vstack(a, b), (n), (n) -> (2, n) and (k, n), (l, n) -> (k + l, n).
template <array_operand... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto vstack(A const&... a) {
    return detail::stack_up<detail::stacking::below>(a...);
}
// Joins arrays along a third axis; vectors (n) count as (1, n, 1), and matrices (m, n) as (m, n, 1).
template <array_operand... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto dstack(A const&... a) {
    return detail::stack_up<detail::stacking::behind>(a...);
}
// Joins vectors as columns, next to each other and to the columns of matrices: column_stack(a, b), (n), (n) -> (n, 2).
template <array_operand... A> requires(sizeof...(A) > 0) [[nodiscard]] constexpr auto column_stack(A const&... a) {
    return detail::stack_up<detail::stacking::columns>(a...);
}
// Turns x by Quarters right angles from the first axis to the second: rot90<1>(x, tx::axis<1, 2>); tx::rot90<1>(x) turns the
// first two axes.
template <int Quarters = 1, int From, int To, array_operand A> [[nodiscard]] constexpr auto rot90(A const& x, axes_t<From, To>) {
    using builder = detail::turn_builder<Quarters, From, To>;
    constexpr bool fits = detail::built_problem<builder, A> == nullptr;
    static_assert(fits, "tx: rot90: the two axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x);
}
// Splits x along an axis, the first by default, into Count parts whose extents differ by one at most; the longer ones stand
// first: auto const [a, b, c] = array_split<3>(x). The type of x must tell the extent.
template <int Count, int Axis = 0, array_operand A> [[nodiscard]] constexpr auto array_split(A const& x, axes_t<Axis> = {}) {
    constexpr bool has_count = Count > 0;
    static_assert(has_count, "tx: array_split: there must be at least one part");
    using builder = detail::array_split_builder<(has_count ? Count : 1), Axis>;
    constexpr bool fits = detail::built_problem<builder, A> == nullptr;
    static_assert(fits, "tx: array_split: the axis must lie within the rank of x, and the type must tell its extent");
    return detail::apply_if<(has_count && fits)>(detail::built_fn<builder>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
