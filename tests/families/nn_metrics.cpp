// This file tests metrics against the values of scikit-learn 1.9.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

#include <cmath>
#include <limits>

using tx::testing::check_in_all_forms, tx::testing::check_open_rank, tx::testing::difference;
using number = tx::tensor<double, tx::shape<>>;
using labels = tx::tensor<int, tx::shape<8>>;

namespace {
labels const truth{0, 2, 1, 1, 2, 0, 1, 2}, predicted{0, 1, 1, 2, 2, 0, 1, 0};
tx::tensor<double, tx::shape<8, 3>> const scores{{0.5, 0.2, 0.3}, {0.1, 0.6, 0.3}, {0.2, 0.2, 0.6},   {0.3, 0.3, 0.4},
                                                 {0, 0.4, 0.6},   {0.9, 0.05, 0.05}, {0.3, 0.4, 0.3}, {0.4, 0.3, 0.3}};
tx::tensor<bool, tx::shape<8>> const is_one = truth == 1, seems_one = predicted == 1;
tx::tensor<double, tx::shape<8>> const chance{0.1, 0.4, 0.35, 0.8, 0.4, 0.4, 0.9, 0.1};
labels const positive{0, 0, 1, 1, 1, 0, 1, 0};
} // namespace

TEST_CASE("nn: accuracy, top_k_accuracy") {
    check_in_all_forms([](auto a, auto b) { return tx::nn::accuracy(a, b); }, number(0.625), 0, 0, truth, predicted);
    check_open_rank([](auto a, auto b) { return tx::nn::accuracy(a, b); }, number(0.625), 0, 0, truth, predicted);
    CHECK(tx::nn::accuracy(is_one, seems_one).item() == 0.75);
    CHECK(tx::nn::accuracy(truth, tx::argmax<-1>(scores)).item() == 0.5);
    check_in_all_forms([](auto a, auto b) { return tx::nn::top_k_accuracy<1>(a, b); }, number(0.5), 0, 0, truth, scores);
    check_in_all_forms([](auto a, auto b) { return tx::nn::top_k_accuracy<2>(a, b); }, number(1), 0, 0, truth, scores);
    CHECK(std::isnan(tx::nn::accuracy(tx::tensor<int, tx::shape<0>>{}, tx::tensor<int, tx::shape<0>>{}).item()));
    labels const none{-1, 3, 0, 0, 0, 0, 0, 0};
    CHECK(tx::nn::top_k_accuracy<3>(none, scores).item() == 0.75);
}
TEST_CASE("nn: confusion_matrix, precision, recall, f1_score") {
    tx::tensor<std::int64_t, tx::shape<3, 3>> const counts{{2, 0, 0}, {0, 2, 1}, {1, 1, 1}};
    check_in_all_forms([](auto a, auto b) { return tx::nn::confusion_matrix<3>(a, b); }, counts, 0, 0, truth, predicted);
    using rates = tx::tensor<double, tx::shape<4>>; // one class more than there are
    check_in_all_forms([](auto a, auto b) { return tx::nn::precision<4>(a, b); }, rates{2. / 3, 2. / 3, 0.5, 0}, 1e-15, 0, truth, predicted);
    CHECK(difference(tx::nn::recall<4>(truth, predicted), rates{1, 2. / 3, 1. / 3, 0}, 1e-15) == "");
    CHECK(difference(tx::nn::f1_score<4>(truth, predicted), rates{0.8, 2. / 3, 0.4, 0}, 1e-15) == "");
    CHECK(tx::nn::precision(is_one, seems_one).item() == doctest::Approx(2. / 3));
    CHECK(tx::nn::recall(is_one, seems_one).item() == doctest::Approx(2. / 3));
    CHECK(tx::nn::f1_score(is_one, seems_one).item() == doctest::Approx(2. / 3));
    CHECK(tx::nn::f1_score(labels{}, labels{}).item() == 0);
    CHECK(tx::equal(tx::nn::confusion_matrix<2>(tx::tensor<std::uint8_t, tx::shape<3>>{1, 7, 0}, tx::tensor<int, tx::shape<3>>{1, 0, -1}),
                    tx::tensor<std::int64_t, tx::shape<2, 2>>{{0, 0}, {0, 1}}));
}
TEST_CASE("nn: auc") {
    constexpr auto area = [](auto a, auto b) { return tx::nn::auc(a, b); };
    check_in_all_forms(area, number(0.8125), 1e-15, 0, positive, chance);
    check_open_rank(area, number(0.8125), 1e-15, 0, positive, chance);
    CHECK(tx::nn::auc(positive == 1, chance).item() == 0.8125);
    CHECK(tx::nn::auc(positive, labels{}).item() == 0.5);
    CHECK(tx::nn::auc(positive, -chance).item() == 0.1875);
    CHECK(std::isnan(tx::nn::auc(labels{}, chance).item()));
}
TEST_CASE("nn: mean_squared_error, r2_score") {
    tx::tensor<double, tx::shape<3, 2>> const t{{0.5, 1}, {-1, 1}, {7, -6}}, p{{0, 2}, {-1, 2}, {8, -5}};
    check_in_all_forms([](auto a, auto b) { return tx::nn::r2_score(a, b); }, number(0.9368005266622779), 1e-15, 0, t, p);
    check_in_all_forms([](auto a, auto b) { return tx::nn::mean_squared_error(a, b); }, number(0.7083333333333334), 1e-15, 0, t, p);
    using pair = tx::tensor<float, tx::shape<2>>;
    CHECK(tx::nn::r2_score(pair{1, 1}, pair{1, 1}).item() == 1);
    CHECK(tx::nn::r2_score(pair{1, 1}, pair{1, 2}).item() == 0);
    CHECK(tx::nn::r2_score(tx::tensor<int, tx::shape<2>>{1, 3}, tx::tensor<int, tx::shape<2>>{1, 2}).item() == 0.5);
}
