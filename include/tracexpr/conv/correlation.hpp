// This file has the correlation and convolution of two signals, or of two pictures without channels, as NumPy and SciPy have
// them.
#pragma once

#include <tracexpr/conv/convolution.hpp>
#include <tracexpr/conv/open_correlation2d.hpp>
#include <tracexpr/conv/pooling.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace detail {

struct correlation_call {
    char const* called;
    int rank; // the rank of both operands
    bool convolves = false;
    window_mode mode = window_mode::valid;
};

// Along one axis there are `count` results; number k is the sum of a[i + k - before] v[i].
struct correlation_axis {
    std::int64_t before = 0, count = 0;
};
// Gives the results for known extents m of a and n of v; v is reversed already if the call convolves. With `same`,
// numpy.correlate and numpy.convolve have as many results as the longer signal, and scipy.signal.correlate2d and convolve2d as
// many as a.
TRACEXPR_ONCE constexpr correlation_axis correlation_along(correlation_call const& call, std::int64_t m, std::int64_t n) {
    if (call.mode == window_mode::full) return {n - 1, m + n - 1};
    if (call.mode == window_mode::valid) return n > m ? correlation_axis{n - m, n - m + 1} : correlation_axis{0, m - n + 1};
    if (call.rank > 1) return {call.convolves ? n / 2 : (n - 1) / 2, m};
    return n > m ? correlation_axis{n - 1 - (call.convolves ? (m - 1) / 2 : m / 2), n} : correlation_axis{n / 2, m};
}
// Tells whether convolutions have a kernel for the dtype.
constexpr bool is_by_kernel(dtype t) { return is_complex(t) || accepts(domain::machine, widened_dtype(t)); }
TRACEXPR_ONCE constexpr char const* correlation_problem(correlation_call const& call, builder_specs given) {
    dims const &a = given[0].shape, &v = given[1].shape;
    if (!accepts(domain::numeric, given[0].type) || !accepts(domain::numeric, given[1].type)) return "takes numbers";
    if ((a.rank >= 0 && a.rank != call.rank) || (v.rank >= 0 && v.rank != call.rank))
        return call.rank == 1 ? "a and v must be vectors" : "a and v must be matrices";
    if (a.rank < 0 || v.rank < 0) return nullptr;
    bool longer = false, shorter = false;
    for (int k = 0; k < call.rank; ++k) {
        if (a[k] == 0 || v[k] == 0) return "a and v must have elements";
        bool const are_known = a[k] != dyn && v[k] != dyn;
        longer = longer || (are_known && v[k] > a[k]);
        shorter = shorter || (are_known && v[k] < a[k]);
    }
    return call.mode == window_mode::valid && longer && shorter
               ? "one of a and v must be at least as large as the other on both axes"
               : nullptr;
}
TRACEXPR_ONCE constexpr dims correlated_shape(correlation_call const& call, builder_specs given) {
    dims out = given[0].shape;
    for (int k = 0; k < call.rank; ++k) {
        std::int64_t const m = out[k], n = given[1].shape[k];
        out[k] = m == dyn || n == dyn ? dyn : correlation_along(call, m, n).count;
    }
    return out;
}

// Tells whether a is known to be shorter than v along an axis.
TRACEXPR_ONCE constexpr bool is_longer(dims const& v, dims const& a) {
    for (int k = 0; k < v.rank; ++k)
        if (a[k] != dyn && v[k] > a[k]) return true;
    return false;
}
TRACEXPR_ONCE constexpr node_id reversed_axes(lowering& low, node_id x) {
    for (int a = 0; a < low.rank(x); ++a) x = low.slice(x, a, slice_open, slice_open, -1);
    return x;
}
// This correlates two signals whose extents only the run knows: elements of a are looked up in a matrix with a row for each
// result.
struct open_correlation {
    lowering& low;
    correlation_call const& call;
    node_id a, v, m, n;

