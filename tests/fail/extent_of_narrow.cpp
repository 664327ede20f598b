// expect: tx: an extent is an int64, and these integers are narrower
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    tx::static_function f{[](auto r, auto u) { return tx::cast<std::int64_t>(u) + tx::extent<0>(r); }};
#else
    tx::static_function f{[](auto r, auto u) { return u + tx::extent<0>(r); }};
#endif
    f(tx::zeros<float, tx::shape<tx::dyn>>(300), tx::tensor<std::uint8_t, tx::shape<2>>{1, 2});
}
