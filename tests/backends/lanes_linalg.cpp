// This file tests batches of small matrices, one example for each lane, against the loops for one matrix, and those against their
// definitions in double.
#include <tracexpr/backends/calls/lanes_calls.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

template <class T> std::vector<T> random_elements(std::int64_t count, unsigned seed) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> spread(-1, 1);
    std::vector<T> out;
    for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<T>(spread(bits)));
    return out;
}
template <class T> std::vector<T> definite_elements(std::int64_t count, std::int64_t n, unsigned seed) {
    auto const half = random_elements<T>(count * n * n, seed);
    std::vector<T> out(half.size());
    for (std::int64_t e = 0; e < count; ++e)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double sum = i == j ? 0.5 : 0;
                for (std::int64_t k = 0; k < n; ++k)
                    sum +=
                        static_cast<double>(half[at((e * n + i) * n + k)]) * static_cast<double>(half[at((e * n + j) * n + k)]);
                out[at((e * n + i) * n + j)] = static_cast<T>(sum);
            }
    return out;
}

// A batch's matrices.
template <class T>
tx::matrix_batch<T> batch_of(std::vector<T> const& elements, std::int64_t count, std::int64_t m, std::int64_t n) {
    return {elements.data(), {{count, m, n}, 3}};
}
template <class T> struct factors {
    std::vector<T> matrices, signs;
    std::vector<std::int64_t> places;
    factors(std::int64_t count, std::int64_t n) : matrices(at(count * n * n)), signs(at(count * n)), places(at(count * n)) {}
    tx::decomposed<T> where() { return {matrices.data(), signs.data(), places.data()}; }
};

template <tx::op Code, bool Lanes, class T, std::size_t N>
bool run(tx::matrix_batch<T> const (&operands)[N], std::int64_t const* places, tx::decomposed<T> out, tx::dims const& extents,
         std::vector<std::int64_t> const& form) {
    tx::table_view<tx::matrix_batch<T>> const all(operands);
    tx::table_view<std::int64_t> const attributes(form.data(), form.size());
    if constexpr (Lanes)
        return tx::simd::detail::decompose_in_lanes<Code, true, xsimd::default_arch>(all, places, out, extents, attributes);
    else tx::decompose<tx::detail::plain_methods>(Code, all, places, out, extents, attributes);
    return true;
}

// NaN like NaN; else as near as roundings of either order bring them.
template <class T> bool near(std::vector<T> const& a, std::vector<T> const& b, double factor) {
    bool good = a.size() == b.size();
    for (std::size_t i = 0; good && i < a.size(); ++i) {
        double const x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
        double const bound = factor * static_cast<double>(std::numeric_limits<T>::epsilon()) * (1 + std::abs(y));
        good = (std::isnan(x) && std::isnan(y)) || x == y || std::abs(x - y) <= bound;
    }
    return good;
}

template <class T> factors<T> factored(std::vector<T> const& a, std::int64_t count, std::int64_t n) {
    factors<T> lanes(count, n), plain(count, n);
    tx::matrix_batch<T> const operands[]{batch_of(a, count, n, n)};
    REQUIRE(run<tx::op::lu, true>(operands, nullptr, lanes.where(), operands[0].shape, {}));
    run<tx::op::lu, false>(operands, nullptr, plain.where(), operands[0].shape, {});
    CHECK(lanes.places == plain.places);
    CHECK(lanes.signs == plain.signs);
    CHECK(near(lanes.matrices, plain.matrices, 1e4));
    return lanes;
}
// The largest difference of P a and L U.
template <class T> double residual(std::vector<T> const& a, factors<T> const& f, std::int64_t count, std::int64_t n) {
    double worst = 0;
    for (std::int64_t e = 0; e < count; ++e)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::int64_t k = 0; k <= std::min(i, j); ++k)
                    sum += (k == i ? 1 : static_cast<double>(f.matrices[at((e * n + i) * n + k)])) *
                           static_cast<double>(f.matrices[at((e * n + k) * n + j)]);
                double const is = static_cast<double>(a[at((e * n + f.places[at(e * n + i)]) * n + j)]);
                worst = std::max(worst, std::abs(sum - is));
            }
    return worst;
}

constexpr std::int64_t counts[]{8, 9, 16, 19, 37};

} // namespace

