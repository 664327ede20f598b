// This file tests Jacobians of vectors, which are stored as diagonals as long as they have few: it compares them with one
// directional derivative after another.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

template <std::int64_t N> tx::tensor<double, tx::shape<N>> point() {
    tx::tensor<double, tx::shape<N>> x;
    for (std::int64_t i = 0; i < N; ++i) x.mutable_data()[i] = 0.3 + 0.7 * static_cast<double>((5 * i) % 7) - 0.2 * static_cast<double>(i);
    return x;
}

// f: vector to vector.
template <std::int64_t N, class F> void check_columns(F f) {
    auto const x = point<N>();
    tx::static_function const forward{tx::jacfwd(f)};
    tx::static_function const reverse{tx::jacrev(f)};
    auto const columns = forward(x), rows = reverse(x);
    for (std::int64_t k = 0; k < N; ++k) {
        tx::tensor<double, tx::shape<N>> step = tx::zeros<double>(tx::shape<N>{});
        step.mutable_data()[k] = 1;
        auto const expected = tx::jvp(f)(x, step).second;
        for (std::int64_t i = 0; i < expected.size(); ++i) {
            INFO("row ", i, " column ", k);
            CHECK(columns(i, k) == doctest::Approx(expected(i)).epsilon(1e-12)); // the same formulas in another order
            CHECK(rows(i, k) == doctest::Approx(expected(i)).epsilon(1e-12));
        }
    }
}

constexpr auto neighbours = [](auto x) {
    auto const head = tx::slice(x, tx::range<0, -1>), tail = tx::slice(x, tx::range<1, tx::open>);
    return tx::where(head > 0.5, head * tail / (1.0 + tail * tail), tx::sin(tail) - 3.0 * head);
};
constexpr auto joined = [](auto x) {
    auto const middle = tx::slice(x, tx::range<1, -1>);
    return tx::concat(tx::axis<0>, tx::exp(middle), -x, tx::pad(tx::square(middle), tx::widths<1, 2>));
};
constexpr auto mixed = [](auto x) { return x * tx::sum(x) + tx::cumsum<0>(x * x) + tx::slice(x, tx::range<tx::open, tx::open, -1>); };
constexpr auto windows = [](auto x) { // more diagonals than are kept
    auto out = tx::slice(x, tx::range<0, 4>) * 0.5;
    auto const add = [&]<int K>(std::integral_constant<int, K>) { out = out + tx::slice(x, tx::range<K, K + 4>) * tx::slice(x, tx::range<0, 4>); };
    [&]<int... K>(std::integer_sequence<int, K...>) { (add(std::integral_constant<int, K>{}), ...); }(std::make_integer_sequence<int, 20>{});
    return out;
};
constexpr auto valley = [](auto x) {
    auto const head = tx::slice(x, tx::range<0, -1>), tail = tx::slice(x, tx::range<1, tx::open>);
    return tx::sum(100.0 * tx::square(tail - tx::square(head)) + tx::square(1.0 - head));
};

} // namespace

TEST_CASE("banded: pointwise ops, slices and choices") {
    check_columns<2>(neighbours);
    check_columns<9>(neighbours);
}
TEST_CASE("banded: what is joined and padded") { check_columns<7>(joined); }
TEST_CASE("banded: ops that fill the matrix") { check_columns<6>(mixed); }
TEST_CASE("banded: too many diagonals") { check_columns<24>(windows); }

TEST_CASE("banded: the Hessian of neighbours' interactions has three diagonals, and costs no more") {
    tx::static_function const h{tx::hessian(valley)};
    auto const x = point<12>();
    auto const got = h(x);
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j) {
            double const inner = i < 11 ? 1200 * x(i) * x(i) - 400 * x(i + 1) + 2 : 0;
            double const expected = i == j ? inner + (i > 0 ? 200 : 0) : j == i + 1 ? -400 * x(i) : i == j + 1 ? -400 * x(j) : 0;
            CHECK(got(i, j) == doctest::Approx(expected).epsilon(1e-13));
        }
    tx::graph_view const graph = h.concrete<tx::spec<double, tx::shape<12>>>().graph();
    for (tx::node const& n : graph) {
        bool const is_matrix = graph.shape_of(n).size() > 12;
        bool const is_kept = n.code == tx::op::constant || n.code == tx::op::capture; // what depends on no argument
        CHECK((!is_matrix || is_kept || n.code == tx::op::broadcast_to || n.code == tx::op::view_add || n.code == tx::op::reshape));
    }
    CHECK(graph.size() <= 23); // both diagonals beside the main one are -400 x
}

TEST_CASE("hessian: one half of several arguments' second derivatives is the other's mirror image") {
    constexpr auto f = [](auto x, auto y, auto z) { return tx::sum(tx::exp(x * y) * z) + tx::sum(x * x * x) * y * z; };
    auto const x = point<3>();
    double const y = 0.4, z = 1.5;
    auto const [hx, hy, hz] = tx::hessian<0, 1, 2>(f)(x, y, z);
    for (int i = 0; i < 3; ++i) {
        double const e = std::exp(x(i) * y), cubes = 3 * x(i) * x(i);
        for (int j = 0; j < 3; ++j) CHECK(std::get<0>(hx)(i, j) == doctest::Approx(i == j ? y * y * e * z + 6 * x(i) * y * z : 0));
        CHECK(std::get<1>(hx)(i) == doctest::Approx((1 + x(i) * y) * e * z + cubes * z));
        CHECK(std::get<0>(hy)(i) == std::get<1>(hx)(i));
        CHECK(std::get<2>(hx)(i) == doctest::Approx(y * e + cubes * y));
        CHECK(std::get<0>(hz)(i) == std::get<2>(hx)(i));
    }
    CHECK(std::get<2>(hy).item() == doctest::Approx(std::get<1>(hz).item()));
    double products = 0, cubes = 0;
    for (int i = 0; i < 3; ++i) products += x(i) * std::exp(x(i) * y), cubes += x(i) * x(i) * x(i);
    CHECK(std::get<2>(hy).item() == doctest::Approx(products + cubes));
}
