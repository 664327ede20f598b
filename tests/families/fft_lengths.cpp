// This file tests every short length and some longer ones of tx::fft against the definition, for one row, batches of rows,
// columns and blocks of columns, in both precisions. Rows are small integer multiples of two rows of small integers, summed, so
// that their transforms are the same sums of two transforms.
#include <families/fft_helper.hpp>

#include <tracexpr/fft.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {

using numbers = std::vector<std::complex<double>>;

struct known_rows {
    numbers first, second, first_transformed, second_transformed;
    static numbers integers(std::int64_t n, double scale) {
        numbers out = some_numbers<double>(n);
        for (auto& z : out) z = {std::round(z.real() * scale), std::round(z.imag() * scale)};
        return out;
    }
    explicit known_rows(std::int64_t n)
        : first(integers(n, 9)), second(integers(n, 5)), first_transformed(transformed(first, 1, n, 1, -1)),
          second_transformed(transformed(second, 1, n, 1, -1)) {}

    static std::complex<double> sum(numbers const& a, numbers const& b, std::int64_t row, std::size_t k) {
        return a[k] * static_cast<double>(row % 4 - 1) + b[k] * static_cast<double>(row % 3 - 1) +
               a[k] * static_cast<double>(row % 2);
    }
    std::complex<double> number(std::int64_t row, std::int64_t k) const {
        return sum(first, second, row, static_cast<std::size_t>(k));
    }
    std::complex<double> result(std::int64_t row, std::int64_t k) const {
        return sum(first_transformed, second_transformed, row, static_cast<std::size_t>(k));
    }
    // The transform of real parts alone.
    std::complex<double> real_result(std::int64_t row, std::int64_t k) const {
        std::int64_t const n = static_cast<std::int64_t>(first.size());
        return 0.5 * (result(row, k) + std::conj(result(row, (n - k) % n)));
    }
};

// The transforms along the middle axis of (outer, n, inner); column i of block o is row o * inner + i + 2.
template <class T> void check(known_rows const& known, std::int64_t outer, std::int64_t n, std::int64_t inner) {
    CAPTURE(outer);
    CAPTURE(n);
    CAPTURE(inner);
    using complex = std::complex<T>;
    tx::tensor<complex, tx::shape<tx::dyn, tx::dyn, tx::dyn>> x(outer, n, inner);
    tx::tensor<T, tx::shape<tx::dyn, tx::dyn, tx::dyn>> r(outer, n, inner);
    std::int64_t const m = n / 2 + 1;
    numbers forward(static_cast<std::size_t>(x.size())), backward(forward.size());
    numbers half(static_cast<std::size_t>(outer * m * inner));
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t k = 0; k < n; ++k)
            for (std::int64_t i = 0; i < inner; ++i) {
                std::int64_t const at = (o * n + k) * inner + i, row = o * inner + i + 2;
                auto const z = known.number(row, k);
                x.mutable_data()[at] = complex(z), r.mutable_data()[at] = static_cast<T>(z.real());
                forward[static_cast<std::size_t>(at)] = known.result(row, k);
                backward[static_cast<std::size_t>(at)] = known.result(row, (n - k) % n);
                if (k < m) half[static_cast<std::size_t>((o * m + k) * inner + i)] = known.real_result(row, k);
            }
    double const bound = sizeof(T) == 8 ? 1.5e-15 : 7e-7;
    CHECK(relative_error(tx::fft::fft(x, tx::axis<1>).data(), forward.data(), x.size()) < bound);
    CHECK(relative_error(tx::fft::ifft(x, tx::axis<1>, tx::fft::forward).data(), backward.data(), x.size()) < bound);
    auto const spectrum = tx::fft::rfft(r, tx::axis<1>);
    REQUIRE(spectrum.size() == outer * m * inner);
    CHECK(relative_error(spectrum.data(), half.data(), spectrum.size()) < bound);
    if (n % 2 == 0) CHECK(relative_error(tx::fft::irfft(spectrum, tx::axis<1>).data(), r.data(), r.size()) < bound);
}
template <class T> void check_layouts(known_rows const& known, std::int64_t n) {
    check<T>(known, 1, n, 1), check<T>(known, 19, n, 1); // 19 rows: more than lanes of any vector
    check<T>(known, 1, n, 17), check<T>(known, 2, n, 5), check<T>(known, 4, n, 9);
}

} // namespace

TEST_CASE("fft: all lengths up to 300, along rows and columns") {
    for (std::int64_t n = 1; n <= 300; ++n) {
        known_rows const known(n);
        check_layouts<double>(known, n), check_layouts<float>(known, n);
    }
}
TEST_CASE("fft: longer powers of two and lengths of several primes, along rows and columns") {
    for (std::int64_t const n : {512, 1000, 1024, 1536, 2048}) {
        known_rows const known(n);
        check_layouts<double>(known, n), check_layouts<float>(known, n);
    }
}
TEST_CASE("fft: a large prime") {
    std::int64_t const n = 10007, step = 61;
    numbers const in = some_numbers<double>(n);
    tx::tensor<std::complex<double>, tx::shape<tx::dyn>> x(n);
    tx::tensor<std::complex<float>, tx::shape<tx::dyn>> y(n);
    for (std::int64_t k = 0; k < n; ++k) {
        y.mutable_data()[k] = std::complex<float>(in[static_cast<std::size_t>(k)]);
        x.mutable_data()[k] = std::complex<double>(y.data()[k]);
    }
    auto const a = tx::fft::fft(x);
    auto const b = tx::fft::fft(y);
    numbers wanted, doubles, floats;
    for (std::int64_t k = 0; k < n; k += step) {
        std::complex<long double> sum = 0;
        for (std::int64_t j = 0; j < n; ++j) {
            long double const angle = -6.283185307179586476925286766559005768L * static_cast<long double>(j * k % n) / n;
            sum += std::complex<long double>(x.data()[j]) * std::complex<long double>(std::cos(angle), std::sin(angle));
        }
        wanted.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
        doubles.push_back(a.data()[k]), floats.emplace_back(b.data()[k]);
    }
    std::int64_t const count = static_cast<std::int64_t>(wanted.size());
    CHECK(relative_error(doubles.data(), wanted.data(), count) < 2e-15);
    CHECK(relative_error(floats.data(), wanted.data(), count) < 9e-7);
}
