// This file runs a family of op_table.hpp on an executor and compares it with the reference executor on the traced graph.
#pragma once

#include <op_table.hpp>
#include <random_static.hpp>

namespace tx::testing {

// Gives NaN, infinities, both zeros, the smallest and the largest number, ties, and ordinary numbers between.
inline host_array special_values(dtype type, dims const& shape, int first = 0) {
    double const infinity = std::numeric_limits<double>::infinity();
    bool const small = type == dtype::float16;
    double const numbers[]{0.5, -1.5, 2.5, 0.0, -0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 3.25, -0.75, 7.0, -7.0, 1e-3,
                           small ? 1e-7 : 1e-40, small ? 6e4 : 1e30, -42.0, 127.0, -128.0, 0.99, 5.5, 88.0, -90.0, 1e-20, 1.25};
    constexpr int count = sizeof numbers / sizeof *numbers;
    reference::values v(type, shape);
    for (std::int64_t i = 0; i < v.size(); ++i) {
        double const x = numbers[(i + first) % count];
        v[i] = reference::cast(to_literal(x), dtype::float64, type);
        if (is_complex(type)) v[i] = reference::cast(to_literal(std::complex<double>(numbers[(i + first) % 7], numbers[(i + first + 3) % 7])), dtype::complex128, type);
        if (is_integer(type) && std::isinf(x)) v[i] = reference::cast(to_literal(3.0), dtype::float64, type);
    }
    host_array out{type, shape, std::vector<std::byte>(v.cells.size() * size_in_bytes(type))};
    reference::store(v, out.bytes.data());
    return out;
}
// Gives "", "x1", "x22", "x333", ...
inline std::string text_of_number(std::int64_t number) {
    return number % 10 == 0 ? "" : 'x' + std::string(static_cast<std::size_t>(number % 10), static_cast<char>('0' + number % 7));
}
inline reference::cell cell_of_string(std::string const& text) { return {tx::detail::interned(text).bits(), 0}; }
// Gives ordinary numbers, for ops that sum many; dual numbers have tangents.
inline host_array tame_values(dtype type, dims const& shape, int first = 0) {
    reference::values v(type, shape);
    for (std::int64_t i = 0; i < v.size(); ++i) {
        v[i] = reference::cast(to_literal(static_cast<double>((i * 37 + first * 11) % 29 - 13) / 8), dtype::float64, type);
        if (type == dtype::string) v[i] = cell_of_string(text_of_number((i * 37 + first * 11) % 29));
        if (!is_dual(type)) continue;
        reference::cell c = v[i];
        for (std::size_t k = 1; k < words_of(type); ++k) c.word(k) = to_literal(static_cast<double>((i * 17 + first * 3) % 23 + static_cast<int>(k) * 5 - 16) / 8).low;
        v[i] = c;
    }
    host_array out{type, shape, std::vector<std::byte>(v.cells.size() * size_in_bytes(type))};
    reference::store(v, out.bytes.data());
    return out;
}

inline double number_in(reference::cell const& c, std::size_t word) { return std::bit_cast<double>(c.word(word)); }

// Compares as random graphs are compared, but within a few epsilons, relative to each value, and with the sign of zeros.
inline std::string strict_difference(std::vector<host_array> const& got, std::vector<host_array> const& wanted, double epsilons) {
    if (got.size() != wanted.size()) return "number of outputs";
    for (std::size_t k = 0; k < got.size(); ++k) {
        host_array const &g = got[k], &w = wanted[k];
        std::string const where = "output " + std::to_string(k) + ": ";
        if (g.type != w.type || !(g.shape == w.shape)) return where + "dtype or shape " + to_string(g.shape) + ", not " + to_string(w.shape);
        auto const x = reference::loaded(g.type, g.shape, g.bytes.data()), y = reference::loaded(g.type, g.shape, w.bytes.data());
        double const tolerance = epsilons * epsilon_of(g.type);
        auto const close = [&](double a, double b) {
            if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
            if (a == b) return a != 0 || is_compound(g.type) || std::signbit(a) == std::signbit(b);
            // tangents are sums
            return std::abs(a - b) <= tolerance * std::abs(b) + (size_in_bytes(real_part(g.type)) == 2 ? 6e-8 : is_dual(g.type) ? 16 * tolerance : 3e-45);
        };
        for (std::int64_t i = 0; i < x.size(); ++i) {
            if (!is_inexact(g.type) ? x[i].low == y[i].low : false) continue;
            std::complex<double> const a = reference::complex_of(x[i]), b = reference::complex_of(y[i]);
            if (is_complex(g.type) && std::abs(a - b) <= 4 * tolerance * std::abs(b)) continue;
            bool const same_tangents = !is_dual(g.type) || (close(number_in(x[i], 2), number_in(y[i], 2)) && close(number_in(x[i], 3), number_in(y[i], 3)));
            if (is_inexact(g.type) && close(a.real(), b.real()) && close(a.imag(), b.imag()) && same_tangents) continue;
            std::ostringstream out;
            out.precision(17);
            out << where << name(g.type) << " element " << i << ": " << a << " (" << x[i].low << "), not " << b << " (" << y[i].low << ")";
            return out.str();
        }
    }
    return "";
}

// Gives what the compiled routines compute from a graph.
inline std::vector<host_array> run_on_tiles(graph_view const& traced, std::vector<array_view> const& arguments) {
    std::vector<dims> shapes;
    std::vector<void const*> data;
    for (array_view const& a : arguments) shapes.push_back(a.shape), data.push_back(a.data);
    return tx::detail::run_once<void>(traced, data.data(), shapes, {});
}
// Gives the results of the static executor, or of tiles where the file leaves kernels to them; then only a trace is compiled for
// each dtype.
template <class F, class... A> std::vector<host_array> run_ops(std::vector<array_view> const& arguments) {
    using stages = tx::detail::stages<tx::detail::compile_time_trace<F, A...>>;
    if constexpr (TRACEXPR_PREFERS_TILES)
        return run_on_tiles(stages::trace(), arguments);
    else
        return run_guarded<stages>(arguments, [](auto const& p, simd::io const& io) { simd::run_static<stages>(p, io); });
}

template <class F, class... A> void check_ops(double epsilons, std::vector<host_array> const& given) {
    auto const arguments = views_of(given);
    graph_view const traced = tx::detail::stages<tx::detail::compile_time_trace<F, A...>>::trace();
    std::string const wrong = strict_difference(run_ops<F, A...>(arguments), run_reference(traced, arguments), epsilons);
    if (wrong.empty()) return;
    INFO(to_text(traced));
    CHECK(wrong == "");
}

// Checks one or two operands of dtype T with unknown extents, for lengths around a vector's.
template <class F, class T> void check_unary(double epsilons) {
    for (std::int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130}) check_ops<F, tensor<T, shape<dyn>>>(epsilons, {special_values(dtype_of<T>, {{n}, 1})});
}
template <class F, class T> void check_binary(double epsilons) {
    for (std::int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130, 700}) {
        check_ops<F, tensor<T, shape<dyn>>, tensor<T, shape<dyn>>>(epsilons, {special_values(dtype_of<T>, {{n}, 1}), special_values(dtype_of<T>, {{n}, 1}, static_cast<int>(n / 26))});
        check_ops<F, tensor<T, shape<dyn>>, tensor<T, shape<dyn>>>(epsilons, {special_values(dtype_of<T>, {{n}, 1}), special_values(dtype_of<T>, {{1}, 1})}); // one broadcasts
    }
}

} // namespace tx::testing
