// This file tests recurrent networks against a loop in NumPy over sigmoid and np.tanh.
#include <nn_values.hpp>

using namespace tx::testing;

namespace {

auto const xs = made<3, 2, 3>(0.7);
auto const h = made<2, 2>(0.3), c = made<2, 2>(0.9);
constexpr auto outputs_of_lstm = [](auto x, auto s, auto t, auto w, auto u, auto b) {
    return tx::nn::lstm(x, std::pair(s, t), std::tuple(w, u, b)).second;
};

} // namespace

TEST_CASE("nn: lstm, lstm_cell: gates i f g o") {
    // i, f, g, o = np.split(x @ w + h @ u + b, 4, -1); c = sg(f) * c + sg(i) * np.tanh(g); h = sg(o) * np.tanh(c)
    auto const w = made<3, 8>(0.5);
    auto const u = made<2, 8>(0.4);
    auto const b = made<8>(0.6);
    auto const wanted_outputs =
        wanted<3, 2, 2>({0.0922138004773, 0.0388533600533, 0.233715449799, -0.055186472214, -0.0292549611085, -0.121106438727,
                         0.191561395668, -0.105492292322, 0.135168441199, -0.0347140439527, 0.0682856376082, -0.176671340569});
    check_in_all_forms(outputs_of_lstm, wanted_outputs, 1e-9, 1e-9, xs, h, c, w, u, b);
    auto const [last, all] = tx::nn::lstm(xs, std::pair(h, c), std::tuple(w, u, b));
    CHECK(difference(last.first, wanted<2, 2>({0.135168441199, -0.0347140439527, 0.0682856376082, -0.176671340569}), 1e-9,
                     1e-9) == "");
    CHECK(difference(last.second, wanted<2, 2>({0.383245622275, -0.144318278534, 0.268465294422, -0.716585347911}), 1e-9, 1e-9) ==
          "");
    auto const [next_h, next_c] = tx::nn::lstm_cell(tx::slice(xs, tx::at<0>), std::pair(h, c), std::tuple(w, u, b));
    CHECK(difference(next_h, tx::slice(all, tx::at<0>), 1e-12) == "");
    auto const [back, all_back] = tx::nn::lstm(xs, std::pair(h, c), std::tuple(w, u, b), tx::nn::reversed);
    CHECK(difference(back.second, wanted<2, 2>({0.265190448953, -0.38908208131, 0.475805429491, -0.399468694106}), 1e-9, 1e-9) ==
          "");
    CHECK(difference(all_back,
                     wanted<3, 2, 2>({0.0750583035517, -0.101190210571, 0.166277443533, -0.0913241654913, 0.0744612370635,
                                      -0.0244223455605, -0.00986582803002, -0.177097747279, 0.266094511068, 0.171614768595,
                                      -0.038016156976, -0.185599477832}),
                     1e-9, 1e-9) == "");
    auto const weights = std::tuple(w, u, b);
    auto const [both, all_both] =
        tx::nn::lstm(xs, std::pair(std::pair(h, c), std::pair(h, c)), std::pair(weights, weights), tx::nn::bidirectional);
    CHECK(difference(all_both, tx::concat<-1>(all, all_back), 1e-12) == "");
    CHECK(difference(both.second.first, back.first, 1e-12) == "");
    tx::check_gradients(
        [](auto x, auto s, auto t, auto a, auto d, auto e) { return tx::sum(tx::square(outputs_of_lstm(x, s, t, a, d, e))); },
        made<2, 1, 2>(0.7), made<1, 1>(0.3), made<1, 1>(0.9), made<2, 4>(0.5), made<1, 4>(0.4), made<4>(0.6));
}
