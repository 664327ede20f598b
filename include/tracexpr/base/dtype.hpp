// This file has the dtype enum, facts about each dtype, and the promotion rules (Array API standard, "Type Promotion Rules").
// element.hpp gives each dtype its C++ type.
#pragma once

#include <tracexpr/base/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tx {

// clang-format off
enum class dtype : std::uint8_t {
    boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128,
    string,
    token, // no number: effects take and give it, so that they have an order
    dual_float32, dual_float64, dual_dual_float32, dual_dual_float64, // tx::dual
};
// clang-format on
inline constexpr std::size_t dtype_count = 21;

// Gives NumPy's name of the dtype, or for dual numbers, which NumPy hasn't, the C++ type's.
TRACEXPR_ONCE constexpr std::string_view name(dtype type) {
    // clang-format off
    constexpr std::string_view names[]{
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
        "float64", "complex64", "complex128", "string", "token", "dual<float32>", "dual<float64>", "dual<dual<float32>>",
        "dual<dual<float64>>"};
    // clang-format on
    static_assert(std::size(names) == dtype_count);
    return names[static_cast<std::size_t>(type)];
}

namespace detail {
// The table is not local to the function: where the dtype is not known, g++ 12 would write a local table anew for every look-up.
inline constexpr std::array<std::size_t, dtype_count> dtype_sizes{1, 1, 2, 4,  8, 1, 2, 4,  8,  2, 2,
                                                                  4, 8, 8, 16, 8, 0, 8, 16, 16, 32};
} // namespace detail
constexpr std::size_t size_in_bytes(dtype type) { return detail::dtype_sizes[static_cast<std::size_t>(type)]; }

constexpr bool is_signed_integer(dtype t) { return t >= dtype::int8 && t <= dtype::int64; }
constexpr bool is_unsigned_integer(dtype t) { return t >= dtype::uint8 && t <= dtype::uint64; }
constexpr bool is_integer(dtype t) { return t >= dtype::int8 && t <= dtype::uint64; }
// A dual number is a value with its tangent. It counts as floating, too.
constexpr bool is_dual(dtype t) { return t >= dtype::dual_float32; }
constexpr bool is_floating(dtype t) { return (t >= dtype::float16 && t <= dtype::float64) || is_dual(t); }
constexpr bool is_small_float(dtype t) { return t == dtype::float16 || t == dtype::bfloat16; } // ops compute in float32
constexpr bool is_complex(dtype t) { return t == dtype::complex64 || t == dtype::complex128; }
constexpr bool is_inexact(dtype t) { return is_floating(t) || is_complex(t); }
// Tells whether an element is several numbers, which SIMD vectors don't hold side by side.
constexpr bool is_compound(dtype t) { return is_complex(t) || is_dual(t); }
// Gives the real dtype of a complex one; other dtypes stay.
constexpr dtype real_part(dtype t) {
    return t == dtype::complex64 ? dtype::float32 : t == dtype::complex128 ? dtype::float64 : t;
}

// Gives how often dual is nested around the dtype of the values.
constexpr int dual_depth(dtype t) { return !is_dual(t) ? 0 : t >= dtype::dual_dual_float32 ? 2 : 1; }
constexpr dtype primal(dtype t) {
    return !is_dual(t) ? t : t == dtype::dual_float32 || t == dtype::dual_dual_float32 ? dtype::float32 : dtype::float64;
}
namespace detail {
// Gives the dual dtype of that depth for values of dtype `value`, or a wider one where there is none for it.
constexpr dtype dual_of(dtype value, int depth) {
    bool const is_double = value == dtype::float64;
    if (depth == 0) return value;
    if (depth == 1) return is_double ? dtype::dual_float64 : dtype::dual_float32;
    return is_double ? dtype::dual_dual_float64 : dtype::dual_dual_float32;
}
constexpr int dual_depth(dtype a, dtype b) {
    return tx::dual_depth(a) > tx::dual_depth(b) ? tx::dual_depth(a) : tx::dual_depth(b);
}
} // namespace detail

// Gives the dtype of `a op b` between tensors. The Array API leaves some pairs open: an integer with a floating type gives the
// floating type (as in JAX and PyTorch), uint64 with a signed integer gives float64 (NumPy), and float16 with bfloat16 gives
// float32. A dual number stays one, with room for the other's values; ops don't take dual and complex numbers together
// (trace/expr.hpp).
constexpr dtype promote(dtype a, dtype b) {
    if (a == b) return a;
    if (a > b) return promote(b, a);
    if (a == dtype::boolean) return b;
    if (is_dual(b)) {
        dtype const values = is_integer(a) ? primal(b) : promote(real_part(primal(a)), primal(b));
        return detail::dual_of(values, detail::dual_depth(a, b));
    }
    if (is_complex(b)) {
        bool const is_double = b == dtype::complex128 || a == dtype::float64;
        return is_double ? dtype::complex128 : dtype::complex64;
    }
    if (is_floating(b)) {
        if (a == dtype::float16 && b == dtype::bfloat16) return dtype::float32;
        return b;
    }
    if (is_signed_integer(a) == is_signed_integer(b)) return b;
    // Here a is signed and b unsigned.
    if (b == dtype::uint64) return dtype::float64;
    std::size_t const bytes = size_in_bytes(b) >= size_in_bytes(a) ? 2 * size_in_bytes(b) : size_in_bytes(a);
    return bytes == 2 ? dtype::int16 : bytes == 4 ? dtype::int32 : dtype::int64;
}

// Gives the dtype of a tensor of dtype `tensor` combined with a C++ scalar. The scalar is weak: it can only change the kind of
// dtype (bool, integer, floating, complex).
constexpr dtype promote_weak(dtype tensor, dtype scalar) {
    if (is_dual(scalar))
        return detail::dual_of(is_floating(tensor) ? primal(tensor) : dtype::float64, detail::dual_depth(tensor, scalar));
    if (is_complex(scalar)) {
        if (is_complex(tensor)) return tensor;
        return tensor == dtype::float64 || is_integer(tensor) || tensor == dtype::boolean ? dtype::complex128 : dtype::complex64;
    }
    if (is_floating(scalar)) return is_inexact(tensor) ? tensor : dtype::float64;
    if (scalar == dtype::boolean) return tensor;
    return tensor == dtype::boolean ? scalar : tensor;
}

// Gives the floating dtype in which exp, sqrt, mean, ... of a tensor are computed.
constexpr dtype to_inexact(dtype t) { return is_inexact(t) ? t : dtype::float64; }

} // namespace tx
