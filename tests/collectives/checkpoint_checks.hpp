// This file checks functions with collectives, whose derivatives in a checkpoint must be those without.
#pragma once

#include <collectives/ranks.hpp>

namespace {

using namespace tx::testing;
using tx::shape;
using tx::tensor;
namespace mpi = tx::mpi;

using vec = tensor<double, shape<3>>;
using names = std::vector<std::string>;

inline vec point(int rank) { return {0.5 + rank, 1.25 - 0.5 * rank, 2.0}; }
inline names kinds_of(communicator const& c) {
    names out;
    for (std::string const& call : c.calls()) out.push_back(call.substr(0, call.find(' ')));
    return out;
}
inline int count_of(communicator const& c, std::string const& kind) {
    int out = 0;
    for (std::string const& k : kinds_of(c)) out += k == kind;
    return out;
}
bool close(auto const& a, auto const& b) { return tx::all(tx::abs(a - b) <= 1e-10 * (1.0 + tx::abs(b))).item(); }

// Checks that transform(f)(x) gives the same with f in a checkpoint, on all ranks, with this number of all_gathers; 0 means any
// number.
template <class Make, class Transform>
void check_same(std::string const& name, Make const& make, Transform const& transform, std::size_t gathers) {
    on_ranks(3, [&](communicator const& c) {
        auto const f = make(c);
        tx::function const plain{transform(f)};
        tx::function const again{transform(tx::checkpoint(f))};
        vec const x = point(c.rank());
        auto const wanted = plain(x);
        c.calls().clear();
        CHECK_MESSAGE(close(again(x), wanted), name);
        std::string did;
        for (std::string const& kind : kinds_of(c)) did += ' ' + kind;
        if (gathers > 0) CHECK_MESSAGE(static_cast<std::size_t>(count_of(c, "all_gather")) == gathers, name, ":", did);
    });
}
constexpr auto gradient = [](auto const& f) { return tx::grad(f); };
constexpr auto second = [](auto const& f) { return tx::grad([f](auto x) { return tx::sum(tx::grad(f)(x) * tx::sin(x)); }); };
constexpr auto forward = [](auto const& f) { return [f](auto x) { return tx::jvp(f)(x, tx::cos(x)).second; }; };
constexpr auto forward_of_gradient = [](auto const& f) {
    return [f](auto x) { return tx::jvp(tx::grad(f))(x, tx::cos(x)).second; };
};
constexpr auto gradient_of_forward = [](auto const& f) {
    return tx::grad([f](auto x) { return tx::jvp(f)(x, tx::cos(x)).second; });
};

// A function whose forward collective is an all_gather, but whose derivatives' are not.
inline auto gathered(communicator const& c) {
    return [c](auto x) {
        auto const all = mpi::all_gather(tx::sin(x) * x, c);
        return tx::sum(all * all) * (1.0 + c.rank());
    };
}
// A function where only rank 0's operand depends on the argument.
inline auto from_first(communicator const& c) {
    return [c](auto x) {
        auto own = x * 0.5;
        if (c.rank() != 0) own = tx::stop_gradient(own);
        auto const all = mpi::all_gather(own * own, c);
        return tx::sum(tx::sin(all));
    };
}
// A function where only rank 1's result depends on what it receives.
inline auto to_second(communicator const& c) {
    return [c](auto x) {
        auto const all = mpi::all_gather(x * x, c);
        return c.rank() == 1 ? tx::sum(tx::sin(all)) : tx::sum(x) * 1.0;
    };
}
// A function that does not use what is gathered.
inline auto dead(communicator const& c) {
    return [c](auto x) {
        static_cast<void>(mpi::all_gather(x * x, c));
        return tx::sum(x * x);
    };
}
inline auto nested(communicator const& c) {
    return [c](auto x) {
        auto const inner = tx::checkpoint([c](auto y) { return tx::sum(mpi::all_gather(y * y, c), tx::axis<0>); });
        return tx::sum(inner(tx::sin(x)) * x);
    };
}
inline auto looped(communicator const& c) {
    return [c](auto x) {
        auto const end =
            tx::fori_loop(0, 2, [c](auto, auto s) { return tx::sum(mpi::all_gather(tx::sin(s), c), tx::axis<0>) * s; }, x);
        return tx::sum(end);
    };
}

} // namespace

#define CHECK_SAME(make, transform, gathers) check_same(#make ", " #transform, make, transform, gathers)
#define CHECK_FIRST(make, once)                                                                                                  \
    CHECK_SAME(make, gradient, once);                                                                                            \
    CHECK_SAME(make, forward, 2 * once)
#define CHECK_SECOND(make)                                                                                                       \
    CHECK_SAME(make, second, 0);                                                                                                 \
    CHECK_SAME(make, forward_of_gradient, 0);                                                                                    \
    CHECK_SAME(make, gradient_of_forward, 0)
