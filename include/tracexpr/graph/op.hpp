// This file holds the table of ops: one row an op. Everything that is not in the row (shape rule, gradient, kernel) is looked up
// by the op's code.
#pragma once

#include <tracexpr/base/dtype.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tx {

// clang-format off
enum class op : std::uint8_t {
    // leaves
    parameter, literal, constant, capture, iota, axis_size, extents, placeholder, token,
    // pointwise, one operand
    cast, negative, absolute, sign, square, sqrt, rsqrt, cbrt, reciprocal, exp, exp2, expm1, log, log2, log10, log1p,
    sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erf, erfc, lgamma, sigmoid, sinc,
    floor, ceil, round, trunc, isnan, isinf, isfinite, logical_not, bitwise_not,
    population_count, count_leading_zeros, count_trailing_zeros, real, imag, conj, times_i,
    // pointwise, two operands
    add, string_add, subtract, multiply, divide, floor_divide, remainder, fmod, power, atan2, hypot, logaddexp, copysign,
    polygamma, maximum, minimum, fmax, fmin,
    equal, not_equal, less, less_equal, greater, greater_equal, logical_and, logical_or, logical_xor,
    bitwise_and, bitwise_or, bitwise_xor, left_shift, right_shift,
    // pointwise, three operands
    where, fma,
    // views: the same elements under other indices
    reshape, transpose, broadcast_to, sum_to, expand_dims, squeeze, slice, diagonal, sliding_window_view, barrier,
    // structure
    concatenate, pad,
    // reductions
    sum, prod, max, min, nanmax, nanmin, argmax, argmin,
    // scans along an axis
    cumsum, cumprod, cummax, cummin,
    // in order along an axis
    sort, argsort, argselect,
    // lookups along an axis
    take, take_along_axis,
    // contractions
    matmul,
    // decompositions, and solvers which use the factors
    cholesky, lu, eigh, qr, svd, solve_triangular, solve,
    // ops whose kernels come with the header of a family
    fft, convolution, eig,
    // a tensor of which a part is added to or overwritten, or replaced by the greater or less of both
    view_add, index_add, scatter_add, view_set, index_set, scatter_set, index_max, index_min, scatter_max, scatter_min,
    // random numbers that a key determines
    random_bits, random_permutation,
    // ops with regions, ops with effects, and the further results of a node that has several
    cond, while_loop, scan, with_range, blocks, print, assert_that, check_finite, opaque, collective, result,
    // markers for derivatives: they have the value of their first operand, and are removed when a graph is simplified
    mark, stop_gradient, least_squares, custom_derivative,
    // a check of the extents of operands for a function of several ops: it has the value of its first operand
    checked,
};
// clang-format on
inline constexpr std::size_t op_count = static_cast<std::size_t>(op::checked) + 1;

// clang-format off
enum class kind : std::uint8_t {
    leaf, pointwise, view, structure, reduction, arg_reduction, scan, order, lookup, contraction, decomposition, routine,
    update, random, control, effect, callback, projection, marker,
};
// clang-format on

// These are the dtypes that an op's operands may have.
enum class domain : std::uint8_t {
    any,
    numeric, // not bool
    real,    // not complex
    ordered, // real, not bool
    inexact, // floating or complex
    floating,
    wide,     // float or double, or duals of them
    machine,  // float or double
    field,    // float or double, or complex numbers of them
    integral, // integer or bool
    integer,
    boolean,
    complex,
    string, // none of the numbers' ops
};

// This is the rule by which the result's dtype follows from those of the operands.
enum class result_rule : std::uint8_t { same, boolean, real_part, index, declared };

// A combination says how a reduction makes one element of many: by a pointwise op of two operands, in any order and grouping,
// with a neutral element to start from. For an infinity, integers have the end of their range. Infinity and NaN are not valid
// results, so such a reduction needs at least one element.
struct combination {
    op by = op::parameter;
    double start = 0;
    constexpr combination() = default;
    constexpr combination(op pointwise, double from) : by{pointwise}, start{from} {}
    static constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr combination greatest() { return {op::maximum, -inf}; }
    static constexpr combination least() { return {op::minimum, inf}; }
};

