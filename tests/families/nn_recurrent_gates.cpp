// This file tests GRU and plain recurrent networks against a loop in NumPy over sigmoid and np.tanh.
#include <nn_values.hpp>

using namespace tx::testing;

namespace {

auto const xs = made<3, 2, 3>(0.7);
auto const h = made<2, 2>(0.3);
// Weights may be in a struct.
struct gru_weights {
    numbers<3, 6> w = made<3, 6>(0.5);
    numbers<2, 6> u = made<2, 6>(0.4);
    numbers<6> b = made<6>(0.6), c = made<6>(0.8);
};

} // namespace

TEST_CASE("nn: gru, gru_cell: gates r z n, two biases") {
    // r = sg(xr + hr); z = sg(xz + hz); n = np.tanh(xn + r * hn); h = (1 - z) * n + z * h
    gru_weights const weights;
    check_in_all_forms(
        [](auto x, auto s, auto w, auto u, auto b, auto c) { return tx::nn::gru(x, s, std::tuple(w, u, b, c)).second; },
        wanted<3, 2, 2>({0.23031658568, 0.162359112843, 0.573613075152, 0.206107601268, 0.0945176349045, -0.230596364898,
                         0.544026103093, 0.0311895748728, 0.011710269548, -0.443785649638, 0.437755338635, -0.199154156986}),
        1e-9, 1e-9, xs, h, weights.w, weights.u, weights.b, weights.c);
    auto const [last, all] = tx::nn::gru(xs, h, weights);
    CHECK(tx::equal(last, tx::slice(all, tx::at<2>)));
    CHECK(difference(tx::nn::gru_cell(tx::slice(xs, tx::at<0>), h, weights), tx::slice(all, tx::at<0>), 1e-12) == "");
    CHECK(difference(tx::flip(tx::nn::gru(tx::flip(xs, tx::axis<0>), h, weights, tx::nn::reversed).second, tx::axis<0>), all,
                     1e-12) == "");
    CHECK(tx::nn::gru(xs, std::pair(h, h), std::pair(weights, weights), tx::nn::bidirectional).second.dimensions() ==
          tx::dims{{3, 2, 4}, 3});
    tx::check_gradients([](auto x, auto s, auto w, auto u,
                           auto b) { return tx::sum(tx::square(tx::nn::gru(x, s, std::tuple(w, u, b, b)).second)); },
                        made<2, 1, 2>(0.7), made<1, 1>(0.3), made<2, 3>(0.5), made<1, 3>(0.4), made<3>(0.6));
}
TEST_CASE("nn: rnn, rnn_cell") {
    auto const w = made<3, 2>(0.5);
    auto const u = made<2, 2>(0.4);
    auto const b = made<2>(0.6);
    auto const [last, all] = tx::nn::rnn(xs, h, std::tuple(w, u, b)); // h = np.tanh(x @ w + h @ u + b)
    CHECK(difference(
              all,
              wanted<3, 2, 2>({0.995195140363, 0.997106000776, 0.772889536737, 0.97869075493, 0.658916291436, 0.846673987511,
                               0.998477581927, 0.999376781617, 0.702043770355, 0.968165951083, 0.674534577265, 0.852703948145}),
              1e-9, 1e-9) == "");
    CHECK(tx::equal(last, tx::slice(all, tx::at<2>)));
    CHECK(difference(tx::nn::rnn_cell(tx::slice(xs, tx::at<0>), h, std::tuple(w, u, b)), tx::slice(all, tx::at<0>), 1e-12) == "");
    auto const [f, a] = tx::nn::rnn(tx::cast<tx::half>(xs), tx::cast<tx::half>(h),
                                    std::tuple(tx::cast<tx::half>(w), tx::cast<tx::half>(u), tx::cast<tx::half>(b)));
    static_assert(std::is_same_v<decltype(f)::value_type, tx::half>);
    CHECK(difference(tx::cast<double>(f), last, 5e-3, 5e-3) == "");
    CHECK(tx::nn::rnn(tx::zeros<double>(tx::shape<0, 2, 3>{}), h, std::tuple(w, u, b)).second.size() == 0);
}
