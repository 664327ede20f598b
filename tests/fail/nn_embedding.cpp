// expect: tx: embedding: the numbers of rows must be integers; cast them
#include <tracexpr/nn.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<5, 3>> table, [[maybe_unused]] tx::expr<float, tx::shape<2>> ids) {
#ifdef FIXED
    return tx::nn::embedding(table, tx::cast<int>(ids));
#else
    return tx::nn::embedding(table, ids);
#endif
}
