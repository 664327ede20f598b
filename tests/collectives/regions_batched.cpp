// This file tests collectives in branches and loops for many examples at once, and derivatives along all directions at once,
// which are batches, too.
#include <collectives/region_programs.hpp>

namespace {

// The same on all ranks: column j of a Jacobian is what changes when element j of all ranks' operands does.
lists direction(int size, int count) {
    return lists(static_cast<std::size_t>(size), numbers(1, count, 5)[0]);
}
template <class F> auto all_columns_times(F const& f, lists const& v) {
    return [=](communicator const& c) {
        auto const along = as_vector(v[0]);
        return [=, f = f(c)](auto const& x) { return tx::sum(tx::jacfwd(f)(x) * along, tx::axis<-1>); };
    };
}
template <class F> auto all_rows_times(F const& f, lists const& v) {
    return [=](communicator const& c) {
        auto const along = as_vector(v[0]);
        return [=, f = f(c)](auto const& x) { return tx::sum(tx::jacrev(f)(x) * tx::reshape(along, -1, 1), tx::axis<0>); };
    };
}
// Two examples made of one vector, and what f makes of both.
template <class F> auto of_two(F const& f) {
    return [=](communicator const& c) {
        return [f = f(c)](auto const& x) { return tx::flatten(tx::vmap(f)(tx::stack(tx::axis<0>, x, x * x))); };
    };
}
template <class F> auto of_both(F const& f) {
    return [=](communicator const& c) {
        return [f = f(c)](auto const& x) { return tx::concat(tx::axis<0>, f(x), f(x * x)); };
    };
}

template <class Program> void check_batches(std::string const& name, Program const& program) {
    for (int const size : {1, 3}) {
        lists const x = numbers(size, 3, 0), v = direction(size, 3);
        auto const system = system_of(program);
        auto const loss = loss_of(program);
        auto const gradient = [&](communicator const& c) { return tx::grad(loss(c)); };
        check_near(values(all_columns_times(system, v), x), tangents(system, x, v), 1e-9, name + ": jacfwd");
        check_near(values(all_rows_times(system, v), x), cotangents(system, x, v), 1e-9, name + ": jacrev");
        check_near(values(all_columns_times(gradient, v), x), tangents(gradient, x, v), 1e-9, name + ": jacfwd of grad");
        check_near(values(all_rows_times(gradient, v), x), cotangents(gradient, x, v), 1e-9, name + ": jacrev of grad");
        check_near(values(of_two(system), x), values(of_both(system), x), 1e-9, name + ": vmap");
        check_near(values(of_two(gradient), x), values(of_both(gradient), x), 1e-9, name + ": vmap of grad");
        check_derivatives(of_two(system), x, "vmap of " + name, 1e-4); // higher derivatives grow with each round of a loop
        check_derivatives(of_two(gradient), x, "vmap of grad of " + name, 2e-3);
    }
}

} // namespace

#define CHECK_BATCHES(name) check_batches(#name, name{})

TEST_CASE("collectives in cond, batched") { CHECK_BATCHES(in_cond); }
TEST_CASE("collectives in fori_loop, batched") { CHECK_BATCHES(in_fori); }
TEST_CASE("collectives in scan, batched") { CHECK_BATCHES(in_scan); }
TEST_CASE("collectives in while_loop, batched") { CHECK_BATCHES(in_while); }
TEST_CASE("collectives in the condition of a while_loop, batched") { CHECK_BATCHES(in_condition); }
TEST_CASE("collectives in loops in branches in loops, batched") { CHECK_BATCHES(in_all); }
