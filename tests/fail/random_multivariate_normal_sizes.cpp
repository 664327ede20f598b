// expect: tx: random: dirichlet takes alpha (..., k); multivariate_normal takes a mean (..., n) and a covariance
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::multivariate_normal(a, tx::eye<float>(tx::shape<2, 2>{})); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::multivariate_normal(a, tx::eye<float>(tx::shape<3, 3>{})); }
#endif
