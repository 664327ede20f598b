// This file has the options of transforms: axes, extents, how results are scaled, and the type of a cosine transform.
#pragma once

#include <tracexpr/graph/routine_rules.hpp>
#include <tracexpr/trace/builder.hpp>

#include <type_traits>

namespace tx {
namespace fft {

// With this option both directions are scaled by 1 / sqrt(n), which makes them each other's transposes.
enum ortho_t { ortho };
// With this option forward transforms are scaled by 1 / n, and backward ones are not scaled.
enum forward_t { forward };
// With this option backward transforms are scaled by 1 / n, which is the default.
enum backward_t { backward };

template <int N> struct type_t {};
// This option selects the cosine or sine transform: type<1> to type<4>; type<2> is the default.
template <int N> inline constexpr type_t<N> type{};

} // namespace fft

namespace detail {

enum class fourier_norm { backward, ortho, forward };

// The options of a call. `repeated` tells that one was given twice.
struct fourier_options {
    int axes[max_rank]{};
    int axis_count = 0;
    bool has_axes = false, has_norm = false, has_type = false, repeated = false;
    fourier_norm norm = fourier_norm::backward;
    int type = 2;
    std::int64_t sizes[max_rank]{}; // the extents that transforms take along the axes
    int size_count = 0;

    constexpr void set_norm(fourier_norm wanted) {
        repeated = repeated || has_norm;
        has_norm = true, norm = wanted;
    }
};
template <int... Axes> constexpr void take_fourier_option(fourier_options& o, axes_t<Axes...>) {
    o.repeated = o.repeated || o.has_axes || sizeof...(Axes) == 0 || sizeof...(Axes) > max_rank;
    o.has_axes = true;
    if constexpr (sizeof...(Axes) <= max_rank) ((o.axes[o.axis_count++] = Axes), ...);
}
constexpr void take_fourier_option(fourier_options& o, fft::ortho_t) { o.set_norm(fourier_norm::ortho); }
constexpr void take_fourier_option(fourier_options& o, fft::forward_t) { o.set_norm(fourier_norm::forward); }
constexpr void take_fourier_option(fourier_options& o, fft::backward_t) { o.set_norm(fourier_norm::backward); }
template <int N> constexpr void take_fourier_option(fourier_options& o, fft::type_t<N>) {
    o.repeated = o.repeated || o.has_type;
    o.has_type = true, o.type = N;
}
template <class O> concept fourier_option = requires(fourier_options& o) { take_fourier_option(o, O{}); };

template <class Sizes, class... Options> struct fourier_options_of;
template <std::int64_t... Sizes, class... Options>
struct fourier_options_of<std::integer_sequence<std::int64_t, Sizes...>, Options...> {
    static constexpr fourier_options value = [] {
        fourier_options out;
        if constexpr (sizeof...(Sizes) <= max_rank) ((out.sizes[out.size_count++] = Sizes), ...);
        else out.repeated = true;
        (take_fourier_option(out, Options{}), ...);
        return out;
    }();
};

// Gives the dtype in which transforms compute real numbers.
TRACEXPR_ONCE constexpr dtype fourier_real(dtype t) {
    dtype const real = real_part(t);
    return real == dtype::float32 || tx::is_small_float(real) ? dtype::float32 : dtype::float64;
}
constexpr dtype fourier_complex(dtype t) { return fourier_real(t) == dtype::float32 ? dtype::complex64 : dtype::complex128; }

// fourier_steps holds steps that several recorders of this family need, along axis `a` of nodes.
class fourier_steps {
public:
    constexpr explicit fourier_steps(lowering& low) : low_{low} {}

