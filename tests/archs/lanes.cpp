// Compiles vectors wider than a processor's registers: floats converted from integers of twice their size, and lookups at places
// of eight bytes. No function may take or return such vectors, as compilers warn of that.
#include <tracexpr/tracexpr.hpp>

namespace {

using tx::axis, tx::dyn, tx::shape, tx::tensor;

// Counted lanes, in rows of open and of known extents.
constexpr auto counted = [](auto x) {
    auto const weights = tx::arange<float>(tx::extent<0>(x));
    return tx::sum(x * weights) + tx::sum(tx::square(tx::reshape<shape<dyn, 2>>(x, tx::extent<0>(x) / 2, 2) * tx::arange<float>(2)));
};
// Rows and elements that are found by indices.
constexpr auto found = [](auto x, auto at) { return std::pair{tx::take(x, at, axis<0>), tx::sum(tx::take(x, at, axis<0>) * 2.0f)}; };
// Small products, whose rows are vectors of their own width, and what is done with them.
constexpr auto products = [](auto a, auto b) {
    return std::tuple{tx::matmul(a, b), tx::matmul(a, b) * 2.0f + tx::transpose(a), tx::matmul(a, tx::transpose(b))};
};
template <class Matrix> auto products_of(Matrix const& a, Matrix const& b) { return tx::function{products}(a, b); }

} // namespace

auto slope(tensor<float, shape<dyn>> const& x) { return tx::function{tx::grad(counted)}(x); }
auto value(tensor<float, shape<dyn>> const& x) { return tx::function{counted}(x); }
auto rows(tensor<float, shape<dyn>> const& x, tensor<std::int64_t, shape<dyn>> const& at) { return tx::function{found}(x, at); }
auto of_floats(tensor<float, shape<8, 8>> const& a) { return products_of(a, a); }
auto of_doubles(tensor<double, shape<4, 4>> const& a) { return products_of(a, a); }
auto of_three(tensor<double, shape<3, 3>> const& a) { return products_of(a, a); }
