// transpose(x) + y on square float matrices: tiles packed by backends/loops/transpose.hpp, a plain blocked loop, Eigen, and a copy of as many bytes.
#include "harness.hpp"

#include <tracexpr/backends/loops/transpose.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct matrices {
    std::int64_t size;
    harness::buffer<float> x, y, out;

    explicit matrices(std::int64_t n) : size{n}, x(elements()), y(elements()), out(elements()) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<float>(i % 1013);
            y[i] = static_cast<float>(i % 509);
        }
    }
    std::size_t elements() const { return static_cast<std::size_t>(size * size); }
};

template <std::int64_t Rows, std::int64_t Columns> void packed(matrices& m) {
    constexpr int w = tx::simd::native_lanes<float, xsimd::default_arch>;
    alignas(64) float tile[Rows * Columns];
    for (std::int64_t row = 0; row < m.size; row += Rows)
        for (std::int64_t column = 0; column < m.size; column += Columns) {
            std::int64_t const rows = std::min(Rows, m.size - row), columns = std::min(Columns, m.size - column);
            tx::simd::pack_transposed(rows, columns, m.x.data() + column * m.size + row, m.size, tile, Columns);
            for (std::int64_t i = 0; i < rows; ++i) {
                std::int64_t const start = (row + i) * m.size + column;
                std::int64_t j = 0;
                for (; j + w <= columns; j += w)
                    tx::simd::store<w>(m.out.data() + start + j,
                                       tx::simd::load<w>(tile + i * Columns + j) + tx::simd::load<w>(m.y.data() + start + j));
                for (; j < columns; ++j) {
                    auto const at = static_cast<std::size_t>(start + j);
                    m.out[at] = tile[i * Columns + j] + m.y[at];
                }
            }
        }
}

void plain_blocks(matrices& m) {
    constexpr std::int64_t edge = 16;
    for (std::int64_t row = 0; row < m.size; row += edge)
        for (std::int64_t column = 0; column < m.size; column += edge)
            for (std::int64_t i = row; i < std::min(row + edge, m.size); ++i)
                for (std::int64_t j = column; j < std::min(column + edge, m.size); ++j) {
                    auto const at = static_cast<std::size_t>(i * m.size + j);
                    m.out[at] = m.x[static_cast<std::size_t>(j * m.size + i)] + m.y[at];
                }
}

void eigen(matrices& m) {
    using map = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
    map const x(m.x.data(), m.size, m.size), y(m.y.data(), m.size, m.size);
    map(m.out.data(), m.size, m.size) = x.transpose() + y;
}

// Without the transposition: what memory allows.
void sum(matrices& m) {
    Eigen::Map<Eigen::ArrayXf>(m.out.data(), m.size * m.size) =
        Eigen::Map<Eigen::ArrayXf>(m.x.data(), m.size * m.size) + Eigen::Map<Eigen::ArrayXf>(m.y.data(), m.size * m.size);
}

void add(std::string const& name, matrices& m, void (*run)(matrices&)) {
    benchmark::RegisterBenchmark(name.c_str(), [&m, run](benchmark::State& state) {
        for (auto step : state) {
            static_cast<void>(step);
            run(m);
            benchmark::ClobberMemory();
        }
        state.SetBytesProcessed(state.iterations() * m.size * m.size * 3 * std::int64_t{sizeof(float)});
    });
}

} // namespace

int main(int argc, char** argv) {
    for (std::int64_t const size : {64, 250, 1024, 4096}) {
        auto& m = *new matrices(size); // lives as long as the registered benchmarks: until the program ends
        plain_blocks(m);
        auto const expected = m.out;
        packed<32, 128>(m);
        if (m.out != expected) {
            std::fprintf(stderr, "transpose_add/f32/%d: wrong result\n", static_cast<int>(size));
            return EXIT_FAILURE;
        }
        std::string const name = "transpose_add/f32/" + std::to_string(size) + "/";
        add(name + "tracexpr", m, packed<32, 128>);
        add(name + "plain", m, plain_blocks);
        add(name + "eigen", m, eigen);
        add(name + "untransposed", m, sum);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
