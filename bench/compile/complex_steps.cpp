// To time compilers with: TRACEXPR_STEPS steps of complex arithmetic, one after the other, and their gradient.
#include <tracexpr/tracexpr.hpp>

namespace {

using vector = tx::tensor<std::complex<float>, tx::shape<tx::dyn>>;
constexpr auto size = [](auto z, auto c) {
    for (int k = 0; k < TRACEXPR_STEPS; ++k) z = (z * z + c) / (z + 2.0f);
    return tx::sum(tx::square(tx::abs(z)));
};

} // namespace

auto call(vector const& z, vector const& c) {
    static tx::static_function f{tx::value_and_grad<0, 1>(size)};
    return f(z, c);
}