struct op_info {
    op code;
    std::string_view name; // NumPy's
    int arity;             // -1: any number
    tx::kind kind;
    tx::domain domain = domain::any;
    result_rule result = result_rule::same;
    bool commutes = false;
    int cost = 1;               // A rough cost in additions, used to choose between recomputing and storing.
    std::string_view onnx = {}; // The ONNX operator of the same meaning; empty where several are needed.
    combination combines = {};  // only of reductions
    // The number of results (graph/regions.hpp); ops with regions have as many results as their regions.
    int results = 1;
};

inline constexpr std::array<op_info, op_count> op_table{{
    {op::parameter, "parameter", 0, kind::leaf, domain::any, result_rule::declared, false, 0},
    {op::literal, "literal", 0, kind::leaf, domain::any, result_rule::declared, false, 0, "Constant"},
    {op::constant, "constant", 0, kind::leaf, domain::any, result_rule::declared, false, 0, "Constant"},
    {op::capture, "capture", 0, kind::leaf, domain::any, result_rule::declared, false, 0},
    {op::iota, "iota", -1, kind::leaf, domain::ordered, result_rule::declared, false, 1},
    {op::axis_size, "axis_size", 1, kind::leaf, domain::any, result_rule::declared, false, 0},
    {op::extents, "extents", -1, kind::leaf, domain::boolean, result_rule::declared, false, 0},
    {op::placeholder, "placeholder", 0, kind::leaf, domain::any, result_rule::declared, false, 0},
    {op::token, "token", 0, kind::leaf, domain::any, result_rule::declared, false, 0},

    {op::cast, "cast", 1, kind::pointwise, domain::any, result_rule::declared, false, 1, "Cast"},
    {op::negative, "negative", 1, kind::pointwise, domain::numeric, result_rule::same, false, 1, "Neg"},
    {op::absolute, "abs", 1, kind::pointwise, domain::numeric, result_rule::real_part, false, 1, "Abs"},
    {op::sign, "sign", 1, kind::pointwise, domain::ordered, result_rule::same, false, 2, "Sign"},
    {op::square, "square", 1, kind::pointwise, domain::numeric},
    {op::sqrt, "sqrt", 1, kind::pointwise, domain::inexact, result_rule::same, false, 4, "Sqrt"},
    {op::rsqrt, "rsqrt", 1, kind::pointwise, domain::floating, result_rule::same, false, 6},
    {op::cbrt, "cbrt", 1, kind::pointwise, domain::floating, result_rule::same, false, 15},
    {op::reciprocal, "reciprocal", 1, kind::pointwise, domain::inexact, result_rule::same, false, 4, "Reciprocal"},
    {op::exp, "exp", 1, kind::pointwise, domain::inexact, result_rule::same, false, 10, "Exp"},
    {op::exp2, "exp2", 1, kind::pointwise, domain::floating, result_rule::same, false, 10},
    {op::expm1, "expm1", 1, kind::pointwise, domain::floating, result_rule::same, false, 12},
    {op::log, "log", 1, kind::pointwise, domain::inexact, result_rule::same, false, 10, "Log"},
    {op::log2, "log2", 1, kind::pointwise, domain::floating, result_rule::same, false, 10},
    {op::log10, "log10", 1, kind::pointwise, domain::inexact, result_rule::same, false, 10},
    {op::log1p, "log1p", 1, kind::pointwise, domain::floating, result_rule::same, false, 12},
    {op::sin, "sin", 1, kind::pointwise, domain::inexact, result_rule::same, false, 15, "Sin"},
    {op::cos, "cos", 1, kind::pointwise, domain::inexact, result_rule::same, false, 15, "Cos"},
    {op::tan, "tan", 1, kind::pointwise, domain::inexact, result_rule::same, false, 20, "Tan"},
    {op::asin, "asin", 1, kind::pointwise, domain::inexact, result_rule::same, false, 15, "Asin"},
    {op::acos, "acos", 1, kind::pointwise, domain::inexact, result_rule::same, false, 15, "Acos"},
    {op::atan, "atan", 1, kind::pointwise, domain::inexact, result_rule::same, false, 15, "Atan"},
    {op::sinh, "sinh", 1, kind::pointwise, domain::inexact, result_rule::same, false, 15, "Sinh"},
    {op::cosh, "cosh", 1, kind::pointwise, domain::inexact, result_rule::same, false, 15, "Cosh"},
    {op::tanh, "tanh", 1, kind::pointwise, domain::inexact, result_rule::same, false, 12, "Tanh"},
    {op::asinh, "asinh", 1, kind::pointwise, domain::inexact, result_rule::same, false, 20, "Asinh"},
    {op::acosh, "acosh", 1, kind::pointwise, domain::inexact, result_rule::same, false, 20, "Acosh"},
    {op::atanh, "atanh", 1, kind::pointwise, domain::inexact, result_rule::same, false, 20, "Atanh"},
    {op::erf, "erf", 1, kind::pointwise, domain::floating, result_rule::same, false, 15, "Erf"},
    {op::erfc, "erfc", 1, kind::pointwise, domain::floating, result_rule::same, false, 20},
    {op::lgamma, "lgamma", 1, kind::pointwise, domain::floating, result_rule::same, false, 40},
    {op::sigmoid, "sigmoid", 1, kind::pointwise, domain::floating, result_rule::same, false, 14, "Sigmoid"},
    {op::sinc, "sinc", 1, kind::pointwise, domain::inexact, result_rule::same, false, 30},
    {op::floor, "floor", 1, kind::pointwise, domain::ordered, result_rule::same, false, 1, "Floor"},
    {op::ceil, "ceil", 1, kind::pointwise, domain::ordered, result_rule::same, false, 1, "Ceil"},
    {op::round, "round", 1, kind::pointwise, domain::ordered, result_rule::same, false, 1, "Round"},
    {op::trunc, "trunc", 1, kind::pointwise, domain::ordered, result_rule::same, false, 1},
    {op::isnan, "isnan", 1, kind::pointwise, domain::any, result_rule::boolean, false, 1, "IsNaN"},
    {op::isinf, "isinf", 1, kind::pointwise, domain::any, result_rule::boolean, false, 1, "IsInf"},
    {op::isfinite, "isfinite", 1, kind::pointwise, domain::any, result_rule::boolean},
    {op::logical_not, "logical_not", 1, kind::pointwise, domain::boolean, result_rule::boolean, false, 1, "Not"},
    {op::bitwise_not, "bitwise_not", 1, kind::pointwise, domain::integral, result_rule::same, false, 1, "BitwiseNot"},
    {op::population_count, "population_count", 1, kind::pointwise, domain::integer, result_rule::same, false, 2},
    {op::count_leading_zeros, "count_leading_zeros", 1, kind::pointwise, domain::integer, result_rule::same, false, 3},
    {op::count_trailing_zeros, "count_trailing_zeros", 1, kind::pointwise, domain::integer, result_rule::same, false, 3},
    {op::real, "real", 1, kind::pointwise, domain::complex, result_rule::real_part},
    {op::imag, "imag", 1, kind::pointwise, domain::complex, result_rule::real_part},
    {op::conj, "conj", 1, kind::pointwise, domain::complex},
    // times_i moves the real and imaginary parts; a product with i would make NaN of infinities.
    {op::times_i, "times_i", 1, kind::pointwise, domain::complex},

    {op::add, "add", 2, kind::pointwise, domain::any, result_rule::same, true, 1, "Add"},
    {op::string_add, "string_add", 2, kind::pointwise, domain::string, result_rule::same, false, 20},
    {op::subtract, "subtract", 2, kind::pointwise, domain::numeric, result_rule::same, false, 1, "Sub"},
    {op::multiply, "multiply", 2, kind::pointwise, domain::any, result_rule::same, true, 1, "Mul"},
    {op::divide, "divide", 2, kind::pointwise, domain::inexact, result_rule::same, false, 4, "Div"},
    {op::floor_divide, "floor_divide", 2, kind::pointwise, domain::ordered, result_rule::same, false, 8},
    {op::remainder, "remainder", 2, kind::pointwise, domain::ordered, result_rule::same, false, 8, "Mod"},
    {op::fmod, "fmod", 2, kind::pointwise, domain::ordered, result_rule::same, false, 8},
    {op::power, "power", 2, kind::pointwise, domain::numeric, result_rule::same, false, 30, "Pow"},
    {op::atan2, "atan2", 2, kind::pointwise, domain::floating, result_rule::same, false, 20},
    {op::hypot, "hypot", 2, kind::pointwise, domain::floating, result_rule::same, false, 8},
    {op::logaddexp, "logaddexp", 2, kind::pointwise, domain::floating, result_rule::same, false, 25},
    {op::copysign, "copysign", 2, kind::pointwise, domain::floating},
    {op::polygamma, "polygamma", 2, kind::pointwise, domain::floating, result_rule::same, false, 60},
    {op::maximum, "maximum", 2, kind::pointwise, domain::real, result_rule::same, false, 1, "Max"},
    {op::minimum, "minimum", 2, kind::pointwise, domain::real, result_rule::same, false, 1, "Min"},
    {op::fmax, "fmax", 2, kind::pointwise, domain::real},
    {op::fmin, "fmin", 2, kind::pointwise, domain::real},
    {op::equal, "equal", 2, kind::pointwise, domain::any, result_rule::boolean, true, 1, "Equal"},
    {op::not_equal, "not_equal", 2, kind::pointwise, domain::any, result_rule::boolean, true},
    {op::less, "less", 2, kind::pointwise, domain::real, result_rule::boolean, false, 1, "Less"},
    {op::less_equal, "less_equal", 2, kind::pointwise, domain::real, result_rule::boolean, false, 1, "LessOrEqual"},
    {op::greater, "greater", 2, kind::pointwise, domain::real, result_rule::boolean, false, 1, "Greater"},
    {op::greater_equal, "greater_equal", 2, kind::pointwise, domain::real, result_rule::boolean, false, 1, "GreaterOrEqual"},
    {op::logical_and, "logical_and", 2, kind::pointwise, domain::boolean, result_rule::boolean, true, 1, "And"},
    {op::logical_or, "logical_or", 2, kind::pointwise, domain::boolean, result_rule::boolean, true, 1, "Or"},
    {op::logical_xor, "logical_xor", 2, kind::pointwise, domain::boolean, result_rule::boolean, true, 1, "Xor"},
    {op::bitwise_and, "bitwise_and", 2, kind::pointwise, domain::integral, result_rule::same, true, 1, "BitwiseAnd"},
    {op::bitwise_or, "bitwise_or", 2, kind::pointwise, domain::integral, result_rule::same, true, 1, "BitwiseOr"},
    {op::bitwise_xor, "bitwise_xor", 2, kind::pointwise, domain::integral, result_rule::same, true, 1, "BitwiseXor"},
    {op::left_shift, "left_shift", 2, kind::pointwise, domain::integer},
    {op::right_shift, "right_shift", 2, kind::pointwise, domain::integer},

    {op::where, "where", 3, kind::pointwise, domain::any, result_rule::declared, false, 1, "Where"},
    {op::fma, "fma", 3, kind::pointwise, domain::numeric},

    {op::reshape, "reshape", -1, kind::view, domain::any, result_rule::same, false, 0, "Reshape"},
    {op::transpose, "transpose", 1, kind::view, domain::any, result_rule::same, false, 0, "Transpose"},
    {op::broadcast_to, "broadcast_to", -1, kind::view, domain::any, result_rule::same, false, 0, "Expand"},
    {op::sum_to, "sum_to", 2, kind::view, domain::inexact, result_rule::same, false, 0},
    {op::expand_dims, "expand_dims", 1, kind::view, domain::any, result_rule::same, false, 0, "Unsqueeze"},
    {op::squeeze, "squeeze", 1, kind::view, domain::any, result_rule::same, false, 0, "Squeeze"},
    {op::slice, "slice", 1, kind::view, domain::any, result_rule::same, false, 0, "Slice"},
    {op::diagonal, "diagonal", 1, kind::view, domain::any, result_rule::same, false, 0},
    {op::sliding_window_view, "sliding_window_view", 1, kind::view, domain::any, result_rule::same, false, 0},
    {op::barrier, "barrier", 2, kind::view, domain::any, result_rule::same, false, 0},

    {op::concatenate, "concatenate", -1, kind::structure, domain::any, result_rule::same, false, 1, "Concat"},
    {op::pad, "pad", 2, kind::structure, domain::any, result_rule::same, false, 1, "Pad"},

    {op::sum, "sum", 1, kind::reduction, domain::numeric, result_rule::same, false, 1, "ReduceSum", {op::add, 0}},
    {op::prod, "prod", 1, kind::reduction, domain::numeric, result_rule::same, false, 1, "ReduceProd", {op::multiply, 1}},
    {op::max, "max", 1, kind::reduction, domain::real, result_rule::same, false, 1, "ReduceMax", combination::greatest()},
    {op::min, "min", 1, kind::reduction, domain::real, result_rule::same, false, 1, "ReduceMin", combination::least()},
    {op::nanmax, "nanmax", 1, kind::reduction, domain::floating, result_rule::same, false, 2, {}, {op::fmax, combination::nan}},
    {op::nanmin, "nanmin", 1, kind::reduction, domain::floating, result_rule::same, false, 2, {}, {op::fmin, combination::nan}},
    {op::argmax, "argmax", 1, kind::arg_reduction, domain::real, result_rule::index, false, 2, "ArgMax", combination::greatest()},
    {op::argmin, "argmin", 1, kind::arg_reduction, domain::real, result_rule::index, false, 2, "ArgMin", combination::least()},

    {op::cumsum, "cumsum", 1, kind::scan, domain::numeric, result_rule::same, false, 2, "CumSum"},
    {op::cumprod, "cumprod", 1, kind::scan, domain::numeric, result_rule::same, false, 2},
    {op::cummax, "cummax", 1, kind::scan, domain::real, result_rule::same, false, 2},
    {op::cummin, "cummin", 1, kind::scan, domain::real, result_rule::same, false, 2},

    {op::sort, "sort", 1, kind::order, domain::real, result_rule::same, false, 100},
    {op::argsort, "argsort", 1, kind::order, domain::real, result_rule::index, false, 100},
    {op::argselect, "argselect", 2, kind::order, domain::real, result_rule::index, false, 100},

    {op::take, "take", 2, kind::lookup, domain::any, result_rule::declared, false, 2, "Gather"},
    {op::take_along_axis, "take_along_axis", 2, kind::lookup, domain::any, result_rule::declared, false, 2, "GatherElements"},

    {op::matmul, "matmul", 2, kind::contraction, domain::any, result_rule::same, false, 100, "MatMul"},

    {op::cholesky, "cholesky", 1, kind::decomposition, domain::wide, result_rule::same, false, 100},
    {op::lu, "lu", 1, kind::decomposition, domain::wide, result_rule::same, false, 100, {}, {}, 3},
    {op::eigh, "eigh", 1, kind::decomposition, domain::wide, result_rule::same, false, 100, {}, {}, 2},
    {op::qr, "qr", 1, kind::decomposition, domain::wide, result_rule::same, false, 100, {}, {}, 2},
    {op::svd, "svd", 1, kind::decomposition, domain::wide, result_rule::same, false, 100, {}, {}, 3},
    {op::solve_triangular, "solve_triangular", 2, kind::decomposition, domain::wide, result_rule::same, false, 100},
    {op::solve, "solve", 4, kind::decomposition, domain::wide, result_rule::same, false, 100},

    {op::fft, "fft", -1, kind::routine, domain::field, result_rule::declared, false, 100, "DFT"},
    {op::convolution, "convolution", -1, kind::routine, domain::machine, result_rule::declared, false, 100, "Conv"},
    {op::eig, "eig", 1, kind::routine, domain::field, result_rule::declared, false, 100, {}, {}, 2},

    {op::view_add, "view_add", 2, kind::update, domain::numeric},
    {op::index_add, "index_add", 3, kind::update, domain::numeric},
    {op::scatter_add, "scatter_add", 3, kind::update, domain::numeric},
    {op::view_set, "view_set", 2, kind::update, domain::any},
    {op::index_set, "index_set", 3, kind::update, domain::any},
    {op::scatter_set, "scatter_set", 3, kind::update, domain::any},
    {op::index_max, "index_max", 3, kind::update, domain::real},
    {op::index_min, "index_min", 3, kind::update, domain::real},
    {op::scatter_max, "scatter_max", 3, kind::update, domain::real},
    {op::scatter_min, "scatter_min", 3, kind::update, domain::real},

    {op::random_bits, "random_bits", -1, kind::random, domain::integer, result_rule::declared, false, 100},
    {op::random_permutation, "random_permutation", -1, kind::random, domain::integer, result_rule::declared, false, 100},

    {op::cond, "cond", -1, kind::control, domain::any, result_rule::declared, false, 100},
    {op::while_loop, "while_loop", -1, kind::control, domain::any, result_rule::declared, false, 100},
    {op::scan, "scan", -1, kind::control, domain::any, result_rule::declared, false, 100},
    {op::with_range, "with_range", -1, kind::control, domain::any, result_rule::declared, false, 100},
    // Only passes make blocks; a trace has none.
    {op::blocks, "blocks", -1, kind::control, domain::any, result_rule::declared, false, 100},
    {op::print, "print", -1, kind::effect, domain::any, result_rule::declared, false, 100},
    {op::assert_that, "assert_that", -1, kind::effect, domain::any, result_rule::declared, false, 100},
    {op::check_finite, "check_finite", -1, kind::effect, domain::any, result_rule::declared, false, 100},
    {op::opaque, "opaque", -1, kind::callback, domain::any, result_rule::declared, false, 1000},
    {op::collective, "collective", -1, kind::callback, domain::any, result_rule::declared, false, 1000},
    {op::result, "result", 1, kind::projection, domain::any, result_rule::declared, false, 0},

    {op::mark, "mark", 1, kind::marker},
    {op::stop_gradient, "stop_gradient", 1, kind::marker},
    // The operands are x and a, and either b and pinv(a) as well, or x is pinv(a).
    {op::least_squares, "least_squares", -1, kind::marker, domain::wide},
    {op::custom_derivative, "custom_derivative", -1, kind::marker},
    {op::checked, "checked", -1, kind::marker},
}};

