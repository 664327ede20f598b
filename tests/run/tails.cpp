// This file tests the rest of a row after its whole vectors: with known lengths a narrower vector is used where one fits, with
// others a vector that is cut or reaches back.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

template <class T> T number(std::int64_t i) { return static_cast<T>(i * 37 % 61 - 30); }
template <class Tensor> Tensor numbers(Tensor x) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = number<typename Tensor::value_type>(i);
    return x;
}
template <class X, class Y> void check(X const& x, Y const& y) {
    using T = typename X::value_type;
    auto const got = tx::function{[](auto a, auto b) { return a * 2 + b; }}(x, y);
    CAPTURE(y.size());
    bool all = true;
    for (std::int64_t i = 0; i < x.size(); ++i) all = all && got.data()[i] == static_cast<T>(x.data()[i] * 2 + y.data()[i % y.size()]);
    CHECK(all);
}
template <class T, std::int64_t N> void check_length() {
    using rows = tx::tensor<T, tx::shape<3, N>>;
    using row = tx::tensor<T, tx::shape<N>>;
    rows const x = numbers(rows{});
    row const y = numbers(row{});
    check(x, y);
    check(row(y), y);
    check(tx::tensor<T, tx::shape<tx::dyn, tx::dyn>>(x), tx::tensor<T, tx::shape<tx::dyn>>(y));
    check(tx::tensor<T, tx::shape<tx::dyn>>(y), tx::tensor<T, tx::shape<tx::dyn>>(y));
}
template <class T> void check_lengths() {
    check_length<T, 1025>();
    check_length<T, 1026>();
    check_length<T, 1031>();
    check_length<T, 1032>();
    check_length<T, 1040>();
}

} // namespace

TEST_CASE_TEMPLATE("tails: rows that end in the middle of a vector", T, float, double, std::int32_t) { check_lengths<T>(); }
TEST_CASE("tails: small elements") { check_length<std::int8_t, 1056>(), check_length<tx::half, 1032>(); }