    TRACEXPR_ONCE constexpr node_id transform(node_id x, fft_form const& form, node_id like = node_id::none) {
        node_id const operands[]{x, like};
        bool const to_real = form.does == fft_form::to_real;
        dtype const type = to_real ? fourier_real(low_.type(x)) : fourier_complex(low_.type(x));
        std::size_t const count = like == node_id::none ? 1 : 2;
        return low_.append(op::fft, type, {operands, count}, attribute_list(form.does, form.axis, form.n));
    }
    constexpr node_id flip(node_id x, int a) { return low_.slice(x, a, slice_open, slice_open, -1); }
    TRACEXPR_ONCE constexpr node_id pad(node_id x, int a, std::int64_t before, std::int64_t after) {
        attribute_list widths;
        for (int k = 0; k < low_.rank(x); ++k) widths.push_back(k == a ? before : 0), widths.push_back(k == a ? after : 0);
        return low_.append(op::pad, x, low_.zero_like(x), widths);
    }
    // Records the first n elements, with zeros behind where there are fewer.
    TRACEXPR_ONCE constexpr node_id resize(node_id x, int a, std::int64_t n) {
        std::int64_t const given = low_.extent(x, a);
        if (given == n) return x;
        if (given != dyn) return given > n ? low_.slice(x, a, 0, n) : pad(x, a, 0, n - given);
        node_id const cut = low_.slice(pad(x, a, 0, n), a, 0, n);
        attribute_list target;
        for (int k = 0; k < low_.rank(x); ++k) target.push_back(k == a ? n : low_.copied(cut, k));
        return low_.reshape(cut, target);
    }
    // Records an extent as a number of dtype float64.
    TRACEXPR_ONCE constexpr node_id extent(node_id x, int a) {
        std::int64_t const n = low_.extent(x, a);
        return n == dyn ? low_.as(low_.axis_size<std::int64_t>(x, a), dtype::float64) : low_.literal(static_cast<double>(n));
    }
    // Records 0, 1, ... along axis a in float64 or int64: a row where the extent is known, otherwise in the shape of x.
    template <class T> constexpr node_id places(node_id x, int a) {
        if (low_.extent(x, a) == dyn) return low_.iota_like<T>(x, a);
        node_id const row = low_.iota<T>(low_.extent(x, a));
        attribute_list column(low_.extent(x, a));
        for (int k = a + 1; k < low_.rank(x); ++k) column.push_back(1);
        return low_.reshape(row, column);
    }
    // Records the elements of x at the given places along axis a; `places` has the form that places() gives.
    TRACEXPR_ONCE constexpr node_id gather(node_id x, int a, node_id places, bool is_row) {
        if (!is_row) return low_.append(op::take_along_axis, x, places, attribute_list(a));
        return low_.append(op::take, x, low_.reshape(places, attribute_list(low_.extent(places, 0))), attribute_list(a));
    }
    constexpr node_id times(node_id x, double number) { return low_.append(op::multiply, x, low_.number_like(x, number)); }
    // Multiplies x by a real node.
    constexpr node_id times(node_id x, node_id number) { return low_.append(op::multiply, x, low_.as(number, low_.type(x))); }
    TRACEXPR_ONCE constexpr node_id real_of(node_id x) {
        node_id const operand[]{x};
        return low_.append(op::real, real_part(low_.type(x)), operand);
    }
    TRACEXPR_ONCE constexpr node_id imag_of(node_id x) {
        node_id const operand[]{x};
        return low_.append(op::imag, real_part(low_.type(x)), operand);
    }
    // Records re + i im.
    TRACEXPR_ONCE constexpr node_id complex_of(node_id re, node_id im) {
        dtype const type = low_.type(re) == dtype::float32 ? dtype::complex64 : dtype::complex128;
        return low_.append(op::add, low_.as(re, type), low_.append(op::times_i, low_.as(im, type)));
    }
    // Records exp(i angle) in the given complex dtype.
    TRACEXPR_ONCE constexpr node_id turn(node_id angle, dtype type) {
        return low_.as(complex_of(low_.append(op::cos, angle), low_.append(op::sin, angle)), type);
    }

private:
    lowering& low_;
};

} // namespace detail
} // namespace tx
