#include "loops.hpp"

#include <Eigen/Core>

#include <algorithm>

namespace eigen {
namespace {
template <class T, int C> using rows_of = Eigen::Matrix<T, Eigen::Dynamic, C, Eigen::RowMajor>;
template <class T, int C> using in = Eigen::Map<rows_of<T, C> const>;
template <class T, int C> using to = Eigen::Map<rows_of<T, C>>;
constexpr int d = 64;
template <class T> using scores = rows_of<T, Eigen::Dynamic>;

template <class T, class Q, class K> void weights(scores<T>& p, Q const& q, K const& k) {
    p.noalias() = q * k.transpose();
    p.array() = ((p.colwise() - p.rowwise().maxCoeff()).array() * T(0.125f)).exp();
    p.array().colwise() /= p.rowwise().sum().array().eval();
}
} // namespace

// Rows of K in blocks, by |x - y|^2 = |x|^2 + |y|^2 - 2 x y.
template <class T> void ridge(T* value, T* da, T* dlength, T const* a, T const* length, T const* x, T const* y, size n) {
    using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    Eigen::Map<vector const> const factors(a, n), wanted(y, n);
    in<T, 8> const points(x, n, 8);
    vector const squares = points.rowwise().squaredNorm();
    T const scale = T(-0.5) / (*length * *length), lambda = T(0.1f);
    constexpr size block = 64;
    scores<T> kernel, far;
    vector product(n);
    auto const rows = [&](size i, size some) {
        far.noalias() = points.middleRows(i, some) * points.transpose() * T(-2);
        far.colwise() += squares.segment(i, some);
        far.rowwise() += squares.transpose();
        kernel = (far.array() * scale).exp();
    };
    for (size i = 0; i < n; i += block) {
        size const some = std::min(block, n - i);
        rows(i, some);
        product.segment(i, some).noalias() = kernel * factors;
    }
    vector const off = product - wanted, weights = 2 * off + lambda * factors;
    *value = off.squaredNorm() + lambda * factors.dot(product);
    T by_scale = 0;
    for (size i = 0; i < n; i += block) {
        size const some = std::min(block, n - i);
        rows(i, some);
        Eigen::Map<vector>(da + i, some) = kernel * weights + lambda * product.segment(i, some);
        by_scale += factors.segment(i, some).dot(kernel.cwiseProduct(far) * weights);
    }
    *dlength = by_scale / (*length * *length * *length);
}

template <class T> void attention(T* out, T const* q, T const* k, T const* v, size heads, size n) {
    constexpr size block = 128;
    scores<T> p;
    for (size h = 0; h < heads; ++h) {
        size const at = h * n * d;
        in<T, d> const queries(q + at, n, d), keys(k + at, n, d), values(v + at, n, d);
        for (size i = 0; i < n; i += block) {
            weights<T>(p, queries.middleRows(i, block), keys);
            to<T, d>(out + at + i * d, block, d).noalias() = p * values;
        }
    }
}

template <class T>
void attention_gradient(T* value, T* dq, T* dk, T* dv, T const* q, T const* k, T const* v, T const* w, size heads, size n) {
    scores<T> p, dp;
    T loss = 0;
    for (size h = 0; h < heads; ++h) {
        size const at = h * n * d;
        in<T, d> const queries(q + at, n, d), keys(k + at, n, d), values(v + at, n, d), by(w + at, n, d);
        weights<T>(p, queries, keys);
        to<T, d>(dv + at, n, d).noalias() = p.transpose() * by;
        dp.noalias() = by * values.transpose();
        Eigen::Array<T, Eigen::Dynamic, 1> const sums = p.cwiseProduct(dp).rowwise().sum();
        loss += sums.sum();
        dp.array() = (dp.array().colwise() - sums) * p.array() * T(0.125f);
        to<T, d>(dq + at, n, d).noalias() = dp * keys;
        to<T, d>(dk + at, n, d).noalias() = dp.transpose() * queries;
    }
    *value = loss;
}

#define INSTANCES(T)                                                                                                             \
    template void ridge(T*, T*, T*, T const*, T const*, T const*, T const*, size);                                               \
    template void attention(T*, T const*, T const*, T const*, size, size);                                                       \
    template void attention_gradient(T*, T*, T*, T*, T const*, T const*, T const*, T const*, size, size);
INSTANCES(float)
INSTANCES(double)

} // namespace eigen
