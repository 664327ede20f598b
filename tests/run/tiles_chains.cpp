// This file tests chains of cheap ops on tiles, which run in registers, eight vectors at a time: rows around every number of
// vectors, operands that are rows, columns and single elements, sums at the end, results that are arguments.
#include <run/tiles_checks.hpp>

using tx::testing::check_close, tx::testing::distance, tx::testing::matrix, tx::testing::vector;

namespace {

auto const blend = [](auto a, auto b, auto c) { return tx::where(a > 0.5f, a * b + c, b - a * c) * 0.5f + c * c - tx::maximum(b, 0.7f); };
auto const squares = [](auto a, auto b) { return tx::sum((a - b) * (a - b)); };
auto const lengths = {1, 31, 127, 128, 129, 250, 255, 256, 257, 1000, 2400, 6000};

template <class T> void check_rows(std::int64_t rows, std::int64_t n) {
    auto const x = matrix<T>(rows, n);
    auto const row = vector<T>(n, 2);
    auto const column = tx::expand_dims<1>(vector<T>(rows, 3));
    check_close(1, [](auto a, auto r, auto c) { return ((a - c) * r + c) / (r + a * a); }, x, row, column);
    check_close(1, [](auto a, auto c) { return tx::sqrt(c + 1.0f) * a - c * c; }, x, column);
    check_close(1, [](auto a, auto c) { return tx::sum<1>((a - c) * (a - c)); }, x, column);
    check_close(1, [](auto a, auto r) { return tx::sum<0>((a - r) * a); }, x, row);
    check_close(1, [](auto a) { return tx::max<1>(a * 2.0f - 1.0f) + tx::min<1>(-a); }, x);
    check_close(
        1, [](auto a, auto r) {
            auto const centred = a - tx::mean(a, tx::axis<-1>, tx::keepdims);
            return centred * tx::rsqrt(tx::mean(centred * centred, tx::axis<-1>, tx::keepdims) + 1e-3f) * r + r;
        },
        x, row);
    check_close(1, [](auto a) { return (a - tx::mean<0>(a)) / (tx::mean<0>(a * a) + 1.0f); }, x);
    check_close(1, [](auto a, auto b) { return tx::transpose(a) * 2.0f + b * b - 1.0f; }, x, matrix<T>(n, rows, 5));
}

} // namespace

TEST_CASE("tiles: chains of every length") {
    for (std::int64_t const n : lengths) {
        CAPTURE(n);
        check_close(1, blend, vector<float>(n), vector<float>(n, 2), vector<float>(n, 3));
        check_close(1, blend, vector<double>(n), vector<double>(n, 2), vector<double>(n, 3));
        check_close(1, squares, vector<float>(n), vector<float>(n, 2));
        check_close(1, squares, vector<double>(n), vector<double>(n, 2));
    }
}
TEST_CASE("tiles: chains over rows, with an element of each row, and into sums") {
    for (std::int64_t const rows : {1, 3, 40})
        for (std::int64_t const n : lengths) {
            CAPTURE(rows);
            CAPTURE(n);
            check_rows<float>(rows, n);
        }
    check_rows<double>(17, 300);
    check_rows<double>(2, 2400);
}
TEST_CASE("tiles: a chain that writes over what it reads") {
    float one = 1;
    tx::function const f{[&one](auto x, auto y) { return ((x - y) * x + one) * 0.5f - y; }};
    for (std::int64_t const n : lengths) {
        auto x = vector<float>(n);
        auto const y = vector<float>(n, 2), want = f(x, y);
        f.into(x, x, y);
        CHECK(distance(x, want) == 0);
    }
}
TEST_CASE("tiles: NaN and infinities go through chains as through kernels") {
    auto x = vector<float>(300);
    auto const inf = std::numeric_limits<float>::infinity();
    for (std::int64_t i = 0; i < 300; i += 3) x.mutable_data()[i] = i % 2 ? inf : std::numeric_limits<float>::quiet_NaN();
    check_close(1, [](auto a) { return tx::where(a > 0.5f, a - 1.0f, a * a) + tx::maximum(a, 0.3f); }, x);
}
TEST_CASE("tiles: results so large that they go past the caches") {
    std::int64_t const n = 9'000'007;
    float const two = 2;
    auto const x = vector<float>(n);
    tx::function const f{[two](auto a) { return (a * two - 1.0f) * a; }};
    auto const y = f(x);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        float const a = x.data()[i];
        wrong += std::abs(y.data()[i] - (a * 2 - 1) * a) > 1e-6f;
    }
    CHECK(wrong == 0);
    auto const m = matrix<float>(3001, 3001);
    tx::function const g{[two](auto a) { return tx::transpose(a) * two + 1.0f; }};
    auto const t = g(m);
    wrong = 0;
    for (std::int64_t i = 0; i < 3001; ++i)
        for (std::int64_t j = 0; j < 3001; ++j) wrong += t.data()[i * 3001 + j] != m.data()[j * 3001 + i] * 2 + 1;
    CHECK(wrong == 0);
}
