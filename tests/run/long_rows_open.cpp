// This file tests programs of many instructions along rows whose length only the run knows: several vectors at a time, the
// vectors left over, and part of one.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>

namespace {

// More than what is computed side by side without much thought: 12 multiplications and additions, and a division.
constexpr auto polynomial = [](auto x, auto y) {
    auto z = x;
    for (int k = 0; k < 12; ++k) z = z * y + x;
    return z / (y * y + y + x * x + x);
};
template <class T> T value(std::int64_t i, std::int64_t seed) {
    return static_cast<T>(static_cast<float>((i * 7 + seed) % 11 + 1) / 8);
}

template <class T> void check_lengths(double tolerance) {
    using row = tx::tensor<T, tx::shape<tx::dyn>>;
    tx::function const f{polynomial};
    for (std::int64_t n = 0; n < 150; n += n < 70 ? 1 : 7) {
        CAPTURE(n);
        row x(n), y(n);
        for (std::int64_t i = 0; i < n; ++i) x.mutable_data()[i] = value<T>(i, 0), y.mutable_data()[i] = value<T>(i, 5);
        row const out = f(x, y);
        row into(n);
        f.into(into, x, y);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            using exact = std::conditional_t<tx::is_complex(tx::dtype_of<T>), std::complex<double>, double>;
            auto const want = polynomial(static_cast<exact>(value<T>(i, 0)), static_cast<exact>(value<T>(i, 5)));
            wrong += !(std::abs(static_cast<exact>(out.data()[i]) - want) <= tolerance * std::abs(want));
            wrong += out.data()[i] != into.data()[i];
        }
        CHECK(wrong == 0);
    }
}

} // namespace

TEST_CASE("long programs along rows of any length: float32") { check_lengths<float>(1e-5); }
TEST_CASE("long programs along rows of any length: float64") { check_lengths<double>(1e-13); }
TEST_CASE("long programs along rows of any length: complex64") { check_lengths<std::complex<float>>(1e-5); }
TEST_CASE("long programs along rows of any length: over what is read") {
    tx::tensor<float, tx::shape<tx::dyn>> x(37), y(37);
    for (std::int64_t i = 0; i < 37; ++i) x.mutable_data()[i] = value<float>(i, 0), y.mutable_data()[i] = value<float>(i, 5);
    tx::function const f{polynomial};
    auto const want = f(x, y);
    f.into(x, x, y);
    for (std::int64_t i = 0; i < 37; ++i) CHECK(x.data()[i] == want.data()[i]);
}
TEST_CASE("long programs along rows: mixed widths, rows of a matrix, a part of one") {
    tx::function const f{[](auto x, auto k) { return tx::cast<double>(polynomial(x, x + 1)) + k; }};
    for (std::int64_t const n : {1, 3, 8, 15, 17, 40, 63}) {
        CAPTURE(n);
        tx::tensor<float, tx::shape<tx::dyn, tx::dyn>> x(3, n);
        tx::tensor<std::int8_t, tx::shape<tx::dyn, tx::dyn>> k(3, n);
        for (std::int64_t i = 0; i < 3 * n; ++i)
            x.mutable_data()[i] = value<float>(i, 0), k.mutable_data()[i] = static_cast<std::int8_t>(i % 100);
        auto const out = f(x, k);
        for (std::int64_t i = 0; i < 3 * n; ++i)
            CHECK(out.data()[i] ==
                  doctest::Approx(polynomial(value<double>(i, 0), value<double>(i, 0) + 1) + static_cast<double>(i % 100))
                      .epsilon(1e-5));
    }
}
