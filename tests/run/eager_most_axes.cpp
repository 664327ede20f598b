// This file tests elementwise ops of unknown rank in programs that compile the tile executor themselves.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <limits>
#include <string>
#include <vector>

using tx::op, tx::dyn, tx::shape, tx::tensor;
using tx::detail::pointwise_fn, tx::detail::run_with_most_axes;

namespace {
template <op Code, class A, class B> auto run(A const& a, B const& b) {
    using result = decltype(tx::detail::run_eager(pointwise_fn<Code>{}, a, b));
    return run_with_most_axes<result>(pointwise_fn<Code>{}, a, b);
}
template <class T> tensor<T> counted(std::vector<std::int64_t> const& extents, T first) {
    tx::dims to;
    for (std::int64_t const n : extents) to.push_back(n);
    tensor<T> out = tensor<T>::uninitialized(to);
    for (std::int64_t i = 0; i < to.size(); ++i) out.mutable_data()[i] = static_cast<T>(first + static_cast<T>(i));
    return out;
}
// Element `at` of the result's shape, of an operand that broadcasts to it.
template <class T> T element(tensor<T> const& x, tx::dims const& to, std::int64_t at) {
    std::int64_t offset = 0, stride = 1;
    tx::dims const d = x.dimensions();
    for (int k = 1; k <= to.rank; ++k) {
        std::int64_t const place = at % to[to.rank - k];
        at /= to[to.rank - k];
        if (k > d.rank) continue;
        if (d[d.rank - k] != 1) offset += place * stride;
        stride *= d[d.rank - k];
    }
    return x.data()[offset];
}
template <class T> void check(std::vector<std::int64_t> const& a, std::vector<std::int64_t> const& b) {
    tensor<T> const x = counted<T>(a, T(1)), y = counted<T>(b, T(7));
    tensor<T> const sum = run<op::add>(x, y), product = run<op::multiply>(y, x);
    tensor<bool> const less = run<op::less>(x, y);
    tx::dims const d = tx::broadcast(x.dimensions(), y.dimensions());
    REQUIRE(sum.dimensions() == d);
    REQUIRE(product.dimensions() == d);
    REQUIRE(less.dimensions() == d);
    bool equal = true;
    for (std::int64_t i = 0; i < d.size(); ++i) {
        T const left = element(x, d, i), right = element(y, d, i);
        equal = equal && sum.data()[i] == static_cast<T>(left + right) && product.data()[i] == static_cast<T>(left * right) &&
                less.data()[i] == (left < right);
    }
    CHECK(equal);
}
template <class A, class B> bool same(A const& a, B const& b) {
    return a.dimensions() == b.dimensions() && tx::array_equal(a, b)();
}
template <class F> std::string message(F f) {
    try {
        f();
    } catch (tx::error const& e) {
        return e.what();
    }
    return "no error";
}
} // namespace

TEST_CASE_TEMPLATE("operands of all ranks broadcast", T, float, double, int, std::uint8_t) {
    check<T>({}, {});
    check<T>({5}, {});
    check<T>({3, 1}, {2});
    check<T>({4, 3}, {4, 3});
    check<T>({37, 3}, {3});
    check<T>({5, 1, 7}, {6, 1});
    check<T>({2, 3, 4}, {1, 3, 1});
    check<T>({0}, {1});
    check<T>({3, 0}, {3, 1});
    check<T>({2, 1, 2, 1, 2, 1, 2, 3}, {1, 2, 1, 2, 1, 2, 1, 1});
    check<T>({1, 1, 1, 1, 1, 1, 1, 1}, {1000});
}