namespace detail {
TRACEXPR_ONCE constexpr bool rows_match_enum() {
    for (std::size_t i = 0; i < op_count; ++i)
        if (op_table[i].code != static_cast<op>(i) || op_table[i].name.empty()) return false;
    return true;
}
TRACEXPR_ONCE constexpr bool reductions_combine() {
    for (op_info const& row : op_table) {
        op_info const& by = op_table[static_cast<std::size_t>(row.combines.by)];
        bool const reduces = row.kind == kind::reduction || row.kind == kind::arg_reduction;
        if (reduces != (by.kind == kind::pointwise) || (reduces && by.arity != 2)) return false;
    }
    return true;
}
} // namespace detail
static_assert(detail::rows_match_enum(), "op_table lists every op once, in enum order");
static_assert(detail::reductions_combine(), "reductions, and no others, say by which pointwise op of two operands they combine");

constexpr op_info const& info(op code) { return op_table[static_cast<std::size_t>(code)]; }
constexpr std::string_view name(op code) { return info(code).name; }

TRACEXPR_ONCE constexpr bool accepts(domain d, dtype t) {
    if (t == dtype::string) return d == domain::string;
    switch (d) {
    case domain::any: return true;
    case domain::string: return false;
    case domain::numeric: return t != dtype::boolean;
    case domain::real: return !is_complex(t);
    case domain::ordered: return !is_complex(t) && t != dtype::boolean;
    case domain::inexact: return is_inexact(t);
    case domain::floating: return is_floating(t);
    case domain::wide: return primal(t) == dtype::float32 || primal(t) == dtype::float64;
    case domain::machine: return t == dtype::float32 || t == dtype::float64;
    case domain::field: return real_part(t) == dtype::float32 || real_part(t) == dtype::float64;
    case domain::integral: return is_integer(t) || t == dtype::boolean;
    case domain::integer: return is_integer(t);
    case domain::boolean: return t == dtype::boolean;
    case domain::complex: return is_complex(t);
    }
    return false;
}