    constexpr node_id least(node_id x, node_id y) const { return low.append(op::minimum, x, y); }
    constexpr node_id most(node_id x, node_id y) const { return low.append(op::maximum, x, y); }
    constexpr node_id difference(node_id x, node_id y) const { return low.append(op::subtract, x, y); }
    constexpr node_id half(node_id x) const { return low.append(op::floor_divide, x, low.literal(std::int64_t{2})); }
    TRACEXPR_ONCE constexpr node_id before() const {
        node_id const one = low.literal(std::int64_t{1}), last = difference(n, one);
        if (call.mode == window_mode::full) return last;
        if (call.mode == window_mode::valid) return most(difference(n, m), low.literal(std::int64_t{0}));
        node_id const behind = half(call.convolves ? difference(m, one) : m);
        return low.choose(low.test(op::greater, n, m), difference(last, behind), half(n));
    }
    TRACEXPR_ONCE constexpr node_id count() const {
        if (call.mode == window_mode::same) return most(m, n);
        node_id const one = low.literal(std::int64_t{1});
        if (call.mode == window_mode::full) return difference(low.append(op::add, m, n), one);
        return low.append(op::add, difference(most(m, n), least(m, n)), one);
    }
    TRACEXPR_ONCE constexpr node_id record() const {
        node_id const extents[]{count(), n};
        node_id const like = low.append(op::extents, dtype::boolean, extents, attribute_list(-1, -2));
        node_id const places =
            difference(low.append(op::add, low.iota_like<std::int64_t>(like, 0), low.iota_like<std::int64_t>(like, 1)), before());
        node_id const zero = low.literal(std::int64_t{0});
        node_id const inside =
            low.test(op::logical_and, low.test(op::greater_equal, places, zero), low.test(op::less, places, m));
        node_id const safe = low.choose(inside, places, zero);
        node_id const rows = low.choose(inside, low.append(op::take, a, safe, attribute_list(0)), low.zero_like(a));
        return low.squeeze(low.append(op::matmul, rows, low.expand(v, 1)), 1);
    }
};
// Pads a so that its windows, which have v's extents, are those that the results need. An open extent of a counts as no less than
// that of v.
TRACEXPR_ONCE constexpr node_id correlated_windows(lowering& low, correlation_call const& call, node_id a, node_id v,
                                                   bool is_swapped) {
    attribute_list widths, windows;
    bool is_padded = false;
    for (int k = 0; k < call.rank; ++k) {
        std::int64_t const m = low.extent(a, k), n = low.extent(v, k);
        correlation_axis axis = is_swapped ? correlation_along(call, n, m) : correlation_along(call, m == dyn ? n : m, n);
        if (is_swapped) axis.before = axis.count - 1 - axis.before; // The results come in reversed order.
        std::int64_t const after =
            m == dyn && call.mode == window_mode::valid ? 0 : axis.count + n - 1 - (m == dyn ? n : m) - axis.before;
        widths.push_back(axis.before), widths.push_back(after);
        windows.push_back(k), windows.push_back(n);
        is_padded = is_padded || axis.before > 0 || after > 0;
    }
    if (is_padded) a = low.append(op::pad, a, low.zero_like(a), widths);
    return low.append(op::sliding_window_view, a, windows);
}
// This computes correlations by convolutions of signals with one channel, or of pictures.
class kernel_correlation {
public:
    constexpr kernel_correlation(lowering& low, correlation_call const& call) : low_{low}, call_{call} {}

    TRACEXPR_ONCE constexpr node_id record(node_id a, node_id v) {
        bool const is_open = !low_.shape(a).is_static() || !low_.shape(v).is_static();
        if (is_open) return call_.rank == 1 ? open_vectors(a, v) : open_matrices(a, v);
        bool const is_swapped = call_.rank == 1 ? low_.extent(v, 0) > low_.extent(a, 0)
                                                : call_.mode == window_mode::valid && is_longer(low_.shape(v), low_.shape(a));
        if (is_swapped) std::swap(a, v);
        convolution_call sums;
        for (int k = 0; k < call_.rank; ++k) {
            std::int64_t const m = low_.extent(a, k), n = low_.extent(v, k);
            correlation_axis axis = is_swapped ? correlation_along(call_, n, m) : correlation_along(call_, m, n);
            if (is_swapped) axis.before = axis.count - 1 - axis.before; // The results come in reversed order.
            sums.options.before.push_back(axis.before);
            sums.options.after.push_back(axis.count + n - 1 - m - axis.before);
        }
        sums.options.mode = window_mode::widths;
        node_id const out = convolved(sums, a, v);
        return is_swapped ? reversed_axes(low_, out) : out;
    }

private:
    TRACEXPR_ONCE constexpr node_id convolved(convolution_call const& sums, node_id x, node_id w) {
        x = low_.expand(low_.expand(x, 0), call_.rank + 1);
        w = low_.expand(low_.expand(w, call_.rank), call_.rank + 1);
        return low_.squeeze(low_.squeeze(record_convolution(low_, sums, x, w), call_.rank + 1), 0);
    }
    constexpr node_id convolved(window_mode mode, node_id x, node_id w) {
        convolution_call sums;
        sums.options.mode = mode;
        return convolved(sums, x, w);
    }
    constexpr node_id number(std::int64_t n) { return low_.literal(n); }
    constexpr node_id add(node_id x, node_id y) { return low_.append(op::add, x, y); }
    constexpr node_id subtract(node_id x, node_id y) { return low_.append(op::subtract, x, y); }
    constexpr node_id half(node_id x) { return low_.append(op::floor_divide, x, number(2)); }
    TRACEXPR_ONCE constexpr node_id counting_to(node_id count) {
        return low_.iota_like<std::int64_t>(low_.append(op::extents, dtype::boolean, {&count, 1}, attribute_list(-1)), 0);
    }
    constexpr node_id gathered(node_id x, node_id places, int axis) {
        return low_.append(op::take, x, places, attribute_list(axis));
    }

