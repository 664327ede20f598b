// expect: tx: onnx::save: options come behind the specs
#include <tracexpr/onnx.hpp>

constexpr auto f = [](auto const& x) { return x * 2.0f; };
using spec = tx::spec<float, tx::shape<3>>;
#ifdef FIXED
void run() { tx::onnx::save("twice.onnx", f, spec{}, {.opset = 20}); }
#else
void run() { tx::onnx::save("twice.onnx", f, {.opset = 20}, spec{}); }
#endif
