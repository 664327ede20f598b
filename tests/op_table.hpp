// This file holds every op of the registry in callables, by family, which the tests of executors run. ops_coverage.cpp walks
// op_table and fails where an op is in none of them.
#pragma once

#include <tracexpr/transforms/checkpoint.hpp>
#include <tracexpr/transforms/custom_derivative.hpp>
#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/order_statistics.hpp>
#include <tracexpr/trace/updates.hpp>

#include <tuple>

namespace tx::testing::ops {

struct unary_floating_a {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(-x, abs(x), sign(x), square(x), sqrt(x), rsqrt(x), cbrt(x), reciprocal(x), exp(x), exp2(x), expm1(x), log(x), log2(x), log10(x),
                          log1p(x), floor(x), ceil(x), round(x), trunc(x), isnan(x), isinf(x), isfinite(x), !x);
    }
};
struct unary_floating_b {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), sinh(x), cosh(x), tanh(x), asinh(x), acosh(x), atanh(x), erf(x), erfc(x),
                          lgamma(x), sigmoid(x), sinc(x));
    }
};
struct binary_floating {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(x + y, x - y, x * y, x / y, floor_divide(x, y), remainder(x, y), fmod(x, y), pow(x, y), atan2(x, y), hypot(x, y), logaddexp(x, y),
                          copysign(x, y), polygamma(floor(abs(x)), y), maximum(x, y), minimum(x, y), fmax(x, y), fmin(x, y), fma(x, y, x));
    }
};
// Comparisons, for any dtype with an order.
struct comparisons {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(x == y, x != y, x < y, x <= y, x > y, x >= y, x && y, x || y, logical_xor(x, y), where(x < y, x, y), where(x, y, x), maximum(x, y));
    }
};
struct strings {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(x + y, x == y, x != y, x < y, x <= y, x > y, x >= y, where(x < y, x, y + x), transpose(flip(x + x, axis<0>)), concat(axis<1>, x, y), pad(x, widths<1>),
                          take(x, argmax(cast<int>(x < y), axis<1>), axis<0>), take_along_axis<1>(x, argmax(cast<int>(x > y), axis<1>, keepdims)),
                          reshape<-1>(roll<2>(x, axis<1>)), broadcast_to(slice(y, at<0>), shape<4, 3>{}));
    }
};
struct integers {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(-x, abs(x), sign(x), square(x), floor(x), isnan(x), ~x, population_count(x), count_leading_zeros(y), count_trailing_zeros(x), bitwise_count(y), x + y, x - y, x * y, floor_divide(x, y), remainder(x, y), fmod(x, y),
                          maximum(x, y), minimum(x, y), fmax(x, y), x & y, x | y, x ^ y, x << (y & y), x >> (y & y), fma(x, y, x), pow(x, y & 7), pow(x, y));
    }
};
struct booleans {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(!x, ~x, x & y, x | y, x ^ y, x && y, x || y, logical_xor(x, y), x == y, x != y, x < y, x >= y, maximum(x, y), minimum(x, y), fmin(x, y), x + y,
                          x * y, where(x, y, x), isfinite(x), sum(cast<std::int64_t>(x)));
    }
};
struct complex_numbers {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(-x, abs(x), square(x), sqrt(x), reciprocal(x), exp(x), log(x), sin(x), cosh(x), tanh(x), sinc(x), real(x), imag(x), conj(x), nan_to_num(x), x + y, x - y, x * y,
                          x / y, x == y, x != y, isnan(x), where(real(x) < imag(y), x, y), sum(x), fma(x, y, x));
    }
};
template <class... To> struct casts {
    template <class X> constexpr auto operator()(X const& x) const { return std::tuple(cast<To>(x)...); }
};

