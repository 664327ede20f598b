// This is the kernel of op::eig, which computes in complex128. A matrix is balanced, so that its rows and columns have similar
// norms (Parlett and Reinsch, Balancing a matrix, 1969), brought to Hessenberg form by reflections, and by shifted QR steps to
// the triangle T of a = Q T Q^H; its eigenvectors follow by substitution (Golub and Van Loan, Matrix Computations, 4th ed., 7.4
// to 7.6). Programs that link LAPACK use its routine instead.
#pragma once

#include <tracexpr/backends/contractions/blas_calls.hpp>
#include <tracexpr/graph/routines.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET {

// plain_complex is a complex number whose product takes four multiplications, without std::complex's checks for infinities.
struct plain_complex {
    double re = 0, im = 0;

    friend plain_complex operator+(plain_complex a, plain_complex b) { return {a.re + b.re, a.im + b.im}; }
    friend plain_complex operator-(plain_complex a, plain_complex b) { return {a.re - b.re, a.im - b.im}; }
    friend plain_complex operator*(plain_complex a, plain_complex b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend plain_complex operator*(double a, plain_complex b) { return {a * b.re, a * b.im}; }
    plain_complex conj() const { return {re, -im}; }
    double size() const { return std::hypot(re, im); }
    double size_1() const { return std::abs(re) + std::abs(im); }
};
inline plain_complex quotient(plain_complex a, plain_complex b) {
    std::complex<double> const q = std::complex<double>(a.re, a.im) / std::complex<double>(b.re, b.im);
    return {q.real(), q.imag()};
}
inline plain_complex square_root(plain_complex a) {
    std::complex<double> const r = std::sqrt(std::complex<double>(a.re, a.im));
    return {r.real(), r.imag()};
}

// Computes the eigenvalues, and if wanted the eigenvectors, of one matrix of n rows.
class eigen_solver {
public:
    eigen_solver(std::int64_t n, bool with_vectors)
        : n_{n}, has_vectors_{with_vectors}, a_(elements()), q_(with_vectors ? elements() : 0),
          scale_(static_cast<std::size_t>(n), 1.0) {}

    plain_complex& element(std::int64_t i, std::int64_t j) { return a_[static_cast<std::size_t>(i * n_ + j)]; }
    // Returns false where the QR steps don't converge.
    bool run() {
        scale_all();
        balance();
        reduce();
        if (!triangulate()) return false;
        if (has_vectors_) find_vectors();
        return true;
    }
    plain_complex value(std::int64_t k) { return times_power(element(k, k), exponent_); }
    plain_complex vector(std::int64_t i, std::int64_t k) const { return vectors_[static_cast<std::size_t>(i * n_ + k)]; }

    // Scales a vector to length 1, with its largest element real and positive.
    static void normalize(std::int64_t n, plain_complex* v, std::int64_t stride) {
        double norm = 0, largest = 0;
        plain_complex of_largest{1, 0};
        for (std::int64_t i = 0; i < n; ++i) {
            plain_complex const x = v[i * stride];
            norm = std::hypot(norm, x.size());
            if (x.size() > largest * (1 + 1e-10)) largest = x.size(), of_largest = x;
        }
        if (largest == 0) return;
        plain_complex const turn = 1 / largest * of_largest.conj();
        for (std::int64_t i = 0; i < n; ++i) v[i * stride] = 1 / norm * (v[i * stride] * turn);
    }

private:
    std::size_t elements() const { return static_cast<std::size_t>(n_ * n_); }
    plain_complex& q(std::int64_t i, std::int64_t j) { return q_[static_cast<std::size_t>(i * n_ + j)]; }

