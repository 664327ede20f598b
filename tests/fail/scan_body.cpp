// expect: tx: scan: the body takes two arguments, the carry and an element of xs; each may be a tuple
#include <tracexpr/tracexpr.hpp>

tx::function const f{[](auto x) {
#ifdef FIXED
    return tx::scan([](auto s, auto v) { return std::pair(s + v, s); }, tx::sum(x), x).first;
#else
    return tx::scan([](auto s) { return std::pair(s, s); }, tx::sum(x), x).first;
#endif
}};
auto run(tx::tensor<float, tx::shape<4>> const& x) { return f(x); }
