// This file tests L-BFGS: known minima, and a direction against the formula with whole matrices.
#include <run/small_functions_checks.hpp>

#include <array>

using namespace tx::testing;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

constexpr auto opt = tx::optim::lbfgs<3>();
constexpr auto rosenbrock = [](auto const& x) { // minimum 0 at (1, ..., 1)
    auto const a = tx::slice(x, tx::range<tx::open, -1>), b = tx::slice(x, tx::range<1, tx::open>);
    return tx::sum(100.0 * tx::square(b - a * a) + tx::square(1.0 - a));
};
constexpr tx::options tiles{.kernels = tx::kernels::tiles};

// H g of the newest pairs, H updated as a matrix: Nocedal and Wright (2006), equations 7.16, 7.19 and 7.20.
template <class State> std::array<double, 4> direction_by_matrix(State const& s, std::int64_t pairs) {
    using matrix = std::array<std::array<double, 4>, 4>;
    double product = 0, square = 0;
    for (std::int64_t i = 0; i < 4; ++i) product += s.steps(0, i) * s.changes(0, i), square += s.changes(0, i) * s.changes(0, i);
    matrix h{};
    for (std::size_t i = 0; i < 4; ++i) h[i][i] = product / square;
    for (std::int64_t k = pairs - 1; k >= 0; --k) {
        double rho = 0;
        for (std::int64_t i = 0; i < 4; ++i) rho += s.steps(k, i) * s.changes(k, i);
        rho = 1 / rho;
        matrix v{}, left{}, next{};
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) // v = I - rho y s^T
                v[i][j] = (i == j) - rho * s.changes(k, static_cast<std::int64_t>(i)) * s.steps(k, static_cast<std::int64_t>(j));
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                for (std::size_t l = 0; l < 4; ++l) left[i][j] += v[l][i] * h[l][j];
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                for (std::size_t l = 0; l < 4; ++l) next[i][j] += left[i][l] * v[l][j];
                next[i][j] += rho * s.steps(k, static_cast<std::int64_t>(i)) * s.steps(k, static_cast<std::int64_t>(j));
            }
        h = next;
    }
    std::array<double, 4> out{};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) out[i] -= h[i][j] * s.gradient(static_cast<std::int64_t>(j));
    return out;
}

} // namespace

TEST_CASE("lbfgs: Rosenbrock's valley, each step along the direction that the formula with matrices gives") {
    tx::static_function const start{[](auto const& x) { return opt.init(rosenbrock, x); }, tiles};
    tx::static_function const step{[](auto const& s, auto const& x) { return opt.update(rosenbrock, s, x); }, tiles};
    tensor<double, shape<4>> x{-1.2, 1, -1.2, 1};
    auto state = start(x);
    double value = state.value.item();
    CHECK(is_near(value, 532.4, 1e-13));
    for (std::int64_t k = 0; k < 60; ++k) {
        auto const before = x;
        auto const expected = direction_by_matrix(state, std::min<std::int64_t>(k, 3));
        std::tie(x, state) = step(state, x);
        CHECK(state.value.item() <= value);
        value = state.value.item();
        if (k == 0 || k > 30) continue; // close to the minimum rounding turns directions
        double const scale = (x(0) - before(0)) / expected[0];
        for (std::int64_t i = 0; i < 4; ++i)
            CHECK(x(i) - before(i) == doctest::Approx(scale * expected[static_cast<std::size_t>(i)]).epsilon(1e-6));
    }
    CHECK(state.count.item() == 60);
    check_values(x, tensor<double>{1, 1, 1, 1}, 1e-7);
}

TEST_CASE("lbfgs: trees of several dtypes, and open extents") {
    // (a - 3)^2 + |z - (1 + 2i)|^2 + the distances of b from 0, 1, 2, ..., so of any extent
    static constexpr auto loss = [](auto const& p) {
        auto const& [a, z, b] = p;
        auto const away = z - std::complex<double>(1, 2);
        return tx::cast<double>(tx::square(a - 3.0f)) + tx::sum(tx::real(away * tx::conj(away))) +
               tx::sum(tx::square(b - tx::iota_like<double>(b)));
    };
    auto const minimise = [](auto const& params) {
        static constexpr auto five = tx::optim::lbfgs<5>();
        auto const none = five.init(loss, params);
        auto const out = tx::fori_loop(
            0, 8,
            [](auto, auto const& p, auto const& s) {
                auto const [next, state] = five.update(loss, s, p);
                return std::tuple(next, state);
            },
            params, none);
        return std::get<0>(out);
    };
    auto const check = [&](auto const& b) {
        auto const start = std::tuple(tensor<float, shape<>>(1.0f), tensor<std::complex<double>, shape<1>>{{0, 0}}, b);
        tx::function const f{minimise, tiles};
        auto const [a, z, c] = f(start);
        CHECK(a.item() == doctest::Approx(3));
        CHECK(is_near(z(0), std::complex<double>(1, 2), 1e-6));
        check_values(c, tensor<double>{0, 1, 2}, 1e-6);
    };
    tensor<double, shape<3>> const b{5, 5, 5};
    check(b);
    check(tensor<double, shape<dyn>>(b));
}

TEST_CASE("lbfgs: on tensors; a loss that nothing decreases leaves the parameters") {
    static constexpr auto bowl = [](auto const& x) { return tx::sum(tx::square(x - 3.0)); };
    tensor<double, shape<2>> x{1, 2};
    auto state = opt.init(bowl, x);
    for (int k = 0; k < 4; ++k) std::tie(x, state) = opt.update(bowl, state, x);
    check_values(x, tensor<double>{3, 3}, 1e-10);
    auto const there = x;
    std::tie(x, state) = opt.update(bowl, state, x);
    check_values(x, there, 1e-10);
    static constexpr auto undefined = [](auto const& a) { return tx::sum(tx::log(-tx::abs(a))); };
    tensor<double, shape<2>> y{1, 2};
    auto lost = opt.init(undefined, y);
    std::tie(y, lost) = opt.update(undefined, lost, y);
    check_values(y, tensor<double>{1, 2}, 0);
}
