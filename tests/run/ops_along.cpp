#include <op_cases.hpp>

using namespace tx::testing;

namespace {

template <class T, int Axis> void check_axis(double epsilons) {
    using F = ops::along<Axis>;
    for (tx::dims d : {tx::dims{{3, 4, 9}, 3}, tx::dims{{1, 17, 8}, 3}, tx::dims{{9, 1, 1}, 3}, tx::dims{{2, 65, 3}, 3}})
        check_ops<F, tx::tensor<T, tx::shape<tx::dyn, tx::dyn, tx::dyn>>>(epsilons, {tame_values(tx::dtype_of<T>, d)});
}
// Eight axes of different extents, reversed.
struct eight_axes {
    constexpr auto operator()(auto const& x) const { return std::tuple(tx::transpose(x) + 1.0f, tx::sum(x, tx::axis<1, 3, 6>), tx::max(tx::transpose(x), tx::axis<-1>)); }
};

} // namespace

TEST_CASE("ops: places of extremes and scans along each axis") {
    check_axis<float, 0>(256);
    check_axis<float, 1>(256);
    check_axis<float, 2>(256);
    check_axis<std::int32_t, 2>(0);
}
TEST_CASE("ops: eight axes") {
    check_ops<eight_axes, tx::tensor<float, tx::shape<2, 3, 1, 2, 3, 2, 2, 3>>>(256, {tame_values(tx::dtype::float32, {{2, 3, 1, 2, 3, 2, 2, 3}, 8})});
}
