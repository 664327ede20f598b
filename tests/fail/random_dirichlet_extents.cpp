// expect: tx: random: dirichlet: takes alpha, behind a shape that is known if there is one
#include <tracexpr/distributions.hpp>

auto f(tx::tensor<float, tx::shape<3>> const& alpha) {
#ifdef FIXED
    return tx::random::dirichlet(tx::shape<5>{}, alpha);
#else
    return tx::random::dirichlet(tx::shape<tx::dyn>{}, 5, alpha);
#endif
}
