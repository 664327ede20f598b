#include "loops.hpp"

#include <Eigen/Dense>

namespace eigen {
namespace {
template <class T> using vector = Eigen::Array<T, Eigen::Dynamic, 1>;
template <class T> using in = Eigen::Map<vector<T> const>;
template <class T> using to = Eigen::Map<vector<T>>;
template <class T, int R = Eigen::Dynamic, int C = Eigen::Dynamic> using rows_of = Eigen::Array<T, R, C, Eigen::RowMajor>;
template <class T, int R, int C> using matrix = Eigen::Matrix<T, R, C, Eigen::RowMajor>;
} // namespace

template <class T> void gather(T* out, T const* x, index const* i, T const* y, size n) {
    to<T>(out, n) = in<T>(x, n)(in<index>(i, n)) * in<T>(y, n) + T(1);
}

template <class T> void solves(T* out, T const* a, T const* b, size n) {
    for (size i = 0; i < n; ++i)
        Eigen::Map<Eigen::Matrix<T, 4, 1>>(out + 4 * i) = Eigen::Map<matrix<T, 4, 4> const>(a + 16 * i)
                                                              .partialPivLu()
                                                              .solve(Eigen::Map<Eigen::Matrix<T, 4, 1> const>(b + 4 * i));
}

template <class T> void quadratic(T* out, T const* x, T const* a, size n) {
    for (size i = 0; i < n; ++i) {
        Eigen::Map<Eigen::Matrix<T, 8, 1> const> const v(x + 8 * i);
        out[i] = v.dot(Eigen::Map<matrix<T, 8, 8> const>(a + 64 * i) * v);
    }
}

template <class T> void blur(T* out, T const* x, size rows, size columns) {
    Eigen::Map<rows_of<T> const> const image(x, rows, columns);
    auto const w = columns - 4, h = rows - 4;
    auto const along = [&](size k) { return image.block(0, k, rows, w); };
    rows_of<T> const once = T(0.0625f) * (along(0) + along(4)) + T(0.25f) * (along(1) + along(3)) + T(0.375f) * along(2);
    auto const down = [&](size k) { return once.middleRows(k, h); };
    Eigen::Map<rows_of<T>>(out, h, w) = T(0.0625f) * (down(0) + down(4)) + T(0.25f) * (down(1) + down(3)) + T(0.375f) * down(2);
}

template <class T> void chain(T* out, T const* x, T const* y, size n) {
    in<T> const p(x, n), q(y, n);
    auto const step = [&](auto const& h) { return ((h * q + p).max(T(-0.5f)) - T(0.25f)).abs(); };
    to<T>(out, n) = step(step(step(step(p * T(0.5f))))) - p;
}

template <class T> void cosines(T* out, T const* a, T const* b, size n) {
    Eigen::Map<rows_of<T, Eigen::Dynamic, 48> const> const p(a, n, 48), q(b, n, 48);
    to<T>(out, n) = (p * q).rowwise().sum() / (p.square().rowwise().sum().sqrt() * q.square().rowwise().sum().sqrt());
}

template <class T> void laplace(T* out, T const* x, size rows, size columns) {
    Eigen::Map<rows_of<T> const> const image(x, rows, columns);
    auto const part = [&](size i, size j) { return image.block(i, j, rows - 2, columns - 2); };
    Eigen::Map<rows_of<T>>(out, rows - 2, columns - 2) = part(0, 1) + part(2, 1) + part(1, 0) + part(1, 2) - 4 * part(1, 1);
}

template <class T> void rotated(T* out, T* far, T const* x, T const* r, T const* p, size n) {
    Eigen::Map<Eigen::Matrix<T, 3, Eigen::Dynamic> const> const points(x, 3, n);
    Eigen::Map<Eigen::Matrix<T, 3, Eigen::Dynamic>> turned(out, 3, n);
    turned.noalias() = Eigen::Map<matrix<T, 3, 3> const>(r) * points;
    to<T>(far, n) = (turned.colwise() - Eigen::Map<Eigen::Matrix<T, 3, 1> const>(p)).colwise().norm().transpose();
}

template <class T> void blend(std::uint8_t* out, std::uint8_t const* a, std::uint8_t const* b, T const* mask, size n) {
    in<T> const m(mask, n);
    to<std::uint8_t>(out, n) =
        (in<std::uint8_t>(a, n).template cast<T>() * m + in<std::uint8_t>(b, n).template cast<T>() * (1 - m))
            .rint()
            .template cast<std::uint8_t>();
}

template <class T>
void complex_fma(T* out, std::complex<T> const* a, std::complex<T> const* b, std::complex<T> const* c, size n) {
    using C = std::complex<T>;
    to<T>(out, n) = (in<C>(a, n) * in<C>(b, n) + in<C>(c, n)).abs();
}

#define INSTANCES(T)                                                                                                             \
    template void gather(T*, T const*, index const*, T const*, size);                                                            \
    template void solves(T*, T const*, T const*, size);                                                                          \
    template void quadratic(T*, T const*, T const*, size);                                                                       \
    template void blur(T*, T const*, size, size);                                                                                \
    template void chain(T*, T const*, T const*, size);                                                                           \
    template void cosines(T*, T const*, T const*, size);                                                                         \
    template void laplace(T*, T const*, size, size);                                                                             \
    template void rotated(T*, T*, T const*, T const*, T const*, size);                                                           \
    template void blend(std::uint8_t*, std::uint8_t const*, std::uint8_t const*, T const*, size);                                \
    template void complex_fma(T*, std::complex<T> const*, std::complex<T> const*, std::complex<T> const*, size);
INSTANCES(float)
INSTANCES(double)

} // namespace eigen
