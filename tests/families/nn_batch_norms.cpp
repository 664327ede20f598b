// This file tests norms over batches and groups against NumPy: (x - x.mean(a)) / np.sqrt(x.var(a) + eps) * gamma + beta.
#include <nn_values.hpp>

using namespace tx::testing;

namespace {

auto const x = made<2, 3, 4>(0.7);
auto const g = made<4>(0.3), b = made<4>(0.5), m = made<4>(0.2), v = tx::square(made<4>(0.4));
auto const g3 = made<3>(0.3), m3 = made<3>(0.2), v3 = tx::square(made<3>(0.4));
constexpr auto first_of = [](auto const& y) { return tx::slice(y, tx::at<0>); };

} // namespace

TEST_CASE("nn: batch_norm") {
    check_in_all_forms(
        [](auto a, auto c, auto d, auto e, auto f) { return tx::nn::batch_norm(a, c, d, e, f); },
        wanted<2, 3, 4>({0.817530314341,  1.31061228201,   1.24842237711,   0.552765320042,  0.0624729645949, -0.15106804414,
                         -0.302744730437, -0.348201572201, 0.341424379824,  1.0520762004,    1.35344273665,   1.03726702244,
                         0.57081321879,   0.246497754047,  -0.216383819447, -0.672605009648, -0.140408773987, 0.561421528139,
                         1.08568001772,   1.16408565235,   0.970460888585,  0.77354354338,   0.201839301101,  -0.587184264823}),
        1e-9, 1e-9, x, g, b, m, v);
    CHECK(difference(
              first_of(tx::nn::batch_norm(x, g3, g3, m3, v3, tx::channels_first)),
              wanted<3, 4>({0.633624982398, 0.892569228561, 0.799807017602, 0.398965866784, -0.0179763817877, -0.427896555553,
                            -0.515168645113, -0.238747223085, 0.322910174376, 0.860936553964, 1.13927465967, 1.02701773122}),
              1e-9, 1e-9) == "");
    tx::check_gradients([](auto a, auto c, auto e, auto f) { return tx::sum(tx::sin(tx::nn::batch_norm(a, c, c, e, f))); },
                        made<2, 4>(0.7), g, m, v);
}
TEST_CASE("nn: batch_norm_training, update_statistics") {
    auto const [y, mean, variance] = tx::nn::batch_norm_training(x, g, b);
    CHECK(difference(y, wanted<2, 3, 4>({0.765003311057,   1.62783724986,   1.77727869283,  1.35482803945,   0.198280340199,
                                         -0.0663878789636, 0.0158809552762, 0.245180917006, 0.407652747231,  1.32816958769,
                                         1.89653252614,    1.95154910047,   0.579824999239, 0.394428315657,  0.113946413531,
                                         -0.15436022482,   0.0460035076372, 0.759454622835, 1.5924797616,    2.10774121914,
                                         0.879788326262,   1.00532401176,   0.58885157026,  -0.0491544902835}),
                     1e-9, 1e-9) == "");
    CHECK(difference(mean, wanted<4>({0.142826073548, 0.123520471835, 0.0461212621571, -0.0529694977777}), 1e-9, 1e-9) == "");
    CHECK(difference(variance, wanted<4>({0.269192873614, 0.383026874365, 0.673703974103, 0.658681085649}), 1e-9, 1e-9) == "");
    CHECK(difference(std::get<1>(tx::nn::batch_norm_training(x, g3, g3, tx::channels_first)),
                     wanted<3>({0.115201334751, -0.220051899716, 0.299474297286}), 1e-9, 1e-9) == "");
    tx::function const f{[](auto a, auto c, auto d) { return std::get<2>(tx::nn::batch_norm_training(a, c, d)); }};
    CHECK(difference(f(with_open_extents(x), with_open_extents(g), with_open_extents(b)), variance, 1e-12) == "");
    tx::check_gradients([](auto a, auto c) { return tx::sum(tx::sin(std::get<0>(tx::nn::batch_norm_training(a, c, c)))); },
                        made<3, 2>(0.7), made<2>(0.4));
    auto const [running_mean, running_variance] = tx::nn::update_statistics(m, v, mean, variance, {.momentum = 0.25});
    CHECK(difference(running_mean, 0.75 * m + 0.25 * mean, 1e-12) == "");
    CHECK(difference(running_variance, 0.75 * v + 0.25 * variance, 1e-12) == "");
}
TEST_CASE("nn: group_norm") {
    // x.reshape(2, 3, 2, 2), over axes 1 and 3
    check_in_all_forms(
        [](auto a, auto c, auto d) { return tx::nn::group_norm<2>(a, c, d); },
        wanted<2, 3, 4>({0.691613826336,  1.54502557672,   1.63089682531,  1.02633869932,   0.236629804604,  -0.0774452428996,
                         -0.238573849844, -0.138187408248, 0.404720926175, 1.25804952544,   1.75746763866,   1.65257134611,
                         0.622855633253,  0.308942801148,  0.367225107561, 0.0418812455135, 0.0457554615846, 0.779659668275,
                         1.90501482123,   2.3682631943,    0.94713798277,  1.09671864787,   0.861163418755,  0.150076535512}),
        1e-9, 1e-9, x, g, b);
    CHECK(
        difference(first_of(tx::nn::group_norm<2>(made<2, 4, 3>(0.7), g, b, tx::channels_first)),
                   wanted<4, 3>({0.645449861406, 0.795868873882, 0.741983914574, 0.898241632539, 0.320652991559, -0.117982781028,
                                 -0.187242386397, 0.18000371391, 0.857721696708, 1.53952983732, 1.95160586922, 1.7854109118}),
                   1e-9, 1e-9) == "");
    tx::check_gradients([](auto a, auto c, auto d) { return tx::sum(tx::sin(tx::nn::group_norm<2>(a, c, d))); },
                        made<1, 2, 4>(0.7), g, b);
}
TEST_CASE("nn: instance_norm") {
    check_in_all_forms(
        [](auto a, auto c, auto d) { return tx::nn::instance_norm(a, c, d); },
        wanted<2, 3, 4>({0.868456932257,  1.34980944149,   1.49617669849,  1.13468037561,  0.152692378162,  0.0539928492259,
                         -0.108512458421, -0.328077472203, 0.417127305394, 1.12061066371,  1.60482071974,   1.92128937707,
                         0.546231219187,  0.109640074585,  0.169940518732, 0.203778845691, 0.0887448433659, 0.930825170542,
                         2.04903762123,   2.22627252411,   0.803300553259, 1.4839477093,   0.77350681985,   0.29784091068}),
        1e-9, 1e-9, x, g, b);
    CHECK(
        difference(first_of(tx::nn::instance_norm(x, g3, g3, tx::channels_first)),
                   wanted<3, 4>({0.220487574688, 0.628521542059, 0.482350566953, -0.149278857054, 1.39808812792, 0.186451448582,
                                 -0.071506250409, 0.745536567485, -0.503791166374, 0.84185665385, 1.53800293856, 1.25723921247}),
                   1e-9, 1e-9) == "");
}
