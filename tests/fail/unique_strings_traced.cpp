// expect: tx: unique: how many there are follows from the values, which a trace hasn't
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<std::string, tx::shape<4>> const& x) { return tx::unique(x); }
#else
tx::function const f{[](auto x) { return tx::unique(x); }};
auto run(tx::tensor<std::string, tx::shape<4>> const& x) { return f(x); }
#endif
