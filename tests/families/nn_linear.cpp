// This file tests linear maps and embeddings against NumPy.
#include <nn_values.hpp>

#include <complex>

using namespace tx::testing;

TEST_CASE("nn: linear") {
    auto const x = made<2, 3, 4>(0.7);
    auto const w = made<4, 2>(0.5);
    auto const b = made<2>(0.6);
    auto const y = wanted<2, 3, 2>({2.25557658621, 2.23849272626, -0.839457200694, 0.183444016904, 1.51965652348, 1.03627144204,
                                    0.169071000192, 1.484214046, 0.355060982072, -0.212736436715, 1.35515867323,
                                    2.53713027097}); // np.einsum("abc,cd->abd", x, w) + b
    check_in_all_forms([](auto a, auto c, auto d) { return tx::nn::linear(a, c, d); }, y, 1e-9, 1e-9, x, w, b);
    check_open_rank([](auto a, auto c, auto d) { return tx::nn::linear(a, c, d); }, y, 1e-9, 1e-9, x, w, b);
    CHECK(difference(tx::nn::linear(x, w), y - b, 1e-9, 1e-9) == "");
    CHECK(difference(tx::nn::linear(tx::slice(x, tx::at<1>, tx::at<2>), w, b), tx::slice(y, tx::at<1>, tx::at<2>), 1e-9, 1e-9) ==
          "");
    tx::check_gradients([](auto a, auto c, auto d) { return tx::sum(tx::square(tx::nn::linear(a, c, d))); }, x, w, b);
}
TEST_CASE("nn: linear of other dtypes and of nothing") {
    CHECK(tx::equal(tx::nn::linear(tx::tensor<int, tx::shape<2>>{1, 2}, tx::tensor<int, tx::shape<2, 1>>{{3}, {4}}),
                    tx::tensor<int, tx::shape<1>>{11}));
    using complex_type = std::complex<double>;
    tx::tensor<complex_type, tx::shape<1>> const z{complex_type(0, 1)};
    CHECK(tx::equal(tx::nn::linear(z, tx::tensor<double, tx::shape<1, 1>>{{2}}),
                    tx::tensor<complex_type, tx::shape<1>>{complex_type(0, 2)}));
    CHECK(
        tx::nn::linear(tx::zeros<float>(tx::shape<0, 3>{}), tx::zeros<float>(tx::shape<3, 2>{}), tx::zeros<float>(tx::shape<2>{}))
            .size() == 0);
    CHECK(tx::equal(
        tx::nn::linear(tx::zeros<float>(tx::shape<1, 0>{}), tx::zeros<float>(tx::shape<0, 2>{}), tx::ones<float>(tx::shape<2>{})),
        tx::ones<float>(tx::shape<1, 2>{})));
    tx::tensor<float> const x = tx::ones<float>(tx::shape<2, 3>{}), w = tx::ones<float>(tx::shape<2, 2>{});
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::nn::linear(x, w)),
                         "tx: linear: the last extent of x must be the first of w; given (2, 3), (2, 2)", tx::shape_error);
}
TEST_CASE("nn: embedding") {
    auto const table = made<5, 2>(0.7);
    tx::tensor<int, tx::shape<2, 2>> const ids{{4, 0}, {-1, 4}};
    auto const rows = tx::nn::embedding(table, ids);
    CHECK(rows.dimensions() == tx::dims{{2, 2, 2}, 3});
    CHECK(tx::equal(tx::slice(rows, tx::at<1>, tx::at<0>), tx::slice(table, tx::at<4>)));
    tx::function const total{[](auto t, auto i) { return tx::sum(tx::nn::embedding(t, i)); }};
    CHECK(tx::equal(tx::grad([](auto t, auto i) { return tx::sum(tx::nn::embedding(t, i)); })(table, ids),
                    numbers<5, 2>{{1, 1}, {0, 0}, {0, 0}, {0, 0}, {3, 3}}));
    CHECK_THROWS_AS(static_cast<void>(total(table, tx::tensor<int, tx::shape<1>>{5})), tx::error);
}