    static plain_complex times_power(plain_complex x, int exponent) {
        return {std::ldexp(x.re, exponent), std::ldexp(x.im, exponent)};
    }
    // Divides a matrix of very large or small numbers by a power of two, so that squares and sums stay within double's range.
    void scale_all() {
        double largest = 0;
        for (plain_complex const& x : a_) largest = std::max({largest, std::abs(x.re), std::abs(x.im)});
        if (largest == 0 || (largest > 1e-100 && largest < 1e100)) return;
        exponent_ = std::ilogb(largest);
        for (plain_complex& x : a_) x = times_power(x, -exponent_);
    }
    void balance() {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::int64_t i = 0; i < n_; ++i) {
                double row = 0, column = 0;
                for (std::int64_t j = 0; j < n_; ++j)
                    if (j != i) row += element(i, j).size_1(), column += element(j, i).size_1();
                if (row == 0 || column == 0) continue;
                double const sum = row + column;
                int power = 0;
                for (; column < row / 2; column *= 4, ++power) {}
                for (; column >= row * 2; column /= 4, --power) {}
                double const factor = std::ldexp(1.0, power);
                if (power == 0 || (row / factor + column / factor) >= 0.95 * sum) continue;
                changed = true;
                scale_[static_cast<std::size_t>(i)] *= factor;
                for (std::int64_t j = 0; j < n_; ++j) element(i, j) = 1 / factor * element(i, j);
                for (std::int64_t j = 0; j < n_; ++j) element(j, i) = factor * element(j, i);
            }
        }
    }
    // Reduces the matrix to Hessenberg form by Householder's reflections I - v v^H * 2 / v^H v, whose product is collected in q_.
    void reduce() {
        for (std::int64_t i = 0; has_vectors_ && i < n_; ++i) q(i, i) = {1, 0};
        std::vector<plain_complex> v(static_cast<std::size_t>(n_));
        for (std::int64_t k = 0; k + 2 < n_; ++k) {
            double norm = 0;
            for (std::int64_t i = k + 1; i < n_; ++i) norm = std::hypot(norm, element(i, k).size());
            double below = 0;
            for (std::int64_t i = k + 2; i < n_; ++i) below += element(i, k).size_1();
            if (below == 0) continue;
            plain_complex const first = element(k + 1, k);
            double const size = first.size();
            plain_complex const phase = size == 0 ? plain_complex{1, 0} : 1 / size * first;
            double length = 0;
            for (std::int64_t i = k + 1; i < n_; ++i) {
                plain_complex& x = v[static_cast<std::size_t>(i)];
                x = 1 / norm * element(i, k);
                if (i == k + 1) x = x + phase;
                length += x.re * x.re + x.im * x.im;
            }
            reflect(v, k + 1, 2 / length);
        }
    }
    void reflect(std::vector<plain_complex> const& v, std::int64_t first, double factor) {
        auto const at = [&](std::int64_t i) { return v[static_cast<std::size_t>(i)]; };
        std::vector<plain_complex> sums(static_cast<std::size_t>(n_)); // reflection from the left, row by row
        for (std::int64_t i = first; i < n_; ++i)
            for (std::int64_t j = 0; j < n_; ++j)
                sums[static_cast<std::size_t>(j)] = sums[static_cast<std::size_t>(j)] + at(i).conj() * element(i, j);
        for (std::int64_t i = first; i < n_; ++i) {
            plain_complex const by = factor * at(i);
            for (std::int64_t j = 0; j < n_; ++j) element(i, j) = element(i, j) - by * sums[static_cast<std::size_t>(j)];
        }
        for (std::int64_t i = 0; i < n_; ++i) { // reflection from the right
            reflect_row(v, first, factor, &element(i, 0));
            if (has_vectors_) reflect_row(v, first, factor, &q(i, 0));
        }
    }
    void reflect_row(std::vector<plain_complex> const& v, std::int64_t first, double factor, plain_complex* row) const {
        plain_complex sum;
        for (std::int64_t j = first; j < n_; ++j) sum = sum + row[j] * v[static_cast<std::size_t>(j)];
        sum = factor * sum;
        for (std::int64_t j = first; j < n_; ++j) row[j] = row[j] - sum * v[static_cast<std::size_t>(j)].conj();
    }
    // Returns Wilkinson's shift, the eigenvalue of the last two rows and columns that is nearer to the last element.
    plain_complex shift(std::int64_t last) {
        plain_complex const d = element(last, last), half = 0.5 * (element(last - 1, last - 1) - d),
                            bc = element(last - 1, last) * element(last, last - 1);
        plain_complex const root = square_root(half * half + bc), plus = half + root, minus = half - root;
        plain_complex const larger = plus.size_1() >= minus.size_1() ? plus : minus;
        return larger.size_1() == 0 ? d : d - quotient(bc, larger);
    }
    bool triangulate() {
        constexpr double epsilon = std::numeric_limits<double>::epsilon();
        constexpr int most_steps = 60;
        int steps = 0;
        for (std::int64_t last = n_ - 1; last > 0;) {
            std::int64_t first = last;
            for (; first > 0; --first) {
                double const beside = element(first, first).size_1() + element(first - 1, first - 1).size_1();
                double const below = element(first, first - 1).size_1();
                if (below <= epsilon * beside || below < std::numeric_limits<double>::min()) break;
            }
            if (first > 0) element(first, first - 1) = {};
            if (first == last) {
                --last, steps = 0;
                continue;
            }
            if (++steps > most_steps) return false;
            bool const is_stuck = steps % 10 == 0;
            plain_complex const by =
                is_stuck ? plain_complex{element(last, last - 1).size(), 0} + element(last, last) : shift(last);
            step(first, last, by);
        }
        return true;
    }
    // One QR step on rows first to last: rotations from the left make a - shift triangular, and from the right make a Hessenberg
    // matrix again. Where no vectors are wanted, the rest of these rows and columns is not updated, as the eigenvalues don't
    // depend on it.
    void step(std::int64_t first, std::int64_t last, plain_complex by) {
        for (std::int64_t i = first; i <= last; ++i) element(i, i) = element(i, i) - by;
        std::vector<double> cosines;
        std::vector<plain_complex> sines;
        for (std::int64_t k = first; k < last; ++k) {
            plain_complex const x = element(k, k), y = element(k + 1, k);
            double const size = std::hypot(x.size(), y.size());
            double const c = size == 0 ? 1 : x.size() / size;
            plain_complex const phase = x.size() == 0 ? plain_complex{1, 0} : 1 / x.size() * x;
            plain_complex const s = size == 0 ? plain_complex{} : 1 / size * (phase * y.conj());
            cosines.push_back(c), sines.push_back(s);
            for (std::int64_t j = k, end = has_vectors_ ? n_ : last + 1; j < end; ++j) {
                plain_complex const a = element(k, j), b = element(k + 1, j);
                element(k, j) = c * a + s * b;
                element(k + 1, j) = c * b - s.conj() * a;
            }
        }
        for (std::int64_t k = first; k < last; ++k) {
            double const c = cosines[static_cast<std::size_t>(k - first)];
            plain_complex const s = sines[static_cast<std::size_t>(k - first)];
            for (std::int64_t i = has_vectors_ ? 0 : first; i <= std::min(k + 1, last); ++i)
                rotate(element(i, k), element(i, k + 1), c, s);
            for (std::int64_t i = 0; has_vectors_ && i < n_; ++i) rotate(q(i, k), q(i, k + 1), c, s);
        }
        for (std::int64_t i = first; i <= last; ++i) element(i, i) = element(i, i) + by;
    }
    static void rotate(plain_complex& x, plain_complex& y, double c, plain_complex s) {
        plain_complex const a = x, b = y;
        x = c * a + s.conj() * b;
        y = c * b - s * a;
    }
    void find_vectors() {
        vectors_.resize(elements());
        double largest = 0;
        for (std::int64_t i = 0; i < n_; ++i)
            for (std::int64_t j = i; j < n_; ++j) largest = std::max(largest, element(i, j).size_1());
        double const least = std::max(largest * std::numeric_limits<double>::epsilon(), std::numeric_limits<double>::min());
        std::vector<plain_complex> x(static_cast<std::size_t>(n_)), v(static_cast<std::size_t>(n_));
        for (std::int64_t k = 0; k < n_; ++k) {
            auto const at = [&](std::int64_t i) -> plain_complex& { return x[static_cast<std::size_t>(i)]; };
            at(k) = {1, 0};
            for (std::int64_t i = k; i-- > 0;) {
                plain_complex sum = element(i, k);
                for (std::int64_t j = i + 1; j < k; ++j) sum = sum + element(i, j) * at(j);
                plain_complex gap = element(k, k) - element(i, i);
                if (gap.size_1() < least) gap = {least, 0}; // equal eigenvalues are treated as if they differed a little
                at(i) = quotient(sum, gap);
                if (double const size = at(i).size_1(); size > 1e100)
                    for (std::int64_t j = i; j <= k; ++j) at(j) = 1 / size * at(j);
            }
            write_vector(k, x, v);
        }
    }
    void write_vector(std::int64_t k, std::vector<plain_complex> const& x, std::vector<plain_complex>& v) {
        for (std::int64_t i = 0; i < n_; ++i) {
            plain_complex sum;
            for (std::int64_t j = 0; j <= k; ++j) sum = sum + q(i, j) * x[static_cast<std::size_t>(j)];
            v[static_cast<std::size_t>(i)] = scale_[static_cast<std::size_t>(i)] * sum;
        }
        normalize(n_, v.data(), 1);
        for (std::int64_t i = 0; i < n_; ++i) vectors_[static_cast<std::size_t>(i * n_ + k)] = v[static_cast<std::size_t>(i)];
    }

    std::int64_t n_;
    bool has_vectors_;
    std::vector<plain_complex> a_, q_, vectors_;
    std::vector<double> scale_;
    int exponent_ = 0; // the power of two by which the matrix was divided
};

