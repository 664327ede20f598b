// How large complex numbers are that are products with a sum.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto sizes = [](auto a, auto b, auto c) { return tx::abs(a * b + c); };

constexpr std::int64_t n = 1'000'000;

programs::buffer<programs::complex> numbers(std::uint32_t seed) {
    auto const parts = programs::uniform(2 * n, -1, 1, seed);
    programs::buffer<programs::complex> out(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {parts[2 * i], parts[2 * i + 1]};
    return out;
}

programs::registered const program("complex", [] {
    auto const x = numbers(1), y = numbers(2), z = numbers(3);
    programs::bench b("complex");
    programs::results<programs::real> const results{n};
    b.loop(results, [](auto* out, auto const*... in) { loops::complex_fma(out, in..., n); }, x, y, z);
    b.eigen(results, [](auto* out, auto const*... in) { eigen::complex_fma(out, in..., n); }, x, y, z);
    b.ours("static", tx::static_function{sizes}, programs::fixed<n>(x), programs::fixed<n>(y), programs::fixed<n>(z));
    b.ours("unknown", tx::static_function{sizes}, programs::open(x, n), programs::open(y, n), programs::open(z, n));
});

} // namespace
