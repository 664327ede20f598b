// This file tests random vectors and matrices: Dirichlet's distribution, the normal distribution of several variables, and
// orthogonal matrices.
#include "distributions_checks.hpp"

namespace {

namespace r = tx::random;
constexpr tx::shape<20000> many{};
r::key const key{11u};
using vec = tx::tensor<double, tx::shape<3>>;
using matrix = tx::tensor<double, tx::shape<3, 3>>;
vec const alpha{0.5, 1, 2.5}, mean{1, -2, 0.5};
matrix const covariance{{2, 0.5, -0.3}, {0.5, 1, 0.2}, {-0.3, 0.2, 0.7}};

template <class A, class B> bool lies_near(A const& a, B const& b, double most) { return tx::max(tx::abs(a - b)).item() < most; }

} // namespace

TEST_CASE("dirichlet: parts add up to 1, with means alpha / sum and their variances") {
    auto const x = r::stateless_dirichlet<double>(key, many, alpha);
    CHECK(lies_near(tx::sum(x, tx::axis<-1>), tx::ones<double>(many), 1e-14));
    vec const share = alpha / 4.0;
    CHECK(lies_near(tx::mean(x, tx::axis<0>), share, 0.01));
    CHECK(lies_near(tx::var(x, tx::axis<0>), share * (1.0 - share) / 5.0, 0.003));
}
TEST_CASE("dirichlet: tiny parameters give no NaN") {
    auto const x = r::stateless_dirichlet<float>(key, many, tx::tensor<float, tx::shape<2>>{1e-4f, 1e-4f});
    CHECK(!tx::any(tx::isnan(x)).item());
    CHECK(lies_near(tx::mean(x, tx::axis<0>), tx::tensor<float, tx::shape<2>>{0.5f, 0.5f}, 0.02));
}
TEST_CASE("dirichlet: the shape of alpha, and of several of them") {
    tx::tensor<float, tx::shape<2, 3>> const several{{1, 2, 3}, {100, 1, 1}};
    static_assert(std::is_same_v<decltype(r::stateless_dirichlet(key, several)), tx::tensor<float, tx::shape<2, 3>>>);
    static_assert(std::is_same_v<decltype(r::stateless_dirichlet<tx::half>(key, tx::shape<5, 2>{}, several)), tx::tensor<tx::half, tx::shape<5, 2, 3>>>);
    auto const x = r::stateless_dirichlet(key, tx::shape<5, 2>{}, several);
    CHECK(lies_near(tx::sum(x, tx::axis<-1>), tx::ones<float>(tx::shape<5, 2>{}), 1e-5));
    auto const open = r::stateless_dirichlet(key, tx::testing::with_open_extents(several));
    CHECK(tx::equal(open, r::stateless_dirichlet(key, several)));
    CHECK_THROWS_AS(static_cast<void>(r::stateless_dirichlet(key, tx::shape<5, 4>{}, tx::testing::with_open_extents(several))), tx::shape_error);
}
TEST_CASE("multivariate_normal: mean and covariance") {
    auto const x = r::stateless_multivariate_normal<double>(key, many, mean, covariance);
    CHECK(lies_near(tx::mean(x, tx::axis<0>), mean, 0.03));
    auto const centred = x - tx::mean(x, tx::axis<0>);
    CHECK(lies_near(tx::matmul(tx::transpose(centred), centred) / 20000.0, covariance, 0.06));
    tx::testing::check_deciles(tx::slice(x, tx::range<>, tx::at<1>) + 2.0,
                               {-1.2815515655446008, -0.8416212335729142, -0.5244005127080409, -0.2533471031357997, 0, 0.2533471031357997, 0.5244005127080407,
                                0.8416212335729143, 1.2815515655446004});
}
TEST_CASE("multivariate_normal: one vector, and batches of means and covariances") {
    auto const one = r::stateless_multivariate_normal<double>(key, mean, covariance);
    auto const same = r::stateless_multivariate_normal<double>(key, tx::shape<>{}, mean, covariance);
    CHECK(tx::equal(one, same));
    auto const two = tx::stack(tx::axis<0>, covariance, covariance * 1e-12);
    auto const x = r::stateless_multivariate_normal<double>(key, tx::shape<4, 2>{}, mean, two);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(x)>, tx::tensor<double, tx::shape<4, 2, 3>>>);
    CHECK(lies_near(tx::slice(x, tx::range<>, tx::at<1>), tx::broadcast_to<4, 3>(mean), 1e-5));
    auto const open = r::stateless_multivariate_normal<double>(key, tx::testing::with_open_extents(mean), tx::testing::with_open_extents(two));
    CHECK(tx::testing::difference(open, r::stateless_multivariate_normal<double>(key, mean, two), 1e-15) == "");
    auto const single = r::stateless_multivariate_normal(key, tx::cast<float>(mean), tx::cast<float>(covariance));
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(single)>, tx::tensor<float, tx::shape<3>>>);
}
TEST_CASE("multivariate_normal: derivatives with respect to mean and covariance") {
    auto const f = [](auto m, auto c) { return tx::sum(tx::square(r::stateless_multivariate_normal<double>(r::key{5u}, tx::shape<2>{}, m, c))); };
    tx::check_gradients(f, mean, covariance);
}
TEST_CASE("orthogonal: columns are orthonormal, or rows of wide ones; of any sign alike") {
    auto const q = r::stateless_orthogonal<double>(key, tx::shape<500, 3, 3>{});
    auto const products = tx::matmul(tx::swapaxes<-1, -2>(q), q);
    CHECK(lies_near(products, tx::eye<double>(tx::shape<3, 3>{}), 1e-14));
    CHECK(std::abs(tx::mean(tx::slice(q, tx::range<>, tx::at<0>, tx::at<0>)).item()) < 0.1); // with R's signs left alone it is not 0
    auto const tall = r::stateless_orthogonal(key, tx::shape<4, 2>{});
    CHECK(lies_near(tx::matmul(tx::transpose(tall), tall), tx::eye<float>(tx::shape<2, 2>{}), 1e-6));
    auto const wide = r::stateless_orthogonal(key, tx::shape<2, 4>{});
    CHECK(lies_near(tx::matmul(wide, tx::transpose(wide)), tx::eye<float>(tx::shape<2, 2>{}), 1e-6));
}
