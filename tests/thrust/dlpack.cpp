// This file tests capsules of memory on a device, and tensors there made of capsules. Thrust's host system stands in for the GPU.
#include <tracexpr/thrust.hpp>

#include <tracexpr/arrow.hpp>
#include <tracexpr/tracexpr.hpp>
#include <bridges/dlpack_capsules.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <string>

using dlpack_tests::lender;
using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<dyn>>;
using mat = tensor<float, shape<dyn, dyn>>;

namespace {

constexpr tx::thrust_device device{};
constexpr auto doubled = [](auto x) { return x + x; };

// Takes the device of this program for a GPU, as a file that nvcc compiles does.
struct known_gpu {
    known_gpu() {
        tx::detail::memory_of_gpu.store([](int index) -> tx::detail::device_memory const& {
            return tx::detail::queue_memory::of(tx::detail::device_queue::of(index));
        });
    }
    ~known_gpu() { tx::detail::memory_of_gpu.store(nullptr); }
};
// A capsule of elements there, at addresses that such kernels take.
struct gpu_lender : lender<float> {
    gpu_lender(std::vector<float> values, std::vector<std::int64_t> shape) : lender(std::move(values), std::move(shape)) {
        std::size_t const count = elements.size();
        elements.resize(count + 8);
        auto const skipped = (16 - reinterpret_cast<std::uintptr_t>(elements.data()) % 16) % 16 / sizeof(float);
        std::move_backward(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(count),
                           elements.begin() + static_cast<std::ptrdiff_t>(count + skipped));
        tensor().data = start = elements.data() + skipped;
        tensor().device = {kDLCUDA, 0};
    }
    float* start;
};

} // namespace

TEST_CASE("dlpack: a tensor on the device shares what a capsule shows there") {
    known_gpu const gpu;
    gpu_lender from({1, 2, 3, 4}, {4});
    std::int64_t const before = tx::memory_in_use(device);
    {
        auto x = tx::from_dlpack<float, shape<dyn>>(&from.capsule, tx::copy::never);
        CHECK(tx::device_of(x) == tx::device_of(tx::to(device, vec{1})));
        CHECK(tx::device_data(x) == from.start);
        CHECK(tx::memory_in_use(device) == before);
        auto const y = tx::on(device, doubled)(x);
        CHECK(tx::equal(y, vec{2, 4, 6, 8}));
        CHECK(tx::equal(tx::on(device, tx::grad([](auto a) { return tx::sum(a * a); }))(x), vec{2, 4, 6, 8}));
        CHECK(x(3) == 4);
        CHECK(tx::equal(tx::to(tx::cpu{}, x), vec{1, 2, 3, 4}));
        CHECK_THROWS_AS(tx::function{doubled}(x), tx::device_error);
        auto const capsule = tx::to_dlpack(x); // and on
        CHECK(capsule->dl_tensor.data == from.start);
        CHECK(from.discarded == 0);
        capsule->deleter(capsule);
    }
    CHECK(from.discarded == 1);
}
TEST_CASE("dlpack: a write on the device takes a copy first") {
    known_gpu const gpu;
    gpu_lender from({1, 2, 3, 4}, {4});
    auto x = tx::from_dlpack<float, shape<dyn>>(&from.capsule);
    SUBCASE("there") {
        float* const to = tx::mutable_device_data(x);
        CHECK(to != from.start);
        to[0] = 7;
    }
    SUBCASE("here") { x(0) = 7; }
    CHECK(from.discarded == 1);
    CHECK(tx::equal(x, vec{7, 2, 3, 4}));
    CHECK(from.start[0] == 1);
}
TEST_CASE("dlpack: what can't be shared on the device is copied there") {
    known_gpu const gpu;
    gpu_lender from({1, 2, 3, 4, 5, 6}, {2, 3});
    SUBCASE("columns first") {
        from.set_strides({1, 2});
        CHECK_THROWS_AS((tx::from_dlpack<float>(&from.capsule, tx::copy::never)), tx::error);
        CHECK(from.discarded == 0);
        auto const x = tx::from_dlpack<float, shape<dyn, dyn>>(&from.capsule);
        CHECK(tx::device_of(x) != "cpu");
        CHECK(tx::equal(x, mat{{1, 3, 5}, {2, 4, 6}}));
    }
    SUBCASE("backwards") {
        from.set_strides({-3, -1});
        from.tensor().byte_offset = 5 * sizeof(float);
        CHECK(tx::equal(tx::from_dlpack<float, shape<dyn, dyn>>(&from.capsule), mat{{6, 5, 4}, {3, 2, 1}}));
    }
    SUBCASE("not aligned to 16 bytes") {
        from.tensor().byte_offset = sizeof(float);
        from.extents = {1, 5};
        from.tensor().shape = from.extents.data();
        auto const x = tx::from_dlpack<float, shape<dyn, dyn>>(&from.capsule);
        CHECK(tx::device_data(x) != from.start + 1);
        CHECK(tx::equal(x, mat{{2, 3, 4, 5, 6}}));
    }
    SUBCASE("if it is asked for") {
        auto const x = tx::from_dlpack<float, shape<dyn, dyn>>(&from.capsule, tx::copy::always);
        CHECK(tx::device_data(x) != from.start);
        CHECK(tx::equal(x, mat{{1, 2, 3}, {4, 5, 6}}));
    }
    SUBCASE("into a small tensor of known shape, here") {
        from.set_strides({1, 2});
        auto const x = tx::from_dlpack<float, shape<2, 3>>(&from.capsule);
        CHECK(tx::equal(x, tensor<float, shape<2, 3>>{{1, 3, 5}, {2, 4, 6}}));
    }
    SUBCASE("managed memory is the device's") {
        from.tensor().device = {kDLCUDAManaged, 0};
        CHECK(tx::device_of(tx::from_dlpack<float>(&from.capsule)) != "cpu");
    }
    CHECK(from.discarded == 1);
}
TEST_CASE("dlpack: a GPU that isn't there") {
    known_gpu const gpu;
    gpu_lender from({1, 2}, {2});
    from.tensor().device.device_id = 5;
    CHECK_THROWS_AS((tx::from_dlpack<float>(&from.capsule)), tx::device_error);
    CHECK(from.discarded == 0);
}

