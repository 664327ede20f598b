// This file has spectra of parts of a signal and their inverse, tx::fft::stft and istft, as SciPy has them, and convolutions by
// transforms.
#pragma once

#include <tracexpr/conv/options.hpp>
#include <tracexpr/fft/options.hpp>
#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace detail {

// These are parts of `length` elements, each `hop` elements behind the one before it.
struct stft_form {
    std::int64_t length = 256, hop = 128;

    constexpr std::int64_t half() const { return length / 2; }
    constexpr std::int64_t frames(std::int64_t n) const { return (n + 2 * half() - length + hop - 1) / hop + 1; }
    // Gives the number of elements over which that many parts reach, less half a part at either end.
    constexpr std::int64_t elements(std::int64_t parts) const { return (parts - 1) * hop + length - 2 * half(); }
};
struct stft_part_text {
    static constexpr char const* value = "parts have # elements";
};
TRACEXPR_ONCE constexpr char const* window_fault(stft_form const& form, builder_specs given) {
    if (given.size() < 2) return nullptr;
    dims const& w = given[1].shape;
    if (!is_real_number(given[1].type)) return "the window must be of real numbers";
    bool const fits = w.rank < 0 || (w.rank == 1 && (w[0] == dyn || w[0] == form.length));
    return fits ? nullptr : "the window must be a vector of as many elements as a part";
}

class stft_recorder {
public:
    constexpr stft_recorder(lowering& low, stft_form const& form) : low_{low}, steps_{low}, form_{form} {}

    // Computes (..., n) -> (..., coefficients, parts).
    TRACEXPR_ONCE constexpr node_id spectra(node_id given, node_id window) {
        dtype const type = is_complex(low_.type(given)) ? fourier_complex(low_.type(given)) : fourier_real(low_.type(given));
        node_id const x = low_.as(given, type);
        int const last = low_.rank(x) - 1;
        node_id const padded = steps_.pad(x, last, form_.half(), form_.half() + form_.hop - 1);
        node_id const parts = low_.append(op::sliding_window_view, padded, attribute_list(last, form_.length));
        node_id const w = window_of_type(window, real_part(type));
        node_id const weighted = steps_.times(low_.slice(parts, last, 0, slice_open, form_.hop), w);
        auto const way = is_complex(type) ? fft_form::forward : fft_form::of_real;
        return divided(low_.swap_last_axes(steps_.transform(weighted, {way, last + 1})), total(w), false);
    }
    // Computes (..., coefficients, parts) -> (..., n): the parts are added up, and divided by the sum of the windows' squares.
    TRACEXPR_ONCE constexpr node_id signal(node_id given, node_id window) {
        node_id const z = low_.swap_last_axes(low_.as(given, fourier_complex(low_.type(given))));
        int const last = low_.rank(z) - 1;
        node_id const parts = steps_.transform(z, {fft_form::to_real, last, form_.length});
        node_id const w = window_of_type(window, low_.type(parts));
        node_id const weighted = steps_.times(steps_.times(parts, 1.0 / static_cast<double>(form_.length)), w);
        node_id const squares = low_.append(op::multiply, w, w);
        node_id const everywhere[]{squares, parts};
        node_id const norms = added(low_.append(op::broadcast_to, low_.type(w), everywhere));
        node_id const is_covered = low_.test(op::greater, norms, low_.number_like(norms, 1e-10));
        node_id const divisor = low_.choose(is_covered, norms, low_.number_like(norms, 1));
        node_id const whole = low_.append(op::divide, divided(added(weighted), total(w), true), divisor);
        return low_.slice(whole, last - 1, form_.half(), form_.half() == 0 ? slice_open : -form_.half());
    }

private:
    // Gives the window in that dtype: Hann's, which is periodic, unless one is given.
    TRACEXPR_ONCE constexpr node_id window_of_type(node_id given, dtype type) {
        if (given != node_id::none) return low_.as(given, type);
        node_id const places = low_.iota<double>(form_.length);
        node_id const turns = steps_.times(places, 6.283185307179586476925286766559 / static_cast<double>(form_.length));
        node_id const cosine = steps_.times(low_.append(op::cos, turns), -0.5);
        return low_.as(low_.append(op::add, cosine, low_.number_like(cosine, 0.5)), type);
    }
    // Computes (..., parts, n) -> (..., (parts - 1) hop + n): each piece of `hop` elements of a part is added in its place.
    TRACEXPR_ONCE constexpr node_id added(node_id parts) {
        int const last = low_.rank(parts) - 1;
        std::int64_t const count = low_.extent(parts, last - 1), pieces = form_.length / form_.hop;
        attribute_list split_shape, joined;
        for (int axis = 0; axis < last; ++axis) split_shape.push_back(low_.copied(parts, axis));
        split_shape.push_back(pieces), split_shape.push_back(form_.hop);
        node_id const split = low_.reshape(parts, split_shape);
        node_id sum = node_id::none;
        for (std::int64_t k = 0; k < pieces; ++k) {
            node_id const piece = low_.squeeze(low_.slice(split, last, k, k + 1), last);
            node_id const moved = steps_.pad(piece, last - 1, k, pieces - 1 - k);
            sum = k == 0 ? moved : low_.append(op::add, sum, moved);
        }
        for (int axis = 0; axis < last - 1; ++axis) joined.push_back(low_.copied(sum, axis));
        joined.push_back(count == dyn ? -1 : (count + pieces - 1) * form_.hop);
        return low_.reshape(sum, joined);
    }
    constexpr node_id total(node_id w) { return low_.reduce(op::sum, w, attribute_list(0)); }
    TRACEXPR_ONCE constexpr node_id divided(node_id x, node_id by, bool multiplies) {
        return low_.append(multiplies ? op::multiply : op::divide, x, low_.as(by, low_.type(x)));
    }

