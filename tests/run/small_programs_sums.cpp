// This file tests reductions, views, broadcasts and compositions on few elements, which run one op after the other, against loops
// over all elements.
#include <tracexpr/tracexpr.hpp>

#include <messages.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

template <class T> T number(std::int64_t i) { return static_cast<T>((i * 37 + 11) % 23 + 1); }
template <class T> tensor<T, shape<dyn, dyn, dyn>> block(std::int64_t a, std::int64_t b, std::int64_t c) {
    tensor<T, shape<dyn, dyn, dyn>> out(a, b, c);
    T* const to = out.mutable_data();
    for (std::int64_t i = 0; i < out.size(); ++i) to[i] = number<T>(i);
    return out;
}
// Each element is f of what x has along the axes that are gone, in order, and at the places of the others.
template <class T, class Got, class F>
void check_reduced(Got const& got, tensor<T, shape<dyn, dyn, dyn>> const& x, std::vector<bool> const& gone, F const& f) {
    std::int64_t const n[]{x.extent(0), x.extent(1), x.extent(2)};
    std::int64_t kept[3], along[3];
    for (std::size_t k = 0; k < 3; ++k) kept[k] = gone[k] ? 1 : n[k], along[k] = gone[k] ? n[k] : 1;
    REQUIRE(got.size() == kept[0] * kept[1] * kept[2]);
    std::int64_t wrong = 0, at = 0;
    for (std::int64_t i = 0; i < kept[0]; ++i)
        for (std::int64_t j = 0; j < kept[1]; ++j)
            for (std::int64_t k = 0; k < kept[2]; ++k) {
                std::vector<T> all;
                for (std::int64_t p = 0; p < along[0]; ++p)
                    for (std::int64_t q = 0; q < along[1]; ++q)
                        for (std::int64_t r = 0; r < along[2]; ++r)
                            all.push_back(x.data()[((i + p) * n[1] + j + q) * n[2] + k + r]);
                wrong += !(std::abs(static_cast<double>(got.data()[at++]) - f(all)) <= 1e-4 * std::abs(f(all)));
            }
    CHECK(wrong == 0);
}
template <class T> double total(std::vector<T> const& all) { return std::accumulate(all.begin(), all.end(), 0.0); }
template <class T> double largest(std::vector<T> const& all) {
    return static_cast<double>(*std::max_element(all.begin(), all.end()));
}
template <class T> double average(std::vector<T> const& all) { return total(all) / static_cast<double>(all.size()); }

template <class T, class Axes>
void check_axes(tensor<T, shape<dyn, dyn, dyn>> const& x, Axes axes, std::vector<bool> const& gone) {
    check_reduced<T>(tx::sum(x, axes), x, gone, total<T>);
    check_reduced<T>(tx::sum(x, axes, tx::keepdims), x, gone, total<T>);
    check_reduced<T>(tx::max(x, axes), x, gone, largest<T>);
    check_reduced<T>(tx::mean(x, axes, tx::keepdims), x, gone, average<T>);
    CHECK(tx::sum(x, axes, tx::keepdims).rank() == 3);
}

} // namespace

TEST_CASE_TEMPLATE("small programs: reductions along any axes", T, float, double, int, std::int64_t) {
    std::int64_t const extents[][3]{{1, 1, 1},   {2, 3, 4},   {1, 5, 1},    {3, 1, 17},
                                    {4, 300, 1}, {2, 130, 3}, {1, 1, 9000}, {700, 2, 2}};
    for (auto const& n : extents) {
        CAPTURE(n[0]);
        CAPTURE(n[1]);
        CAPTURE(n[2]);
        auto const x = block<T>(n[0], n[1], n[2]);
        check_axes(x, tx::axis<0>, {true, false, false});
        check_axes(x, tx::axis<1>, {false, true, false});
        check_axes(x, tx::axis<2>, {false, false, true});
        check_axes(x, tx::axis<0, 1>, {true, true, false});
        check_axes(x, tx::axis<0, 2>, {true, false, true});
        check_axes(x, tx::axis<1, 2>, {false, true, true});
        check_axes(x, tx::axis<0, 1, 2>, {true, true, true});
    }
}

