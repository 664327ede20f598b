// budget: gcc=33554432 clang=1048576 nvcc
// Traces, simplifies, clusters and plans one function of 4,000 nodes, each stage within the compilers' default limits.
#include <tracexpr/run/tracing.hpp>
#include <tracexpr/trace/functions.hpp>

namespace {

struct chain {
    template <class X, class Y> constexpr auto operator()(X x, Y y) const {
        auto h = x;
        for (int i = 0; i < 500; ++i) {
            auto const s = h * (3.0f + static_cast<float>(i)) + y;
            auto const p = tx::tanh(s) / s;
            h = tx::maximum(p, x) + (s - y);
        }
        return h;
    }
};
using argument = tx::tensor<float, tx::shape<64>>;
using stages = tx::detail::stages<tx::detail::compile_time_trace<chain, argument, argument>>;
static_assert(stages::trace().size() >= 4000);
static_assert(stages::graph().size() >= 4000);
static_assert(stages::clusters().loops.size() > 0);
static_assert(stages::plan().steps.size() > 0);

} // namespace
