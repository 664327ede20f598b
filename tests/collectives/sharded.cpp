// This file tests optimizers whose state is divided among ranks that are threads: the messages of a step, and its values.
#include <collectives/optimizers.hpp>
#include <collectives/ranks.hpp>

namespace mpi = tx::mpi;
using namespace tx::testing;
using tx::shape;
using tx::tensor;

TEST_CASE("sharded: a step is a message for each dtype, and one back") {
    using params = std::tuple<tensor<float, shape<3>>, tensor<double, shape<5>>, tensor<float, shape<2, 2>>>;
    using names = std::vector<std::string>;
    auto const adam = tx::optim::adam(0.1);
    for (int size = 1; size <= 4; ++size) {
        on_ranks(size, [&](communicator const& c) {
            auto const sharded = mpi::sharded(adam, c);
            auto const of_mean = mpi::sharded(adam, c, {.reduce_gradients = false});
            tx::function const step{[=](auto gradient, auto state, auto p) { return sharded.update(gradient, state, p); }};
            params const start{{1, 2, 3}, {1, 2, 3, 4, 5}, {{1, 2}, {3, 4}}};
            auto const state = sharded.init(start);
            CHECK(c.calls().empty());
            auto const kinds = [&] {
                names out;
                for (std::string const& call : std::exchange(c.calls(), {})) out.push_back(call.substr(0, call.find(' ')));
                return out;
            };
            auto const eager = sharded.update(start, state, start).first;
            CHECK(kinds() == names{"reduce_scatter", "reduce_scatter", "all_gather", "all_gather"});
            auto const traced = step(start, state, start).first;
            CHECK(kinds() == names{"reduce_scatter", "reduce_scatter", "all_gather", "all_gather"});
            auto const given = of_mean.update(start, state, start).first;
            CHECK(kinds() == names{"all_gather", "all_gather"});
            params const wanted = adam.update(start, adam.init(start), start).first;
            for (params const& next : {eager, traced, given}) {
                CHECK(tx::allclose(std::get<0>(next), std::get<0>(wanted)).item());
                CHECK(tx::allclose(std::get<1>(next), std::get<1>(wanted)).item());
                CHECK(tx::allclose(std::get<2>(next), std::get<2>(wanted)).item());
            }
        });
    }
}
