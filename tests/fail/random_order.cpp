// expect: tx: random: the shape comes first, and behind it what the distribution takes
// lines: 40
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto draw() { return tx::random::uniform(tx::shape<3>{}, 0.5, 1.5); }
#else
auto draw() { return tx::random::uniform(0.5, 1.5, tx::shape<3>{}); }
#endif
