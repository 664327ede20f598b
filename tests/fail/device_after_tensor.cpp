// expect: tx: to: the place comes first; write tx::to(device, x)
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

using vector = tx::tensor<float, tx::shape<tx::dyn>>;
#ifdef FIXED
vector moved(vector const& x) { return tx::to(tx::thrust_device{}, x); }
#else
vector moved(vector const& x) { return tx::to(x, tx::thrust_device{}); }
#endif