// Computes the eigenvalues by LAPACK and returns true, or returns false where the program has no LAPACK for this type. `vectors`
// may be null.
template <class T> bool eig_by_lapack(std::int64_t n, T const* a, std::complex<T>* values, std::complex<T>* vectors) {
    if constexpr (lapack_takes_apart<T>) {
        auto const* const methods = calls_of_program<lapack_methods<T>>();
        if (!methods || !methods->eig(n, a, values, vectors)) return false;
        std::vector<plain_complex> v(static_cast<std::size_t>(vectors ? n : 0));
        for (std::int64_t k = 0; vectors && k < n; ++k) {
            for (std::int64_t i = 0; i < n; ++i)
                v[static_cast<std::size_t>(i)] = {vectors[i * n + k].real(), vectors[i * n + k].imag()};
            eigen_solver::normalize(n, v.data(), 1);
            for (std::int64_t i = 0; i < n; ++i) {
                plain_complex const x = v[static_cast<std::size_t>(i)];
                vectors[i * n + k] = {static_cast<T>(x.re), static_cast<T>(x.im)};
            }
        }
        return true;
    } else {
        return false;
    }
}
template <class From, class To> void run_eig_of(routine_call const& call) {
    dims const& shape = call.operands[0].extents;
    std::int64_t const n = shape[shape.rank - 1], count = n == 0 ? 0 : shape.size() / (n * n);
    From const* from = static_cast<From const*>(call.operands[0].data);
    auto* values = reinterpret_cast<std::complex<To>*>(call.results[0]);
    auto* vectors = reinterpret_cast<std::complex<To>*>(call.results[1]);
    std::vector<std::complex<To>> unwanted(static_cast<std::size_t>(values ? 0 : n));
    auto const rounded = [](plain_complex x) { return std::complex<To>(static_cast<To>(x.re), static_cast<To>(x.im)); };
    for (std::int64_t number = 0; number < count; ++number, from += n * n) {
        std::complex<To>* const own_values = values ? values + number * n : unwanted.data();
        std::complex<To>* const own_vectors = vectors ? vectors + number * n * n : nullptr;
        bool const is_finite = std::all_of(
            from, from + n * n, [](std::complex<double> x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); });
        if (!is_finite) {
            To const none = std::numeric_limits<To>::quiet_NaN();
            std::fill_n(own_values, n, std::complex<To>(none, none));
            if (own_vectors) std::fill_n(own_vectors, n * n, std::complex<To>(none, none));
            continue;
        }
        if constexpr (std::is_same_v<From, To>)
            if (eig_by_lapack(n, from, own_values, own_vectors)) continue;
        eigen_solver of(n, own_vectors != nullptr);
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                std::complex<double> const x(from[i * n + j]);
                of.element(i, j) = {x.real(), x.imag()};
            }
        if (!of.run())
            throw error("tx: eig: the eigenvalues must be found; matrix " + std::to_string(number) + " of " + to_string(shape) +
                        " resists all steps");
        for (std::int64_t k = 0; k < n; ++k) {
            own_values[k] = rounded(of.value(k));
            for (std::int64_t i = 0; own_vectors && i < n; ++i) own_vectors[i * n + k] = rounded(of.vector(i, k));
        }
    }
}
// Runs a call of op::eig with operands of any dtype that it takes.
inline void run_eig_routine(routine_call const& call) {
    switch (call.operands[0].type) {
    case dtype::float32: return run_eig_of<float, float>(call);
    case dtype::float64: return run_eig_of<double, double>(call);
    case dtype::complex64: return run_eig_of<std::complex<float>, float>(call);
    default: return run_eig_of<std::complex<double>, double>(call);
    }
}
#if !defined(TRACEXPR_COMPILED)
inline bool const eig_is_known = know_routine(op::eig, run_eig_routine);
#endif

} // namespace tx::detail::inline TRACEXPR_TARGET
