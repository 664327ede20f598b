// This file tests losses of predictions and distributions: values, zeros, infinities and kinks, and derivatives.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

#include <limits>

using tx::testing::check_in_all_forms, tx::testing::check_open_rank, tx::testing::difference;
using vec = tx::tensor<double, tx::shape<4>>;
using number = tx::tensor<double, tx::shape<>>;
using matrix = tx::tensor<double, tx::shape<3, 4>>;
using rows = tx::tensor<double, tx::shape<3>>;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
vec const p{0.5, -1, 3, 0}, t{1, 1, -1, -1};
matrix const x{{1.5, -0.5, 2, 0.25}, {0, 0.75, -1, 3}, {-2, 1, 0.5, 0.125}};
// jax.nn.softmax([[.1, .2, .3, 0], [1, 0, 2, -1], [0, 0, 0, 1]])
matrix const share{{0.2363277823215377, 0.2611825921550756, 0.28865140515740234, 0.21383822036598443},
                   {0.23688281808991013, 0.08714431874203257, 0.6439142598879724, 0.03205860328008499},
                   {0.17487770452710946, 0.17487770452710946, 0.17487770452710946, 0.4753668864186718}};
constexpr auto mse = [](auto a, auto b) { return tx::nn::mse_loss(a, b); };
constexpr auto huber = [](auto a, auto b) { return tx::nn::huber_loss(a, b, {.reduction = tx::none, .delta = 2}); };
constexpr auto binary = [](auto a, auto b) { return tx::nn::binary_cross_entropy(a, b, {.reduction = tx::none}); };
constexpr auto kl = [](auto a, auto b) { return tx::nn::kl_divergence(a, b, {.reduction = tx::none}); };
constexpr auto cosine = [](auto a, auto b) { return tx::nn::cosine_similarity(a, b); };
} // namespace

