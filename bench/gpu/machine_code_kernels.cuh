// What bench/gpu/machine_code compiles and counts.
#include "../../tests/thrust/row_programs.hpp"

#include <tracexpr/thrust.hpp>

namespace {

template <class F, class... A> struct by_default : tx::detail::compile_time_trace<F, A...> {
    static constexpr tx::pass_options passes = [] {
        tx::pass_options out;
        out.points = true;
        return out;
    }();
};
template <class F, class... A> struct fast : tx::detail::compile_time_trace<F, A...> {
    static constexpr tx::pass_options passes = [] {
        tx::pass_options out;
        out.points = out.fast_math = true;
        return out;
    }();
};
struct column_sums {
    constexpr auto operator()(auto x) const { return tx::sum(x, tx::axis<0>); }
};
template <std::int64_t... E> using floats = tx::tensor<float, tx::shape<E...>>;
using rows = floats<65536, 1024>;
using open_rows = floats<tx::dyn, tx::dyn>;

template <class Trace> void launch(tx::simd::io const& args) {
    using stages = tx::detail::stages<Trace>;
    tx::detail::run_points<stages>(tx::detail::device_queue::of(0), stages::plan(), args);
}

} // namespace

void launch_all(tx::simd::io const& args) {
    using tx::testing::softmax_of_rows, tx::testing::normalized_rows;
    launch<by_default<softmax_of_rows, rows>>(args);
    launch<fast<softmax_of_rows, rows>>(args);
    launch<by_default<softmax_of_rows, open_rows>>(args);
    launch<by_default<normalized_rows, rows, floats<1024>, floats<1024>>>(args);
    launch<fast<normalized_rows, rows, floats<1024>, floats<1024>>>(args);
    launch<by_default<column_sums, open_rows>>(args);
}
