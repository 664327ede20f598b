// This file tests that optimizers whose state is divided among the ranks make the steps of those that have all of it.
#include "sharded.hpp"

#include <tracexpr/files.hpp>

#include <cstdio>
#include <string>
#include <tuple>

namespace {

// 22 floats and 11 doubles, which few numbers of ranks divide, and a leaf of none.
struct model {
    tensor<float, shape<3, 5>> weights;
    tensor<double, shape<11>> scales;
    tensor<float, shape<7>> bias;
    tensor<float, shape<0>> none;
};

} // namespace

TEST_CASE("sharded: the steps of the optimizer itself on the mean of all ranks' gradients") {
    model const start = numbers(model{}, 0.3);
    check_steps(tx::optim::sgd({.learning_rate = 0.1, .momentum = 0.5, .nesterov = true, .weight_decay = 0.1}), start);
    check_steps(tx::optim::adam(0.1), start);
    check_steps(tx::optim::adamw({.learning_rate = 0.1, .weight_decay = 0.1}), start);
}

TEST_CASE("sharded: fewer elements than ranks, none") {
    check_steps(tx::optim::rmsprop(0.1), tensor<double, shape<>>(0.5));
    check_steps(tx::optim::rmsprop(0.1), std::tuple<>());
}

TEST_CASE("sharded: each rank keeps its part of the state") {
    auto const world = mpi::world();
    auto const state = mpi::sharded(tx::optim::adam(), world).init(model{});
    auto const [floats, doubles] = state.mean;
    CHECK(floats.size() == (22 + world.size() - 1) / world.size());
    CHECK(doubles.size() == (11 + world.size() - 1) / world.size());
}

TEST_CASE("sharded: a schedule, the global norm of the mean gradient, rates of single steps") {
    auto const world = mpi::world();
    auto const sgd = tx::optim::sgd(tx::optim::linear{.initial = 1, .last = 0, .steps = 4});
    auto const sharded = mpi::sharded(sgd, world, {.max_norm = 0.5});
    tx::function const step{[=](auto gradient, auto state, auto p) { return sharded.update(gradient, state, p); }};
    model const start = numbers(model{}, 0.3);
    model whole = start, own = start;
    auto whole_state = sgd.init(whole);
    auto state = sharded.init(own);
    for (int k = 0; k < 3; ++k) {
        model const gradient = own_numbers(start, k);
        model const mean = tx::optim::clip_by_global_norm(mpi::all_reduce(gradient, mpi::mean, world), 0.5);
        if (k == 2) std::tie(own, state) = sharded.update(gradient, state, own, 0.25);
        else std::tie(own, state) = step(gradient, state, own);
        if (k == 2) std::tie(whole, whole_state) = sgd.update(mean, whole_state, whole, 0.25);
        else std::tie(whole, whole_state) = sgd.update(mean, whole_state, whole);
        CHECK(are_close(own, whole));
    }
    CHECK(state.count.item() == 3);
}

TEST_CASE("sharded: a state goes on after a file, and with another number of ranks") {
    auto const world = mpi::world();
    auto const alone = world.split(static_cast<int>(world.rank()));
    auto const sharded = mpi::sharded(tx::optim::adam(0.1), world), single = mpi::sharded(tx::optim::adam(0.1), alone);
    model own = numbers(model{}, 0.3);
    auto state = sharded.init(own);
    std::tie(own, state) = sharded.update(own_numbers(own, 0), state, own);

    std::string const file = "sharded_" + std::to_string(world.size()) + '_' + std::to_string(world.rank()) + ".npz";
    tx::save(file, state);
    auto read = sharded.init(own);
    tx::load(file, read);
    std::remove(file.c_str());
    CHECK(are_close(read, state));

    auto const moved = single.scattered(sharded.gathered(state, own), own);
    model const gradient = own_numbers(own, 1);
    auto const [next, next_state] = sharded.update(gradient, read, own);
    auto const [same, same_state] = single.update(mpi::all_reduce(gradient, mpi::mean, world), moved, own);
    CHECK(are_close(same, next));
    CHECK(are_close(single.gathered(same_state, same), sharded.gathered(next_state, next)));
}

TEST_CASE("sharded: what doesn't fit is refused, on all ranks alike") {
    auto const world = mpi::world();
    auto const sharded = mpi::sharded(tx::optim::adam(0.1), world);
    auto const open = [](std::int64_t n) { return tx::zeros<float, shape<dyn>>(n); };
    tx::function const step{[=](auto gradient, auto state, auto p) { return sharded.update(gradient, state, p); }};
    CHECK_THROWS_AS(sharded.update(open(40), sharded.init(open(4)), open(40)), tx::shape_error);
    CHECK_THROWS_AS(step(open(40), sharded.init(open(4)), open(40)), tx::shape_error);
    CHECK_THROWS_AS(sharded.update(open(4), sharded.init(open(40)), open(40)), tx::shape_error);
    CHECK_THROWS_AS(step(open(4), sharded.init(open(40)), open(40)), tx::shape_error);
    CHECK_THROWS_AS(sharded.gathered(sharded.init(open(4)), open(40)), tx::shape_error);
}
