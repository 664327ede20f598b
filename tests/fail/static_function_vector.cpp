// expect: tx: static_function: the compiler must know every argument's rank
// shows: take arrays, tuples or structs in place of vectors, maps and optionals
#include <tracexpr/tracexpr.hpp>

#include <array>
#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
tx::static_function const first{[](auto const& v) { return v[0] * 2; }};

#ifdef FIXED
auto run() { return first(std::array{vec{1, 2}}); }
#else
auto run() { return first(std::vector{vec{1, 2}}); }
#endif
