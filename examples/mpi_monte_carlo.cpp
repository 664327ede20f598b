// expect-output: ^European call .*by the formula .*, within 4 errors: yes.Asian call    price 5\.6[0-9]+ \+- 0\.017
// Prices two options by random paths of a share, of which each rank draws its part: the price is the mean over all ranks' paths.
// Its gradient, through the collective that takes the mean, says how it changes with the share's price (delta) and volatility
// (vega). The European call depends on the end of a path, and a formula checks it. The Asian call depends on the mean of the
// path's months, and has no formula. The estimates depend on the number of ranks, as each has random numbers of its own:
//     mpirun -n 4 ./mpi_monte_carlo
#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>

constexpr std::int64_t paths_of_all = 240'000, months = 12;
constexpr double strike = 100, rate = 0.03;

using amount = tx::tensor<double, tx::shape<>>;
struct market {
    amount spot, volatility;
};
struct figures {
    amount price, delta, vega;
};

// Black and Scholes, The Pricing of Options and Corporate Liabilities (1973), equation 13, for one year.
constexpr auto black_scholes = [](market const& m) {
    auto const normal = [](auto z) { return 0.5 + 0.5 * tx::erf(z * 0.70710678118654752); };
    auto const d1 = (tx::log(m.spot / strike) + rate) / m.volatility + 0.5 * m.volatility;
    return m.spot * normal(d1) - strike * std::exp(-rate) * normal(d1 - m.volatility);
};

// (paths, months) -> (paths, months): geometric Brownian motions of normal numbers.
constexpr auto prices = [](market const& m, auto const& normal) {
    constexpr double month = 1.0 / months;
    auto const steps = (rate - 0.5 * tx::square(m.volatility)) * month + m.volatility * std::sqrt(month) * normal;
    return m.spot * tx::exp(tx::cumsum(steps, tx::axis<1>));
};
constexpr auto last = [](auto const& path) { return tx::slice(path, tx::range<>, tx::at<-1>); };
constexpr auto average = [](auto const& path) { return tx::mean(path, tx::axis<1>); };

// Gives the price, as a function of a market that is the same on all ranks, and the standard errors of price, delta and vega,
// which follow from each path's own derivatives, in forward mode.
template <class Underlying> auto estimate(Underlying underlying, tx::mpi::communicator const& world) {
    return [=](market const& shared, tx::random::key const& own_key) {
        std::int64_t const paths = paths_of_all / world.size();
        auto const normal = tx::random::stateless_normal<double>(own_key, tx::shape<tx::dyn, months>{}, paths, months);
        auto const worth = [=](market const& m) {
            return std::exp(-rate) * tx::maximum(underlying(prices(m, normal)) - strike, 0.0);
        };
        auto const error = [=](auto const& x) {
            auto const mean = tx::mpi::all_reduce(tx::mean(x), tx::mpi::mean, world);
            auto const variance = tx::mpi::all_reduce(tx::mean(tx::square(x - mean)), tx::mpi::mean, world);
            return tx::sqrt(variance / static_cast<double>(paths_of_all));
        };
        market const m = tx::mpi::replicated(shared, world);
        auto const [own, delta] = tx::jvp(worth)(m, market{1.0, 0.0});
        auto const vega = tx::jvp(worth)(m, market{0.0, 1.0}).second;
        auto const price = tx::mpi::all_reduce_shared(tx::mean(own), tx::mpi::mean, world);
        return std::pair(price, figures{error(own), error(delta), error(vega)});
    };
}

int main(int argc, char** argv) {
    tx::mpi::session session(argc, argv);
    auto const world = tx::mpi::world();
    auto const own_key = tx::random::fold_in(tx::random::key(7), world.rank());
    market const today{100.0, 0.2};

    auto const estimated = [&](auto underlying) {
        tx::function const f{tx::value_and_grad(estimate(underlying, world), tx::has_aux)};
        auto const [value, gradient] = f(today, own_key);
        return std::pair(figures{value.first, gradient.spot, gradient.volatility}, value.second);
    };
    auto const print = [&](char const* name, figures const& x, figures const& error) {
        if (world.rank() == 0)
            std::printf("%-14sprice %.3f +- %.3f, delta %.4f +- %.4f, vega %.2f +- %.2f\n", name, x.price.item(),
                        error.price.item(), x.delta.item(), error.delta.item(), x.vega.item(), error.vega.item());
    };

    auto const [european, error] = estimated(last);
    print("European call", european, error);
    auto const [exact, slopes] = tx::value_and_grad(black_scholes)(today);
    auto const is_near = tx::abs(european.price - exact) < 4.0 * error.price &&
                         tx::abs(european.delta - slopes.spot) < 4.0 * error.delta &&
                         tx::abs(european.vega - slopes.volatility) < 4.0 * error.vega;
    if (world.rank() == 0)
        std::printf("by the formula      %.3f          delta %.4f            vega %.2f, within 4 errors: %s\n", exact.item(),
                    slopes.spot.item(), slopes.volatility.item(), is_near.item() ? "yes" : "no");
    auto const [asian, error_of_asian] = estimated(average);
    print("Asian call", asian, error_of_asian);
}
