// expect: tx: to_svg, to_html, and to_dot of a concrete function, are in a header of their own; include <tracexpr/inspect.hpp>
// alone: what it leaves out other files include
#include <tracexpr/tracexpr.hpp>
#ifdef FIXED
#include <tracexpr/inspect.hpp>
#endif

constexpr auto g = tx::graph_of<tx::spec<float, tx::shape<2>>>([](auto x) { return x + 1; });

int main() { return g.to_svg().empty() ? 1 : 0; }
