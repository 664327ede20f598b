// This file has pools, which give the greatest, the least, the sum, the mean or the p-norm of the elements in each window,
// channel by channel.
#pragma once

#include <tracexpr/conv/windows.hpp>

namespace tx {
namespace detail {

enum class pool_kind { max, min, sum, average, norm };
struct pool_call {
    pool_kind kind;
    char const* called;
    window_plan plan;
    int norm = 0; // p, for pool_kind::norm
};

TRACEXPR_ONCE constexpr char const* pool_problem(pool_call const& call, builder_specs given) {
    if (char const* const wrong = window_problem(call.plan, given[0].shape)) return wrong;
    bool const has_order = call.kind == pool_kind::max || call.kind == pool_kind::min || call.kind == pool_kind::norm;
    if (!accepts(has_order ? domain::ordered : domain::numeric, given[0].type))
        return has_order ? "x must be real numbers" : "x must be numbers; cast bool with tx::cast<int>(x)";
    return nullptr;
}
constexpr dtype pool_type(pool_call const& call, dtype x) {
    return call.kind == pool_kind::average || call.kind == pool_kind::norm ? to_inexact(x) : x;
}

// Tells whether a stands before b, because it is the greater (or the less) of both or the first of equal ones. NaN stands before
// all numbers.
TRACEXPR_ONCE constexpr node_id stands_before(lowering& low, bool greatest, node_id a, node_id b) {
    node_id const before = low.test(greatest ? op::greater_equal : op::less_equal, a, b);
    return is_floating(low.type(a)) ? low.test(op::logical_or, before, low.test(op::not_equal, a, a)) : before;
}
// Folds the elements of each window by join(a, b), where a stands before b in the window, along the last axis first, in row-major
// order. Windows of a few elements are read in place, in one loop. Others are folded axis by axis, and long ones in blocks of 1,
// 2, 4, ... elements, so that there are as many nodes as the extent has binary digits. part_of(state, k, start, behind, step) is
// a slice along spatial axis k, up to `behind` elements before the end.
inline constexpr std::int64_t most_joined_elements = 9, most_joined_along = 8;
template <class State, class Part, class Join>
constexpr State folded_along(State const& padded, window_plan const& plan, int k, Part const& part_of, Join const& join) {
    std::int64_t const reach = plan.reach(k), step = plan.options.stride[k], spacing = plan.options.dilation[k],
                       window = plan.window[k];
    State out{};
    if (window <= most_joined_along || (window <= 2 * most_joined_along && step == window)) {
        for (std::int64_t i = 0; i < window; ++i) {
            State const part = part_of(padded, k, i * spacing, reach - 1 - i * spacing, step);
            out = i == 0 ? part : join(out, part);
        }
        return out;
    }
    State blocks = padded; // blocks of `size` elements each, one that begins at every place
    std::int64_t done = 0;
    for (std::int64_t size = 1; size <= window; size *= 2) {
        if (window & size) {
            std::int64_t const start = done * spacing, behind = reach - 1 - (size - 1) * spacing - start;
            State const part = part_of(blocks, k, start, behind, step);
            out = done == 0 ? part : join(out, part);
            done += size;
        }
        if (2 * size <= window) blocks = join(part_of(blocks, k, 0, size * spacing, 1), part_of(blocks, k, size * spacing, 0, 1));
    }
    return out;
}
template <class State, class Part, class Join>
constexpr State folded_windows(State padded, window_plan const& plan, Part const& part_of, Join const& join) {
    int const spatial = plan.spatial();
    if (plan.elements() > most_joined_elements) {
        for (int k = spatial - 1; k >= 0; --k) padded = folded_along(padded, plan, k, part_of, join);
        return padded;
    }
    State out{};
    for (std::int64_t number = 0; number < plan.elements(); ++number) {
        State part = padded;
        std::int64_t rest = number;
        for (int k = spatial - 1; k >= 0; --k) {
            std::int64_t const start = rest % plan.window[k] * plan.options.dilation[k];
            part = part_of(part, k, start, plan.reach(k) - 1 - start, plan.options.stride[k]);
            rest /= plan.window[k];
        }
        out = number == 0 ? part : join(out, part);
    }
    return out;
}
template <class Join> constexpr node_id folded_nodes(lowering& low, node_id padded, window_plan const& plan, Join const& join) {
    auto const part_of = [&](node_id x, int k, std::int64_t start, std::int64_t behind, std::int64_t step) {
        return window_part(low, x, plan, k, start, behind, step);
    };
    return folded_windows(padded, plan, part_of, join);
}

// place_range holds the places along spatial axis k whose elements count in a mean: those of x, or also those of the padding that
// a call gives.
struct place_range {
    std::int64_t first = 0, end = 0;
};
TRACEXPR_ONCE constexpr place_range places_counted(window_options const& o, int k, std::int64_t extent, std::int64_t reach) {
    if (!o.count_padding) return {0, extent};
    return o.mode == window_mode::full ? place_range{1 - reach, extent + reach - 1}
                                       : place_range{-o.before[k], extent + o.after[k]};
}
// Records how many elements count in each window along spatial axis k of a known extent, as a factor that broadcasts over the
// result.
TRACEXPR_ONCE constexpr node_id known_counts(lowering& low, node_id result, window_plan const& plan, int k, std::int64_t extent) {
    window_options const& o = plan.options;
    std::int64_t const before = padding_of(o, k, extent, plan.reach(k)).before;
    place_range const counted = places_counted(o, k, extent, plan.reach(k));
    buffer<double> counts;
    bool are_equal = true;
    for (std::int64_t i = 0; i < window_count(o, k, extent, plan.reach(k)); ++i) {
        // This gives the least j with start + j dilation >= bound.
        auto const least = [&](std::int64_t bound) {
            std::int64_t const distance = bound - (i * o.stride[k] - before);
            std::int64_t const j = distance <= 0 ? 0 : (distance - 1) / o.dilation[k] + 1;
            return j < plan.window[k] ? j : plan.window[k];
        };
        std::int64_t const count = least(counted.end) - least(counted.first);
        counts.push_back(count == 0 ? 1.0 : static_cast<double>(count)); // The mean of nothing is 0.
        are_equal = are_equal && counts[static_cast<std::size_t>(i)] == counts[0];
    }
    if (are_equal) return low.number_like(result, counts.empty() ? 1.0 : counts[0]);
    dims column;
    for (int a = o.axis(k); a < low.rank(result); ++a)
        column.push_back(a == o.axis(k) ? static_cast<std::int64_t>(counts.size()) : 1);
    return low.constant(column, low.type(result), counts);
}
// Records these counts where only the run knows the extent: the places start + j dilation, 0 <= j < window, that are within
// bounds.
TRACEXPR_ONCE constexpr node_id open_counts(lowering& low, node_id x, node_id result, window_plan const& plan, int k) {
    window_options const& o = plan.options;
    int const a = o.axis(k);
    std::int64_t const reach = plan.reach(k), step = o.dilation[k];
    node_id const before = padding_is_known(o, k, dyn) ? whole_number(low, padding_of(o, k, dyn, reach).before)
                                                       : open_padding_before(low, x, a, o.stride[k], reach);
    place_range const counted = places_counted(o, k, 0, reach);
    node_id const number = low.iota_like<std::int64_t>(result, a);
    node_id const start = low.append(op::subtract, low.append(op::multiply, number, whole_number(low, o.stride[k])), before);
    node_id const end = low.append(op::add, low.axis_size<std::int64_t>(x, a), whole_number(low, counted.end));
    // The least j with start + j dilation >= bound is ceil((bound - start) / dilation).
    auto const least = [&](node_id bound) {
        node_id const distance = low.append(op::add, low.append(op::subtract, bound, start), whole_number(low, step - 1));
        node_id const j = step == 1 ? distance : low.append(op::floor_divide, distance, whole_number(low, step));
        return low.append(op::minimum, low.append(op::maximum, j, whole_number(low, 0)), whole_number(low, plan.window[k]));
    };
    node_id const count = low.append(op::subtract, least(end), least(whole_number(low, counted.first)));
    return low.as(low.append(op::maximum, count, whole_number(low, 1)), low.type(result));
}
// Divides the sums by the number of elements in each window that count in its mean. If the padding counts, all windows are whole,
// except in ceil mode.
TRACEXPR_ONCE constexpr node_id divided_by_counts(lowering& low, node_id x, node_id sums, window_plan const& plan) {
    window_options const& o = plan.options;
    bool const are_whole = o.count_padding && !(o.ceil_mode && o.mode != window_mode::same);
    if (are_whole) return low.append(op::divide, sums, low.number_like(sums, static_cast<double>(plan.elements())));
    node_id divisor = node_id::none;
    for (int k = 0; k < plan.spatial(); ++k) {
        std::int64_t const extent = low.extent(x, o.axis(k));
        bool const is_padded = o.mode != window_mode::valid || o.ceil_mode;
        node_id const count = extent != dyn ? known_counts(low, sums, plan, k, extent)
                              : is_padded   ? open_counts(low, x, sums, plan, k)
                                            : low.number_like(sums, static_cast<double>(plan.window[k]));
        divisor = k == 0 ? count : low.append(op::multiply, divisor, count);
    }
    return low.append(op::divide, sums, divisor);
}

TRACEXPR_ONCE constexpr node_id summed_windows(lowering& low, node_id x, window_plan const& plan) {
    return folded_nodes(low, padded_for_windows(low, x, plan, low.zero_like(x)), plan,
                        [&](node_id a, node_id b) { return low.append(op::add, a, b); });
}
// Records (sum of |x|^p)^(1/p), whose derivative is 0 where all elements are 0.
TRACEXPR_ONCE constexpr node_id norms_of_windows(lowering& low, node_id x, pool_call const& call) {
    node_id const size = low.append(op::absolute, x);
    if (call.norm == 1) return summed_windows(low, size, call.plan);
    node_id const powers =
        call.norm == 2 ? low.append(op::square, x) : low.append(op::power, size, low.number_like(x, call.norm));
    node_id const sums = summed_windows(low, powers, call.plan), none = low.test(op::equal, sums, low.zero_like(sums));
    node_id const inside = low.choose(none, low.number_like(sums, 1), sums);
    node_id const root =
        call.norm == 2 ? low.append(op::sqrt, inside) : low.append(op::power, inside, low.number_like(sums, 1.0 / call.norm));
    return low.choose(none, low.zero_like(sums), root);
}
// Gives a scalar in the dtype of x behind which no element stands; max and min pools are padded with it.
TRACEXPR_ONCE constexpr node_id last_of_all(lowering& low, node_id x, bool greatest) {
    dtype const t = low.type(x);
    double const inf = combination::inf;
    if (is_floating(t)) return low.number_like(x, greatest ? -inf : inf);
    bool const is_signed = is_signed_integer(t);
    int const bits = 8 * static_cast<int>(size_in_bytes(t)) - (is_signed ? 1 : 0);
    std::uint64_t const most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    if (!greatest) return low.as(low.literal(most), t);
    return low.as(low.literal(is_signed ? -static_cast<std::int64_t>(most) - 1 : std::int64_t{0}), t);
}
TRACEXPR_ONCE constexpr node_id record_pool(lowering& low, pool_call const& call, node_id x) {
    window_plan const& plan = call.plan;
    if (call.kind == pool_kind::max || call.kind == pool_kind::min) {
        bool const greatest = call.kind == pool_kind::max;
        return folded_nodes(low, padded_for_windows(low, x, plan, last_of_all(low, x, greatest)), plan,
                            [&](node_id a, node_id b) { return low.choose(stands_before(low, greatest, a, b), a, b); });
    }
    node_id const widened = low.as(x, widened_dtype(pool_type(call, low.type(x))));
    if (call.kind == pool_kind::norm) return norms_of_windows(low, widened, call);
    node_id const sums = summed_windows(low, widened, plan);
    return call.kind == pool_kind::sum ? sums : divided_by_counts(low, widened, sums, plan);
}

// pool_builder is a pool's builder; Call::value is its pool_call.
template <class Call> struct pool_builder {
    static constexpr char const* called = Call::value.called;
    static constexpr char const* asked = window_asked<typename Call::windows>;
    static constexpr char const* problem(builder_specs given) { return pool_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{pool_type(Call::value, given[0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{windowed_shape(Call::value.plan, given[0].shape)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_pool(low, Call::value, x[0])};
    }
};

inline constexpr unsigned options_of_pools =
    window_option::stride | window_option::dilation | window_option::mode | window_option::channels | window_option::ceil_mode;
template <std::int64_t... Window> struct window_t {};
template <pool_kind Kind, int Norm, class Window, class... Options> struct pool_of;
template <pool_kind Kind, int Norm, std::int64_t... Window, class... Options>
struct pool_of<Kind, Norm, window_t<Window...>, Options...> {
    static constexpr char const* called = Kind == pool_kind::max       ? "max_pool"
                                          : Kind == pool_kind::min     ? "min_pool"
                                          : Kind == pool_kind::sum     ? "sum_pool"
                                          : Kind == pool_kind::average ? "average_pool"
                                                                       : "lp_pool";
    static constexpr unsigned allowed = options_of_pools | (Kind == pool_kind::average ? window_option::count_padding : 0u);
    static constexpr pool_call value{Kind, called, pool_plan<Window...>(given_options_of<Options...>(), allowed), Norm};
    struct windows {
        static constexpr window_plan value = pool_of::value.plan;
    };
};

// Reports what doesn't fit in a pool with that plan on an operand of type A.
template <class Plan, bool TakesComplex, class A, std::int64_t... Window> constexpr bool check_pool(window_t<Window...>) {
    constexpr window_plan plan = Plan::value;
    constexpr bool has_window = sizeof...(Window) >= 1 && sizeof...(Window) <= 3 && ((Window >= 1) && ...);
    constexpr bool has_options = plan.options.problem == nullptr || !has_window;
    constexpr int rank = dims_of_operand<A>.rank;
    constexpr bool has_axes = !has_window || rank < 0 || rank == plan.spatial() + 2;
    static_assert(has_window, "tx: pools: a window needs one to three extents of at least 1, in <>: tx::max_pool<2, 2>(x)");
    static_assert(has_options, "tx: pools: each option stands once; tx::stride and tx::dilation need one number of at least 1, "
                               "tx::widths one width or pair, for all spatial axes or for each; tx::count_padding is for means");
    static_assert(has_axes,
                  "tx: pools: x must be (n, spatial..., c), or (n, c, spatial...) with tx::channels_first, with as many "
                  "spatial axes as the window has extents");
    if constexpr (has_window && has_options && has_axes) {
        constexpr bool is_numeric =
            any_unusable<A> || accepts(TakesComplex ? domain::numeric : domain::ordered, dtype_of_operand<A>);
        constexpr bool fits = !is_numeric || window_problem(plan, dims_of_operand<A>) == nullptr;
        static_assert(is_numeric,
                      "tx: pools: x must be real numbers, or, of sums and means, complex; cast bool with tx::cast<int>(x)");
        static_assert(fits,
                      "tx: pools: x, with its padding, must have at least as many elements on each spatial axis as a window "
                      "reaches");
        return is_numeric && fits;
    } else {
        return false;
    }
}
template <pool_kind Kind, int Norm, class Window, class... Options, class A> constexpr auto pooled(A const& x) {
    using call = pool_of<Kind, Norm, Window, Options...>;
    constexpr bool takes_complex = Kind == pool_kind::sum || Kind == pool_kind::average;
    constexpr bool fits = check_pool<typename call::windows, takes_complex, A>(Window{});
    return apply_if<fits>(built_fn<pool_builder<call>>{}, x);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the greatest element in each window, channel by channel: (n, spatial..., c) -> (n, windows..., c), with one to three
// spatial axes: max_pool<2, 2>(x, tx::stride<2, 2>, tx::mode::same). The stride is the window unless one is given. Options in any
// order: tx::stride, tx::dilation, tx::mode::valid, same, full or tx::widths, tx::ceil_mode, tx::channels_first. Padding stands
// behind all numbers; NaN wins. The derivative goes to the first of equal elements.
template <std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto max_pool(A const& x, Options...) {
    return detail::pooled<detail::pool_kind::max, 0, detail::window_t<Window...>, Options...>(x);
}
// Gives the least element in each window, with the options of max_pool. Padding stands behind all numbers; NaN wins. The
// derivative goes to the first of equal elements.
template <std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto min_pool(A const& x, Options...) {
    return detail::pooled<detail::pool_kind::min, 0, detail::window_t<Window...>, Options...>(x);
}
// Gives the sum of the elements in each window, with the options of max_pool. Padding is 0.
template <std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto sum_pool(A const& x, Options...) {
    return detail::pooled<detail::pool_kind::sum, 0, detail::window_t<Window...>, Options...>(x);
}
// Gives the mean of the elements in each window, with the options of max_pool, in the dtype of x, or float64 for integers.
// Padding doesn't count unless tx::count_padding is given, and a window without any element gives 0.
template <std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto average_pool(A const& x, Options...) {
    return detail::pooled<detail::pool_kind::average, 0, detail::window_t<Window...>, Options...>(x);
}
// Gives (sum of |x|^P)^(1/P) over each window, with the options of max_pool: lp_pool<2, 3, 3>(x) gives the Euclidean norms of
// windows of 3 x 3 elements, in the dtype of x, or float64 for integers. The derivative is 0 where all elements are 0. (ONNX:
// LpPool)
template <int P, std::int64_t... Window, array_operand A, detail::window_option_tag... Options>
[[nodiscard]] constexpr auto lp_pool(A const& x, Options...) {
    constexpr bool is_norm = P >= 1;
    static_assert(is_norm, "tx: lp_pool: the order of the norm, which stands before the window, must be at least 1");
    if constexpr (is_norm) return detail::pooled<detail::pool_kind::norm, P, detail::window_t<Window...>, Options...>(x);
    else return detail::failed{};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
