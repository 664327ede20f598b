// A model that is read from a file when the program runs.
#include "timing.hpp"

#include <tracexpr/onnx.hpp>

int main() {
    tx::onnx::model const step = tx::onnx::load("step.onnx");
    auto const [room, excess, rate] = start();
    using number = tx::spec<float, tx::shape<>>;
    report("onnx",
           [&](column const& x, column const& y) { return step.call<number, number, number, number>(room, excess, rate, x, y); });
}
