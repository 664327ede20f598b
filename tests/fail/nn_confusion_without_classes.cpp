// expect: tx: nn: confusion_matrix: takes the labels and what is predicted, with the number of classes in <>
#include <tracexpr/nn.hpp>

auto f(tx::tensor<int, tx::shape<5>> const& x) {
#ifdef FIXED
    return tx::nn::confusion_matrix<3>(x, x);
#else
    return tx::nn::confusion_matrix(x, x);
#endif
}
