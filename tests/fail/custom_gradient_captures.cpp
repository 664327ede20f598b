// expect: tx: custom_gradient, custom_jvp: the callable and its derivative must capture nothing; what they need are arguments
#include <tracexpr/tracexpr.hpp>

using scalar = tx::tensor<double, tx::shape<>>;

double slope(scalar const& w, scalar const& x) {
#ifdef FIXED
    auto const f = tx::custom_gradient([](auto a, auto b) { return a * b; },
                                       [](auto a, auto b, auto g) { return std::tuple(g * b, g * a); });
    return tx::grad([=](auto a) { return f(a, w); })(x).item();
#else
    auto const f = tx::custom_gradient([w](auto a) { return a * w; }, [w](auto, auto g) { return g * w; });
    return tx::grad([=](auto a) { return f(a); })(x).item();
#endif
}
