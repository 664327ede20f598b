// expect: tx: scan: every sequence must have that axis, of one extent; negative ones count from the end
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) {
    return tx::scan([](auto s, auto v) { return std::pair(s + v, s); }, tx::tensor<float, tx::shape<>>{}, x, tx::axis<0>).second;
}
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) {
    return tx::scan([](auto s, auto v) { return std::pair(s + v, s); }, 0.0f, x, tx::axis<1>).second;
}
#endif
