// This file tests random programs on small values at many places: they must give the same numbers with the elements pass as op by
// op.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace {

// (n, 3, 3), (n, 3, 3), (3, 3) -> the same; what is done follows from the seed.
template <class A, class B, class C> auto random_program(unsigned seed, A const& a, B const& b, C const& shared) {
    std::mt19937 draw(seed);
    std::vector<A> values{a, b};
    auto const pick = [&]() -> A { return values[draw() % values.size()]; };
    int const count = 4 + static_cast<int>(draw() % 8);
    for (int step = 0; step < count; ++step) {
        A const x = pick(), y = pick();
        switch (draw() % 13) {
        case 0: values.push_back(A(x + y)); break;
        case 1: values.push_back(A(x * tx::sin(y))); break;
        case 2: values.push_back(A(tx::matmul(x, y))); break;
        case 3: values.push_back(A(tx::swapaxes<1, 2>(x))); break;
        case 4: values.push_back(A(tx::matmul(x, shared))); break;
        case 5: values.push_back(A(x - tx::sum(y, tx::axis<2>, tx::keepdims))); break;
        case 6: values.push_back(A(x * tx::max(y, tx::axis<1, 2>, tx::keepdims))); break;
        case 7:
            values.push_back(A(tx::concat(tx::axis<1>, tx::slice(x, tx::range<0, tx::open>, tx::range<1, 3>),
                                          tx::slice(y, tx::range<0, tx::open>, tx::range<0, 1>))));
            break;
        case 8: values.push_back(A(tx::flip(x, tx::axis<2>) / (2 + y * y))); break;
        case 9: values.push_back(A(tx::where(x > y, x, shared))); break;
        case 10: values.push_back(A(x + tx::expand_dims<2>(tx::diagonal(y, tx::axis<1, 2>)))); break;
        case 11: values.push_back(A(x - tx::mean(y, tx::axis<0>, tx::keepdims))); break;
        default: values.push_back(A(tx::reshape<-1, 3, 3>(tx::expand_dims<1>(tx::transpose<0, 2, 1>(y))) * x)); break;
        }
    }
    A sum = values[0];
    for (std::size_t k = 1; k < values.size(); ++k) sum = A(sum + 0.1 * values[k]);
    return sum;
}

} // namespace

TEST_CASE("elements: random programs on small matrices give what they give op by op") {
    std::mt19937 draw(7);
    auto const filled = [&](std::int64_t n) {
        std::vector<double> out(static_cast<std::size_t>(n));
        for (double& x : out) x = std::uniform_real_distribution<double>(-1, 1)(draw);
        return out;
    };
    for (unsigned seed = 0; seed < 60; ++seed) {
        INFO("seed ", seed);
        std::int64_t const n = 256 + static_cast<std::int64_t>(draw() % 100);
        auto const a = filled(n * 9), b = filled(n * 9), c = filled(9);
        auto const program = [seed](auto x, auto y, auto shared) { return random_program(seed, x, y, shared); };
        constexpr tx::pass_options plain{.simplify = false, .cluster = false};
        tx::function const passes{program};
        tx::function const none{tx::with_passes<plain>(program)};
        auto const x = tx::from_data<tx::shape<tx::dyn, 3, 3>>(a.data(), n, 3, 3),
                   y = tx::from_data<tx::shape<tx::dyn, 3, 3>>(b.data(), n, 3, 3);
        auto const shared = tx::from_data<tx::shape<3, 3>>(c.data());
        auto const got = passes(x, y, shared), want = none(x, y, shared);
        REQUIRE(got.size() == want.size());
        double worst = 0;
        for (std::int64_t i = 0; i < got.size(); ++i)
            worst = std::max(worst, std::abs(got.data()[i] - want.data()[i]) / (1 + std::abs(want.data()[i])));
        CHECK(worst < 1e-9);
    }
}
