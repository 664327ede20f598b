// A program of several source files: this one knows the model's functions by a header. It learns x * y of two numbers.
#include "15_several_files.hpp"

#include <cmath>
#include <cstdio>

int main() {
    tx::random::seed(11);
    model::parameters p{tx::random::normal<float>(tx::shape<2, 8>{}), tx::random::normal<float>(tx::shape<8>{}),
                        0.1f * tx::random::normal<float>(tx::shape<8>{})};
    model::batch const x = tx::random::uniform<float>(tx::shape<256, 2>{}, -1, 1);
    model::answers const y = tx::prod(x, tx::axis<1>);

    float const before = model::train(p, x, y, 0.2f);
    float after = before;
    for (int k = 0; k < 3000; ++k) after = model::train(p, x, y, 0.2f);
    std::printf("loss before %.4f, below 0.005 after: %d\n", static_cast<double>(before), after < 0.005f);

    auto const one = model::predict(p, model::batch{{0.5f, 0.5f}, {-0.5f, 0.5f}});
    std::printf("0.5 * 0.5 and -0.5 * 0.5 off by less than 0.1: %d\n",
                std::abs(one(0) - 0.25f) < 0.1f && std::abs(one(1) + 0.25f) < 0.1f);
    std::printf("mean of the answers off by less than 0.02: %d\n",
                std::abs(model::mean(y) - model::mean(model::predict(p, x))) < 0.02f);
}
