// Matrices and vectors that fit in registers: one call's cost when calls are independent (throughput) and when each waits
// for the one before (latency). ns per item is ns per call.
#include "tracexpr_kernels.hpp"

#include "baselines/small.hpp"

#include <array>
#include <map>
#include <utility>

namespace {

constexpr std::size_t pool = 32; // independent inputs in flight; all of them and their results stay in L1

template <class M, std::size_t Elements> M filled(double low, double high, std::uint32_t seed) {
    using T = std::remove_cvref_t<decltype(*std::declval<M&>().data())>;
    M result;
    auto const values = harness::uniform<T>(Elements, low, high, seed);
    if constexpr (requires { result.mutable_data(); }) std::copy(values.begin(), values.end(), result.mutable_data());
    else std::copy(values.begin(), values.end(), result.data());
    return result;
}

// The first result under each name is what later ones are compared with.
template <class T> void compare(std::string const& workload, std::string const& who, harness::buffer<T> const& got) {
    static std::map<std::string, harness::buffer<T>> first;
    auto const [entry, is_first] = first.try_emplace(workload, got);
    if (!is_first) harness::require_equal(workload + "/" + who, entry->second, got);
}

// `call(in, out)`: the result has the type of the input, so it can be the next call's input.
template <class M, std::size_t Elements, class Call> void add(std::string const& workload, std::string const& who, Call call) {
    using T = std::remove_cvref_t<decltype(*std::declval<M&>().data())>;
    struct memory {
        std::array<M, pool> in;
        std::array<M, pool> out;
    };
    auto& data = *new memory; // lives as long as the registered benchmarks: until the program ends
    for (std::size_t i = 0; i < pool; ++i) data.in[i] = filled<M, Elements>(0, 1, static_cast<std::uint32_t>(i));
    call(data.in[0], data.out[0]);
    std::string const name = workload + "/" + harness::dtype_name<T>;
    compare(name, who, harness::buffer<T>(data.out[0].data(), data.out[0].data() + Elements));
    // The result of each call is in memory before the next begins, and nothing is known of it then.
    auto const one = [call](M const& in, M& out) {
        call(in, out);
        benchmark::ClobberMemory();
    };
    harness::add({name + "/throughput", pool, 0}, who, [&data, one] {
        for (std::size_t i = 0; i < pool; ++i) one(data.in[i], data.out[i]);
    });
    // Starts anew from in[0] each time, so that no repeated product runs off to infinity or zero.
    harness::add({name + "/latency", pool, 0}, who, [&data, one] {
        one(data.in[0], data.out[0]);
        one(data.out[0], data.out[1]);
        for (std::size_t i = 2; i < pool; i += 2) {
            one(data.out[1], data.out[0]);
            one(data.out[0], data.out[1]);
        }
    });
}

template <class C, class T, int N> void add_matrices() {
    using matrix = typename C::template matrix<N>;
    constexpr std::size_t elements = std::size_t(N) * N;
    // Entries of mean 1 / N: a product keeps the size of its left operand.
    static matrix const b = filled<matrix, elements>(0, 2.0 / N, 100);
    static matrix const c = filled<matrix, elements>(0, 2.0 / N, 101);
    static matrix const d = filled<matrix, elements>(0, 2.0 / N, 102);
    std::string const size = std::to_string(N) + "x" + std::to_string(N);
    add<matrix, elements>("matmul_" + size, C::name, [](matrix const& a, matrix& out) { C::template matmul<N>(a, b, out); });
    add<matrix, elements>("matmul_chain_" + size, C::name,
                          [](matrix const& a, matrix& out) { C::template chain<N>(a, b, c, d, out); });
    add<matrix, elements>("relu_matmul_add_" + size, C::name,
                          [](matrix const& a, matrix& out) { C::template layer<N>(a, b, c, out); });
}

template <class C, class T> void add_all() {
    add_matrices<C, T, 3>();
    add_matrices<C, T, 4>();
    add_matrices<C, T, 8>();
    using eight = typename C::template vector<8>;
    using sixteen = typename C::template vector<16>;
    static eight const y8 = filled<eight, 8>(0, 0.1, 103);
    static sixteen const y16 = filled<sixteen, 16>(0, 0.1, 104);
    add<eight, 8>("axpy_8", C::name, [](eight const& x, eight& out) { C::template axpy<8>(x, y8, out); });
    add<sixteen, 16>("dot_axpy_16", C::name, [](sixteen const& x, sixteen& out) { C::template dot_axpy<16>(x, y16, out); });
}

} // namespace

int main(int argc, char** argv) {
    add_all<small::hand<float>, float>();
    add_all<small::plain<float>, float>();
    add_all<small::eigen<float>, float>();
    add_all<kernels::small<float>, float>();
    add_all<small::hand<double>, double>();
    add_all<small::plain<double>, double>();
    add_all<small::eigen<double>, double>();
    add_all<kernels::small<double>, double>();
    return harness::run(argc, argv);
}