    lowering& low_;
    fourier_steps steps_;
    stft_form form_;
};

template <std::int64_t Length, std::int64_t Hop> struct stft_builder {
    static constexpr char const* called = "stft";
    static constexpr char const* asked = text_with<stft_part_text, Length>::value;
    static constexpr stft_form form{Length, Hop};
    static constexpr char const* problem(builder_specs given) {
        if (given[0].type == dtype::string || is_dual(given[0].type)) return "takes numbers, and no strings or duals";
        if (given[0].shape.rank == 0) return "takes a signal along the last axis";
        bool const is_empty = given[0].shape.rank > 0 && given[0].shape[given[0].shape.rank - 1] == 0;
        return is_empty ? "takes a signal of at least one element" : window_fault(form, given);
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{fourier_complex(given[0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        std::int64_t const n = out[out.rank - 1];
        out[out.rank - 1] = is_complex(given[0].type) ? Length : Length / 2 + 1;
        out.push_back(n == dyn ? dyn : form.frames(n));
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_with(low, x, node_id::none)};
    }
    static constexpr node_id record_with(lowering& low, node_id const* x, node_id window) {
        return stft_recorder(low, form).spectra(x[0], window);
    }
};
template <std::int64_t Length, std::int64_t Hop> struct istft_builder {
    static constexpr char const* called = "istft";
    static constexpr char const* asked = text_with<stft_part_text, Length>::value;
    static constexpr stft_form form{Length, Hop};
    static constexpr char const* problem(builder_specs given) {
        dims const& d = given[0].shape;
        if (given[0].type == dtype::string || is_dual(given[0].type)) return "takes numbers, and no strings or duals";
        if (d.rank >= 0 && d.rank < 2) return "takes coefficients and parts in the last two axes";
        if (d.rank >= 2 && d[d.rank - 2] != dyn && d[d.rank - 2] != Length / 2 + 1)
            return "takes length / 2 + 1 coefficients of each part, those of a real signal";
        return d.rank >= 2 && d[d.rank - 1] == 0 ? "takes at least one part" : window_fault(form, given);
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{fourier_real(given[0].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        std::int64_t const parts = out[out.rank - 1];
        --out.rank;
        out[out.rank - 1] = parts == dyn ? dyn : form.elements(parts);
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_with(low, x, node_id::none)};
    }
    static constexpr node_id record_with(lowering& low, node_id const* x, node_id window) {
        return stft_recorder(low, form).signal(x[0], window);
    }
};
// windowed_builder is a builder with a window as the second operand.
template <class Builder> struct windowed_builder : Builder {
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{Builder::record_with(low, x, x[1])};
    }
};

// This convolves where only the run knows the extents of the last axes; its transforms have a power of two elements.
class open_convolution {
public:
    constexpr open_convolution(lowering& low, bool is_same, bool is_valid)
        : low_{low}, steps_{low}, is_same_{is_same}, is_valid_{is_valid} {}

    TRACEXPR_ONCE constexpr node_id record(node_id a, node_id v) {
        int const la = low_.rank(a) - 1, lv = low_.rank(v) - 1;
        node_id const one = low_.literal(std::int64_t{1}), n = extent(a, la), m = extent(v, lv);
        node_id const others = minus(m, one), all = plus(n, others);
        node_id const last_bit = low_.append(op::count_leading_zeros, low_.append(op::maximum, minus(all, one), one));
        node_id const length = low_.append(op::left_shift, one, minus(low_.literal(std::int64_t{64}), last_bit));
        node_id const places = places_up_to(dyn, length);
        node_id const x = steps_.transform(stretched(a, la, n, places), {fft_form::of_real, la});
        node_id const y = steps_.transform(stretched(v, lv, m, places), {fft_form::of_real, lv});
        node_id const product = low_.append(op::multiply, x, y);
        int const last = low_.rank(product) - 1;
        node_id const sums = steps_.transform(product, {fft_form::to_real, last});
        node_id const out = low_.append(op::divide, sums, low_.as(length, low_.type(sums)));
        node_id const first = is_same_    ? low_.append(op::floor_divide, others, low_.literal(std::int64_t{2}))
                              : is_valid_ ? others
                                          : low_.literal(std::int64_t{0});
        node_id const wanted =
            is_same_ ? places_up_to(low_.extent(a, la), n) : places_up_to(dyn, is_valid_ ? minus(n, others) : all);
        return low_.append(op::take, out, plus(wanted, first), attribute_list(last));
    }

private:
    constexpr node_id plus(node_id x, node_id y) { return low_.append(op::add, x, y); }
    constexpr node_id minus(node_id x, node_id y) { return low_.append(op::subtract, x, y); }
    TRACEXPR_ONCE constexpr node_id extent(node_id x, int a) {
        return low_.extent(x, a) == dyn ? low_.axis_size<std::int64_t>(x, a) : low_.literal(low_.extent(x, a));
    }
    TRACEXPR_ONCE constexpr node_id places_up_to(std::int64_t known, node_id count) {
        if (known != dyn) return low_.iota<std::int64_t>(known);
        node_id const like = low_.append(op::extents, dtype::boolean, {&count, 1}, attribute_list(-1));
        return low_.iota_like<std::int64_t>(like, 0);
    }
    // Records x with zeros behind its elements along axis a, the last one, up to as many elements as there are places.
    TRACEXPR_ONCE constexpr node_id stretched(node_id x, int a, node_id count, node_id places) {
        node_id const is_there = low_.test(op::less, places, count), zero = low_.literal(std::int64_t{0});
        node_id const found = low_.append(op::take, x, low_.choose(is_there, places, zero), attribute_list(a));
        return low_.choose(is_there, found, low_.zero_like(x));
    }

    lowering& low_;
    fourier_steps steps_;
    bool is_same_, is_valid_;
};
// Records sums of products of a with the reversed v along the last axis, by transforms.
template <class Mode> struct fftconvolve_builder {
    static constexpr char const* called = "fftconvolve";
    static constexpr bool is_same = std::is_same_v<Mode, mode::same_t>, is_valid = std::is_same_v<Mode, mode::valid_t>;
    static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given) {
            if (!is_real_number(s.type) || is_dual(s.type)) return "takes real numbers";
            if (s.shape.rank == 0 || (s.shape.rank > 0 && s.shape[s.shape.rank - 1] == 0)) return "an axis must have elements";
        }
        if (!know_ranks(given)) return nullptr;
        std::int64_t const n = last_of(given[0]), m = last_of(given[1]);
        dims a = given[0].shape, v = given[1].shape;
        --a.rank, --v.rank;
        if (!broadcastable(a, v)) return "all axes but the last must broadcast";
        return is_valid && n != dyn && m != dyn && m > n ? "of mode valid the second operand must not be the longer one"
                                                         : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{common_inexact(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        std::int64_t const n = last_of(given[0]), m = last_of(given[1]);
        dims a = given[0].shape, v = given[1].shape;
        --a.rank, --v.rank;
        dims out = broadcast(a, v);
        out.push_back(is_same ? n : n == dyn || m == dyn ? dyn : is_valid ? n - m + 1 : n + m - 1);
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* given) {
        dtype const type = fourier_real(promote(to_inexact(low.type(given[0])), to_inexact(low.type(given[1]))));
        fourier_steps steps(low);
        node_id const a = low.as(given[0], type), v = low.as(given[1], type);
        int const la = low.rank(a) - 1, lv = low.rank(v) - 1;
        std::int64_t const n = low.extent(a, la), m = low.extent(v, lv);
        if (n == dyn || m == dyn) return std::array<node_id, 1>{open_convolution(low, is_same, is_valid).record(a, v)};
        std::int64_t const all = n + m - 1, length = smooth(all);
        node_id const x = steps.transform(steps.resize(a, la, length), {fft_form::of_real, la});
        node_id const y = steps.transform(steps.resize(v, lv, length), {fft_form::of_real, lv});
        node_id const product = low.append(op::multiply, x, y);
        int const last = low.rank(product) - 1;
        node_id const out =
            steps.times(steps.transform(product, {fft_form::to_real, last, length}), 1.0 / static_cast<double>(length));
        std::int64_t const first = is_same ? (m - 1) / 2 : is_valid ? m - 1 : 0;
        return std::array<node_id, 1>{low.slice(out, last, first, first + (is_same ? n : is_valid ? n - m + 1 : all))};
    }

private:
    static constexpr std::int64_t last_of(builder_spec const& s) { return s.shape[s.shape.rank - 1]; }
    // Gives the first number from n on whose prime factors are 2, 3 and 5.
    static constexpr std::int64_t smooth(std::int64_t n) {
        for (;; ++n) {
            std::int64_t rest = n;
            for (std::int64_t const factor : {2, 3, 5})
                while (rest % factor == 0) rest /= factor;
            if (rest == 1) return n;
        }
    }
};

} // namespace detail

namespace fft {
inline namespace TRACEXPR_CALLS {

// Computes the coefficients of parts of a signal, each `Length` long and `Hop` behind the one before it (half of a part unless
// given), times a window, which is Hann's unless one is given: (..., n) -> (..., Length / 2 + 1, parts), or Length coefficients
// for a complex signal. Zeros stand in front of and behind the signal, so that there are ceil(n / Hop) + 1 parts; coefficients
// are divided by the sum of the window. (scipy.signal.stft without its frequencies, which rfftfreq gives, and times)
template <std::int64_t Length, std::int64_t Hop = (Length + 1) / 2, array_operand X>
[[nodiscard]] constexpr auto stft(X const& x) {
    constexpr bool is_form = Length > 0 && Hop > 0 && Hop <= Length;
    static_assert(is_form, "tx: stft: a part needs at least one element, and the next one begins within it or behind it");
    constexpr bool fits = is_form && tx::detail::built_problem<tx::detail::stft_builder<Length, Hop>, X> == nullptr;
    static_assert(!is_form || fits, "tx: stft: takes a signal of numbers along the last axis, of at least one element");
    return tx::detail::apply_if<fits>(tx::detail::built_fn<tx::detail::stft_builder<Length, Hop>>{}, x);
}
template <std::int64_t Length, std::int64_t Hop = (Length + 1) / 2, array_operand X, array_operand W>
[[nodiscard]] constexpr auto stft(X const& x, W const& window) {
    using builder = tx::detail::windowed_builder<tx::detail::stft_builder<Length, Hop>>;
    constexpr bool is_form = Length > 0 && Hop > 0 && Hop <= Length;
    static_assert(is_form, "tx: stft: a part needs at least one element, and the next one begins within it or behind it");
    constexpr bool fits = is_form && tx::detail::built_problem<builder, X, W> == nullptr;
    static_assert(!is_form || fits,
                  "tx: stft: takes a signal along the last axis, and a real window with an element for each of a part");
    return tx::detail::apply_if<fits>(tx::detail::built_fn<builder>{}, x, window);
}
// Computes the real signal of such parts: (..., Length / 2 + 1, parts) -> (..., (parts - 1) Hop), where Hop divides Length. With
// the window and the steps of stft it is the signal again, followed by zeros that stft has put behind it. (scipy.signal.istft)
template <std::int64_t Length, std::int64_t Hop = (Length + 1) / 2, array_operand Z>
[[nodiscard]] constexpr auto istft(Z const& z) {
    constexpr bool is_form = Length > 0 && Hop > 0 && Length % (Hop > 0 ? Hop : 1) == 0;
    static_assert(is_form, "tx: istft: the step from part to part must divide the length of a part");
    constexpr bool fits = is_form && tx::detail::built_problem<tx::detail::istft_builder<Length, Hop>, Z> == nullptr;
    static_assert(!is_form || fits, "tx: istft: takes the Length / 2 + 1 coefficients of each part: (..., coefficients, parts)");
    return tx::detail::apply_if<fits>(tx::detail::built_fn<tx::detail::istft_builder<Length, Hop>>{}, z);
}
template <std::int64_t Length, std::int64_t Hop = (Length + 1) / 2, array_operand Z, array_operand W>
[[nodiscard]] constexpr auto istft(Z const& z, W const& window) {
    using builder = tx::detail::windowed_builder<tx::detail::istft_builder<Length, Hop>>;
    constexpr bool is_form = Length > 0 && Hop > 0 && Length % (Hop > 0 ? Hop : 1) == 0;
    static_assert(is_form, "tx: istft: the step from part to part must divide the length of a part");
    constexpr bool fits = is_form && tx::detail::built_problem<builder, Z, W> == nullptr;
    static_assert(!is_form || fits,
                  "tx: istft: takes (..., coefficients, parts), and a real window with an element for each of a part");
    return tx::detail::apply_if<fits>(tx::detail::built_fn<builder>{}, z, window);
}
// Convolves along the last axis, as tx::convolve does, but faster for many elements: by the product of transforms. All other axes
// broadcast; (..., n) and (..., m) -> (..., n + m - 1), or with tx::mode::same (..., n), with tx::mode::valid (..., n - m + 1).
// (scipy.signal.fftconvolve, along one axis)
template <array_operand A, array_operand V, class Mode = mode::full_t>
[[nodiscard]] constexpr auto fftconvolve(A const& a, V const& v, Mode = Mode{}) {
    using builder = tx::detail::fftconvolve_builder<Mode>;
    constexpr bool is_mode =
        std::is_same_v<Mode, mode::full_t> || std::is_same_v<Mode, mode::same_t> || std::is_same_v<Mode, mode::valid_t>;
    static_assert(is_mode, "tx: fftconvolve: takes tx::mode::full, same or valid");
    constexpr bool fits = is_mode && tx::detail::built_problem<builder, A, V> == nullptr;
    static_assert(!is_mode || fits,
                  "tx: fftconvolve: takes real numbers with an axis that isn't empty; the other axes must broadcast, and "
                  "of mode valid the second operand must not be the longer one");
    return tx::detail::apply_if<fits>(tx::detail::built_fn<builder>{}, a, v);
}
template <class Unused = void, class... A> constexpr tx::detail::failed stft(tx::detail::any_argument, A const&...) {
    static_assert(
        always_false<Unused>,
        "tx: stft: takes a signal, and a window, with the length of a part and the step in <>: tx::fft::stft<256, 128>(x)");
    return {};
}
template <class Unused = void, class... A> constexpr tx::detail::failed istft(tx::detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: istft: takes what stft gives, and its window, with the length of a part and the "
                                        "step in <>: tx::fft::istft<256, 128>(z)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace fft
} // namespace tx
