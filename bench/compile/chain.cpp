// A function of TRACEXPR_NODES nodes, to time compilers with: up to its plan, or, with TRACEXPR_CALL, up to machine code.
#include <tracexpr/run/tracing.hpp>
#include <tracexpr/trace/functions.hpp>
#ifdef TRACEXPR_CALL
#include <tracexpr/tracexpr.hpp>
#endif

namespace {

struct chain {
    template <class X, class Y> constexpr auto operator()(X x, Y y) const {
        auto h = x;
        for (int i = 0; i < TRACEXPR_NODES / 8; ++i) {
            auto const s = h * (3.0f + static_cast<float>(i)) + y;
            auto const p = tx::sqrt(s) / s;
            h = tx::maximum(p, x) + (s - y);
        }
        return h;
    }
};
using argument = tx::tensor<float, tx::shape<64>>;
using stages = tx::detail::stages<tx::detail::compile_time_trace<chain, argument, argument>>;
static_assert(stages::plan().buffers.size() > 0);

} // namespace

#ifdef TRACEXPR_CALL
argument call(argument const& x, argument const& y) {
    static tx::function f(chain{});
    return f(x, y);
}
#endif
