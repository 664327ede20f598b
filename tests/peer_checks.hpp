// This file holds what the tests of peers share (families/peer_*.cpp): values written as text, and the comparison of a callable
// with the peer's result. The cases are ONNX's node tests, and the examples in the docstrings of NumPy and SciPy, adapted to this
// library's layouts. Large or random inputs of ONNX are cut down and replaced by wave<...>; the expected results are then those
// of onnx.reference.
#pragma once

#include <family_checks.hpp>

#include <cstdint>
#include <cstdlib>

namespace tx::testing {

struct near {
    double relative, absolute;
};
// The tolerances for float32 and for float64; values are written with 7 and 13 digits.
inline constexpr near in_float{1e-4, 1e-5}, in_double{1e-10, 1e-10};

template <class T> T next_number(char const*& text) {
    char* end = nullptr;
    double const number = std::strtod(text, &end);
    text = end;
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
        double const imaginary = std::strtod(text, &end);
        text = end;
        return T(static_cast<typename T::value_type>(number), static_cast<typename T::value_type>(imaginary));
    } else return static_cast<T>(number);
}
// Reads the numbers in the text, in row-major order; complex numbers are their real and imaginary parts.
template <class T, std::int64_t... Extents> tensor<T, shape<Extents...>> of(char const* text) {
    tensor<T, shape<Extents...>> out{};
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = next_number<T>(text);
    return out;
}
// Gives first, first + step, ...
template <class T, std::int64_t... Extents> tensor<T, shape<Extents...>> count(std::int64_t first, std::int64_t step = 1) {
    tensor<T, shape<Extents...>> out{};
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<T>(first + i * step);
    return out;
}
// Gives quarters from -9/4 to 9/4 in an order that shows where each element goes, times `scale`.
template <class T, std::int64_t... Extents> tensor<T, shape<Extents...>> wave(std::int64_t seed, double scale = 1) {
    tensor<T, shape<Extents...>> out{};
    for (std::int64_t i = 0; i < out.size(); ++i)
        out.mutable_data()[i] = static_cast<T>(static_cast<double>((i * 7 + seed * 3) % 19 - 9) / 4 * scale);
    return out;
}

inline void check_same(char const* name, char const* form, std::string const& difference) {
    INFO((std::string(name) + ", " + form));
    CHECK(difference == "");
}
// These functions check f(a...) at once, in a function of open extents, in both, and in a function of known extents.
template <class F, class W, class... A> void check_now(char const* name, near to, F f, W const& wanted, A const&... a) {
    check_same(name, "at once", difference(f(a...), wanted, to.relative, to.absolute));
}
template <class F, class W, class... A> void check_open(char const* name, near to, F f, W const& wanted, A const&... a) {
    check_same(name, "open extents", difference(tx::function{f}(with_open_extents(a)...), wanted, to.relative, to.absolute));
}
template <class F, class W, class... A> void check_both(char const* name, near to, F f, W const& wanted, A const&... a) {
    check_now(name, to, f, wanted, a...);
    check_open(name, to, f, wanted, a...);
}
template <class F, class W, class... A> void check_traced(char const* name, near to, F f, W const& wanted, A const&... a) {
    check_same(name, "traced", difference(tx::function{f}(a...), wanted, to.relative, to.absolute));
}

} // namespace tx::testing
