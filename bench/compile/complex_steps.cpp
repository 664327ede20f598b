// To time compilers with: TRACEXPR_STEPS steps of complex arithmetic, one after the other.
#include <tracexpr/tracexpr.hpp>

namespace {

using vector = tx::tensor<std::complex<float>, tx::shape<tx::dyn>>;
constexpr auto iterated = [](auto z, auto c) {
    for (int k = 0; k < TRACEXPR_STEPS; ++k) z = z * z + c;
    return z;
};

} // namespace

vector call(vector const& z, vector const& c) {
    static tx::static_function f{iterated};
    return f(z, c);
}
