// expect: tx: function::concrete, graph_of, spec_of: the callable must take one argument for each spec
#include <tracexpr/tracexpr.hpp>

using spec = tx::spec<float, tx::shape<3>>;
constexpr auto product = [](auto x, auto y) { return x * y; };
#ifdef FIXED
auto run() { return tx::spec_of<spec, spec>(product); }
#else
auto run() { return tx::spec_of<spec>(product); }
#endif
