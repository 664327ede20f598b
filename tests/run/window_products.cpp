// This file tests products of sliding windows, written as matmul, tensordot and einsum: they give the numbers of plain loops,
// where the windows are read in place and where they are not; and derivatives. All numbers are small integers, so that sums are
// exact.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::axis, tx::dyn, tx::shape, tx::tensor;

namespace {

using std::int64_t;
template <class T, class Shape, class... N> tensor<T, Shape> numbers(N... extents) {
    auto out = tx::zeros<T, Shape>(extents...);
    for (int64_t k = 0; k < out.size(); ++k) out.mutable_data()[k] = static_cast<T>((k * 7 + k / 11) % 13 - 6);
    return out;
}
template <class T> T at(tensor<T, shape<dyn, dyn, dyn>> const& x, int64_t i, int64_t j, int64_t k) {
    return x.data()[(i * x.extent(1) + j) * x.extent(2) + k];
}

constexpr auto filtered = [](auto x, auto w) { return tx::matmul(tx::sliding_window_view<7>(x), w); };
constexpr auto filtered_from_left = [](auto x, auto w) { return tx::matmul(w, tx::transpose(tx::sliding_window_view<7>(x))); };

// Channels first: (c, h, w) with (o, c, 3, 2), as three calls say it.
constexpr auto by_einsum = [](auto x, auto w) { return tx::einsum<"chwab,ocab->ohw">(tx::sliding_window_view<3, 2>(x, axis<1, 2>), w); };
constexpr auto by_tensordot = [](auto x, auto w) { return tx::tensordot(w, tx::sliding_window_view<3, 2>(x, axis<1, 2>), axis<1, 2, 3>, axis<0, 3, 4>); };
constexpr auto by_slices = [](auto x, auto w) {
    constexpr int64_t h = tx::extent<1>(x) - 2, v = tx::extent<2>(x) - 1;
    auto sum = tx::zeros<float, shape<tx::extent<0>(w), h, v>>() + 0.f * tx::sum(x);
    auto const one = [&]<int64_t A, int64_t B>(std::integral_constant<int64_t, A>, std::integral_constant<int64_t, B>) {
        auto const part = tx::slice(x, tx::range<>, tx::range<A, A + h>, tx::range<B, B + v>);
        auto const of = tx::slice(w, tx::range<>, tx::range<>, tx::at<A>, tx::at<B>);
        sum = sum + tx::tensordot(of, part, axis<1>, axis<0>);
    };
    [&]<int64_t... K>(std::integer_sequence<int64_t, K...>) {
        (one(std::integral_constant<int64_t, K / 2>{}, std::integral_constant<int64_t, K % 2>{}), ...);
    }(std::make_integer_sequence<int64_t, 6>{});
    return sum;
};
template <class F> bool is_convolution(F f) {
    auto const x = numbers<float, shape<5, 11, 38>>();
    auto const w = numbers<float, shape<4, 5, 3, 2>>();
    return tx::equal(tx::static_function{f}(x, w), tx::static_function{by_slices}(x, w));
}

} // namespace

