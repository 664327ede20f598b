// This file tests programs whose collectives go through MPI: traced by the compiler and while they run, their derivatives,
// communicators as arguments, and the comparison of what ranks are about to do.
#include "errors.hpp"
#include "vectors.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace mpi = tx::mpi;
using tx::shape;
using tx::tensor;

namespace {
double squares() { return ranks() * (ranks() + 1) * (2 * ranks() + 1) / 6; }
constexpr auto weighted = [](auto v) { return tx::sum(mpi::all_reduce(v * v, mpi::sum, mpi::world()) * v); };
} // namespace

TEST_CASE("mpi: a callable that names the world is traced by the compiler") {
    static_assert(tx::function{weighted}.concrete<tx::spec<double, shape<2>>>().graph().size() > 5);
    vec const x = mine();
    CHECK(tx::function{weighted}(x).item() == doctest::Approx(squares() * x(0) + 8 * ranks()));
    vec const g = tx::function{tx::grad(weighted)}(x);
    CHECK(g(0) == doctest::Approx(2 * x(0) * total() + squares()));
    CHECK(g(1) == doctest::Approx(2 * 2 * 2 * ranks() + 4 * ranks()));
}

TEST_CASE("mpi: the compiler traces the step of an optimizer whose state is spread over the ranks") {
    using params = std::pair<vec, tensor<double, shape<3>>>;
    static constexpr auto sgd = tx::optim::sgd({.learning_rate = 0.5, .momentum = 0.5});
    static constexpr auto sharded = mpi::sharded(sgd, mpi::world());
    tx::static_function const step{[](auto gradient, auto state, auto p) { return sharded.update(gradient, state, p); }};
    params p{{1, 2}, {3, 4, 5}}, wanted = p;
    auto state = sharded.init(p);
    auto wanted_state = sgd.init(wanted);
    for (int k = 0; k < 3; ++k) {
        params const gradient{mine() * k, {1, 2, 3}};
        std::tie(p, state) = step(gradient, state, p);
        std::tie(wanted, wanted_state) = sgd.update(mpi::all_reduce(gradient, mpi::mean, mpi::world()), wanted_state, wanted);
        CHECK(tx::allclose(p.first, wanted.first).item());
        CHECK(tx::allclose(p.second, wanted.second).item());
    }
}

TEST_CASE("mpi: a communicator as an argument, bound, captured") {
    auto const world = mpi::world();
    auto const half = world.split(static_cast<int>(world.rank() % 2));
    auto const f = tx::function{[](auto v, auto const& among) { return mpi::all_reduce(v, mpi::max, among); }};
    vec const x = mine();
    CHECK(f(x, world)(0) == ranks());
    std::int64_t const last = world.rank() % 2 == (world.size() - 1) % 2 ? world.size() : world.size() - 1;
    CHECK(f(x, half)(0) == static_cast<double>(last));
    CHECK(f(x, world)(0) == ranks());
    CHECK(f.bind(half)(x)(0) == static_cast<double>(last));
    auto const g = tx::function{[half](auto v) { return mpi::all_reduce(v, mpi::max, half); }};
    CHECK(g(x)(0) == static_cast<double>(last));
    CHECK(tx::grad([](auto v, auto const& among) { return tx::sum(mpi::all_reduce(v * v, mpi::sum, among)); })(x, world)(0) ==
          doctest::Approx(2 * x(0) * ranks()));
}

TEST_CASE("mpi: a barrier and a loop until all ranks are done") {
    auto const world = mpi::world();
    auto const f = tx::function{[world](auto v) {
        mpi::barrier(world);
        return tx::while_loop([&](auto s) { return tx::any(mpi::all_reduce(s, mpi::max, world) > 1.0); },
                              [](auto s) { return s * 0.5; }, v);
    }};
    double halvings = 0;
    for (double largest = ranks() > 2 ? ranks() : 2; largest > 1; largest *= 0.5) ++halvings;
    CHECK(f(mine())(0) == doctest::Approx(mine()(0) * std::pow(0.5, halvings)));
}

TEST_CASE("mpi: programs with other collectives are found at their first run, and the ranks go on") {
    auto const world = mpi::world();
    bool const is_last = world.size() > 1 && world.rank() == world.size() - 1;
    auto const f = tx::function{[&](auto v) {
        auto const s = mpi::all_reduce(v, mpi::sum, world);
        return is_last ? mpi::broadcast(s, 0, world) : mpi::all_reduce(s, mpi::max, world);
    }};
    std::string const text = text_of_error([&] { f(mine()); });
    if (world.size() > 1) {
        CHECK(text.find("all ranks must run programs with the same collectives in the same order") != std::string::npos);
        CHECK(text.find("part at number 2: rank 0 makes all_reduce(max, float64 (2,)), rank " + std::to_string(world.size() - 1) +
                        " makes broadcast(float64 (2,), root 0)") != std::string::npos);
    } else {
        CHECK(text.empty());
    }
    CHECK(mpi::all_reduce(mine(), mpi::sum, world)(0) == total());
}

TEST_CASE("mpi: a rank that traces again alone makes nobody wait") {
    auto const world = mpi::world();
    auto const body = [&](auto v) { return mpi::all_reduce(v, mpi::sum, world); };
    auto const f = tx::function{body};
    for (int repeat = 0; repeat < 3; ++repeat) {
        if (world.rank() == 0) CHECK(tx::function{[&](auto v) { return body(v) * 1.0; }}(mine())(0) == total());
        else CHECK(f(mine())(0) == total());
    }
}

TEST_CASE("mpi: the rank and the size in a callable, where they weigh and choose partners") {
    constexpr auto weighed = [](auto v) { return mpi::all_reduce(v * mpi::rank(mpi::world()), mpi::sum, mpi::world()); };
    static_assert(tx::function{weighed}.concrete<tx::spec<double, shape<2>>>().graph().size() > 5);
    CHECK(tx::function{weighed}(vec{1, 2})(1) == ranks() * (ranks() - 1));
    auto const turned = [](auto v) {
        auto const all = mpi::world();
        auto const to = (mpi::rank(all) + 1) % mpi::size(all), from = (mpi::rank(all) + mpi::size(all) - 1) % mpi::size(all);
        return mpi::exchange(v * (mpi::rank(all) + 1), to, from, all);
    };
    std::int64_t const before = (mpi::world().rank() + mpi::world().size() - 1) % mpi::world().size();
    double const expected = (1.0 + static_cast<double>(before)) * static_cast<double>(before + 1);
    CHECK(tx::function{turned}(mine())(0) == expected);
    CHECK(tx::grad([&](auto v) { return tx::sum(turned(v)); })(mine())(0) == static_cast<double>(mpi::world().rank() + 1));
}