TEST_CASE("small programs: NaNs and truth") {
    float const nan = std::nanf("");
    tensor<float, shape<dyn, dyn>> x(3, 20);
    for (std::int64_t i = 0; i < 60; ++i) x.mutable_data()[i] = static_cast<float>(i % 7);
    x(1, 19) = nan;
    auto const rows = tx::max(x, tx::axis<1>);
    CHECK(rows(0) == 6);
    CHECK(std::isnan(rows(1)));
    CHECK(std::isnan(tx::min(x).item()));
    CHECK(tx::sum(tx::isnan(x)).item() == 1);
    CHECK(tx::any(tx::isnan(x)).item());
    CHECK(!tx::all(tx::isnan(x)).item());
    auto const in_row = tx::any(tx::isnan(x), tx::axis<1>);
    CHECK((!in_row(0) && in_row(1) && !in_row(2)));
}

TEST_CASE_TEMPLATE("small programs: views", T, std::uint8_t, tx::half, float, double, std::complex<double>) {
    auto const x = [] {
        tensor<T, shape<dyn, dyn, dyn>> out(3, 4, 5);
        for (std::int64_t i = 0; i < 60; ++i) out.mutable_data()[i] = T(static_cast<float>(i));
        return out;
    }();
    auto const at = [&](std::int64_t i, std::int64_t j, std::int64_t k) { return x.data()[(i * 4 + j) * 5 + k]; };
    auto const turned = tx::transpose<2, 0, 1>(x);
    auto const back = tx::flip<0, 2>(x);
    auto const part = tx::slice(x, tx::range<1, 3>, tx::range<3, 0, -2>, tx::range<0, tx::open, 2>);
    auto const one = tx::slice(x, tx::at<2>, tx::range<>, tx::at<-1>);
    auto const flat = tx::reshape<dyn>(x);
    auto const wide = tx::broadcast_to<2, 3, 4, 5>(x);
    auto const windows = tx::sliding_window_view<2>(x, tx::axis<1>);
    REQUIRE(turned.dimensions() == tx::dims{{5, 3, 4}, 3});
    REQUIRE(part.dimensions() == tx::dims{{2, 2, 3}, 3});
    REQUIRE(one.dimensions() == tx::dims{{4}, 1});
    REQUIRE(flat.dimensions() == tx::dims{{60}, 1});
    REQUIRE(windows.dimensions() == tx::dims{{3, 3, 5, 2}, 4});
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j)
            for (std::int64_t k = 0; k < 5; ++k) {
                wrong += turned(k, i, j) != at(i, j, k) || back(i, j, k) != at(2 - i, j, 4 - k);
                wrong += flat((i * 4 + j) * 5 + k) != at(i, j, k) || wide(1, i, j, k) != at(i, j, k);
                if (j < 3) wrong += windows(i, j, k, 0) != at(i, j, k) || windows(i, j, k, 1) != at(i, j + 1, k);
                if (i < 2 && j < 2 && k < 3) wrong += part(i, j, k) != at(i + 1, 3 - 2 * j, 2 * k);
            }
    for (std::int64_t j = 0; j < 4; ++j) wrong += one(j) != at(2, j, 4);
    CHECK(wrong == 0);
    tensor<T, shape<dyn, dyn>> const square = tx::reshape<dyn, 6>(tx::slice(flat, tx::range<0, 36>));
    auto const corner = tx::diagonal(square);
    for (std::int64_t i = 0; i < 6; ++i) CHECK(corner(i) == square(i, i));
}

TEST_CASE("small programs: operands that broadcast along several axes") {
    for (std::int64_t const n : {1, 3, 40})
        for (std::int64_t const m : {1, 2, 33}) {
            CAPTURE(n);
            CAPTURE(m);
            tensor<float, shape<dyn, dyn>> column(n, 1), row(1, m), all(n, m);
            for (std::int64_t i = 0; i < n; ++i) column(i, 0) = static_cast<float>(i);
            for (std::int64_t j = 0; j < m; ++j) row(0, j) = static_cast<float>(3 * j);
            for (std::int64_t i = 0; i < n * m; ++i) all.mutable_data()[i] = number<float>(i);
            auto const sum = column - row, less = all - column, chosen = tx::where(column > row, all, row);
            auto const both = tx::pow(all, column / 40);
            REQUIRE(sum.dimensions() == tx::dims{{n, m}, 2});
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < m; ++j) {
                    wrong += sum(i, j) != column(i, 0) - row(0, j) || less(i, j) != all(i, j) - column(i, 0);
                    wrong += chosen(i, j) != (column(i, 0) > row(0, j) ? all(i, j) : row(0, j));
                    wrong += std::abs(both(i, j) / std::pow(all(i, j), column(i, 0) / 40) - 1) > 1e-5f;
                }
            CHECK(wrong == 0);
        }
    tensor<double, shape<dyn, dyn, dyn>> const deep = block<double>(2, 3, 4), thin = block<double>(2, 1, 4);
    auto const product = deep * thin;
    for (std::int64_t i = 0; i < 24; ++i) CHECK(product.data()[i] == deep.data()[i] * thin.data()[i / 12 * 4 + i % 4]);
}

