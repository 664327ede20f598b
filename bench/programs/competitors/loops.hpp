// The programs as a careful programmer writes them by hand: one loop nest each, for float and double, compiled with every liberty
// that a compiler takes; and with Eigen, where it has a natural answer.
#pragma once

#include <complex>
#include <cstdint>

namespace loops {
using size = std::int64_t;
using index = std::int32_t;

// loops_points.cpp
template <class T> void nbody(T* out, T const* x, T const* m, size n);
template <class T> void nbody(T* ax, T* ay, T* az, T const* x, T const* y, T const* z, T const* m, size n);
template <class T> void nearest(std::int64_t* out, T const* a, T const* b, size n, size m);
template <class T> void kmeans(std::int64_t* at, T* out, T const* x, T const* c, size n); // 16 centres of 8 coordinates
template <class T> void rotated(T* out, T* far, T const* x, T const* r, T const* p, size n);

// loops_lookups.cpp
template <class T> void gather(T* out, T const* x, index const* i, T const* y, size n);
template <class T> void bags(T* out, T const* table, index const* i, size n, size m); // rows of 64
template <class T> void embedding(T* out, T const* table, index const* i, size n);    // rows of 64
template <class T> void groups(T* out, T const* x, index const* i, size n, size groups);

// loops_small.cpp
template <class T> void solves(T* out, T const* a, T const* b, size n);    // 4 x 4
template <class T> void quadratic(T* out, T const* x, T const* a, size n); // 8 x 8
template <class T> void jacobians(T* out, T const* p, size n);

// loops_arrays.cpp
template <class T> void blur(T* out, T const* x, size rows, size columns);
template <class T> void cumsum(T* out, T const* x, size rows, size columns);
template <class T> void chain(T* out, T const* x, T const* y, size n);
template <class T> void cosines(T* out, T const* a, T const* b, size n); // rows of 48
template <class T> void stencil(T* out, T const* x, size n);
template <class T> void laplace(T* out, T const* x, size rows, size columns);
template <class T> void blend(std::uint8_t* out, std::uint8_t const* a, std::uint8_t const* b, T const* mask, size n);
template <class T> void blend_colours(std::uint8_t* out, std::uint8_t const* a, std::uint8_t const* b, T const* mask, size n);
void hash(std::uint32_t* out, std::uint32_t const* x, size n);
template <class T> void complex_fma(T* out, std::complex<T> const* a, std::complex<T> const* b, std::complex<T> const* c, size n);
template <class T> void cross_entropy(T* out, T const* logits, index const* label, size n); // rows of 10

// loops_windows.cpp
template <class T> void fir(T* out, T const* x, T const* w, size n, size taps);
template <class T> void depthwise(T* out, T const* x, T const* w, size n);
template <class T> void convolution(T* out, T const* x, T const* w, size n, size channels, size filters);
template <class T> void box(T* out, T const* x, size n);
template <class T> void min_plus(T* out, T const* a, T const* b, size n);

// loops_borders.cpp
template <class T> void wave(T* out, T const* u, T const* before, size n);
template <class T> void periodic(T* out, T const* x, size n);
template <class T> void ising(T* out, T const* x, size n);
template <class T> void smoothing(T* out, T const* x, size n);
template <class T> void predators(T* out, T const* start, size steps);

// loops_mixtures.cpp
template <class T>
void mixture(T* dlogits, T* dmeans, T* dlogs, T const* logits, T const* means, T const* logs, T const* x, size n); // 16 of 8
template <class T> void full_mixture(T* value, T* dlogits, T* dmeans, T* dfactors, T const* logits, T const* means,
                                     T const* factors, T const* x,
                                     size n); // 25 of 10
template <class T>
void ridge(T* value, T* da, T* dlength, T const* a, T const* length, T const* x, T const* y, size n); // of 8 coordinates

// loops_attention.cpp
template <class T> void attention(T* out, T const* q, T const* k, T const* v, size heads, size n); // of width 64
template <class T>
void attention_gradient(T* value, T* dq, T* dk, T* dv, T const* q, T const* k, T const* v, T const* w, size heads, size n);

// loops_nests.cpp
template <class T> void quaternions(T* out, T const* p, T const* q, size n);
template <class T> void batch_norm(T* out, T const* x, T const* gain, T const* bias, size n, size channels, size m);
template <class T> void lennard_jones(T* energy, T* gradient, T const* x, size n);
template <class T> void triangles(T* out, T const* a, T const* b, size count, size n, size k); // lower
template <class T> void hidden_markov(T* out, T const* moves, T const* seen, size states, size steps);

} // namespace loops

namespace eigen {
using loops::index, loops::size;

// eigen_arrays.cpp
template <class T> void gather(T* out, T const* x, index const* i, T const* y, size n);
template <class T> void solves(T* out, T const* a, T const* b, size n);
template <class T> void quadratic(T* out, T const* x, T const* a, size n);
template <class T> void blur(T* out, T const* x, size rows, size columns);
template <class T> void chain(T* out, T const* x, T const* y, size n);
template <class T> void cosines(T* out, T const* a, T const* b, size n);
template <class T> void laplace(T* out, T const* x, size rows, size columns);
template <class T> void rotated(T* out, T* far, T const* x, T const* r, T const* p, size n);
template <class T> void blend(std::uint8_t* out, std::uint8_t const* a, std::uint8_t const* b, T const* mask, size n);
template <class T> void complex_fma(T* out, std::complex<T> const* a, std::complex<T> const* b, std::complex<T> const* c, size n);

// eigen_products.cpp
template <class T> void ridge(T* value, T* da, T* dlength, T const* a, T const* length, T const* x, T const* y, size n);
template <class T> void attention(T* out, T const* q, T const* k, T const* v, size heads, size n);
template <class T>
void attention_gradient(T* value, T* dq, T* dk, T* dv, T const* q, T const* k, T const* v, T const* w, size heads, size n);

} // namespace eigen
