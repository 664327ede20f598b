// Writes step.onnx, which the program onnx reads: the loss and its gradient as one model.
#include "timing.hpp"

#include <tracexpr/onnx.hpp>

int main() {
    tx::onnx::save(
        "step.onnx",
        [](auto const& room, auto const& excess, auto const& rate, auto const& x, auto const& y) {
            auto const [loss, gradient] = tx::value_and_grad(loss_of{})(std::tuple(room, excess, rate), x, y);
            return std::tuple_cat(std::tuple(loss), gradient);
        },
        tx::spec<float, tx::shape<>>{}, tx::spec<float, tx::shape<>>{}, tx::spec<float, tx::shape<>>{},
        tx::spec<float, tx::shape<tx::dyn>>{}, tx::spec<float, tx::shape<tx::dyn>>{});
}
