// expect: tx: function::concrete, graph_of, spec_of: take a tx::spec<dtype, shape> for each argument
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
tx::function const squared{[](auto x) { return x * x; }};
void run(vec const& x) {
#ifdef FIXED
    auto const c = squared.concrete<tx::spec<float, tx::shape<3>>>();
#else
    auto const c = squared.concrete<tx::shape<3>>();
#endif
    std::cout << c(x) << c.graph().to_text() << c.signature() << '\n';
}
