// This file tests assignments in the steady state: an optimiser's step allocates no memory and copies nothing.
#include <counted_memory.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <array>
#include <tuple>

using tx::shape;
using tx::tensor;

namespace {

struct model {
    tx::variable<float, shape<300, 40>> w{tx::ones<float>(shape<300, 40>{}) * 0.01f};
    tx::variable<float, shape<40>> b{tx::zeros<float>(shape<40>{})};
};

} // namespace

TEST_CASE("function: a call with many leaves takes no memory") {
    struct many {
        std::array<tensor<float, shape<tx::dyn>>, 12> parts;
    };
    int const traced_at_run_time = 1;
    tx::function const f{[traced_at_run_time](auto m) {
        auto sum = m.parts[0] * traced_at_run_time;
        for (std::size_t k = 1; k < 12; ++k) sum = sum + m.parts[k];
        return sum;
    }};
    many m;
    for (auto& part : m.parts) part = tensor<float, shape<tx::dyn>>{1, 2};
    auto out = f(m);
    CHECK(tx::testing::allocations_in_steady_state([&] { f.into(out, m); }) == 0);
    CHECK(out(1) == 24);
}

TEST_CASE("variables: a step of momentum takes no memory, and equals what is written by hand") {
    model m, velocity{tx::zeros<float>(shape<300, 40>{}), tx::zeros<float>(shape<40>{})};
    auto const loss = [](auto w, auto b, auto x) { return tx::mean(tx::square(tx::matmul(x, w) + b - 1.0f)); };
    tx::function const step{[&](auto x) {
        auto const [value, slopes] = tx::value_and_grad<0, 1>(loss)(m.w, m.b, x);
        auto const& [dw, db] = slopes;
        velocity.w.assign(velocity.w * 0.9f + dw);
        velocity.b.assign(velocity.b * 0.9f + db);
        m.w.assign_sub(velocity.w * 0.1f);
        m.b.assign_sub(velocity.b * 0.1f);
        return value;
    }};
    tensor<float, shape<8, 300>> const x = tx::ones<float>(shape<8, 300>{}) * 0.05f;
    auto value = step(x);
    float const first = value.item();
    CHECK(tx::testing::allocations_in_steady_state([&] { step.into(value, x); }) == 0);
    CHECK(value.item() < first);

    model own, speed{tx::zeros<float>(shape<300, 40>{}), tx::zeros<float>(shape<40>{})};
    model again, still{tx::zeros<float>(shape<300, 40>{}), tx::zeros<float>(shape<40>{})};
    m = again, velocity = still;
    for (int k = 0; k < 3; ++k) {
        step(x);
        auto const dw = tx::grad<0>(loss)(own.w.value(), own.b.value(), x);
        auto const db = tx::grad<1>(loss)(own.w.value(), own.b.value(), x);
        speed.w = speed.w.value() * 0.9f + dw, speed.b = speed.b.value() * 0.9f + db;
        own.w = own.w.value() - speed.w.value() * 0.1f, own.b = own.b.value() - speed.b.value() * 0.1f;
    }
    CHECK(tx::max(tx::abs(m.w.value() - own.w.value())).item() < 1e-6f);
    CHECK(tx::max(tx::abs(m.b.value() - own.b.value())).item() < 1e-6f);
}
