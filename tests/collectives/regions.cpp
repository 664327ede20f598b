// This file tests collectives in branches and loops: each runs once, and derivatives of any order read its result.
#include <collectives/region_programs.hpp>

namespace {

// The numbers of the collectives that a rank takes part in.
template <class F> std::size_t calls_of(F const& f, int size) {
    return from_ranks<std::size_t>(size, [&](communicator const& c) {
        auto const x = as_vector(numbers(size, 3, 0)[static_cast<std::size_t>(c.rank())]);
        tx::function const g{f(c)};
        static_cast<void>(g(x));
        return c.calls().size();
    })[0];
}

template <class Program> void check_program(std::string const& name, Program const& program) {
    for (int const size : {1, 3}) {
        lists const x = numbers(size, 3, 0);
        check_derivatives(system_of(program), x, name, 1e-6);
        auto const loss = loss_of(program);
        auto const gradient = [&](communicator const& c) { return tx::grad(loss(c)); };
        check_derivatives(gradient, x, "grad " + name, 1e-5);
        check_derivatives([&](communicator const& c) { return [f = loss(c)](auto const& a) { return tx::jvp(f)(a, a).second * a; }; }, x,
                          "jvp " + name, 1e-5);
        std::size_t const forward = calls_of(loss, size);
        CHECK_MESSAGE(calls_of(gradient, size) <= 3 * forward, name, ": the forward ones once, and two for each derivative at most");
    }
}

} // namespace

#define CHECK_PROGRAM(name) check_program(#name, name{})

TEST_CASE("collectives in cond") { CHECK_PROGRAM(in_cond); }
TEST_CASE("collectives in fori_loop") { CHECK_PROGRAM(in_fori); }
TEST_CASE("collectives in scan") { CHECK_PROGRAM(in_scan); }
TEST_CASE("collectives in while_loop") { CHECK_PROGRAM(in_while); }
TEST_CASE("collectives in the condition of a while_loop") { CHECK_PROGRAM(in_condition); }
TEST_CASE("collectives in loops in branches in loops") { CHECK_PROGRAM(in_all); }
