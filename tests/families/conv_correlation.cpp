// This file tests correlations and convolutions of every pair of small lengths and extents, in all modes, against their
// definition.
#include <tracexpr/conv.hpp>

#include <family_checks.hpp>

#include <algorithm>
#include <complex>

namespace {

using tx::testing::difference;
template <class T> using open_vector = tx::tensor<T, tx::shape<tx::dyn>>;
template <class T> using open_matrix = tx::tensor<T, tx::shape<tx::dyn, tx::dyn>>;

enum class part { valid, same, full };

template <class T> T conjugate(T x) { return x; }
std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }
template <class T> open_vector<T> numbers(std::int64_t n, double seed) {
    auto const real = tx::cast<double>(tx::arange<std::int64_t>(n)) * 0.7 + seed;
    if constexpr (std::is_same_v<T, std::complex<double>>)
        return tx::cast<T>(tx::sin(real)) + tx::cast<T>(tx::cos(real * 2.0)) * T(0, 1);
    else return tx::cast<T>(tx::sin(real) * 9.0);
}
// sum over i of a[k + i] conj(v[i]) for k from 1 - n to m - 1 is what numpy.correlate calls full; its other modes are parts of it
// (numpy/core/src/multiarray: _pyarray_correlate). numpy.convolve turns v round, and exchanges the two so that v is the shorter.
template <class T> open_vector<T> of_vectors(open_vector<T> a, open_vector<T> v, bool convolves, part which) {
    if (convolves && v.size() > a.size()) std::swap(a, v);
    bool const turns = v.size() > a.size();
    std::int64_t const m = a.size(), n = v.size(), most = std::max(m, n), least = std::min(m, n);
    std::int64_t before = least - 1, count = m + n - 1; // of the longer one's windows
    if (which == part::valid) before = 0, count = most - least + 1;
    if (which == part::same) before = least / 2, count = most;
    if (which == part::same && convolves) before = least - 1 - (least - 1) / 2;
    open_vector<T> out(tx::zeros<T>(tx::shape<tx::dyn>{}, count));
    for (std::int64_t k = 0; k < count; ++k) {
        T sum{};
        for (std::int64_t i = 0; i < least; ++i) {
            std::int64_t const at = k + i - before;
            if (at < 0 || at >= most) continue;
            T const x = turns ? conjugate(v.data()[at]) : a.data()[at];
            T const w = convolves ? v.data()[n - 1 - i] : turns ? a.data()[i] : conjugate(v.data()[i]);
            sum += x * w;
        }
        out(turns ? count - 1 - k : k) = sum;
    }
    return out;
}
template <class T, class Mode> void check_vectors(Mode mode, part which) {
    for (std::int64_t m = 1; m < 8; ++m)
        for (std::int64_t n = 1; n < 8; ++n) {
            INFO(m, " and ", n);
            open_vector<T> const a = numbers<T>(m, 0.3), v = numbers<T>(n, 1.9);
            CHECK(difference(tx::correlate(a, v, mode), of_vectors(a, v, false, which), 1e-12, 1e-12) == "");
            CHECK(difference(tx::convolve(a, v, mode), of_vectors(a, v, true, which), 1e-12, 1e-12) == "");
            tx::tensor<T> const any_a = a, any_v = v; // whose extents are known while it is traced
            CHECK(difference(open_vector<T>(tx::correlate(any_a, any_v, mode)), of_vectors(a, v, false, which), 1e-12, 1e-12) ==
                  "");
            CHECK(difference(open_vector<T>(tx::convolve(any_a, any_v, mode)), of_vectors(a, v, true, which), 1e-12, 1e-12) ==
                  "");
        }
}
template <class T> void check_vectors() {
    check_vectors<T>(tx::mode::valid, part::valid);
    check_vectors<T>(tx::mode::same, part::same);
    check_vectors<T>(tx::mode::full, part::full);
}

} // namespace

TEST_CASE("correlate, convolve: vectors of every two lengths") {
    check_vectors<double>();
    check_vectors<std::complex<double>>();
    check_vectors<std::int64_t>();
}
TEST_CASE("correlate2d, convolve2d: pictures whose extents only the run knows give what those of known extents give") {
    auto const picture = [](std::int64_t rows, std::int64_t columns, double seed) {
        open_matrix<double> out(tx::zeros<double>(tx::shape<tx::dyn, tx::dyn>{}, rows, columns));
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = 0; k < columns; ++k) out(i, k) = std::sin(0.7 * static_cast<double>(i * columns + k) + seed);
        return out;
    };
    for (std::int64_t const rows : {4, 5})
        for (std::int64_t const columns : {1, 2, 3, 4}) {
            auto const a = picture(6, 7, 0.1), v = picture(rows, columns, 2.3);
            tx::tensor<double> const any_a = a, any_v = v;
            auto const check = [&](auto mode) {
                CHECK(difference(tx::correlate2d(a, v, mode), open_matrix<double>(tx::correlate2d(any_a, any_v, mode)), 1e-12,
                                 1e-12) == "");
                CHECK(difference(tx::convolve2d(a, v, mode), open_matrix<double>(tx::convolve2d(any_a, any_v, mode)), 1e-12,
                                 1e-12) == "");
            };
            check(tx::mode::valid), check(tx::mode::same), check(tx::mode::full);
        }
}
TEST_CASE("correlate, convolve: long signals, whose neighbours lie in the lanes of vectors, in float and double") {
    auto const check = [](auto zero, double tolerance) {
        using T = decltype(zero);
        for (std::int64_t const m : {63, 64, 200})
            for (std::int64_t const n : {1, 5, 33}) {
                open_vector<T> const a = numbers<T>(m, 0.3), v = numbers<T>(n, 1.9);
                CHECK(difference(tx::convolve(a, v), of_vectors(a, v, true, part::full), tolerance, tolerance * 100) == "");
            }
    };
    check(0.0, 1e-13);
    check(0.0F, 1e-5);
}
TEST_CASE("correlate, convolve: gradients of open and of known lengths are those of the definition") {
    auto const check = [](std::int64_t m, std::int64_t n, auto mode, bool convolves) {
        open_vector<double> const a = numbers<double>(m, 0.3), v = numbers<double>(n, 1.9);
        auto const loss = [=](auto const& x, auto const& y) {
            if (convolves) return tx::sum(tx::sin(tx::convolve(x, y, mode)));
            return tx::sum(tx::sin(tx::correlate(x, y, mode)));
        };
        tx::check_gradients(loss, a, v);
        tx::tensor<double> const any_a = a, any_v = v;
        tx::check_gradients(loss, any_a, any_v);
    };
    check(5, 3, tx::mode::same, false), check(3, 6, tx::mode::same, false), check(3, 6, tx::mode::valid, false);
    check(5, 3, tx::mode::full, true), check(2, 6, tx::mode::same, true), check(6, 2, tx::mode::valid, true);
}
