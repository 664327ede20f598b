// expect: tx: searchsorted: strings are looked up outside of callables
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<std::string, tx::shape<4>> const& x) { return tx::searchsorted(x, x); }
#else
tx::function const f{[](auto x) { return tx::searchsorted(x, x); }};
auto run(tx::tensor<std::string, tx::shape<4>> const& x) { return f(x); }
#endif