// Views of a matrix, alone and within elementwise ops.
struct views {
    template <class X> constexpr auto operator()(X const& x) const {
        auto const t = transpose(x);
        return std::tuple(t, t * 2.0f + 1.0f, flip(x), x + flip(x, axis<1>), reshape<-1>(t), flatten(x * x), expand_dims<0>(x) * x, diagonal(x) + 1.0f, tril(x),
                          squeeze<0>(expand_dims<0>(exp(x))), sum(t * t, axis<0>), max(flip(t), axis<1>), mean(x, axis<1>, keepdims) - x,
                          sliding_window_view<2>(pad(x, widths<1>), axis<0>) * 2.0f, max(sliding_window_view<2, 3>(pad(x, widths<1>)), axis<-1>));
    }
};
// Ops that join tensors, on two operands that broadcast.
struct structure {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(concat(axis<0>, x, y * 2.0f), concat(axis<1>, -x, y), stack(axis<0>, x, y), pad(x, widths<1>), pad(x + y, widths<1, 0, 0, 2>, edge),
                          roll<1>(x), tile<2, 1>(x), repeat<2>(x));
    }
};
// Ops that only move elements, for any dtype, on two matrices of 3 rows.
struct moves {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(transpose(flip(x, axis<0>)), concat(axis<1>, x, y), pad(x, widths<1>), take(x, argmax(cast<float>(y), axis<1>), axis<0>),
                          take_along_axis<1>(x, argmax(cast<float>(x), axis<1>, keepdims)), where(x == y, diagonal(x), diagonal(y)));
    }
};
// Sums, products and their scans, for any dtype.
struct totals {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(sum(x, axis<0>), prod(x, axis<1>), cumsum(x, axis<1>), cumprod(x, axis<0>), matmul(x, transpose(x)));
    }
};
// Extremes, for any dtype with an order.
struct extremes {
    template <class X> constexpr auto operator()(X const& x) const {
        auto const rank = argmin(x, axis<0>);
        return std::tuple(max(x, axis<0>), min(x, axis<1>), nanmax(x, axis<1>), nanmin(x, axis<0>), argmax(x, axis<1>), argmin(x, axis<0>), cummax(x, axis<1>), cummin(x, axis<0>),
                          sort(x, axis<1>), sort(x, axis<0>, descending), argsort(x, axis<0>), argsort(x, axis<1>, descending), topk<2>(x).first,
                          std::get<0>(detail::built_fn<detail::at_ranks_builder<0>>{}(x, rank, rank, rank)));
    }
};
template <int... Axes> struct reductions {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(sum(x, axis<Axes...>), prod(x, axis<Axes...>), max(x, axis<Axes...>), min(x, axis<Axes...>, keepdims), nanmax(x, axis<Axes...>), nanmin(x / x, axis<Axes...>), sum(x * x, axis<Axes...>, keepdims),
                          mean(abs(x), axis<Axes...>));
    }
};
template <int Axis> struct along {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(argmax(x, axis<Axis>), argmin(x, axis<Axis>), cumsum(x, axis<Axis>), cumprod(x, axis<Axis>), cummax(x, axis<Axis>), cummin(x, axis<Axis>), sort(x, axis<Axis>), argsort(x, axis<Axis>), argsort(x, axis<Axis>, descending));
    }
};
struct lookups {
    template <class X, class I> constexpr auto operator()(X const& x, I const& i) const {
        return std::tuple(take(x, i, axis<0>), take(x, i, axis<1>) * 2.0f, take_along_axis<1>(x, argmax(x, axis<1>, keepdims)));
    }
};
// Gives x with the greater, or the lesser, of each element and twice another one of its row, by an op that only batches use.
template <op Code> struct recorded_extreme {
    template <class X> constexpr auto operator()(X const& x) const {
        detail::lowering low(x.scope());
        node_id const operands[]{x.id(), (x * 2.0f).id(), argsort(x, axis<1>).id()};
        return X(x.scope(), low.append(Code, dtype_of<typename X::value_type>, operands, detail::attribute_list(1)));
    }
};
template <op Code, class X> constexpr auto extreme_along(X const& x) {
    if constexpr (expr_type<X>) return recorded_extreme<Code>{}(x);
    else return function{recorded_extreme<Code>{}}(x);
}
struct updates {
    template <class X, class I> constexpr auto operator()(X const& x, I const& i) const {
        auto const rows = take(x, i, axis<0>);
        return std::tuple(set(x, slice(x, at<0>) * 2.0f, range<0, open, 2>), set(x, rows + 1.0f, i), add_at(x, 1.5f, at<1>, range<1, 3>), add_at(x, rows, i),
                          multiply_at(x, 2.0f, range<>, at<-1>), max_at(x, 0.25f, at<0>), max_at(x, rows * 2.0f, i), min_at(x, rows - 1.0f, i),
                          extreme_along<op::scatter_max>(x), extreme_along<op::scatter_min>(x), put_along_axis<1>(x, argmax(x, axis<1>, keepdims), 9.0f));
    }
};
// Random numbers, of a key.
struct random_numbers {
    template <class K> constexpr auto operator()(K const& key) const {
        return std::tuple(drawn<std::uint32_t, op::random_bits, 7>(key, 1), drawn<std::uint64_t, op::random_bits, 40>(key, 2),
                          drawn<std::int64_t, op::random_permutation, 9>(key, 0), drawn<std::uint32_t, op::random_bits, 16>(key, 0) >> 3);
    }
    template <class T, op Code, std::int64_t N, class K> static constexpr auto drawn(K const& key, std::int64_t stream) {
        node_id const operand[]{key.id()};
        std::int64_t const form[]{stream, static_cast<std::int64_t>(sizeof(T) / 4), N};
        return expr<T, shape<N>>(key.scope(), key.scope().recorded.append(Code, dtype_of<T>, dims{{N}, 1}, operand, form));
    }
};
struct products {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(matmul(x, y), matmul(transpose(y), transpose(x)), matmul(x * 2.0f, y) + 1.0f);
    }
};
// Decompositions of two square matrices: of x x^T + 4, which is symmetric and far from singular, and of y + 4.
struct decompositions {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        auto const diagonal = where(iota_like(x) == iota_like(x, axis<1>), 4.0f, 0.0f);
        auto const a = matmul(x, transpose(x)) + diagonal;
        auto const b = y + diagonal;
        auto const [sign, size] = linalg::slogdet(b);
        auto const tall = slice(b, range<0, 4>, range<0, 3>);
        auto const wide = slice(b, range<0, 3>);
        auto const [q, r] = linalg::qr(tall);
        auto const [u, s, vh] = linalg::svd(wide);
        return std::tuple(linalg::cholesky(a), linalg::eigvalsh(a), linalg::solve(b, x), linalg::solve_triangular(b, x, linalg::lower), linalg::inv(b),
                          linalg::det(b), sign, size, q, r, u, s, vh, linalg::qr(wide).second, linalg::svdvals(tall), linalg::pinv(tall));
    }
};
// Leaves: axis_size, iota of an unknown extent, shapes made of extents, constants.
struct leaves {
    template <class X> constexpr auto operator()(X const& x) const {
        tensor<float, shape<3>> const three{1.5f, -2.0f, 0.25f};
        return std::tuple(mean(x), x * three, var(x, axis<0>), cumsum(x, axis<0>) + sum(x), full<float, shape<dyn, dyn>>(2.5f, extent<0>(x) + 1, extent<1>(x)) - sum(x));
    }
};