    // The longer signal has the windows, and only the run knows which one that is, so both are read from one joined vector.
    TRACEXPR_ONCE constexpr node_id open_vectors(node_id a, node_id v) {
        node_id const m = low_.axis_size<std::int64_t>(a, 0), n = low_.axis_size<std::int64_t>(v, 0), none = number(0);
        node_id const is_swapped = low_.test(op::greater, n, m), both[]{a, v};
        node_id const most = low_.append(op::maximum, m, n), least = low_.append(op::minimum, m, n);
        node_id const joined = low_.concatenate(both, 0);
        node_id const x = gathered(joined, add(counting_to(most), low_.choose(is_swapped, m, none)), 0);
        node_id const w = gathered(joined, add(counting_to(least), low_.choose(is_swapped, none, m)), 0);
        bool const is_valid = call_.mode == window_mode::valid;
        node_id const sums = convolved(is_valid ? window_mode::valid : window_mode::full, x, w);
        node_id const last = subtract(least, number(1));
        node_id const count = call_.mode == window_mode::same ? most : is_valid ? subtract(most, last) : add(most, last);
        node_id const forward = counting_to(count);
        node_id places = low_.choose(is_swapped, subtract(subtract(count, number(1)), forward), forward);
        if (call_.mode == window_mode::same) {
            node_id const shorter = call_.convolves ? last : least;
            places = add(places, subtract(last, low_.choose(is_swapped, half(shorter), half(least))));
        }
        return gathered(sums, places, 0);
    }
    TRACEXPR_ONCE constexpr node_id open_matrices(node_id a, node_id v) {
        if (call_.mode == window_mode::valid)
            for (int k = 0; k < call_.rank; ++k) a = at_least_as_long(a, v, k);
        if (call_.mode != window_mode::same) return convolved(call_.mode, a, v);
        node_id sums = convolved(window_mode::full, a, v);
        for (int k = 0; k < call_.rank; ++k) {
            node_id const n = low_.axis_size<std::int64_t>(v, k), last = subtract(n, number(1));
            node_id const before = half(call_.convolves ? n : last);
            sums = gathered(sums, add(counting_to(low_.axis_size<std::int64_t>(a, k)), subtract(last, before)), k);
        }
        return sums;
    }

    // Records a with zeros before and behind it along an axis, on each side as many as v is longer there.
    TRACEXPR_ONCE constexpr node_id at_least_as_long(node_id a, node_id v, int axis) {
        node_id const m = low_.axis_size<std::int64_t>(a, axis), n = low_.axis_size<std::int64_t>(v, axis), zero = number(0);
        node_id const width = low_.append(op::maximum, subtract(n, m), zero);
        node_id const place = subtract(counting_to(add(m, add(width, width))), width);
        node_id const inside =
            low_.test(op::logical_and, low_.test(op::greater_equal, place, zero), low_.test(op::less, place, m));
        attribute_list one_behind;
        for (int k = 0; k < call_.rank; ++k) one_behind.push_back(0), one_behind.push_back(k == axis);
        node_id const longer = low_.append(op::pad, a, low_.zero_like(a), one_behind);
        return gathered(longer, low_.choose(inside, place, m), axis);
    }

