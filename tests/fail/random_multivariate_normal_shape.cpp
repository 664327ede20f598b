// expect: tx: random: multivariate_normal: the shape must be known; broadcast the mean to others
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::multivariate_normal(tx::shape<3>{}, a, tx::eye<float>(tx::shape<2, 2>{})); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::multivariate_normal(tx::shape<tx::dyn>{}, a, tx::eye<float>(tx::shape<2, 2>{})); }
#endif
