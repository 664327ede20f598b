// expect: tensors of places must be for axes side by side
#include <tracexpr/tracexpr.hpp>

using cube = tx::tensor<float, tx::shape<3, 4, 3>>;
using places = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto added(cube const& x, places const& i) { return tx::add_at(x, 1, i, tx::at<0>, i); }
#else
auto added(cube const& x, places const& i) { return tx::add_at(x, 1, i, tx::range<>, i); }
#endif
