// expect: tx: nextafter: takes float and double; cast half and bfloat16 to one of them first
#include <tracexpr/special.hpp>
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<tx::half, tx::shape<5>>;
#ifdef FIXED
auto run(vec const& x) { return tx::nextafter(tx::cast<float>(x), 1.0F); }
#else
auto run(vec const& x) { return tx::nextafter(x, 1.0F); }
#endif