TEST_CASE("nn: mse_loss, l1_loss, squared_error") {
    check_in_all_forms(mse, number(5.3125), 1e-15, 0, p, t); // (0.25 + 4 + 16 + 1) / 4
    check_open_rank(mse, number(5.3125), 1e-15, 0, p, t);
    CHECK(tx::equal(tx::nn::mse_loss(p, t, {.reduction = tx::none}), vec{0.25, 4, 16, 1}));
    CHECK(tx::equal(tx::nn::squared_error(p, t), vec{0.25, 4, 16, 1}));
    CHECK(tx::nn::l1_loss(p, t).item() == 1.875);
    CHECK(tx::equal(tx::nn::l1_loss(p, 1, {.reduction = tx::none}), vec{0.5, 2, 2, 1}));
    CHECK(tx::equal(tx::grad([](auto a) { return tx::nn::l1_loss(a, 0); })(p), vec{0.25, -0.25, 0.25, 0}));
    tx::check_gradients(mse, p, t);
}
TEST_CASE("nn: losses of integers, of small floats, of no elements") {
    tx::tensor<int, tx::shape<2>> const n{1, 4};
    CHECK(tx::nn::mse_loss(n, n - 1).item() == 1);
    static_assert(std::is_same_v<decltype(tx::nn::mse_loss(n, n)), number>);
    tx::tensor<tx::half, tx::shape<3>> const h{300, 1, 0}; // whose square is no half
    CHECK(static_cast<float>(tx::nn::huber_loss(h, 0).item()) == 100);
    CHECK(tx::nn::mse_loss(tx::tensor<float, tx::shape<0>>{}, 1).item() == 0);
    CHECK(tx::nn::mse_loss(tx::tensor<float, tx::shape<tx::dyn>>(0), 1).item() == 0);
}
TEST_CASE("nn: huber_loss") {
    vec const wanted{0.125, 2, 6, 0.5};
    check_in_all_forms(huber, wanted, 1e-15, 0, p, t);
    CHECK(tx::nn::huber_loss(p, t).item() == (0.125 + 1.5 + 3.5 + 0.5) / 4);
    auto const slope = tx::grad([](auto a) { return tx::sum(huber(a, 0)); });
    CHECK(tx::equal(slope(vec{inf, -5, 2, -1}), vec{2, -2, 2, -1}));
    tx::check_gradients(huber, p, t + 0.25);
}
TEST_CASE("nn: hinge_loss") {
    CHECK(tx::equal(tx::nn::hinge_loss(p, t, {.reduction = tx::none}), vec{0.5, 2, 4, 1})); // optax.hinge_loss
    CHECK(tx::nn::hinge_loss(p, t).item() == 1.875);
    CHECK(tx::equal(tx::grad([](auto a) { return tx::nn::hinge_loss(a, 1); })(vec{1, 2, 0, -1}), vec{0, 0, -0.25, -0.25}));
}
TEST_CASE("nn: binary_cross_entropy") {
    // numpy: log1p(exp(-abs(x))) + maximum(x, 0) - x y
    vec const y{1, 0, 0.25, 1}, wanted{0.4740769841801067, 0.31326168751822286, 2.298587351573742, 0.69314718055994529};
    check_in_all_forms(binary, wanted, 1e-14, 0, p, y);
    CHECK(tx::nn::binary_cross_entropy(p, y).item() == doctest::Approx(tx::mean(wanted).item()));
    // Where the loss is tiny it has all digits.
    CHECK(difference(binary(vec{50, -50, 800, -800}, vec{1, 0, 0, 1}), vec{1.9287498479639178e-22, 1.9287498479639178e-22, 800, 800},
                     1e-14) == "");
    auto const slope = tx::grad([](auto a) { return tx::sum(binary(a, 0.25)); })(vec{0, 800, -800, 0});
    CHECK(tx::equal(slope, vec{0.25, 0.75, -0.25, 0.25}));
    tx::check_gradients(binary, vec{0.5, -1, 3, 0.125}, y);
}
TEST_CASE("nn: kl_divergence") {
    // optax.kl_divergence(jax.nn.log_softmax(x), share)
    rows const wanted{0.3871268412506155, 2.694835629525708, 0.4888000359468155};
    auto const log_q = tx::log_softmax(x);
    check_in_all_forms(kl, wanted, 1e-14, 0, log_q, share);
    check_open_rank(kl, wanted, 1e-14, 0, log_q, share);
    CHECK(tx::nn::kl_divergence(log_q, share).item() == doctest::Approx(1.190254168907713).epsilon(1e-14));
    tx::check_gradients(kl, log_q, share);
    vec const certain{0, 0.5, 0.5, 0}, log_half{-inf, -0.69314718055994529, -0.69314718055994529, -inf};
    CHECK(tx::nn::kl_divergence(log_half, certain).item() == doctest::Approx(0).epsilon(1e-15));
    auto const [by_q, by_p] = tx::grad<0, 1>([](auto a, auto b) { return tx::nn::kl_divergence(a, b); })(log_half, certain);
    CHECK(difference(by_q, -certain, 1e-15) == "");
    CHECK(difference(by_p, vec{0, 1, 1, 0}, 1e-15) == "");
    CHECK(tx::nn::kl_divergence(vec{-inf, 0, 0, 0}, vec{1, 0, 0, 0}).item() == inf);
}
TEST_CASE("nn: cosine_similarity") {
    auto const by_hand = [](auto a, auto b) {
        return tx::sum(a * b, tx::axis<-1>) / tx::sqrt(tx::sum(a * a, tx::axis<-1>) * tx::sum(b * b, tx::axis<-1>));
    };
    check_in_all_forms(cosine, by_hand(x, share), 1e-14, 0, x, share);
    tx::check_gradients(cosine, x, share);
    CHECK(tx::nn::cosine_similarity(vec{1e200, 0, 0, 0}, vec{1e-200, 0, 0, 0}).item() == 1);
    vec const nothing{0, 0, 0, 0};
    CHECK(tx::nn::cosine_similarity(nothing, p).item() == 0);
    CHECK(tx::equal(tx::grad(cosine)(nothing, p), nothing));
    CHECK(tx::nn::cosine_similarity(tx::tensor<float, tx::shape<3, 0>>{}, tx::tensor<float, tx::shape<3, 0>>{}).size() == 3);
}