TEST_CASE("window products: matrix times vector, and vector times matrix") {
    auto const w = numbers<float, shape<7>>();
    auto const check = [&](auto const& x) {
        auto const y = tx::function{filtered}(x, w), z = tx::function{filtered_from_left}(x, w);
        for (int64_t i = 0; i < y.size(); ++i) {
            float sum = 0;
            for (int64_t k = 0; k < 7; ++k) sum += x.data()[i + k] * w.data()[k];
            CHECK(y.data()[i] == sum);
            CHECK(z.data()[i] == sum);
        }
    };
    check(numbers<float, shape<7>>());
    check(numbers<float, shape<100>>());
    for (int64_t const n : {7, 8, 21, 22, 23, 70, 200}) check(numbers<float, shape<dyn>>(n));
}
TEST_CASE("window products: several filters, whose columns are neighbours") {
    auto const x = numbers<double, shape<60>>();
    auto const w = numbers<double, shape<7, 20>>();
    auto const y = tx::static_function{filtered}(x, w);
    auto const open = tx::function{filtered}(tensor<double, shape<dyn>>(x), tensor<double, shape<7, dyn>>(w));
    for (int64_t i = 0; i < 54; ++i)
        for (int64_t o = 0; o < 20; ++o) {
            double sum = 0;
            for (int64_t k = 0; k < 7; ++k) sum += x.data()[i + k] * w.data()[k * 20 + o];
            CHECK(y.data()[i * 20 + o] == sum);
            CHECK(open.data()[i * 20 + o] == sum);
        }
}
TEST_CASE("window products: convolutions of images") {
    CHECK(is_convolution(by_einsum));
    CHECK(is_convolution(by_tensordot));
    // Channels last, each with a filter of its own.
    auto const x = numbers<float, shape<9, 10, 17>>();
    auto const w = numbers<float, shape<3, 3, 17>>();
    auto const y = tx::static_function{[](auto image, auto of) { return tx::einsum<"hwcab,abc->hwc">(tx::sliding_window_view<3, 3>(image, axis<0, 1>), of); }}(x, w);
    tensor<float, shape<dyn, dyn, dyn>> const image(x), weights(w), out(y);
    for (int64_t i = 0; i < 7; ++i)
        for (int64_t j = 0; j < 8; ++j)
            for (int64_t c = 0; c < 17; ++c) {
                float sum = 0;
                for (int64_t a = 0; a < 3; ++a)
                    for (int64_t b = 0; b < 3; ++b) sum += at(image, i + a, j + b, c) * at(weights, a, b, c);
                CHECK(at(out, i, j, c) == sum);
            }
}
TEST_CASE("window products: of integers, and of windows with windows") {
    auto const x = numbers<std::int32_t, shape<40>>();
    auto const y = tx::static_function{filtered}(x, numbers<std::int32_t, shape<7>>());
    auto const gram = tx::static_function{[](auto z) {
        auto const windows = tx::sliding_window_view<5>(z);
        return tx::matmul(tx::transpose(windows), windows);
    }}(x);
    auto const w = numbers<std::int32_t, shape<7>>();
    for (int64_t i = 0; i < 34; ++i) {
        std::int32_t sum = 0;
        for (int64_t k = 0; k < 7; ++k) sum += x.data()[i + k] * w.data()[k];
        CHECK(y.data()[i] == sum);
    }
    for (int64_t a = 0; a < 5; ++a)
        for (int64_t b = 0; b < 5; ++b) {
            std::int32_t sum = 0;
            for (int64_t i = 0; i < 36; ++i) sum += x.data()[i + a] * x.data()[i + b];
            CHECK(gram.data()[a * 5 + b] == sum);
        }
}
TEST_CASE("window products: derivatives are those of slices") {
    constexpr auto loss = [](auto f) { return [f](auto x, auto w) { return tx::sum(tx::square(f(x, w))); }; };
    auto const x = numbers<float, shape<5, 11, 38>>();
    auto const w = numbers<float, shape<4, 5, 3, 2>>();
    auto const [dx, dw] = tx::function{tx::grad<0, 1>(loss(by_einsum))}(x, w);
    auto const [dx_of_slices, dw_of_slices] = tx::function{tx::grad<0, 1>(loss(by_slices))}(x, w);
    CHECK(tx::equal(dx, dx_of_slices));
    CHECK(tx::equal(dw, dw_of_slices));
}
TEST_CASE("window products: of unknown extents, which must agree") {
    using matrix = tensor<float, shape<dyn, dyn>>;
    auto const x = numbers<float, shape<20>>();
    tensor<float, shape<dyn>> const open(x);
    constexpr auto product = [](auto row, auto w) { return tx::matmul(tx::sliding_window_view<5>(row), w); };
    auto const ones = [](int64_t rows, int64_t columns) { return matrix(tx::zeros<float>(rows, columns) + 1.0f); };
    CHECK(tx::equal(tx::function{product}(open, ones(5, 3)), product(open, ones(5, 3))));
    for (matrix const& w : {ones(10, 3), ones(6, 5), ones(0, 3), ones(1, 3)}) CHECK_THROWS_AS(tx::function{product}(open, w), tx::shape_error);
    constexpr auto turned = [](auto row, auto w) { return tx::matmul(w, tx::transpose(tx::sliding_window_view<5>(row))); };
    CHECK(tx::equal(tx::function{turned}(open, ones(3, 5)), turned(open, ones(3, 5))));
    CHECK_THROWS_AS(tx::function{turned}(open, ones(3, 10)), tx::shape_error);
    constexpr auto gradient = [](auto row, auto y) { return tx::matmul(tx::transpose(tx::sliding_window_view<5>(row)), y); };
    CHECK(tx::equal(tx::function{gradient}(open, ones(16, 3)), gradient(open, ones(16, 3))));
    CHECK_THROWS_AS(tx::function{gradient}(open, ones(1, 3)), tx::shape_error);
    // A batch, and three unknown extents in the other factor.
    auto const each = tx::vmap([](auto row, auto w) { return tx::matmul(tx::sliding_window_view<5>(row), w); });
    auto const batch = tx::function{each}(ones(2, 20), tensor<float, shape<dyn, dyn, dyn>>(tx::zeros<float>(2, 5, 3) + 1.0f));
    CHECK(batch.extents() == tx::zeros<float>(2, 16, 3).extents());
    for (int64_t k = 0; k < batch.size(); ++k) CHECK(batch.data()[k] == 5);
}
