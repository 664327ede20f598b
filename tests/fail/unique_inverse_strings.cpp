// expect: tx: unique_inverse: takes numbers, not strings; with <tracexpr/arrays.hpp> write tx::searchsorted(tx::unique(x), x)
// lines: 40
#include <tracexpr/arrays.hpp>

#include <string>

using words = tx::tensor<std::string, tx::shape<3>>;
#ifdef FIXED
auto places(words const& x) { return tx::searchsorted(tx::unique(x), x); }
#else
auto places(words const& x) { return tx::unique_inverse(x); }
#endif
