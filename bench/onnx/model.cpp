// One model of the zoo, in a header and traced at run time: how far from ONNX Runtime's numbers each is, and how long a run takes
// with one thread, in microseconds.
//     zoo_<model> <folder of the model>
#include MODEL_HEADER
#include <tracexpr/onnx.hpp>
#include <tracexpr/onnx/elements.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

struct input_shape {
    static constexpr tx::dims value = MODEL_TABLES::graph().shape_of(MODEL_TABLES::graph().parameters[0]);
};
using input = tx::tensor<float, typename tx::detail::shape_of_dims<input_shape>::type>;

template <class A> A read(std::string const& path) {
    tx::onnx::detail::model_files files({"zoo", path});
    auto const value = tx::onnx::detail::stored(tx::onnx::detail::tensor_message::read(files.model(), files.call()), files);
    A out = A::uninitialized(value.shape);
    std::memcpy(out.mutable_data(), value.data, sizeof(float) * static_cast<std::size_t>(out.size()));
    return out;
}
template <class F> double best_time(F const& f) {
    using clock = std::chrono::steady_clock;
    double out = 1e9;
    for (int k = 0; k < 15; ++k) {
        auto const start = clock::now();
        auto const passed = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
        int runs = 0;
        for (; passed() < 0.05; ++runs) f();
        out = std::min(out, passed() / runs);
    }
    return out * 1e6;
}
template <class A> double difference(A const& got, tx::tensor<float> const& wanted) {
    double worst = 0, most = 0;
    for (std::int64_t k = 0; k < wanted.size(); ++k) {
        worst = std::max(worst, std::abs(static_cast<double>(got.data()[k]) - static_cast<double>(wanted.data()[k])));
        most = std::max(most, std::abs(static_cast<double>(wanted.data()[k])));
    }
    return worst / most;
}
template <class T, class S> auto const& first_of(tx::tensor<T, S> const& y) { return y; }
template <class A, class B> auto const& first_of(std::pair<A, B> const& y) { return y.first; }

} // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    std::string const folder = arguments[1];
    auto const x = read<input>(folder + "/test_data_set_0/input_0.pb");
    auto const wanted = read<tx::tensor<float>>(folder + "/test_data_set_0/output_0.pb");
    tx::function const compiled{tx::on(tx::cpu{.threads = 1}, [](auto const& a) { return MODEL(a); })};
    auto y = compiled(x);
    double const of_header = difference(first_of(y), wanted), header_time = best_time([&] { compiled.into(y, x); });
    tx::onnx::model const model = tx::onnx::load(folder + "/model.onnx");
    tx::function const traced{
        tx::on(tx::cpu{.threads = 1}, [&](auto const& a) { return model.call<tx::spec<float, tx::any_shape>>(a); })};
    auto z = traced(x);
    double const of_trace = difference(z, wanted), trace_time = best_time([&] { traced.into(z, x); });
    std::printf("%.1e %.2f %.1e %.2f\n", of_header, header_time, of_trace, trace_time);
}
