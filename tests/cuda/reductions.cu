// Compiles reductions of rows and columns, and the places of extremes, as kernels of the CPU in nvcc's files.
#include <tracexpr/tracexpr.hpp>

struct reductions {
    constexpr auto operator()(auto x) const { return std::tuple(tx::max(x, tx::axis<0>), tx::argmax(x * 2.0f, tx::axis<1>)); }
};
float call(tx::tensor<float, tx::shape<tx::dyn, tx::dyn>> const& x) { return std::get<0>(tx::static_function{reductions{}}(x))(0); }
