// Compiles row nests and lookups for a GPU: teams of threads that pass rows from loop to loop.
#include <tracexpr/thrust.hpp>
#include <tracexpr/trace/functions.hpp>

#include "../thrust/row_programs.hpp"

namespace {

template <class F, class... A> using stages_of = tx::detail::stages<tx::detail::compile_time_trace<F, A...>>;

struct looked_up {
    constexpr auto operator()(auto x, auto i) const { return tx::sum(tx::take(x, i, tx::axis<0>) * 2.0f); }
};
struct of_halves {
    constexpr auto operator()(auto x) const { return x * x + x; }
};
// Wide sums of narrow elements, which a block's shared memory must hold.
struct of_bytes {
    constexpr auto operator()(auto x) const {
        return std::tuple(tx::sum(x, tx::axis<0>), tx::sum(x * x, tx::axis<0>), tx::max(x, tx::axis<0>));
    }
};
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using row = tx::tensor<float, tx::shape<tx::dyn>>;

template <class Form> void launch(tx::simd::io const& args) { tx::detail::run_points<Form>(tx::detail::device_queue::of(0), Form::plan(), args); }

} // namespace

void launch_rows(tx::simd::io const& args) {
    launch<stages_of<tx::testing::softmax_of_rows, matrix>>(args);
    launch<stages_of<tx::testing::normalized_rows, matrix, row, row>>(args);
    launch<stages_of<looked_up, tx::tensor<float, tx::shape<100, 100>>, tx::tensor<int, tx::shape<1000>>>>(args);
    launch<stages_of<of_bytes, tx::tensor<std::int8_t, tx::shape<1000, 256>>>>(args);
    launch<stages_of<of_halves, tx::tensor<tx::half, tx::shape<tx::dyn>>>>(args);
}
