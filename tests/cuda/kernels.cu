// Compiles the loops of a plan for a GPU: kernels of stores, of sums, of columns and of rows.
#include <tracexpr/thrust.hpp>
#include <tracexpr/trace/functions.hpp>

namespace {

template <std::int64_t... E> using floats = tx::tensor<float, tx::shape<E...>>;
template <class F, class... A> using stages_of = tx::detail::stages<tx::detail::compile_time_trace<F, A...>>;

struct scaled_sum {
    constexpr auto operator()(auto x, auto y) const { return 1.5f * x + y; }
};
// About 50 instructions: a polynomial's gradient by hand, with functions in between.
struct fifty_instructions {
    constexpr auto operator()(auto x, auto y) const {
        auto h = x * y, g = x + y;
        for (int k = 1; k <= 8; ++k) {
            h = h * x + static_cast<float>(k) * 0.25f;
            g = g * h + y;
        }
        auto const t = tx::tanh(h), e = tx::exp(-g * g);
        return std::tuple(t * e + x, (1.0f - t * t) * e - y / (1.0f + tx::abs(g)));
    }
};
struct total {
    constexpr auto operator()(auto x, auto y) const { return tx::sum(x * y); }
};
struct of_columns {
    constexpr auto operator()(auto x) const { return std::tuple(tx::sum(x, tx::axis<0>), tx::max(x, tx::axis<0>)); }
};
struct of_duals {
    constexpr auto operator()(auto x, auto y) const { return tx::sum(tx::pow(x, y) * tx::tanh(x) + tx::lgamma(y) + tx::remainder(x, y) + tx::sigmoid(x) * tx::maximum(x, y)); }
};
using duals = tx::tensor<tx::dual<double>, tx::shape<1000>>;
using many = floats<100000>;
using open_row = floats<tx::dyn>;
using matrix = floats<tx::dyn, tx::dyn>;

// Work with more numbers than a kernel takes as arguments.
struct many_numbers {
    static constexpr bool is_single = true;
    std::int64_t numbers[600];
    std::int64_t* to;
    template <class Team> TRACEXPR_HD void operator()(Team const&, std::int64_t i) const { to[i] = numbers[i]; }
};

template <class Form> void launch(tx::simd::io const& args) { tx::detail::run_points<Form>(tx::detail::device_queue::of(0), Form::plan(), args); }

} // namespace

void launch_all(tx::simd::io const& args) {
    launch<stages_of<scaled_sum, open_row, open_row>>(args);
    launch<stages_of<fifty_instructions, many, many>>(args);
    launch<stages_of<total, open_row, open_row>>(args);
    launch<stages_of<of_columns, matrix>>(args);
    launch<stages_of<of_duals, duals, duals>>(args);
    tx::detail::run_tasks(tx::detail::device_queue::of(0), many_numbers{}, 600);
}
