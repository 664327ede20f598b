// This file tests derivatives of collectives, each as the map between all ranks that it is, and derivatives of derivatives.
#include <collectives/systems.hpp>

#include <complex>

using namespace tx::testing;
using tx::shape;
using tx::tensor;
namespace mpi = tx::mpi;

namespace {

// Each rank's own number: what it computes from the op's result, which the op makes of what the rank computes from its vector.
auto loss_of(rank_op const& op) {
    return [op](communicator const& c) {
        return [op, c](auto const& x) {
            auto const all = applied(op, x * x * 0.5 + x, c), y = tx::where(tx::isfinite(all), all, 0.5);
            return tx::sum(tx::sin(y) * y) * (1.0 + c.rank());
        };
    };
}

} // namespace

TEST_CASE("collectives: derivatives of each op in both modes") {
    for (int size = 1; size <= 4; ++size)
        for (rank_op const& op : rank_ops(size)) {
            if (op.is_shared || op.what == tx::collective_kind::replicate) continue; // what they mean is not what one rank sees
            check_derivatives([&](communicator const& c) { return [op, c](auto const& x) { return applied(op, x * x, c); }; },
                              numbers(size, 2 * size, 0), op.name() + " of " + std::to_string(size));
        }
}

TEST_CASE("collectives: derivatives of gradients of each op in both modes") {
    for (int size = 1; size <= 3; ++size)
        for (rank_op const& op : rank_ops(size)) {
            if (op.is_shared || op.what == tx::collective_kind::replicate) continue;
            check_derivatives([&](communicator const& c) { return tx::grad(loss_of(op)(c)); }, numbers(size, size, 0),
                              "grad " + op.name() + " of " + std::to_string(size), 1e-5);
            check_derivatives(
                [&](communicator const& c) {
                    return [f = loss_of(op)(c)](auto const& x) {
                        auto const pushed = tx::jvp(f)(x, tx::cos(x)).second;
                        return x * pushed;
                    };
                },
                numbers(size, size, 0), "jvp " + op.name() + " of " + std::to_string(size), 1e-5);
        }
}
