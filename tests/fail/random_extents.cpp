// expect: tx: random: the shape comes first, and behind it what the distribution takes
// lines: 40
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto draw() { return tx::random::normal<float>(tx::shape<3, 4>{}); }
#else
auto draw() { return tx::random::normal<float>(3, 4); }
#endif