// True of ops which are constant wherever they have a derivative.
TRACEXPR_ONCE constexpr bool is_locally_constant(op code) {
    return code == op::sign || (code >= op::floor && code <= op::trunc) || code == op::floor_divide || code == op::stop_gradient;
}
// True of a marker whose derivative is that of its operand.
constexpr bool passes_on(op code) { return info(code).kind == kind::marker && code != op::least_squares; }
// True of ops which count bits within the width of the operand's dtype.
constexpr bool counts_bits(op code) { return code >= op::population_count && code <= op::count_trailing_zeros; }
constexpr bool is_comparison(op code) { return code >= op::equal && code <= op::greater_equal; }

// True of ops which have a derivative that is not zero everywhere: such an op needs a gradient rule.
TRACEXPR_ONCE constexpr bool has_slope(op code) {
    op_info const& row = info(code);
    return !is_locally_constant(code) && row.result != result_rule::boolean && row.result != result_rule::index &&
           (accepts(row.domain, dtype::float64) || accepts(row.domain, dtype::complex128));
}

// True if operands of the op may have dtype t. Strings can be concatenated, compared, selected and moved.
TRACEXPR_ONCE constexpr bool accepts(op code, dtype t) {
    op_info const& row = info(code);
    if (code == op::token || row.kind == kind::effect) return t == dtype::token;
    if (row.kind == kind::callback) return t == dtype::uint64; // a handle
    if (t == dtype::token) return code == op::parameter || row.kind == kind::control || row.kind == kind::projection;
    if (t != dtype::string) return accepts(row.domain, t);
    switch (row.kind) {
    case kind::pointwise: return code == op::string_add || code == op::where || is_comparison(code);
    case kind::leaf: return code != op::iota;
    case kind::view: return code != op::sum_to;
    case kind::marker:
    case kind::structure:
    case kind::control:
    case kind::projection:
    case kind::lookup: return true;
    case kind::reduction:
    case kind::arg_reduction:
    case kind::scan:
    case kind::order:
    case kind::contraction:
    case kind::decomposition:
    case kind::routine:
    case kind::update:
    case kind::random:
    case kind::callback:
    case kind::effect: return false;
    }
    return false;
}

