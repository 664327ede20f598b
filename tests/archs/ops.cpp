// Compiles kernels of all kinds of dtypes; narrow ones go through vectors of more bytes.
#include <tracexpr/tracexpr.hpp>

namespace {

using tx::axis, tx::dyn, tx::shape, tx::tensor;

constexpr auto divisions = [](auto x, auto y) { return std::tuple{x % y, floor_divide(x, y), fmod(x, y)}; };
constexpr auto others = [](auto x, auto y) {
    return std::tuple{x / y, maximum(x, y), where(x > y, x, y), tx::cast<double>(x) * y, exp(x), mean(x, axis<0>), sum(x * y, axis<1>), argmax(x), transpose(x) + 1};
};
template <class T> auto run(tensor<T, shape<dyn, dyn>> const& x) { return std::pair{tx::function{divisions}(x, x), tx::function{others}(x, x)}; }

} // namespace

auto integers(tensor<std::int32_t, shape<dyn, dyn>> const& x) { return run(x); }
auto bytes(tensor<std::uint8_t, shape<dyn, dyn>> const& x) { return run(x); }
auto floats(tensor<float, shape<dyn, dyn>> const& x) { return run(x); }
