// This file tests functions that are traced at run time, on several threads: they give the same bits as on one, for loops of
// every form.
#include <run/on_checks.hpp>

#include <atomic>
#include <complex>
#include <thread>

using tx::testing::bytes_of, tx::testing::numbers;

namespace {

constexpr std::int64_t n = tx::dyn;
template <class T> auto matrix(std::int64_t rows, std::int64_t columns) { return numbers<T, tx::shape<n, n>>({{rows, columns}, 2}); }
template <class T> auto row(std::int64_t length) { return numbers<T, tx::shape<n>>({{length}, 1}); }

template <class F, class... A> void check(F const& f, A const&... a) {
    tx::function const alone{[&f](auto const&... x) { return f(x...); }}; // which captures something
    auto const results = alone(a...);
    auto const want = bytes_of(results);
    for (int threads : {1, 2, 3, 5}) {
        CAPTURE(threads);
        auto const placed = tx::on(tx::cpu{.threads = threads}, alone);
        CHECK(bytes_of(placed(a...)) == want);
        auto out = results;
        placed.into(out, a...);
        CHECK(bytes_of(out) == want);
        CHECK(placed.tracing_count() == 1);
    }
}

template <class T> void check_pointwise() {
    auto const f = [](auto const& x, auto const& y) { return std::tuple(tx::exp(-x * x) * y + tx::tanh(x), x + y, tx::where(x > y, x, y * 2)); };
    for (std::int64_t length : {0, 5, 1000, 100'000, 1'000'003}) {
        CAPTURE(length);
        check(f, row<T>(length), row<T>(length));
    }
    check(f, matrix<T>(700, 301), row<T>(301));
    check(f, matrix<T>(3, 100'001), row<T>(1));
    check(f, matrix<T>(20, 2048), row<T>(2048));
    check(f, matrix<T>(31, 4096), row<T>(4096));
    check([](auto const& x) { return std::tuple(tx::transpose(x) * 2 + 1, tx::flip<1>(x) * x); }, matrix<T>(517, 523));
    check([](auto const& x, auto const& y) { return std::tuple(tx::expand_dims<0>(x) * tx::expand_dims<1>(y)); }, matrix<T>(61, 45), matrix<T>(61, 45));
}

} // namespace

TEST_CASE("on: loops over elements of what is traced at run time") {
    check_pointwise<float>();
    check_pointwise<double>();
}
TEST_CASE("on: totals of what is traced at run time") {
    auto const f = [](auto const& x, auto const& y) { return std::tuple(tx::sum((x - y) * (x - y)), tx::max(x * y), tx::mean(x), tx::prod(1.0f + x * 1e-6f)); };
    for (std::int64_t length : {5, 70'000, 131'072 + 5, 300'000, 1'000'003, 4'000'000}) {
        CAPTURE(length);
        check(f, row<float>(length), row<float>(length) + 1.0f);
    }
    check(f, row<double>(700'001), row<double>(1));
    check([](auto const& x) { return std::tuple(tx::sum(x), tx::min(x)); }, row<std::int32_t>(2'000'000));
    check([](auto const& x) { return std::tuple(tx::sum(x)); }, matrix<float>(1000, 1003));
}
TEST_CASE("on: long sums of complex numbers, whose tiles are small") {
    using complex = std::complex<double>;
    for (std::int64_t length : {256, 300, 400, 511, 70'000})
        check(
            [](auto const& x) {
                auto product = tx::exp(x * complex(0.1));
                auto const a = tx::exp(x * complex(0.2)), b = tx::exp(x * complex(0.3)), c = tx::exp(x * complex(0.4)), d = tx::exp(x * complex(0.5));
                return std::tuple(tx::sum(product * a * b * c * d + a * b + c * d + a * d));
            },
            row<complex>(length));
}
TEST_CASE("on: rows and columns of what is traced at run time") {
    auto const rows = [](auto const& x) {
        auto const centred = x - tx::mean(x, tx::axis<-1>, tx::keepdims);
        return std::tuple(tx::softmax(x), tx::sum<-1>(x * x), centred / tx::sqrt(tx::mean(centred * centred, tx::axis<-1>, tx::keepdims) + 1e-5f), tx::max<-1>(x));
    };
    auto const columns = [](auto const& x) {
        auto const centred = x - tx::mean<0>(x);
        return std::tuple(centred / tx::sqrt(tx::mean<0>(centred * centred)), tx::sum<0>(x * x), tx::max<0>(x), tx::softmax(x, tx::axis<0>));
    };
    for (auto [height, width] : {std::pair{2000, 33}, {150, 1000}, {3, 50'000}, {60'000, 3}, {1500, 256}, {7, 20'000}}) {
        CAPTURE(height);
        check(rows, matrix<float>(height, width));
        check(columns, matrix<float>(height, width));
    }
    check(rows, matrix<double>(301, 999));
    check(columns, matrix<double>(999, 301));
    check([](auto const& x) { return std::tuple(tx::sum<1>(x), tx::max<0, 2>(x), tx::sum<0>(x), x - tx::mean<0, 1>(x)); },
          numbers<float, tx::shape<n, n, n>>({{70, 61, 53}, 3}));
}
TEST_CASE("on: lookups, scans, derivatives and branches of what is traced at run time") {
    auto places = tx::tensor<std::int64_t, tx::shape<n>>::uninitialized({{50'000}, 1});
    for (std::int64_t i = 0; i < places.size(); ++i) places.mutable_data()[i] = i * 7919 % 50'000;
    check([](auto const& x, auto const& at) { return std::tuple(tx::take<0>(x, at) * 2 + x, tx::cumsum<0>(x * x), tx::argmax<0>(x)); }, row<float>(50'000), places);
    check([](auto const& x) { return std::tuple(tx::grad([](auto const& a) { return tx::sum(tx::tanh(a) * a * a + tx::exp(-a)); })(x)); }, row<float>(200'001));
    check(
        [](auto const& x) {
            return std::tuple(tx::cond(tx::sum(x) > 0, [](auto const& a) { return tx::exp(a) * a; }, [](auto const& a) { return -tx::sin(a); }, x));
        },
        row<float>(300'000));
}
TEST_CASE("on: run-time traces on several threads, called by several") {
    auto const x = row<float>(300'000);
    float const one = 1;
    auto const f = tx::on(tx::cpu{3}, [one](auto const& a) { return tx::sum(tx::exp(a)) + one; });
    tx::testing::check_called_at_once(f, x);
    CHECK(f.tracing_count() == 1);
}
TEST_CASE("on: what a trace captures, and any shape") {
    auto w = row<float>(400'000);
    auto const f = tx::on(tx::cpu{2}, [&w](auto const& x) { return x * w + tx::sum(w); });
    tx::tensor<float, tx::any_shape> const x = tx::ones<float, tx::shape<n>>(400'000);
    CHECK(tx::equal(f(x), w + tx::function{[&w](auto const& one) { return one * tx::sum(w); }}(tx::tensor<float, tx::shape<>>(1.0f))));
}
