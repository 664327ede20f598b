// expect: tx: function::concrete, graph_of, spec_of: the callable must take one argument for each spec, of its dtype and shape
#include <tracexpr/onnx.hpp>

constexpr auto f = [](auto const& x) { return x * 2.0f; };
using spec = tx::spec<float, tx::shape<3>>;
#ifdef FIXED
void run() { tx::onnx::save("twice.onnx", f, spec{}); }
#else
void run() { tx::onnx::save("twice.onnx", f, spec{}, spec{}); }
#endif
