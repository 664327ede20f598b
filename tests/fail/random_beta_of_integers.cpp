// expect: tx: random: the distribution does not give numbers of this dtype
#include <tracexpr/distributions.hpp>

auto f(tx::random::key const& key) {
#ifdef FIXED
    return tx::random::stateless_beta<double>(key, tx::shape<3>{}, 2.0, 1.0);
#else
    return tx::random::stateless_beta<int>(key, tx::shape<3>{}, 2.0, 1.0);
#endif
}
