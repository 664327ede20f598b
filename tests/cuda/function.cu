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

// Rules that users give, and those of effects, are virtual functions, which nvcc evaluates for passes of several kinds.
constexpr auto sine = tx::custom_gradient([](auto x) { return tx::sin(x); }, [](auto x, auto g) { return g * tx::cos(x); });
struct drawing {
    constexpr auto operator()(auto w) const {
        return tx::cond(w > 0, [&] { return tx::sum(tx::nn::dropout(w * tx::ones<float>(tx::shape<8>{}), 0.5)); },
                        [&] { return w; });
    }
};
struct shrinking {
    constexpr auto operator()(auto x) const {
        auto const loop = [](auto s) {
            return tx::while_loop([](auto y) { return y > 1; }, [](auto y) { return y * 0.5f; }, s);
        };
        return tx::cond(x > 0, [&] { return loop(x); }, [&] { return x; });
    }
};
float call_transformed(tx::tensor<float, tx::shape<4>> const& x) {
    tx::static_function const f{tx::grad(tx::checkpoint([](auto w) { return sine(sine(w)); }))};
    tx::static_function const g{tx::value_and_grad(tx::checkpoint(drawing{}))};
    tx::static_function const h{tx::vmap(tx::grad(shrinking{}))};
    return f(x(0)).item() + g(x(1)).second.item() + tx::sum(h(x)).item();
}
