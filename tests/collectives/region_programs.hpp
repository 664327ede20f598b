// This file holds programs with collectives in branches and loops.
#pragma once

#include <collectives/systems.hpp>

namespace {

using namespace tx::testing;
using tx::shape;
using tx::tensor;
namespace mpi = tx::mpi;

// Programs of a vector and a communicator. Their branches and loops take the same path on all ranks.
struct in_cond {
    template <class X> auto operator()(X const& x, communicator const& c) const {
        auto const total = mpi::all_reduce(tx::sum(x), mpi::sum, c);
        return tx::cond(total > 0.0, [=] { return mpi::scan(tx::sin(x) * x, mpi::sum, c) * x; }, [=] { return x * 2.0; });
    }
};
struct in_fori {
    template <class X> auto operator()(X const& x, communicator const& c) const {
        return tx::fori_loop(0, 3, [c](auto, auto s) { return mpi::all_reduce(tx::sin(s), mpi::mean, c) * s; }, x);
    }
};
struct in_scan {
    template <class X> auto operator()(X const& x, communicator const& c) const {
        auto const [end, all] = tx::scan(
            [c](auto s, auto k) {
                auto const shifted = mpi::permute(tx::sin(s) * k, shifted_pairs(c.size()), c);
                return std::pair(s * 0.5 + shifted, tx::sum(shifted * s));
            },
            x, x * x);
        return end * tx::tanh(tx::sum(all));
    }
};
struct in_while {
    template <class X> auto operator()(X const& x, communicator const& c) const {
        auto const end =
            tx::while_loop([](auto n, auto) { return n < 3; },
                           [c](auto n, auto s) { return std::tuple(n + 1, s * tx::sin(mpi::all_reduce(s, mpi::max, c))); },
                           std::int64_t{0}, x);  // of a dtype for which header-only programs have routines
        return std::get<1>(end);
    }
};
struct in_condition {
    template <class X> auto operator()(X const& x, communicator const& c) const {
        return tx::while_loop([c](auto s) { return mpi::all_reduce(tx::sum(s * s), mpi::sum, c) < 200.0; },
                              [c](auto s) { return s * 1.5 + mpi::broadcast(s, 0, c) * s * 0.25; }, x);
    }
};
struct in_all {
    template <class X> auto operator()(X const& x, communicator const& c) const {
        return tx::fori_loop(
            0, 2,
            [c](auto k, auto s) {
                return tx::cond(
                    k > 0,
                    [=] {
                        return tx::scan([c](auto t,
                                            auto v) { return std::pair(t + mpi::all_reduce(tx::sin(t) * v, mpi::mean, c), v); },
                                        s, s)
                            .first;
                    },
                    [=] { return mpi::exclusive_scan(s, mpi::sum, c) * s + s; });
            },
            x);
    }
};

template <class Program> auto system_of(Program const& program) {
    return [=](communicator const& c) { return [=](auto const& x) { return program(x, c); }; };
}
template <class Program> auto loss_of(Program const& program) {
    return
        [=](communicator const& c) { return [=](auto const& x) { return tx::sum(tx::sin(program(x, c))) * (1.0 + c.rank()); }; };
}

} // namespace
