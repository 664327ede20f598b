// The static executor's kernel types in CUDA kernels and in Thrust's algorithms.
#include <tracexpr/thrust.hpp>
#include <tracexpr/trace/functions.hpp>

namespace {

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
using argument = tx::tensor<float, tx::shape<100000>>;
using stages = tx::detail::stages<tx::detail::compile_time_trace<fifty_instructions, argument, argument>>;
using kernel_type = tx::simd::detail::loop_kernel<stages, 0, tx::strategy::any_form>;
static_assert(kernel_type::size >= 45 && kernel_type::size <= 60);

struct total {
    constexpr auto operator()(auto x, auto y) const { return tx::sum(x * y); }
};
using summing = tx::detail::stages<tx::detail::compile_time_trace<total, argument, argument>>;

struct looked_up {
    constexpr auto operator()(auto x, auto i) const { return tx::sum(tx::take(x, i, tx::axis<0>) * 2.0f); }
};
using looking_up = tx::detail::stages<tx::detail::compile_time_trace<looked_up, tx::tensor<float, tx::shape<100, 100>>, tx::tensor<int, tx::shape<1000>>>>;

struct of_duals {
    constexpr auto operator()(auto x, auto y) const { return tx::sum(tx::pow(x, y) * tx::tanh(x) + tx::lgamma(y) + tx::remainder(x, y) + tx::sigmoid(x) * tx::maximum(x, y)); }
};
using duals = tx::tensor<tx::dual<double>, tx::shape<1000>>;
using summing_duals = tx::detail::stages<tx::detail::compile_time_trace<of_duals, duals, duals>>;

} // namespace

template <std::uint64_t... Words> __global__ void run_points(tx::simd::run_point<tx::simd::kernel<Words...>> run, std::int64_t count) {
    std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) run(i);
}

void launch(std::byte* const* buffers) {
    auto const loop = tx::simd::detail::point_kernel_of<kernel_type>(stages::plan(), stages::plan().loops[0], stages::plan().steps[0].outer, nullptr, buffers);
    std::int64_t const count = loop.points(0, loop.kept);
    run_points<<<static_cast<unsigned>((count + 255) / 256), 256>>>(tx::simd::run_point<kernel_type>{loop}, count);
}
void launch_with_thrust(tx::simd::io const& args) {
    tx::simd::run_thrust<stages>(thrust::device, stages::plan(), args, nullptr);
    tx::simd::run_thrust<summing>(thrust::device, summing::plan(), args, nullptr);
    tx::simd::run_thrust<looking_up>(thrust::device, looking_up::plan(), args, nullptr);
    tx::simd::run_thrust<summing_duals>(thrust::device, summing_duals::plan(), args, nullptr);
}