TEST_CASE("small programs: compositions of ops and of dtypes") {
    tensor<int, shape<dyn>> counts(5);
    tensor<float, shape<dyn>> x(5);
    for (int i = 0; i < 5; ++i) counts(i) = i + 1, x(i) = .5f * static_cast<float>(i);
    auto const halves = counts / 2;
    auto const mixed = counts + x;
    static_assert(std::is_same_v<decltype(mixed)::value_type, float>);
    for (int i = 0; i < 5; ++i) {
        CHECK(static_cast<double>(halves(i)) == (i + 1) / 2.0);
        CHECK(mixed(i) == static_cast<float>(i + 1) + x(i));
    }
    CHECK(tx::mean(counts).item() == 3);
    CHECK(tx::std(x).item() == doctest::Approx(std::sqrt(.5)));
    auto const weights = tx::softmax(x);
    double norm = 0;
    for (int i = 0; i < 5; ++i) norm += std::exp(.5 * i);
    for (int i = 0; i < 5; ++i) CHECK(weights(i) == doctest::Approx(std::exp(.5 * i) / norm));
    CHECK(tx::norm(x).item() == doctest::Approx(std::sqrt(7.5)));
}

TEST_CASE("small programs: of any rank") {
    tensor<float> const x = tx::reshape<2, 3>(tx::arange<float>(0, 6)), row = tx::arange<float>(0, 3),
                        two = tensor<float, shape<>>(2.0f);
    auto const sum = x + row, twice = 2 * x, power = tx::pow(x, two);
    REQUIRE(sum.dimensions() == tx::dims{{2, 3}, 2});
    for (std::int64_t i = 0; i < 6; ++i) {
        CHECK(sum.data()[i] == static_cast<float>(i + i % 3));
        CHECK(twice.data()[i] == static_cast<float>(2 * i));
        CHECK(power.data()[i] == static_cast<float>(i * i));
    }
    CHECK((row + two).dimensions() == tx::dims{{3}, 1});
    tensor<float> const four = tx::arange<float>(0, 4);
    CHECK(message_of([&] { (void)(x + four); }).find("(4,)") != std::string::npos);
    tensor<int> const counts = tx::cast<int>(x);
    CHECK(tx::isnan(counts).dimensions() == x.dimensions()); // which needs no element
    CHECK(tx::isfinite(counts).dimensions() == x.dimensions());
    CHECK(tx::all(tx::isfinite(counts)).item());
    CHECK(tx::floor(counts).dimensions() == x.dimensions());
    CHECK(tx::where(true, x, row).dimensions() == x.dimensions());
    tensor<double> const begin = tx::cast<double>(x);
    tx::gradient_tape tape;
    tape.watch(begin);
    auto const slope = tape.gradient(tx::sum(begin * begin), begin);
    for (std::int64_t i = 0; i < 6; ++i) CHECK(slope.data()[i] == 2.0 * static_cast<double>(i));
}

TEST_CASE("small programs: no elements, and what doesn't fit") {
    tensor<float, shape<dyn, dyn>> const none(0, 3);
    CHECK(tx::sum(none).item() == 0);
    CHECK(tx::sum(none, tx::axis<0>).size() == 3);
    CHECK(tx::transpose(none).dimensions() == tx::dims{{3, 0}, 2});
    CHECK(message_of([&] { (void)tx::max(none); }) != "");
    CHECK(tx::slice(tx::arange<float>(0, 4), tx::range<2, 2>).size() == 0);
    tensor<float, shape<dyn>> const x(6);
    CHECK(message_of([&] { (void)tx::reshape<4, dyn>(x); }) != "");
}
