// First and second derivatives of small problems against derivatives written by hand. ns per item is ns per call; no call of
// tracexpr's may allocate.
#include "baselines/derivatives.hpp"
#include "harness.hpp"

#include <tracexpr/tracexpr.hpp>

#include <array>
#include <atomic>
#include <memory>

namespace {
std::atomic<std::size_t> allocations{0};
void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    if (void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)) return p;
    throw std::bad_alloc();
}
} // namespace
void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return counted(bytes, static_cast<std::size_t>(alignment)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

constexpr std::size_t pool = 32; // independent inputs in flight; all of them and their results stay in L1
constexpr int variables = 10;
using point = tx::tensor<double, tx::shape<variables>>;
using matrix = tx::tensor<double, tx::shape<variables, variables>>;
using scalar = tx::tensor<double, tx::shape<>>;

constexpr auto rosenbrock = [](auto x) {
    auto const head = tx::slice(x, tx::range<0, -1>), tail = tx::slice(x, tx::range<1, tx::open>);
    return tx::sum(100.0 * tx::square(tail - tx::square(head)) + tx::square(1.0 - head));
};
constexpr auto call_price = [](auto spot, auto strike, auto years, auto rate, auto volatility) {
    auto const normal = [](auto z) { return 0.5 * tx::erfc(z * -0.70710678118654752440); };
    auto const deviation = volatility * tx::sqrt(years);
    auto const d1 = (tx::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
    return spot * normal(d1) - strike * tx::exp(-rate * years) * normal(d1 - deviation);
};
// The price, its gradient and its Hessian: 31 numbers.
constexpr tx::static_function greeks{[](auto... x) {
    return std::pair(tx::value_and_grad<0, 1, 2, 3, 4>(call_price)(x...), tx::hessian<0, 1, 2, 3, 4>(call_price)(x...));
}};

// Stops the program if `call` allocates; `call(k)` computes item k of the pool.
template <class Call> void add(std::string const& name, std::string const& who, Call call) {
    for (std::size_t k = 0; k < pool; ++k) call(k); // a result's first elements may
    std::size_t const before = allocations;
    for (std::size_t k = 0; k < pool; ++k) call(k);
    if (allocations != before) {
        std::fprintf(stderr, "%s/%s: %zu allocations in %zu calls\n", name.c_str(), who.c_str(), allocations - before, pool);
        std::exit(1);
    }
    harness::add({name, pool, 0}, who, [call] {
        for (std::size_t k = 0; k < pool; ++k) {
            call(k);
            benchmark::ClobberMemory();
        }
    });
}
template <class Out> harness::buffer<double> elements(Out const& out) { return {out.data(), out.data() + out.size()}; }

template <class Out, class F> void add_rosenbrock(std::string const& name, F const& derivative, void (*by_hand)(double const*, double*)) {
    struct memory {
        std::array<point, pool> in;
        std::array<Out, pool> out, hand;
    };
    auto& m = *new memory; // lives as long as the registered benchmarks: until the program ends
    for (std::size_t k = 0; k < pool; ++k)
        m.in[k] = tx::from_data<tx::shape<variables>>(harness::uniform<double>(variables, -2, 2, static_cast<std::uint32_t>(k)).data());
    add(name, "hand", [&m, by_hand](std::size_t k) { by_hand(m.in[k].data(), m.hand[k].mutable_data()); });
    add(name, "tracexpr", [&m, &derivative](std::size_t k) { derivative.into(m.out[k], m.in[k]); });
    for (std::size_t k = 0; k < pool; ++k) harness::require_equal(name, elements(m.hand[k]), elements(m.out[k]));
}

void add_greeks() {
    using row = std::tuple<scalar, scalar, scalar, scalar, scalar>;
    struct result { // spelled out: what the function returns
        std::pair<std::pair<scalar, row>, std::tuple<row, row, row, row, row>> all;
    };
    struct memory {
        std::array<std::array<double, 5>, pool> in;
        std::array<result, pool> out;
        std::array<derivatives::greeks, pool> hand;
    };
    auto& m = *new memory;
    for (std::size_t k = 0; k < pool; ++k) {
        auto const u = harness::uniform<double>(5, 0, 1, static_cast<std::uint32_t>(k));
        m.in[k] = {80 + 40 * u[0], 90 + 20 * u[1], 0.25 + 2 * u[2], 0.01 + 0.05 * u[3], 0.1 + 0.3 * u[4]};
    }
    std::string const name = "black_scholes_greeks/f64/throughput";
    add(name, "hand", [&m](std::size_t k) {
        auto const [s, strike, t, r, v] = m.in[k];
        derivatives::black_scholes(s, strike, t, r, v, m.hand[k]);
    });
    add(name, "tracexpr", [&m](std::size_t k) {
        auto const [s, strike, t, r, v] = m.in[k];
        greeks.into(m.out[k].all, s, strike, t, r, v);
    });
    for (std::size_t k = 0; k < pool; ++k) {
        harness::buffer<double> got, want;
        auto const append = [&](auto const&... part) { (got.push_back(part.item()), ...); };
        auto const& [first, second] = m.out[k].all;
        append(first.first);
        std::apply(append, first.second);
        std::apply([&](auto const&... each) { (std::apply(append, each), ...); }, second);
        want.push_back(m.hand[k].value);
        want.insert(want.end(), m.hand[k].first, m.hand[k].first + 5);
        for (auto const& each : m.hand[k].second) want.insert(want.end(), each, each + 5);
        harness::require_equal(name, want, got);
    }
}

} // namespace

int main(int argc, char** argv) {
    static tx::static_function const gradient{tx::grad(rosenbrock)};
    static tx::static_function const hessian{tx::hessian(rosenbrock)};
    add_rosenbrock<point>("rosenbrock_gradient_10/f64/throughput", gradient, derivatives::rosenbrock_gradient<variables>);
    add_rosenbrock<matrix>("rosenbrock_hessian_10/f64/throughput", hessian, derivatives::rosenbrock_hessian<variables>);
    add_greeks();
    return harness::run(argc, argv);
}
