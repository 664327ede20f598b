// expect: tx: device_data: the tensor is gone before its elements are read; keep it in a variable
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

using vector = tx::tensor<float, tx::shape<tx::dyn>>;
#ifdef FIXED
float const* address(vector const& x) { return tx::device_data(x); }
#else
float const* address(vector const& x) { return tx::device_data(tx::to(tx::thrust_device{}, x)); }
#endif