TEST_CASE_TEMPLATE("lanes: lu, with the pivots of the loops on one matrix", T, float, double) {
    for (std::int64_t n = 1; n <= 16; ++n)
        for (std::int64_t const count : counts) {
            INFO(n, " ", count);
            auto const a = random_elements<T>(count * n * n, static_cast<unsigned>(n));
            CHECK(residual(a, factored(a, count, n), count, n) < 1000 * static_cast<double>(std::numeric_limits<T>::epsilon()));
        }
}

TEST_CASE_TEMPLATE("lanes: lu of ties, singular matrices and what is not finite", T, float, double) {
    T const nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
    for (std::int64_t const n : {1, 2, 3, 4, 5, 8, 13}) {
        std::int64_t const count = 41;
        std::vector<T> a(at(count * n * n));
        std::mt19937_64 bits(static_cast<unsigned>(n));
        for (std::int64_t e = 0; e < count; ++e)
            for (std::int64_t i = 0; i < n * n; ++i) {
                T& x = a[at(e * n * n + i)];
                x = static_cast<T>(static_cast<int>(bits() % 3) - 1); // many of one size, and zeros
                if (e % 5 == 1 && i % n == 0) x = T(0);
                if (e % 5 == 2 && bits() % 7 == 0) x = nan;
                if (e % 5 == 3 && bits() % 7 == 0) x = inf;
                if (e % 5 == 4 && i / n == n - 1) x = a[at(e * n * n + i % n)]; // twice the same row
            }
        INFO(n);
        factored(a, count, n);
    }
}

TEST_CASE_TEMPLATE("lanes: what they leave to others", T, float, double) {
    factors<T> out(40, 17);
    for (auto const& [count, n] : {std::pair(std::int64_t{1}, std::int64_t{4}), std::pair(std::int64_t{40}, std::int64_t{17})}) {
        if (2 * count >= tx::simd::native_lanes<T, xsimd::default_arch> && n < 17) continue; // half a vector is enough
        auto const a = random_elements<T>(count * n * n, 1);
        tx::matrix_batch<T> const operands[]{batch_of(a, count, n, n)};
        CHECK_FALSE(run<tx::op::lu, true>(operands, nullptr, out.where(), operands[0].shape, {}));
    }
}

TEST_CASE_TEMPLATE("lanes: solve, also transposed, also of what broadcasts", T, float, double) {
    for (std::int64_t n = 1; n <= 16; ++n)
        for (std::int64_t const k : {1, 2, 5, 16})
            for (int const shape : {0, 1, 2})
                for (bool const transposed : {false, true}) {
                    INFO(n, " ", k, " ", shape, " ", transposed);
                    std::int64_t const lead = 3, count = 7; // (3, 7, n, n); of shape 1 (3, 1, n, n), of 2 right sides (7, n, k)
                    std::int64_t const matrices = shape == 1 ? lead : lead * count, sides = shape == 2 ? count : lead * count;
                    auto a = random_elements<T>(matrices * n * n, static_cast<unsigned>(n));
                    for (std::int64_t i = 0; i < matrices * n; ++i) a[at(i * n + i % n)] += T(n);
                    for (std::int64_t e = 0; e < matrices && n > 1; ++e)
                        std::swap_ranges(a.begin() + e * n * n, a.begin() + e * n * n + n, a.begin() + (e + 1) * n * n - n);
                    auto const b = random_elements<T>(sides * n * k, 99);
                    factors<T> f(matrices, n);
                    tx::matrix_batch<T> const given[]{batch_of(a, matrices, n, n)};
                    run<tx::op::lu, false>(given, nullptr, f.where(), given[0].shape, {});
                    tx::dims const result{{lead, count, n, k}, 4};
                    tx::dims const left{{lead, shape == 1 ? 1 : count, n, n}, 4},
                        right = shape == 2 ? tx::dims{{count, n, k}, 3} : result;
                    tx::matrix_batch<T> const operands[]{{a.data(), left}, {b.data(), right}, {f.matrices.data(), left}};
                    std::vector<T> lanes(at(result.size())), plain(at(result.size()));
                    REQUIRE(run<tx::op::solve, true>(operands, f.places.data(), {lanes.data()}, result, {transposed}));
                    run<tx::op::solve, false>(operands, f.places.data(), {plain.data()}, result, {transposed});
                    CHECK(near(lanes, plain, 100));
                    double worst = 0;
                    for (std::int64_t e = 0; e < lead * count; ++e)
                        for (std::int64_t i = 0; i < n; ++i)
                            for (std::int64_t c = 0; c < k; ++c) {
                                T const* const m = a.data() + (shape == 1 ? e / count : e) * n * n;
                                double sum = -static_cast<double>(b[at(((shape == 2 ? e % count : e) * n + i) * k + c)]);
                                for (std::int64_t j = 0; j < n; ++j)
                                    sum += static_cast<double>(transposed ? m[j * n + i] : m[i * n + j]) *
                                           static_cast<double>(lanes[at((e * n + j) * k + c)]);
                                worst = std::max(worst, std::abs(sum));
                            }
                    CHECK(worst < 200 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<T>::epsilon()));
                }
}

