// Convolutions of networks that are in use, float32, one thread: the shapes that conv_onnxruntime.py gives ONNX Runtime.
#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

using tx::shape;

namespace {

template <class S> tx::tensor<float, S> numbers(std::int64_t period) {
    tx::tensor<float, S> out;
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<float>(i % period - period / 2);
    return out;
}
template <class X, class W, class... Options> void run(benchmark::State& state) {
    auto const x = numbers<X>(17);
    auto const w = numbers<W>(13);
    tx::function f{[](auto a, auto b) { return tx::conv(a, b, Options{}...); }};
    auto y = f(x, w);
    for (auto _ : state) {
        f.into(y, x, w);
        benchmark::DoNotOptimize(y.data());
        benchmark::ClobberMemory();
    }
    std::int64_t const filters = w.extents()[w.rank() - 1];
    double const flops = 2.0 * static_cast<double>(y.size()) * static_cast<double>(w.size() / filters);
    state.counters["flop/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}
template <class X, class W, class... Options> void add(char const* name, Options...) {
    benchmark::RegisterBenchmark(name, run<X, W, Options...>);
}

} // namespace

int main(int argc, char** argv) {
    add<shape<1, 224, 224, 3>, shape<7, 7, 3, 64>>("conv/resnet/7x7_step2", tx::stride<2>, tx::widths<3>);
    add<shape<1, 56, 56, 64>, shape<3, 3, 64, 64>>("conv/resnet/56x56_64", tx::widths<1>);
    add<shape<1, 56, 56, 64>, shape<1, 1, 64, 256>>("conv/resnet/56x56_1x1");
    add<shape<1, 28, 28, 128>, shape<3, 3, 128, 128>>("conv/resnet/28x28_128", tx::widths<1>);
    add<shape<1, 14, 14, 256>, shape<3, 3, 256, 256>>("conv/resnet/14x14_256", tx::widths<1>);
    add<shape<1, 7, 7, 512>, shape<3, 3, 512, 512>>("conv/resnet/7x7_512", tx::widths<1>);
    add<shape<1, 112, 112, 32>, shape<3, 3, 1, 32>>("conv/mobilenet/112x112_each", tx::widths<1>, tx::groups<32>);
    add<shape<1, 56, 56, 128>, shape<3, 3, 1, 128>>("conv/mobilenet/56x56_each", tx::widths<1>, tx::groups<128>);
    add<shape<1, 16000, 1>, shape<80, 1, 32>>("conv/audio/16000_window80", tx::stride<4>);
    add<shape<1, 3980, 32>, shape<3, 32, 64>>("conv/audio/3980_32", tx::widths<1>);
    add<shape<1, 16, 56, 56, 16>, shape<3, 3, 3, 16, 32>>("conv/video/16x56x56_16", tx::widths<1>);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
