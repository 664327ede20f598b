// More distributions of random numbers: `#include <tracexpr/distributions.hpp>`. Each is there twice, as those of tracexpr.hpp are:
// tx::random::name gives others each time, tx::random::stateless_name is a function of a key. In front of the parameters may stand a
// shape, to which they broadcast.
#include <tracexpr/distributions.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

namespace r = tx::random;
r::key const key{42u};
using vec = tx::tensor<float, tx::shape<3>>;

TEST_CASE("random::laplace, random::stateless_laplace, random::cauchy, random::stateless_cauchy, random::logistic, random::stateless_logistic, random::gumbel, random::stateless_gumbel") {
    auto const standard = r::stateless_laplace<double>(key, tx::shape<1000>{});
    auto const moved = r::stateless_laplace<double>(key, tx::shape<1000>{}, 5.0, 2.0); // location and scale
    CHECK(tx::all(tx::abs(moved - (5.0 + 2.0 * standard)) < 1e-12).item());
    tx::tensor<float, tx::shape<2, 3>> const heavy = r::cauchy(tx::shape<2, 3>{});
    CHECK(tx::all(tx::isfinite(heavy)).item());
    CHECK(r::stateless_cauchy<tx::half>(key, tx::shape<4>{}).size() == 4);
    CHECK(r::stateless_logistic<double, tx::shape<tx::dyn>>(key, 5).size() == 5);
    CHECK(r::logistic(tx::shape<2>{}).size() == 2);
    CHECK(r::gumbel(tx::shape<2>{}, vec{1, 2, 3}(0), 1.0f).size() == 2);
    CHECK(r::stateless_gumbel(key, tx::shape<2>{}).size() == 2);
    CHECK(r::laplace(tx::shape<2>{}).size() == 2);
}

TEST_CASE("random::weibull, random::stateless_weibull") {
    auto const x = r::stateless_weibull(key, tx::shape<1000>{}, 2.0, 1.5); // scale and concentration
    CHECK(std::abs(tx::mean(x).item() - 1.805f) < 0.1f);
    CHECK(r::weibull(vec{1, 2, 3}, 1.5f).size() == 3); // without a shape: that of the parameters
}

TEST_CASE("random::log_gamma, random::stateless_log_gamma") {
    auto const tiny = r::stateless_log_gamma(key, tx::shape<5>{}, 1e-5f); // gamma itself would be 0
    CHECK(tx::all(tx::isfinite(tiny)).item());
    CHECK(tx::all(r::log_gamma(vec{1, 2, 3}) < 10.0f).item());
}

TEST_CASE("random::beta, random::stateless_beta") {
    auto const x = r::stateless_beta(key, tx::shape<1000>{}, 2.0, 3.0);
    CHECK(std::abs(tx::mean(x).item() - 0.4f) < 0.03f);
    CHECK(r::beta(vec{1, 2, 3}, 2.0f).size() == 3);
    CHECK(r::stateless_student_t(key, tx::shape<2>{}, 5.0, 1.0, 2.0).size() == 2); // degrees of freedom, location, scale
    CHECK(r::student_t(tx::shape<2>{}, 5.0).size() == 2);
}

TEST_CASE("random::von_mises, random::stateless_von_mises") {
    auto const angles = r::stateless_von_mises(key, tx::shape<1000>{}, 0.0, 4.0); // mean and concentration
    CHECK(tx::max(tx::abs(angles)).item() <= 3.1415928f);
    CHECK(r::von_mises(vec{0, 1, 2}, 4.0f).size() == 3);
}

TEST_CASE("random::poisson, random::stateless_poisson") {
    tx::tensor<int, tx::shape<3>> const counts = r::stateless_poisson<int>(key, vec{0, 4, 1000});
    CHECK(counts(0) == 0);
    CHECK(r::poisson<int>(vec{0, 4, 1000})(0) == 0);
    CHECK(r::stateless_poisson<int>(key, -1.0).item() == -1); // there is no such mean
}

TEST_CASE("random::binomial, random::stateless_binomial") {
    auto const heads = r::stateless_binomial<int>(key, tx::shape<1000>{}, 10, 0.5); // successes of 10 trials
    CHECK(tx::max(heads).item() <= 10);
    CHECK(r::binomial(10, 1.0).item() == 10);
}

TEST_CASE("random::geometric, random::stateless_geometric") {
    CHECK(tx::min(r::stateless_geometric(key, tx::shape<1000>{}, 0.25)).item() == 1); // trials up to the first success
    CHECK(r::geometric<int>(vec{1, 1, 1})(0) == 1);
}

TEST_CASE("random::dirichlet, random::stateless_dirichlet") {
    auto const shares = r::stateless_dirichlet(key, tx::shape<4>{}, vec{1, 2, 3}); // (4, 3)
    CHECK(tx::all(tx::abs(tx::sum(shares, tx::axis<-1>) - 1.0f) < 1e-5f).item());
    CHECK(r::dirichlet(vec{1, 2, 3}).size() == 3);
}

TEST_CASE("random::multivariate_normal, random::stateless_multivariate_normal") {
    tx::tensor<float, tx::shape<2>> const mean{1, 2};
    tx::tensor<float, tx::shape<2, 2>> const covariance{{2, 1}, {1, 2}};
    CHECK(r::multivariate_normal(mean, covariance).size() == 2);
    auto const many = r::stateless_multivariate_normal(key, tx::shape<1000>{}, mean, covariance); // (1000, 2)
    CHECK(tx::all(tx::abs(tx::mean(many, tx::axis<0>) - mean) < 0.2f).item());
}

TEST_CASE("random::orthogonal, random::stateless_orthogonal") {
    auto const q = r::stateless_orthogonal(key, tx::shape<3, 3>{});
    CHECK(tx::all(tx::abs(tx::matmul(tx::transpose(q), q) - tx::eye<float>(tx::shape<3, 3>{})) < 1e-5f).item());
    CHECK(r::orthogonal<double>(tx::shape<5, 3, 2>{}).size() == 30); // five with two orthonormal columns
}

TEST_CASE("random::choice, random::stateless_choice, random::without_replacement") {
    tx::tensor<int, tx::shape<3, 2>> const x{{1, 2}, {3, 4}, {5, 6}};
    tx::tensor<int, tx::shape<5, 2>> const rows = r::choice(x, tx::shape<5>{});
    CHECK(tx::all(tx::slice(rows, tx::range<>, tx::at<1>) == tx::slice(rows, tx::range<>, tx::at<0>) + 1).item());
    CHECK(tx::all(r::stateless_choice(key, x, tx::shape<5>{}, vec{0, 1, 0}) == tx::slice(x, tx::at<1>)).item());         // weights
    CHECK(tx::sum(r::stateless_choice(key, x, tx::shape<3>{}, r::without_replacement)).item() == 21);                   // each row once
    CHECK(r::stateless_choice(key, x, tx::shape<5>{}, tx::axis<1>).size() == 15);                                       // columns
    CHECK(tx::all(r::stateless_choice(key, 10, tx::shape<5>{}) < 10).item());                                           // of 0 ... 9
}
