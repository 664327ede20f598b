// expect: tx: function::concrete, graph_of, spec_of: how many parts a vector, map or optional has only a call tells
#include <tracexpr/tracexpr.hpp>

#include <array>
#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
tx::function const first{[](auto const& v) { return v[0] * 2; }};
#ifdef FIXED
auto run() { return first.concrete<std::array<vec, 1>>(); }
#else
auto run() { return first.concrete<std::vector<vec>>(); }
#endif