    lowering& low_;
    correlation_call const& call_;
};
TRACEXPR_ONCE constexpr node_id record_correlation(lowering& low, correlation_call const& call, node_id a, node_id v) {
    if (call.convolves) v = reversed_axes(low, v);
    else if (is_complex(low.type(v))) v = low.append(op::conj, v);
    if (is_by_kernel(low.type(a))) return kernel_correlation(low, call).record(a, v);
    bool const is_known = low.shape(v).is_static() && (call.rank > 1 || low.shape(a).is_static());
    if (!is_known && call.rank > 1) return open_correlation2d(low, call.mode, call.convolves).record(a, v);
    if (!is_known)
        return open_correlation{low, call, a, v, low.axis_size<std::int64_t>(a, 0), low.axis_size<std::int64_t>(v, 0)}.record();
    if (call.rank == 1) { // The longer one has the windows.
        bool const is_swapped = low.extent(v, 0) > low.extent(a, 0);
        node_id const rows = correlated_windows(low, call, is_swapped ? v : a, is_swapped ? a : v, is_swapped);
        node_id const out = low.squeeze(low.append(op::matmul, rows, low.expand(is_swapped ? a : v, 1)), 1);
        return is_swapped ? reversed_axes(low, out) : out;
    }
    bool const is_swapped = call.mode == window_mode::valid && is_longer(low.shape(v), low.shape(a));
    node_id const rows = correlated_windows(low, call, is_swapped ? v : a, is_swapped ? a : v, is_swapped);
    node_id const out = low.reduce(op::sum, low.append(op::multiply, rows, is_swapped ? a : v), attribute_list(2, 3));
    return is_swapped ? reversed_axes(low, out) : out;
}
template <class Call> struct correlation_builder {
    static constexpr char const* called = Call::value.called;
    static constexpr char const* problem(builder_specs given) { return correlation_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{common_type(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{correlated_shape(Call::value, given)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        dtype const t = widened_dtype(promote(low.type(x[0]), low.type(x[1])));
        return std::array<node_id, 1>{record_correlation(low, Call::value, low.as(x[0], t), low.as(x[1], t))};
    }
};
template <class Mode> inline constexpr window_mode window_mode_of = std::is_same_v<Mode, mode::same_t>   ? window_mode::same
                                                                    : std::is_same_v<Mode, mode::full_t> ? window_mode::full
                                                                                                         : window_mode::valid;
template <class T> concept mode_tag =
    std::is_same_v<T, mode::valid_t> || std::is_same_v<T, mode::same_t> || std::is_same_v<T, mode::full_t>;
template <int Rank, bool Convolves, class Mode> struct correlation_of {
    static constexpr char const* called =
        Rank == 1 ? (Convolves ? "convolve" : "correlate") : (Convolves ? "convolve2d" : "correlate2d");
    static constexpr correlation_call value{called, Rank, Convolves, window_mode_of<Mode>};
};
template <int Rank, bool Convolves, class Mode, class A, class V> constexpr auto correlated(A const& a, V const& v) {
    using builder = correlation_builder<correlation_of<Rank, Convolves, Mode>>;
    constexpr bool fits = built_problem<builder, A, V> == nullptr;
    if constexpr (Rank == 1)
        static_assert(fits,
                      "tx: correlate, convolve: take two vectors of numbers, with elements; tx::correlate2d and tx::convolve2d "
                      "take matrices, tx::conv signals with channels");
    else
        static_assert(fits, "tx: correlate2d, convolve2d: take two matrices of numbers, with elements; under "
                            "tx::mode::valid one of them must be at least as large as the other on both axes");
    return apply_if<fits>(built_fn<builder>{}, a, v);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Correlates vectors, (m) x (n): number k of the result is the sum of a[i + k] conj(v[i]). tx::mode::valid, the default, has the
// |m - n| + 1 results where the two overlap wholly; full has the m + n - 1 where they overlap at all; and same has the middle
// ones of these, as many as the longer vector has elements. (numpy.correlate)
template <array_operand A, array_operand V, detail::mode_tag Mode = mode::valid_t>
[[nodiscard]] constexpr auto correlate(A const& a, V const& v, Mode = {}) {
    return detail::correlated<1, false, Mode>(a, v);
}
// Convolves vectors, (m) x (n): number k of the result is the sum of a[k - i] v[i]. The mode is tx::mode::full, the default, same
// or valid, which select the results as in correlate. (numpy.convolve)
template <array_operand A, array_operand V, detail::mode_tag Mode = mode::full_t>
[[nodiscard]] constexpr auto convolve(A const& a, V const& v, Mode = {}) {
    return detail::correlated<1, true, Mode>(a, v);
}
// Correlates matrices as correlate does vectors, but the default mode is tx::mode::full; tx::mode::same has the shape of a.
// (scipy.signal.correlate2d)
template <array_operand A, array_operand V, detail::mode_tag Mode = mode::full_t>
[[nodiscard]] constexpr auto correlate2d(A const& a, V const& v, Mode = {}) {
    return detail::correlated<2, false, Mode>(a, v);
}
// Convolves matrices as convolve does vectors; tx::mode::same has the shape of a. (scipy.signal.convolve2d)
template <array_operand A, array_operand V, detail::mode_tag Mode = mode::full_t>
[[nodiscard]] constexpr auto convolve2d(A const& a, V const& v, Mode = {}) {
    return detail::correlated<2, true, Mode>(a, v);
}
template <class Unused = void, class... A> constexpr detail::failed correlate(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: correlate: takes two vectors and a mode: tx::correlate(a, v, tx::mode::same)");
    return {};
}
template <class Unused = void, class... A> constexpr detail::failed convolve(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: convolve: takes two vectors and a mode: tx::convolve(a, v, tx::mode::same)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
