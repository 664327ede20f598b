// All of the core compiles under nvcc, and a callable is traced, simplified and planned within its limits on constant evaluation.
#include <tracexpr/tracexpr.hpp>

struct elementwise {
    constexpr auto operator()(auto x, auto y) const { return tx::sum(tx::pow(x, 2) * 3.0f + tx::tanh(y)); }
};
using argument = tx::tensor<float, tx::shape<2, tx::dyn>>;
using stages = tx::detail::stages<tx::detail::compile_time_trace<elementwise, argument, argument>>;
static_assert(stages::graph().size() > 4 && stages::plan().steps.size() == 1);

float call() {
    tx::function f(elementwise{});
    argument const x{{1, 2, 3}, {4, 5, 6}};
    return f(x, x)();
}

// What tx::capture gives is a place in a closure, under nvcc's front end as well.
float call_with_captures(argument& x, float& by) {
    tx::static_function f{[x = tx::capture(x), by = tx::capture(by)](auto y) { return tx::sum(x * y * by); }};
    return f(x)();
}
