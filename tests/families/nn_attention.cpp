// This file tests attention against NumPy: softmax(q @ k.T / np.sqrt(d)) @ v for each head, with which JAX agrees.
#include <nn_values.hpp>

#include <limits>

using namespace tx::testing;

namespace {

auto const q = made<2, 3, 4>(0.7);
auto const k = made<2, 5, 4>(0.3);
auto const v = made<2, 5, 2>(0.9);
auto const causal_result = wanted<2, 3, 2>({0.33520126738, -0.015312064313, -0.107232984677, 0.425439673849, 0.4231657052,
                                            0.162049125823, 0.156793731089, 0.279256780537, -0.256842772248, -0.254386731528,
                                            -0.027456758428, -0.0850865598599}); // j <= i + 2
tx::tensor<bool, tx::shape<3, 5>> const mask{
    {true, false, true, false, true}, {false, false, false, false, false}, {true, true, true, false, false}};
constexpr double inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("nn: attention") {
    check_in_all_forms(
        [](auto a, auto c, auto d) { return tx::nn::attention(a, c, d); },
        wanted<2, 3, 2>({0.354581925421, 0.0360091698584, 0.220069366274, 0.421391800787, 0.4231657052, 0.162049125823,
                         -0.0788639726172, -0.31850344857, -0.361863938034, -0.3261028627, -0.027456758428, -0.0850865598599}),
        1e-9, 1e-9, q, k, v);
    CHECK(difference(tx::nn::attention(q, k, v, {.scale = 0.9}),
                     wanted<2, 3, 2>({0.437750036322, -0.0340165154819, 0.229532191117, 0.568139056978, 0.518511089103,
                                      0.180177920382, -0.0244396660731, -0.398114824356, -0.455294087922, -0.403455835546,
                                      0.109391390674, 0.0286253328142}),
                     1e-9, 1e-9) == "");
    tx::check_gradients([](auto a, auto c, auto d) { return tx::sum(tx::sin(tx::nn::attention(a, c, d))); }, q, k, v);
}
TEST_CASE("nn: attention, causal: query i sees keys up to i + m - n") {
    check_in_all_forms([](auto a, auto c, auto d) { return tx::nn::attention(a, c, d, tx::causal); }, causal_result, 1e-9, 1e-9,
                       q, k, v);
    tx::check_gradients([](auto a, auto c, auto d) { return tx::sum(tx::sin(tx::nn::attention(a, c, d, tx::causal))); }, q, k, v);
}
TEST_CASE("nn: attention, masks") {
    auto const masked =
        wanted<2, 3, 2>({0.311276670036, 0.431214465235, 0, 0, 0.397375609617, 0.111138483489, -0.347509976033, -0.247592135866,
                         0, 0, 0.0450386071432, 0.260446783227}); // np.where(mask, scores, -inf); a row without keys gives 0
    check_in_all_forms([](auto a, auto c, auto d, auto e) { return tx::nn::attention(a, c, d, e); }, masked, 1e-9, 1e-9, q, k, v,
                       mask);
    auto const none = tx::where(mask, 0.0, -inf);
    CHECK(difference(tx::nn::attention(q, k, v, none), masked, 1e-9, 1e-9) == "");
    CHECK(difference(tx::nn::attention(q, k, v, mask, tx::causal),
                     wanted<2, 3, 2>({0.238398451849, 0.433327512956, 0, 0, 0.397375609617, 0.111138483489, 0.401394892593,
                                      0.344650533182, 0, 0, 0.0450386071432, 0.260446783227}),
                     1e-9, 1e-9) == "");
    auto const bias = made<3, 5>(1.1);
    CHECK(difference(tx::nn::attention(q, k, v, bias),
                     wanted<2, 3, 2>({0.482996827831, 0.100285096413, -0.0445106712081, 0.131396117357, 0.17212105163,
                                      -0.193609311929, -0.211546092653, -0.288450263328, -0.390630515994, -0.145299371488,
                                      0.234627544675, 0.274855031135}),
                     1e-9, 1e-9) == "");
    tx::check_gradients(
        [](auto a, auto c, auto d, auto e) { return tx::sum(tx::sin(tx::nn::attention(a, c, d, e, tx::causal))); }, q, k, v,
        bias);
    auto const slopes =
        tx::grad<0, 1, 2>([](auto a, auto c, auto d, auto e) { return tx::sum(tx::nn::attention(a, c, d, e)); })(q, k, v, mask);
    CHECK(tx::all(tx::isfinite(std::get<0>(slopes))).item());
    CHECK(tx::all(tx::isfinite(std::get<1>(slopes))).item());
}
TEST_CASE("nn: attention: what is hidden never reaches the result, nor derivatives") {
    // Keys 3 and 4 of the first head.
    auto const bad_k = tx::set(tx::set(k, not_a_number, tx::at<0>, tx::at<3>, tx::at<0>), inf, tx::at<0>, tx::at<4>, tx::at<1>);
    auto const bad_v = tx::set(tx::set(v, inf, tx::at<0>, tx::at<3>, tx::at<0>), not_a_number, tx::at<0>, tx::at<4>, tx::at<1>);
    auto const first = [](auto const& x) { return tx::slice(x, tx::at<0>, tx::at<0>); };
    CHECK(difference(first(tx::nn::attention(q, bad_k, bad_v, tx::causal)), first(causal_result), 1e-9, 1e-9) == "");
    CHECK(std::isnan(tx::nn::attention(q, bad_k, bad_v, tx::causal).data()[3]));
    tx::tensor<bool, tx::shape<5>> const front{true, true, true, false, false};
    auto const clean = tx::nn::attention(q, k, v, front);
    CHECK(difference(tx::nn::attention(q, bad_k, bad_v, front), clean, 1e-12) == "");
    CHECK(difference(tx::nn::attention(q, bad_k, bad_v, tx::where(front, 0.0, -inf)), clean, 1e-12) == "");
    auto const slopes = tx::grad<0, 1, 2>([](auto a, auto c, auto d, auto e) { return tx::sum(tx::nn::attention(a, c, d, e)); });
    CHECK(difference(std::get<0>(slopes(q, bad_k, bad_v, front)), std::get<0>(slopes(q, k, v, front)), 1e-12, 1e-12) == "");
    CHECK(difference(std::get<1>(slopes(q, bad_k, bad_v, front)), std::get<1>(slopes(q, k, v, front)), 1e-12, 1e-12) == "");
    CHECK(difference(std::get<2>(slopes(q, bad_k, bad_v, front)), std::get<2>(slopes(q, k, v, front)), 1e-12, 1e-12) == "");
}
