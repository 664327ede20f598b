// expect: tx: group_by: how many groups there are follows from the keys, which a trace hasn't: give their number,
#include <tracexpr/arrays.hpp>

#ifdef FIXED
tx::function const f{[](auto k, auto v) { return tx::group_by<8>(k).sum(v); }};
auto run(tx::tensor<int, tx::shape<4>> const& i, tx::tensor<float, tx::shape<4>> const& x) { return f(i, x); }
#else
tx::function const f{[](auto k, auto v) { return tx::group_by(k).sum(v); }};
auto run(tx::tensor<int, tx::shape<4>> const& i, tx::tensor<float, tx::shape<4>> const& x) { return f(i, x); }
#endif