TEST_CASE("dlpack, arrow: capsules and columns of tensors on a device") {
    auto const x = tx::to(device, vec{1, 2, 3});
    auto* const shared = tx::to_dlpack(x);
    CHECK(shared->dl_tensor.data == tx::device_data(x));
    CHECK(shared->dl_tensor.device.device_type == kDLCPU); // whose memory this process reads
    CHECK(shared->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
    auto* const copied = tx::to_dlpack(x, tx::copy::always);
    CHECK(copied->dl_tensor.data != tx::device_data(x));
    CHECK(static_cast<float const*>(copied->dl_tensor.data)[2] == 3);
    CHECK(copied->flags == DLPACK_FLAG_BITMASK_IS_COPIED);
    shared->deleter(shared);
    copied->deleter(copied);
    CHECK_THROWS_AS(static_cast<void>(tx::to_arrow(x, "", tx::copy::never)), tx::error);
    auto [schema, array] = tx::to_arrow(x);
    CHECK(tx::equal(tx::from_arrow<float>(schema, array), vec{1, 2, 3}));
}
TEST_CASE("dlpack: what this process lends goes to a device as other tensors do") {
    lender<float> from({1, 2, 3}, {3});
    {
        auto const x = tx::from_dlpack<float, shape<dyn>>(&from.capsule);
        CHECK(tx::device_of(x) == "cpu");
        CHECK(tx::equal(tx::on(device, doubled)(x), vec{2, 4, 6}));
        CHECK(tx::equal(tx::on(tx::thrust_points{}, doubled)(x), vec{2, 4, 6}));
        CHECK(tx::equal(tx::on(device, [x](auto a) { return a + x; })(x), vec{2, 4, 6}));
        CHECK(tx::to(tx::cpu{}, x).data() == from.first());
        auto const there = tx::to(device, x);
        CHECK(tx::device_of(there) != "cpu");
        CHECK(tx::equal(there, x));
        CHECK_THROWS_AS(static_cast<void>(tx::device_data(x)), tx::device_error);
    }
    CHECK(from.discarded == 1);
}