TEST_CASE("numbers, tensors of known rank and other dtypes take part") {
    tensor<float> const x{{1, 2}, {3, 4}};
    CHECK(same(run<op::add>(x, 2), tensor<float>{{3, 4}, {5, 6}}));
    CHECK(same(run<op::subtract>(1, x), tensor<float>{{0, -1}, {-2, -3}}));
    tensor<float, shape<2, 1>> const column{{10}, {20}};
    CHECK(same(run<op::add>(x, column), tensor<float>{{11, 12}, {23, 24}}));
    tensor<float, shape<dyn, 1, 1>> const many{{{1}}, {{2}}, {{3}}};
    tensor<float> const stacked = run<op::multiply>(many, x);
    CHECK(stacked.dimensions() == tx::dims{{3, 2, 2}, 3});
    CHECK(stacked(2, 1, 0) == 9);
    tensor<std::complex<float>> const z{std::complex<float>(0, 1), std::complex<float>(2, 0)};
    CHECK(run<op::multiply>(z, z)(0) == std::complex<float>(-1, 0));
    tensor<tx::half> const h{tx::half(0.5f), tx::half(2.f)};
    CHECK(static_cast<float>(run<op::add>(h, h)(1)) == 4);
    tensor<std::string> const words{"a", "b"}, ends{"!"};
    CHECK(run<op::add>(words, ends)(1) == "b!");
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(run<op::maximum>(tensor<double>{1, nan}, tensor<double>{nan, 0})(1)));
    tensor<float> const chosen =
        run_with_most_axes<tensor<float>>(tx::detail::where_fn{}, tensor<bool>{{true}, {false}}, x, -1.f);
    CHECK(same(chosen, tensor<float>{{1, 2}, {-1, -1}}));
    CHECK(run_with_most_axes<tensor<int>>(tx::detail::cast_fn<int>{}, tensor<double>{2.7, -2.7})(1) == -2);
}

TEST_CASE("totals of all ranks") {
    using form = tx::detail::form_of<tx::axes_t<>>;
    auto const sum = []<class T>(tensor<T> const& x) {
        return run_with_most_axes<tensor<T>>(tx::detail::total_fn<op::sum, form>{}, x);
    };
    for (std::vector<std::int64_t> const& extents :
         std::vector<std::vector<std::int64_t>>{{}, {7}, {5, 1, 3}, {2, 2, 2, 2, 2, 2, 2, 2}, {0, 3}, {1000, 3}}) {
        tensor<double> const x = counted<double>(extents, 1);
        double const n = static_cast<double>(x.size());
        CHECK(sum(x)() == n * (n + 1) / 2);
        auto const mean = run_with_most_axes<tensor<double>>(tx::detail::mean_fn<form>{}, x);
        if (n > 0) CHECK(mean() == doctest::Approx((n + 1) / 2));
        else CHECK(std::isnan(mean()));
    }
    auto const greatest = [](tensor<float> const& x) {
        return run_with_most_axes<tensor<float>>(tx::detail::extreme_fn<op::max, form>{}, x);
    };
    CHECK(greatest({{1, 5}, {-2, 3}})() == 5);
    tensor<float> const none = counted<float>({0}, 0);
    std::string const said = message([&] { greatest(none); });
    CHECK(said == message([&] { static_cast<void>(tx::max(none)); }));
    CHECK(said == "tx: max: must not reduce an axis of extent 0; given (0,)");
    CHECK_THROWS_AS(greatest(counted<float>({0, 3}, 0)), tx::shape_error);
}

TEST_CASE("what does not broadcast is refused in the words of the other executors") {
    tensor<float> const a{1, 2, 3}, b{1, 2};
    std::string const said = message([&] { run<op::add>(a, b); });
    CHECK(said == message([&] { static_cast<void>(a + b); }));
    CHECK(said == "tx: add: shapes must broadcast: extents, aligned from the right, are equal or 1; given (3,), (2,)");
    CHECK(run<op::add>(a, a)(2) == 6);
}

TEST_CASE("results share nothing with operands, and calls of other extents follow one another") {
    tensor<float> a{1, 2, 3};
    tensor<float> const zero = 0.f, sum = run<op::add>(a, zero);
    a(0) = 9;
    CHECK(sum(0) == 1);
    for (std::int64_t n : {1, 17, 3, 64, 17}) CHECK(run<op::add>(counted<float>({n}, 0), zero).size() == n);
}

TEST_CASE("a tape sees the op on its operands") {
    tensor<float> const x{{1, 2}, {3, 4}}, row{5, 6};
    tx::gradient_tape tape;
    tape.watch(x), tape.watch(row);
    tensor<float> const y = run<op::multiply>(x, row);
    auto const [by_x, by_row] = tape.gradient(tx::sum(y), std::tuple(x, row));
    CHECK(same(by_x, tensor<float>{{5, 6}, {5, 6}}));
    CHECK(same(by_row, tensor<float>{4, 6}));
}
