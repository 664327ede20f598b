// How a function of tracexpr_functions.hpp is registered next to its competitors.
#pragma once

#include "harness.hpp"
#include "tracexpr_functions.hpp"

#include <cstdint>
#include <span>

namespace kernels {

template <class T> using vector = tx::tensor<T, tx::shape<tx::dyn>>;
template <class T, std::size_t Rows, std::size_t Columns>
using matrix = tx::tensor<T, tx::shape<static_cast<std::int64_t>(Rows), static_cast<std::int64_t>(Columns)>>;

template <class T, std::size_t N> using fixed_vector = tx::tensor<T, tx::shape<static_cast<std::int64_t>(N)>>;

// Tensors of n elements.
template <class Vector> Vector uniform(std::size_t n, double low, double high, std::uint32_t seed) {
    auto const from = harness::uniform<typename Vector::value_type>(n, low, high, seed);
    return Vector(tx::from_data<tx::shape<tx::dyn>>(from.data(), static_cast<std::int64_t>(n)));
}
template <class T, std::size_t Rows, std::size_t Columns> matrix<T, Rows, Columns> uniform(double low, double high, std::uint32_t seed) {
    return tx::reshape<static_cast<std::int64_t>(Rows), static_cast<std::int64_t>(Columns)>(uniform<fixed_vector<T, Rows * Columns>>(Rows * Columns, low, high, seed));
}

// A competitor in the sense of baselines/small.hpp.
template <class T> struct small {
    static constexpr char const* name = "tracexpr";
    template <int N> using matrix = tx::tensor<T, tx::shape<N, N>>;
    template <int N> using vector = tx::tensor<T, tx::shape<N>>;

    template <int N> static void matmul(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) { kernels::matmul.into(out, a, b); }
    template <int N>
    static void chain(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N> const& d, matrix<N>& out) {
        kernels::matmul_chain.into(out, a, b, c, d);
    }
    template <int N> static void layer(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N>& out) {
        kernels::relu_matmul_add.into(out, a, b, c);
    }
    template <int N> static void dot_axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) {
        kernels::dot_axpy.into(out, x, y);
    }
    template <int N> static void axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) { kernels::half_axpy.into(out, x, y); }
};

// Where competitors store what f.into(out, ...) does: at the same addresses, on whose distances time depends too.
template <class T, class Shape> std::span<T> elements(tx::tensor<T, Shape>& out) { return {out.mutable_data(), static_cast<std::size_t>(out.size())}; }

// Registers f.into(out, arguments...) as "tracexpr", after comparing its result with `expected` unless that is empty. `f` and
// `out` must live until the benchmarks have run.
template <class F, class T, class Shape, class... Arguments>
void add(harness::subject const& what, harness::buffer<T> const& expected, F& f, tx::tensor<T, Shape>& out,
         Arguments const&... arguments) {
    f.into(out, arguments...);
    if (!expected.empty())
        harness::require_equal(what.name + "/tracexpr", expected, harness::buffer<T>(out.data(), out.data() + out.size()));
    harness::add(what, "tracexpr", [&f, &out, arguments...] { f.into(out, arguments...); });
}

} // namespace kernels
