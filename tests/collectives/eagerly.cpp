// This file tests derivatives and batches of collectives and opaque calls while functions run eagerly, against those of traces.
#include <tracexpr/tracexpr.hpp>
#include <collectives/grids.hpp>
#include <rank_threads.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

using tx::shape, tx::tensor;
using tx::testing::rank_threads, tx::testing::thread_communicator;

namespace {

using vec = tensor<double, shape<3>>;
using matrix = tensor<double, shape<2, 3>>;

// make(world) gives a function, which each rank calls.
template <class Make> std::vector<matrix> of_all_ranks(Make const& make) {
    std::vector<matrix> out(3);
    rank_threads(3).run([&](thread_communicator const& world) {
        vec const x = vec{1, 1.5, 2} + static_cast<double>(world.rank());
        out[static_cast<std::size_t>(world.rank())] = tx::broadcast_to(make(world)(x), shape<2, 3>{});
    });
    return out;
}
template <class Make> void check_alike(Make const& make) {
    std::vector<matrix> const traced = of_all_ranks(make);
    tx::run_eagerly(true);
    std::vector<matrix> now(3);
    CHECK_NOTHROW(now = of_all_ranks(make));
    tx::run_eagerly(false);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(tx::max(tx::abs(traced[k] - now[k])).item() < 1e-12);
        CHECK(tx::max(tx::abs(traced[k])).item() > 0);
    }
}

} // namespace

TEST_CASE("eagerly: gradients of collectives") {
    namespace mpi = tx::mpi;
    check_alike([](auto const& world) {
        return tx::function{tx::grad([world](auto x) { return tx::sum(mpi::all_reduce(x * x, mpi::sum, world)); })};
    });
    check_alike([](auto const& world) { // of a result that plain ops use beside x
        return tx::function{tx::grad([world](auto x) { return tx::sum(mpi::all_reduce(x * x, mpi::max, world) * x); })};
    });
    check_alike([](auto const& world) {
        return tx::function{tx::grad([world](auto x) {
            return tx::sum(tx::square(mpi::all_gather(x, world))) + tx::sum(mpi::permute(x, {{0, 1}, {1, 2}}, world) * x);
        })};
    });
    check_alike([](auto const& world) {
        return tx::function{tx::grad([world](auto x) {
            return mpi::all_reduce_shared(tx::sum(tx::square(mpi::replicated(x, world))), mpi::mean, world);
        })};
    });
    check_alike([](auto const& world) {
        mpi::grid const grid(world, {3});
        return tx::function{tx::grad([grid](auto x) { return tx::sum(tx::square(mpi::halo<1>(x, grid))); })};
    });
}

TEST_CASE("eagerly: forward and second derivatives, and batches") {
    namespace mpi = tx::mpi;
    auto const cubes = [](auto const& world) {
        return [world](auto x) { return tx::sum(mpi::all_reduce(x * x * x, mpi::sum, world)); };
    };
    check_alike([&](auto const& world) { return [f = tx::function{tx::hvp(cubes(world))}](vec const& x) { return f(x, x); }; });
    check_alike([&](auto const& world) {
        return [f = tx::function{tx::jvp([world](auto x) { return mpi::all_reduce(x * x, mpi::sum, world); })}](vec const& x) {
            return std::get<1>(f(x, x));
        };
    });
    check_alike([&](auto const& world) {
        return tx::function{tx::vmap([world](auto x) { return mpi::all_reduce(x * 2.0, mpi::sum, world); })};
    });
}

TEST_CASE("eagerly: opaque calls have derivatives, and outside of them are done at once") {
    check_alike([](auto const&) {
        return tx::function{tx::grad(
            [](auto x) { return tx::opaque<tx::spec<double, shape<>>>([](auto const& v) { return tx::sum(v * v * v); }, x); })};
    });
    tx::run_eagerly(true);
    double seen = 0;
    tx::function const f{[&](auto x) {
        auto const y = tx::opaque<tx::spec<double, shape<3>>>([](auto const& v) { return v * 2.0; }, x);
        seen = y(2).item();
        return y;
    }};
    vec const x{1, 2, 3};
    CHECK(f(x)(1) == 4);
    CHECK(seen == 6);
    // Within a derivative the value is not there yet.
    tx::function const g{tx::grad([&](auto v) {
        auto const y = tx::opaque<tx::spec<double, shape<3>>>([](auto const& w) { return w * 2.0; }, v);
        seen = tx::sum(y).item();
        return tx::sum(y);
    })};
    CHECK_THROWS_WITH_AS(
        g(x),
        "tx: value: within a derivative or tx::vmap, what an opaque call or a collective gives is known when the "
        "function runs; read it outside of the callable that is differentiated or mapped",
        tx::trace_error);
    tx::run_eagerly(false);
}
