// expect: use of deleted function | invokes a deleted function
// shows: of a std::vector v: write tx::from_range(v)
#include <tracexpr/tracexpr.hpp>

#include <vector>

using row = tx::tensor<float, tx::shape<tx::dyn>>;
#ifdef FIXED
row of(std::vector<float> const& v) { return tx::from_data<tx::shape<tx::dyn>>(v.data(), v.size()); }
#else
row of(std::vector<float> const& v) { return v; }
#endif