// True of an update of the elements that a view reads. An indexed update (updates_indexed) has indices as its last operand
// instead, which find elements as take does (updates_taken) or as take_along_axis does.
constexpr bool updates_view(op code) { return code == op::view_add || code == op::view_set; }
constexpr bool updates_indexed(op code) { return info(code).kind == kind::update && !updates_view(code); }
constexpr bool updates_taken(op code) {
    return code == op::index_add || code == op::index_set || code == op::index_max || code == op::index_min;
}
// An update overwrites elements, adds to them, or keeps the greater or the less of the old and the new element.
constexpr bool sets_elements(op code) { return code == op::view_set || code == op::index_set || code == op::scatter_set; }
constexpr bool keeps_greatest(op code) { return code == op::index_max || code == op::scatter_max; }
constexpr bool keeps_least(op code) { return code == op::index_min || code == op::scatter_min; }
TRACEXPR_ONCE constexpr bool adds_elements(op code) {
    return info(code).kind == kind::update && !sets_elements(code) && !keeps_greatest(code) && !keeps_least(code);
}
// Returns the update of elements found by take_along_axis that does the same as `code` does to elements found by take.
TRACEXPR_ONCE constexpr op update_along_axis(op code) {
    return code == op::index_add   ? op::scatter_add
           : code == op::index_set ? op::scatter_set
           : code == op::index_max ? op::scatter_max
                                   : op::scatter_min;
}
// True if the last operand of the op holds indices.
constexpr bool has_indices(op code) { return info(code).kind == kind::lookup || updates_indexed(code) || code == op::argselect; }

} // namespace tx
