// Devices: GPUs through Thrust, or the threads of one of its host systems. `#include <tracexpr/thrust.hpp>`; [more](devices.md).
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using vec = tx::tensor<float, tx::shape<tx::dyn>>;

TEST_CASE("thrust_device, to, device_of") {
    constexpr tx::thrust_device device{};
    tx::function f{tx::on(device, [](auto x) { return x * 2; })};
    auto const x = tx::to(device, vec{1, 2, 3}); // its elements are there
    CHECK(tx::device_of(x) != "cpu");
    CHECK(tx::equal(tx::to(tx::cpu{}, f(x)), vec{2, 4, 6}));
}

TEST_CASE("thrust_points") {
    tx::function f{tx::on(tx::thrust_points{}, [](auto x) { return x + 1; })}; // the kernels that a GPU has, where there is none
    CHECK(tx::equal(f(vec{1, 2, 3}), vec{2, 3, 4}));
}

TEST_CASE("synchronize, memory_in_use, release_memory") {
    constexpr tx::thrust_device device{};
    auto const before = tx::memory_in_use(device);
    {
        auto const x = tx::to(device, tx::ones<float, tx::shape<tx::dyn>>(1000));
        CHECK(tx::memory_in_use(device) >= before + 4000);
    }
    tx::synchronize(device); // waits for all work
    tx::release_memory(device); // gives back what is only kept
    CHECK(tx::memory_in_use(device) == before);
}

TEST_CASE("on_device, device_data, mutable_device_data") {
    using large = tx::tensor<float, tx::shape<1000>>;
    using spec = tx::spec<float, tx::shape<1000>>;
    constexpr tx::thrust_device device{};
    constexpr auto doubled = [](large x) { // is given tensors on the device, and gives one
        float const* const from = tx::device_data(x);
        large out = x;
        float* const to = tx::mutable_device_data(out); // for a kernel, or, where Thrust has this processor, a loop
        for (int i = 0; i < 1000; ++i) to[i] = 2 * from[i];
        return out;
    };
    tx::function f{tx::on(device, [=](auto x) { return tx::opaque<spec>(tx::on_device(doubled), x + 1); })};
    CHECK(f(large{})(999) == 2);
}