// Ops that derivatives use: adjoints of slices, diagonals, windows and lookups, of broadcasting, and markers.
struct adjoints {
    template <class X, class I> constexpr auto operator()(X const& x, I const& indices) const {
        auto const slices = [](auto const& a) { return sum(square(slice(a, range<0, open, 2>)) * 3.0f); };
        auto const diagonals = [](auto const& a) { return sum(exp(diagonal(a))); };
        auto const windows = [](auto const& a) { return sum(square(sliding_window_view<2>(a * a, axis<1>))); };
        auto const lookups = [](auto const& a, auto const& i) { return sum(square(take(a, i, axis<0>))); };
        auto const along = [](auto const& a) { return sum(square(take_along_axis(a, argmax(a, axis<1>, keepdims), axis<1>))); };
        auto const own = custom_gradient([](auto const& a) { return exp(a); }, [](auto const& a, auto const& g) { return g * a; });
        auto const broadcasts = [own](auto const& a) { return sum(square(a * sum(a, axis<0>)) + stop_gradient(own(a))); };
        return std::tuple(grad(slices)(x), grad(checkpoint(diagonals))(x), grad(windows)(x), grad(lookups)(x, indices), grad(along)(x), grad(broadcasts)(x));
    }
};

} // namespace tx::testing::ops
