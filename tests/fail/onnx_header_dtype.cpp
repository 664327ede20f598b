// expect: tx: onnx: the arguments must have the dtypes and shapes of the model's inputs
#include "../onnx/twice_tables.hpp"

#ifdef FIXED
using x_type = tx::tensor<float, tx::shape<3>>;
#else
using x_type = tx::tensor<double, tx::shape<3>>;
#endif
auto run(x_type const& x) { return tx::onnx::static_model<twice_tables>{}(x); }
