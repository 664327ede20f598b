// Each case must not compile in a file with TRACEXPR_KERNELS_NONE; fails.sh knows the message of each. Case 0 compiles.
#include <tracexpr/tracexpr.hpp>

void use(tx::tensor<float, tx::shape<3>> const& x) {
    constexpr tx::tensor<float, tx::shape<3>> known{1, 2, 3};
    static_assert(known(1) == 2 && tx::sqrt(4.0) == 2);
    tx::function const f{[](auto a) { return a + 1; }};
    static_cast<void>(f(x + known));
#if CASE == 1
    tx::static_function const insists{[](auto a) { return a + 1; }};
    static_cast<void>(insists(x));
#elif CASE == 2
    tx::function const native{[](auto a) { return a + 1; }, tx::options{.kernels = tx::kernels::native}};
    static_cast<void>(native(x));
#elif CASE == 3
    constexpr auto sum = known + known;
    static_cast<void>(sum);
#endif
}
