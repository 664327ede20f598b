// This file tests row nests: a reduction along the rows and further passes over them, for rows of every length, against plain
// loops in double.
#include <doctest/doctest.h>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace {

tx::function softmax{[](auto x) { return tx::softmax(x, tx::axis<-1>); }};
tx::function norm{[](auto x, auto gain) {
    auto centred = x - tx::mean(x, tx::axis<-1>, tx::keepdims);
    return centred * tx::rsqrt(tx::mean(tx::square(centred), tx::axis<-1>, tx::keepdims) + 1e-5) * gain;
}};
// What the first loop stores and sums are results, too.
tx::function shares{[](auto x) {
    auto e = tx::exp(x);
    auto total = tx::sum(e, tx::axis<-1>);
    return std::tuple{e, total, e / tx::expand_dims(total, tx::axis<-1>)};
}};

using row = std::vector<double>;
row softmax_of(row x) {
    double const largest = *std::max_element(x.begin(), x.end());
    double total = 0;
    for (double& e : x) total += e = std::exp(e - largest);
    for (double& e : x) e /= total;
    return x;
}
row norm_of(row x, row const& gain) {
    double const count = static_cast<double>(x.size()), mean = std::accumulate(x.begin(), x.end(), 0.0) / count;
    double squares = 0;
    for (double& e : x) e -= mean, squares += e * e;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= gain[i] / std::sqrt(squares / count + 1e-5);
    return x;
}

template <class Tensor> void fill(Tensor& x) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<typename Tensor::value_type>(3 * std::sin(static_cast<double>(i * i)));
}
template <class T> void check_row(T const* got, row const& want) {
    double const tolerance = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::abs(static_cast<double>(got[i]) - want[i]) <= tolerance * std::max(1.0, std::abs(want[i])));
}

template <class Tensor, class Gain> void check_nests(Tensor x, Gain gain) {
    fill(x), fill(gain);
    auto const columns = static_cast<std::size_t>(gain.size());
    auto const soft = softmax(x);
    auto const normed = norm(x, gain);
    auto const [e, total, share] = shares(x);
    for (std::int64_t at = 0, number = 0; at < x.size(); at += gain.size(), ++number) {
        row const here(x.data() + at, x.data() + at + columns);
        CAPTURE(columns);
        CAPTURE(number);
        check_row(soft.data() + at, softmax_of(here));
        check_row(normed.data() + at, norm_of(here, row(gain.data(), gain.data() + columns)));
        row exps;
        for (double a : here) exps.push_back(std::exp(a));
        check_row(e.data() + at, exps);
        check_row(total.data() + number, {std::accumulate(exps.begin(), exps.end(), 0.0)});
        check_row(share.data() + at, softmax_of(here));
    }
}
template <class T, std::int64_t Columns, std::int64_t... Rows> void check_static() {
    check_nests(tx::tensor<T, tx::shape<Rows..., Columns>>(), tx::tensor<T, tx::shape<Columns>>());
}

} // namespace

TEST_CASE("nests: rows of known length") {
    check_static<double, 7, 3>();
    check_static<float, 70, 2, 2>();
    check_static<float, 9001, 3>();
}
TEST_CASE("nests: rows of unknown length") {
    for (std::int64_t columns : {1, 2, 7, 16, 33, 70, 1030, 9001})
        check_nests(tx::zeros<float, tx::shape<tx::dyn, tx::dyn>>(3, columns), tx::zeros<float, tx::shape<tx::dyn>>(columns));
}
TEST_CASE("nests: NaN stays in its row") {
    tx::tensor<float, tx::shape<3, 40>> x;
    fill(x);
    x.mutable_data()[40 + 17] = std::numeric_limits<float>::quiet_NaN();
    auto const out = softmax(x);
    for (int i = 0; i < 120; ++i) CHECK(std::isnan(out.data()[i]) == (i / 40 == 1));
}
