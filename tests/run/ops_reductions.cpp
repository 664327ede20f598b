#include <op_cases.hpp>

using namespace tx::testing;

namespace {

constexpr auto f64 = tx::dtype::float64;

template <int... Axes> void check_axes() {
    using F = ops::reductions<Axes...>;
    constexpr double epsilons = 256; // sums of numbers of both signs
    check_ops<F, tx::tensor<double, tx::shape<3, 4, 9>>>(epsilons, {tame_values(f64, {{3, 4, 9}, 3})});
    for (tx::dims d : {tx::dims{{3, 4, 9}, 3}, tx::dims{{1, 17, 8}, 3}, tx::dims{{9, 1, 1}, 3}})
        check_ops<F, tx::tensor<double, tx::shape<tx::dyn, tx::dyn, tx::dyn>>>(epsilons, {tame_values(f64, d)});
}

} // namespace

TEST_CASE("ops: reductions over every set of axes") {
    check_axes<0>();
    check_axes<1>();
    check_axes<2>();
    check_axes<0, 1>();
    check_axes<0, 2>();
    check_axes<1, 2>();
    check_axes<0, 1, 2>();
}
