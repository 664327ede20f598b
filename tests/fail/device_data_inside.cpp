// expect: tx: device_data: small tensors of known shape hold their elements themselves, on no device; give the tensor an open extent
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
using vector = tx::tensor<float, tx::shape<tx::dyn>>;
#else
using vector = tx::tensor<float, tx::shape<3>>;
#endif
float const* address(vector const& x) { return tx::device_data(x); }
