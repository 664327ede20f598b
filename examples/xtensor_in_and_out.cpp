// expect-output: the tensor seen by xtensor sums to 21
// xtensor's arrays go into functions as they are, and tensors come back as xtensor's views.
#include <tracexpr/tracexpr.hpp>
#include <tracexpr/xtensor.hpp>

#include <iostream>

int main() {
    tx::function row_norms{[](auto x) { return tx::sqrt(tx::sum(x * x, tx::axis<-1>)); }};

    // A fixed container has a static shape, a tensor a rank, an array neither; each gives one trace.
    xt::xtensor_fixed<float, xt::xshape<2, 3>> const fixed{{1, 2, 2}, {2, 3, 6}};
    xt::xtensor<float, 2> const ranked = fixed;
    xt::xarray<float> const any = fixed;
    std::cout << row_norms(fixed) << ' ' << row_norms(ranked) << ' ' << row_norms(any) << '\n';
    for (auto const& signature : row_norms.signatures()) std::cout << "  " << signature << '\n';

    // Rows of a matrix are read in place; columns and lazy expressions are copied first.
    std::cout << row_norms(xt::view(ranked, 1, xt::all())) << ' ' << row_norms(xt::view(ranked, xt::all(), 1)) << ' '
              << row_norms(2 * ranked + 1) << '\n';

    // Single ops take tensors: from_xtensor copies.
    auto const doubled = 2 * tx::from_xtensor(ranked);
    std::cout << doubled << '\n';

    // A tensor becomes an xtensor view without a copy.
    tx::tensor<double, tx::shape<2, 3>> t{{1, 2, 3}, {4, 5, 6}};
    std::cout << "the tensor seen by xtensor sums to " << xt::sum(tx::as_xtensor(t))() << '\n';
    tx::as_mutable_xtensor(t) *= 10;
    std::cout << t << '\n';

    // Tensors are written to files, and read back.
    tx::save_npy("t.npy", t);
    tx::save_csv("t.csv", t);
    std::cout << "the same after a round trip: " << tx::equal(tx::load_npy<double, tx::shape<2, 3>>("t.npy"), t) << '\n';
    try {
        static_cast<void>(tx::load_npy<float>("t.npy"));
    } catch (tx::type_error const& e) {
        std::cout << e.what() << '\n';
    }
}
