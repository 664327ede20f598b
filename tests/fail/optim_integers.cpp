// expect: tx: optim: init: all leaves of the parameters must be floating or complex
#include <tracexpr/tracexpr.hpp>

constexpr auto adam = tx::optim::adam();
auto f(tx::tensor<float, tx::shape<3>> const& w, [[maybe_unused]] tx::tensor<int, tx::shape<2>> const& i) {
#ifdef FIXED
    return adam.init(w);
#else
    return adam.init(std::tuple(w, i));
#endif
}
