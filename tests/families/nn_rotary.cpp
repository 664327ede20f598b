// This file tests rotary embeddings against NumPy, and dropout of channels.
#include <nn_values.hpp>

using namespace tx::testing;

namespace {

auto const x = made<2, 3, 4>(0.7);
numbers<3> const places{5, 6, 7};

} // namespace

TEST_CASE("nn: rotary_embedding") {
    // a, b = x[..., :2], x[..., 2:]; t = p[:, None] * 10000.0 ** (-np.arange(2) / 2); concatenate(a cos t - b sin t, b cos t + a
    // sin t)
    check_in_all_forms(
        [](auto a, auto p) { return tx::nn::rotary_embedding(a, p); },
        wanted<2, 3, 4>({1.01049261287,   0.967475744972,  -0.372896123004, 0.38382146106,   -0.611324118496, -0.832154129854,
                         -0.845307536359, -0.682393874032, -0.636537249457, 0.595604557742,  0.756028766481,  0.898457508956,
                         -0.753045479713, -0.317082636298, -0.555527587478, -0.996270334398, -0.406428719563, -0.0258382420051,
                         0.815618079672,  0.99084096994,   0.888626243446,  0.364454985498,  0.267599831235,  -0.86419242119}),
        1e-9, 1e-9, x, places);
    tx::tensor<int, tx::shape<3>> const whole{5, 6, 7};
    auto const pairs = tx::nn::rotary_embedding(x, whole, tx::interleaved, {.base = 100});
    CHECK(
        difference(tx::slice(pairs, tx::at<0>),
                   wanted<3, 4>({1.12771186462, -0.338221154387, 0.596935613117, 0.707824374551, -0.58034341095, -0.738846888911,
                                 -0.45441317538, -1.07574131193, -0.418955353417, 0.506350185138, 0.205245021319, 1.29022875234}),
                   1e-9, 1e-9) == "");
    tx::check_gradients([](auto a, auto p) { return tx::sum(tx::sin(tx::nn::rotary_embedding(a, p))); }, x, places);
    // Products depend on differences of positions alone.
    auto const product = [](double a, double b) {
        auto const one = made<1, 4>(0.7), other = made<1, 4>(0.4);
        return tx::sum(tx::nn::rotary_embedding(one, a) * tx::nn::rotary_embedding(other, b)).item();
    };
    CHECK(product(3, 7) == doctest::Approx(product(13, 17)).epsilon(1e-12));
}
TEST_CASE("nn: dropout_channels: a channel is kept whole, or dropped") {
    auto const ones = tx::ones<float>(tx::shape<50, 3, 4>{});
    auto const last = tx::nn::dropout_channels(tx::random::key(3), ones, 0.5);
    CHECK(tx::equal(last, tx::broadcast_to(tx::slice(last, tx::range<>, tx::range<0, 1>), tx::shape<50, 3, 4>{})));
    float const kept = tx::mean(last).item(); // of 200 channels, within 5 standard deviations
    CHECK(std::abs(kept - 1) < 0.36f);
    CHECK(tx::all(tx::logical_or(last == 0, last == 2)).item());
    auto const first = tx::nn::dropout_channels(tx::random::key(3), ones, 0.5, tx::channels_first);
    CHECK(tx::equal(first, tx::broadcast_to(tx::slice(first, tx::range<>, tx::range<>, tx::range<0, 1>), tx::shape<50, 3, 4>{})));
    tx::function const f{[](auto a) { return tx::nn::dropout_channels(a, 0.5); }};
    CHECK(!tx::equal(f(ones), f(ones)));
    CHECK(tx::equal(tx::nn::dropout_channels(tx::random::key(3), ones, 1), ones));
}
