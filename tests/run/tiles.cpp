// This file tests that functions traced at run time give on tiles what the static executor gives, for rows and columns around
// every size at which tiles, vectors and blocks of sums begin and end.
#include <run/tiles_checks.hpp>

using tx::testing::check_same, tx::testing::matrix, tx::testing::vector;

namespace {

constexpr std::int64_t lengths[]{0, 1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 8191, 8192, 8193, 20000};

auto const mixed = [](auto x, auto y) { return tx::where(x > y, x * 2 - y, tx::exp(x) * y + 1) / (x + 1); };
auto const total = [](auto x, auto y) { return tx::sum(x * y); };
auto const largest = [](auto x, auto y) { return tx::max(x - y); };

} // namespace

TEST_CASE("tiles: rows of every length, float and double") {
    for (std::int64_t const n : lengths) {
        CAPTURE(n);
        check_same(mixed, vector<float>(n), vector<float>(n, 2));
        check_same(mixed, vector<double>(n), vector<double>(n, 2));
        check_same(total, vector<float>(n), vector<float>(n, 2));
        check_same(total, vector<double>(n), vector<double>(n, 2));
        if (n > 0) check_same(largest, vector<float>(n), vector<float>(n, 2));
    }
}

TEST_CASE("tiles: rows and columns of matrices, softmax, broadcasting, transposes") {
    for (std::int64_t const n : {1, 2, 3, 5, 16, 33, 200, 1000, 2050})
        for (std::int64_t const m : {1, 2, 7, 64, 129, 300}) {
            CAPTURE(m);
            CAPTURE(n);
            auto const a = matrix<float>(m, n);
            check_same([](auto x) { return tx::softmax(x); }, a);
            check_same([](auto x) { return tx::sum<0>(x * x); }, a);
            check_same([](auto x) { return tx::mean<1>(x); }, a);
            check_same([](auto x, auto b) { return tx::tanh(x + b); }, a, vector<float>(n, 3));
            check_same([](auto x, auto b) { return tx::transpose(x) * 2 + b; }, a, matrix<float>(n, m, 5));
        }
}

TEST_CASE("tiles: integers, conditions, casts, and places along an axis") {
    for (std::int64_t const n : {1, 9, 64, 130, 3000}) {
        CAPTURE(n);
        check_same([](auto x, auto y) { return (x * 3 + y) % 7 - tx::minimum(x, y); }, vector<std::int32_t>(n), vector<std::int32_t>(n, 2));
        check_same([](auto x) { return tx::cast<std::uint8_t>(x * 100) + tx::cast<std::uint8_t>(x > 0.5f); }, vector<float>(n));
        check_same([](auto x) { return tx::argmax(x); }, vector<double>(n));
        check_same([](auto x, auto y) { return tx::logical_and(x > y, tx::isfinite(x)); }, vector<float>(n), vector<float>(n, 2));
        check_same([](auto x) { return tx::cumsum<0>(x) + tx::cast<double>(tx::sum(x)); }, vector<double>(n));
    }
}

TEST_CASE("tiles: a gradient of a captured number, planned anew for other extents") {
    float k = 2;
    tx::function const f{tx::grad([&k](auto x) { return tx::sum(tx::exp(x * k)); })};
    for (int round = 0; round < 3; ++round)
        for (std::int64_t const n : {3, 700, 40, 5000, 1, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33}) {
            auto const x = vector<float>(n);
            auto const d = f(x);
            for (std::int64_t i = 0; i < n; i += 97) CHECK(d(i) == doctest::Approx(2 * std::exp(2 * x(i))));
        }
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("tiles: results that are arguments, or of other extents") {
    float k = 3;
    tx::function const f{[&k](auto x) { return x * k - tx::sum(x); }};
    auto x = vector<double>(100);
    auto const want = f(x);
    f.into(x, x);
    CHECK(tx::equal(x, want));
    auto other = vector<double>(3);
    f.into(other, vector<double>(100));
    CHECK(tx::equal(other, want));
    auto shared = other;
    f.into(shared, vector<double>(50));
    CHECK(tx::equal(other, want));
    CHECK(shared.extent(0) == 50);
}
