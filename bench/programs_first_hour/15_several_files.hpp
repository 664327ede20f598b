// What the three files of this program share: the model's type, and functions on tensors that are compiled in one file only.
#pragma once

#include <tracexpr/tracexpr.hpp>

namespace model {

using batch = tx::tensor<float, tx::shape<tx::dyn, 2>>;
using answers = tx::tensor<float, tx::shape<tx::dyn>>;

struct parameters {
    tx::tensor<float, tx::shape<2, 8>> in;
    tx::tensor<float, tx::shape<8>> bias;
    tx::tensor<float, tx::shape<8>> out;
};

answers predict(parameters const& p, batch const& x);
float train(parameters& p, batch const& x, answers const& y, float rate); // the loss before the step

inline float mean(answers const& y) { return tx::mean(y).item(); }

} // namespace model
