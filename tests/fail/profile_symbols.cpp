// expect: tx: profile: the arguments must hold elements, and these are symbols of a trace
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>

constexpr auto square = [](auto x) { return x * x; };

double seconds() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
#ifdef FIXED
    return tx::profile(square, x).seconds;
#else
    tx::function f{[](auto a) {
        static_cast<void>(tx::profile(square, a));
        return a;
    }};
    return tx::sum(f(x)).item();
#endif
}
