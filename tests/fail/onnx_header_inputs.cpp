// expect: tx: onnx: the model takes a tensor for each of its inputs
#include "../onnx/twice_tables.hpp"

using x_type = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(x_type const& x) { return tx::onnx::static_model<twice_tables>{}(x); }
#else
auto run(x_type const& x) { return tx::onnx::static_model<twice_tables>{}(x, x); }
#endif