TEST_CASE_TEMPLATE("lanes: triangles in all forms", T, float, double) {
    for (std::int64_t n = 1; n <= 16; ++n)
        for (std::int64_t const k : {1, 3})
            for (std::int64_t form = 0; form < 8; ++form)
                for (std::int64_t const count : {8, 11}) {
                    auto a = random_elements<T>(count * n * n, static_cast<unsigned>(n));
                    for (T& x : a) x /= T(n);
                    for (std::int64_t i = 0; i < count * n; ++i) a[at(i * n + i % n)] += T(1);
                    auto const b = random_elements<T>(count * n * k, 7);
                    tx::matrix_batch<T> const operands[]{batch_of(a, count, n, n), batch_of(b, count, n, k)};
                    std::vector<T> lanes(b.size()), plain(b.size());
                    std::vector<std::int64_t> const attributes{form & 1, form >> 1 & 1, form >> 2};
                    REQUIRE(
                        run<tx::op::solve_triangular, true>(operands, nullptr, {lanes.data()}, operands[1].shape, attributes));
                    run<tx::op::solve_triangular, false>(operands, nullptr, {plain.data()}, operands[1].shape, attributes);
                    INFO(n, " ", k, " ", form);
                    CHECK(near(lanes, plain, 200));
                }
}

TEST_CASE_TEMPLATE("lanes: cholesky", T, float, double) {
    for (std::int64_t n = 1; n <= 16; ++n)
        for (std::int64_t const count : counts) {
            auto const a = definite_elements<T>(count, n, static_cast<unsigned>(n));
            tx::matrix_batch<T> const operands[]{batch_of(a, count, n, n)};
            std::vector<T> lanes(a.size()), plain(a.size());
            REQUIRE(run<tx::op::cholesky, true>(operands, nullptr, {lanes.data()}, operands[0].shape, {}));
            run<tx::op::cholesky, false>(operands, nullptr, {plain.data()}, operands[0].shape, {});
            INFO(n, " ", count);
            CHECK(near(lanes, plain, 1000));
        }
}

TEST_CASE_TEMPLATE("lanes: what has no answer is named as the loops name it", T, float, double) {
    std::int64_t const n = 3, count = 21;
    auto a = definite_elements<T>(count, n, 5);
    a[at(17 * n * n)] = T(-1);
    a[at(19 * n * n)] = T(-1);
    a[at(4 * n * n + 4)] = std::numeric_limits<T>::quiet_NaN(); // spreads
    std::vector<T> x(at(count * n * n));
    tx::matrix_batch<T> const one[]{batch_of(a, count, n, n)};
    CHECK_THROWS_WITH_AS((run<tx::op::cholesky, true>(one, nullptr, {x.data()}, one[0].shape, {})),
                         "tx: cholesky: a must be positive definite; matrix 17 of (21, 3, 3) is not", tx::error);
    auto singular = random_elements<T>(count * n * n, 6);
    for (std::int64_t i = 0; i < n; ++i) singular[at((13 * n + i) * n)] = T(0);
    factors<T> const f = factored(singular, count, n);
    auto const b = random_elements<T>(count * n, 6);
    tx::matrix_batch<T> const three[]{batch_of(singular, count, n, n), batch_of(b, count, n, 1),
                                      batch_of(f.matrices, count, n, n)};
    CHECK_THROWS_WITH_AS((run<tx::op::solve, true>(three, f.places.data(), {x.data()}, three[1].shape, {0})),
                         "tx: solve, inv: a must be invertible; matrix 13 of (21, 3, 3) is singular", tx::error);
    singular[at(15 * n * n + 8)] = T(0);
    CHECK_THROWS_AS((run<tx::op::solve_triangular, true>(three, nullptr, {x.data()}, three[1].shape, {1, 0, 0})), tx::error);
    CHECK(run<tx::op::solve_triangular, true>(three, nullptr, {x.data()}, three[1].shape, {1, 0, 1}));
}
