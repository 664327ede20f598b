// Many processes: collectives as ops, through MPI. `#include <tracexpr/mpi.hpp>`; [more](machines.md). The examples hold for any
// number of ranks; each rank has `mine`, its own number.
#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using vec = tx::tensor<double, tx::shape<2>>;
using tx::mpi::world;
std::int64_t rank() { return world().rank(); }
std::int64_t size() { return world().size(); }
vec mine() { return tx::full<double, tx::shape<2>>(static_cast<double>(rank())); }

TEST_CASE("mpi::session, mpi::world") { // in main, before all that communicates: tx::mpi::session session(argc, argv);
    auto const ranks = tx::mpi::world();
    CHECK(ranks.rank() < ranks.size());
    CHECK_THROWS_AS(tx::mpi::session(), tx::error); // there is one already
}

TEST_CASE("mpi::rank, mpi::size") { // tensors, which a function reads when it runs; world().rank() is a C++ number
    tx::function const f{[](auto x) { return x * tx::cast<double>(tx::mpi::rank(tx::mpi::world()) + 1); }};
    CHECK(f(mine())(0) == static_cast<double>(rank() * (rank() + 1)));
    CHECK(tx::mpi::size(world()).item() == size());
}

TEST_CASE("mpi::communicator") {
    tx::mpi::communicator const half = world().split(static_cast<int>(rank() % 2)); // even ranks, odd ranks
    CHECK(half.rank() == rank() / 2);
    tx::mpi::communicator const none = world().split(-1); // a negative color: in none of the new ones
    CHECK(none.is_empty());
    CHECK(world().duplicate() != world());
}

TEST_CASE("mpi::all_reduce, mpi::sum, mpi::mean") {
    double const total = static_cast<double>(size() * (size() - 1) / 2);
    CHECK(tx::mpi::all_reduce(mine(), tx::mpi::sum, world())(0) == total);
    tx::function const f{[](auto x) { return tx::mpi::all_reduce(x * 2.0, tx::mpi::mean, tx::mpi::world()); }};
    CHECK(f(mine())(1) == 2 * total / static_cast<double>(size()));
    auto const [a, b] = tx::mpi::all_reduce(std::pair(mine(), true), tx::mpi::sum, world()); // trees, leaf by leaf
    CHECK(b.item() == size());                                                               // truths count
}

TEST_CASE("mpi::product, mpi::max, mpi::min, mpi::logical_and, mpi::logical_or, mpi::reduction, mpi::mean_reduction") {
    auto const reduced = [](auto x, auto by) { return tx::mpi::all_reduce(x, by, world()).item(); };
    CHECK(reduced(2.0, tx::mpi::product) == static_cast<double>(std::int64_t{1} << size()));
    CHECK(reduced(rank(), tx::mpi::max) == size() - 1);
    CHECK(reduced(rank(), tx::mpi::min) == 0);
    CHECK(reduced(rank() < size(), tx::mpi::logical_and));
    CHECK(reduced(rank() == 0, tx::mpi::logical_or));
    tx::mpi::reduction<tx::rank_reduction::sum> const by = tx::mpi::sum; // each is a value of a type of its own
    tx::mpi::mean_reduction const by_mean = tx::mpi::mean;
    CHECK(reduced(1.0, by) == static_cast<double>(size()));
    CHECK(reduced(1.0, by_mean) == 1);
}

TEST_CASE("mpi::reduce, mpi::broadcast") {
    auto const count = tx::mpi::reduce(1, tx::mpi::sum, 0, world());
    CHECK(count.item() == (rank() == 0 ? size() : 0)); // zeros but on the root
    CHECK(tx::mpi::broadcast(count, 0, world()).item() == size());
}

TEST_CASE("mpi::all_gather, mpi::gather, mpi::scatter") {
    auto const all = tx::mpi::all_gather(mine(), world()); // (size, 2)
    CHECK(all(size() - 1, 0) == static_cast<double>(size() - 1));
    auto const on_first = tx::mpi::gather(mine(), 0, world());
    CHECK(tx::equal(on_first, rank() == 0 ? all : tx::zeros_like(all)));
    CHECK(tx::equal(tx::mpi::scatter(on_first, 0, world()), mine())); // each rank its row of the root's
}

TEST_CASE("mpi::reduce_scatter, mpi::all_to_all") {
    auto const to_each = tx::arange<double>(0, size()); // an element for each rank
    CHECK(tx::mpi::reduce_scatter(to_each, tx::mpi::sum, world()).item() == static_cast<double>(size() * rank()));
    auto const from_each = tx::mpi::all_to_all(to_each, world()); // element `rank` of all of them
    CHECK(from_each(0) == static_cast<double>(rank()));
}

TEST_CASE("mpi::permute, mpi::exchange") {
    std::vector<std::pair<int, int>> up; // (from, to), the same on all ranks
    for (int r = 0; r + 1 < size(); ++r) up.emplace_back(r, r + 1);
    double const below = static_cast<double>(rank() > 0 ? rank() - 1 : 0);
    CHECK(tx::mpi::permute(mine(), up, world())(0) == below); // rank 0 gets zeros
    auto const to = rank() + 1 < size() ? rank() + 1 : -1;    // each rank names its own partners; negative: nobody
    CHECK(tx::mpi::exchange(mine(), to, rank() - 1, world())(0) == below);
}

TEST_CASE("mpi::scan, mpi::exclusive_scan") {
    CHECK(tx::mpi::scan(1, tx::mpi::sum, world()).item() == rank() + 1);
    CHECK(tx::mpi::exclusive_scan(1, tx::mpi::sum, world()).item() == rank()); // on rank 0 the neutral element
}

TEST_CASE("mpi::barrier") {
    tx::mpi::barrier(world()); // returns when all ranks have called it
}

