// This file tests one op that is not a loop, on tensors of unknown extents: a product, scans, sorts, places of extremes, joins.
#include <tracexpr/tracexpr.hpp>

#include <messages.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

template <class T> using matrix = tensor<T, shape<dyn, dyn>>;
template <class T> matrix<T> table(std::int64_t rows, std::int64_t columns, int of) {
    matrix<T> out(rows, columns);
    T* const to = out.mutable_data();
    for (std::int64_t i = 0; i < rows * columns; ++i) to[i] = static_cast<T>((i * 37 + of * 11) % 23);
    return out;
}
template <class A, class F> std::int64_t differences(A const& got, F const& wanted) {
    std::int64_t out = 0, rows = got.extent(0), columns = got.extent(1);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) out += got.data()[i * columns + j] != wanted(i, j);
    return out;
}

} // namespace

TEST_CASE_TEMPLATE("small programs: products", T, float, double, std::int64_t) {
    for (std::int64_t const n : {1, 2, 5, 33}) {
        auto const a = table<T>(n, 7, 0), b = table<T>(7, n + 1, 1);
        auto const c = tx::matmul(a, b);
        REQUIRE(c.dimensions() == tx::dims{{n, n + 1}, 2});
        CHECK(differences(c, [&](std::int64_t i, std::int64_t j) {
                  T sum{};
                  for (std::int64_t k = 0; k < 7; ++k) sum += a.data()[i * 7 + k] * b.data()[k * (n + 1) + j];
                  return sum;
              }) == 0);
    }
    CHECK(tx::matmul(table<T>(0, 3, 0), table<T>(3, 2, 0)).dimensions() == tx::dims{{0, 2}, 2});
    auto const none = tx::matmul(table<T>(2, 0, 0), table<T>(0, 3, 0));
    CHECK(differences(none, [](std::int64_t, std::int64_t) { return T(0); }) == 0);
    std::string const message = message_of([] { (void)tx::matmul(table<T>(2, 3, 0), table<T>(4, 2, 0)); });
    CHECK(message.find("matmul") != std::string::npos);
    CHECK(message.find("(2, 3)") != std::string::npos);
}

TEST_CASE_TEMPLATE("small programs: scans, sorts, places", T, float, double, std::int32_t, std::uint8_t) {
    for (std::int64_t const columns : {1, 2, 9, 40}) {
        auto const x = table<T>(3, columns, 2);
        auto const row = [&](std::int64_t i) { return std::vector<T>(x.data() + i * columns, x.data() + (i + 1) * columns); };
        auto const sorted = [&](std::int64_t i) {
            auto out = row(i);
            std::sort(out.begin(), out.end());
            return out;
        };
        using places = std::size_t;
        CHECK(differences(tx::sort(x, tx::axis<1>),
                          [&](std::int64_t i, std::int64_t j) { return sorted(i)[static_cast<places>(j)]; }) == 0);
        CHECK(differences(tx::cummax(x, tx::axis<1>), [&](std::int64_t i, std::int64_t j) {
                  auto const r = row(i);
                  return *std::max_element(r.begin(), r.begin() + j + 1);
              }) == 0);
        CHECK(differences(tx::cumsum(tx::cast<double>(x), tx::axis<1>), [&](std::int64_t i, std::int64_t j) {
                  auto const r = row(i);
                  return std::accumulate(r.begin(), r.begin() + j + 1, 0.0);
              }) == 0);
        auto const at = tx::argmax(x, tx::axis<1>);
        for (std::int64_t i = 0; i < 3; ++i) {
            auto const r = row(i);
            CHECK(at(i) == std::max_element(r.begin(), r.end()) - r.begin());
        }
    }
    CHECK(tx::sort(table<T>(3, 0, 0), tx::axis<1>).dimensions() == tx::dims{{3, 0}, 2});
    CHECK(message_of([] { (void)tx::argmax(table<T>(3, 0, 0), tx::axis<1>); }).find("argmax") != std::string::npos);
}

TEST_CASE("small programs: joins") {
    auto const a = table<float>(2, 3, 0), b = table<float>(2, 4, 1), none = table<float>(2, 0, 1);
    auto const joined = tx::concat(tx::axis<1>, a, b);
    REQUIRE(joined.dimensions() == tx::dims{{2, 7}, 2});
    CHECK(differences(joined, [&](std::int64_t i, std::int64_t j) {
              return j < 3 ? a.data()[i * 3 + j] : b.data()[i * 4 + j - 3];
          }) == 0);
    CHECK(tx::equal(tx::concat(tx::axis<1>, a, none), a));
    CHECK(!message_of([&] { (void)tx::concat(tx::axis<0>, a, b); }).empty());
}

TEST_CASE("small programs: tapes record them, traces take them in") {
    auto const a = table<double>(3, 3, 0), b = table<double>(3, 3, 1);
    tx::gradient_tape tape;
    tape.watch(a);
    auto const c = tx::matmul(a, b);
    auto const slope = tape.gradient(tx::sum(c), a);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) CHECK(slope(i, j) == doctest::Approx(b(j, 0) + b(j, 1) + b(j, 2)));
    tx::function const f{[&](auto x) { return x + tx::matmul(a, b); }};
    CHECK(tx::equal(f(a), a + c));
}
