// expect: deduced for lambda return type | in return type deduced as
// errors: 2
// lines: 60
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
bool deep = true;
tx::function const f{[](auto x) {
#ifdef FIXED
    if (deep) return tx::sum(x, tx::axis<0>, tx::keepdims);
    return tx::slice(x, tx::range<0, 1>) * 2;
#else
    if (deep) return tx::sum(x);
    return x * 2;
#endif
}};
void run(vec const& x) { std::cout << f(x) << '\n'; }