TEST_CASE("mpi::replicated, mpi::all_reduce_shared") {
    auto const loss = [](auto w, auto x) { return tx::mean(tx::square(w * x - 1.0)); };
    auto const shared = [=](auto w, auto x) { // one loss of all ranks
        auto const own = loss(tx::mpi::replicated(w, tx::mpi::world()), x);
        return tx::mpi::all_reduce_shared(own, tx::mpi::mean, tx::mpi::world());
    };
    auto const gradient = tx::function{tx::grad(shared)}(3.0, mine()); // on every rank that of the mean loss
    auto const mean = tx::mpi::all_reduce(tx::grad(loss)(3.0, mine()), tx::mpi::mean, world());
    CHECK(gradient.item() == doctest::Approx(mean.item()));
}

TEST_CASE("mpi::data_parallel, mpi::data_parallel_options") {
    struct line {
        tx::tensor<double, tx::shape<>> slope, start;
    };
    auto const loss = [](line const& p, auto x) { return tx::mean(tx::square(p.slope * x + p.start)); };
    double const total = static_cast<double>(size() * (size() - 1) / 2);
    for (bool const same_bits : {false, true}) { // for every number of ranks that divides the blocks
        tx::mpi::data_parallel_options const options{.deterministic = same_bits, .blocks = 2 * size()};
        auto const step = tx::mpi::data_parallel(tx::value_and_grad(loss), world(), options);
        auto const [value, gradient] = step(line{1.0, 0.0}, mine()); // of the mean loss, on every rank
        CHECK(gradient.start.item() == doctest::Approx(2 * total / static_cast<double>(size())));
        CHECK(value.item() == doctest::Approx(gradient.slope.item() / 2));
    }
}

TEST_CASE("mpi::sharded, mpi::sharded_optimizer, mpi::sharded_options") {
    auto const sgd = tx::optim::sgd({.learning_rate = 0.5, .momentum = 0.9});
    tx::mpi::sharded_optimizer const sharded = tx::mpi::sharded(sgd, world());
    auto const params = std::pair(tx::tensor<double, tx::shape<3>>{1, 2, 3}, vec{4, 5});
    auto const own = tx::tree_map([](auto const& p) { return p * static_cast<double>(rank()); }, params); // this rank's gradients
    auto const mean = tx::mpi::all_reduce(own, tx::mpi::mean, world());

    auto const state = sharded.init(params); // of this rank's part of the 5 elements
    CHECK(std::get<0>(state.trace).size() == (5 + size() - 1) / size());
    auto const [next, next_state] = sharded.update(own, state, params);
    auto const [wanted, whole_state] = sgd.update(mean, sgd.init(params), params);
    CHECK(tx::allclose(next.first, wanted.first).item());

    auto const gathered = sharded.gathered(next_state, next); // sgd's own state, on every rank
    CHECK(tx::allclose(gathered.trace.second, whole_state.trace.second).item());
    auto const of_mean = tx::mpi::sharded(sgd, world(), tx::mpi::sharded_options{.reduce_gradients = false});
    auto const [same, same_state] = of_mean.update(mean, of_mean.scattered(sgd.init(params), params), params);
    CHECK(tx::allclose(same.second, wanted.second).item());
}

TEST_CASE("mpi::checked") {
    tx::mpi::checked(true, 20); // until it is turned off, calls are compared before they are made, for at most 20 s
    CHECK(tx::mpi::all_reduce(1, tx::mpi::sum, world()).item() == size());
    tx::mpi::checked(false);
}

TEST_CASE("mpi::grid, mpi::grid_options, mpi::balanced") {
    tx::mpi::grid const line(world(), {0}, tx::mpi::grid_options<1>{.periodic = {true}}); // 0: as many as there are ranks
    CHECK(line.extents()[0] == size());
    CHECK(line.neighbour(0, 1) == (rank() + 1) % size());
    CHECK(tx::mpi::balanced<2>(6) == std::array{3, 2}); // what a grid of {0, 0} has
}

TEST_CASE("mpi::halo, mpi::halo_borders") {
    tx::mpi::grid const ring(world(), {0}, {.periodic = {true}});
    auto const wide = tx::mpi::halo<1>(mine(), ring); // (2) -> (4): one element more on each side
    CHECK(wide(0) == static_cast<double>((rank() + size() - 1) % size()));
    auto const [before, behind] = tx::mpi::halo_borders<1>(mine(), ring); // these alone
    CHECK(behind(0) == wide(3));
}

TEST_CASE("mpi::stencil") {
    tx::mpi::grid const ring(world(), {0}, {.periodic = {true}});
    constexpr auto mean_of_three = [](auto const& h) { // (n + 2) -> (n)
        return (tx::slice(h, tx::range<0, -2>) + tx::slice(h, tx::range<1, -1>) + tx::slice(h, tx::range<2, tx::open>)) / 3;
    };
    auto const smooth = tx::mpi::stencil<1>(mean_of_three, mine(), ring); // (2): of mean_of_three(tx::mpi::halo<1>(mine(), ring))
    CHECK(smooth(0) == mean_of_three(tx::mpi::halo<1>(mine(), ring))(0));
}

TEST_CASE("mpi::communicator_like, mpi::grid_type") {
    static_assert(tx::mpi::communicator_like<tx::mpi::communicator>);
    static_assert(tx::mpi::grid_type<tx::mpi::grid<tx::mpi::communicator, 2>>);
}

TEST_CASE("mpi::knows_device_memory, mpi::device_aware") {
    tx::mpi::device_aware(tx::mpi::knows_device_memory()); // tensors on a GPU go to MPI as they are, where it takes them
    CHECK(tx::mpi::all_reduce(1, tx::mpi::sum, world()).item() == size());
    tx::mpi::device_aware(false);
}
