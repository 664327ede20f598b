// tx::on_device: what callables hold, the functions that they call, and addresses for kernels of their own.
#include <thrust/on_device_helper.hpp>

#include <functional>

TEST_CASE("on_device: a callable that captures has what it captured, and state by reference") {
    int calls = 0;
    wide const added = tx::to(points, ramp());
    auto const counter = [&calls, added](auto const& v) {
        ++calls;
        return tx::on(points, [](auto const& a, auto const& b) { return a + b; })(v, added);
    };
    auto const f = tx::on(points, [counter](auto const& x) { return tx::opaque<wide_spec>(tx::on_device(counter), x); });
    CHECK(f(ramp())(3) == 8);
    CHECK(f(f(ramp()))(3) == 12);
    CHECK(calls == 3);
    struct summing {
        float sum = 0;
        float operator()(wide const& v) { return sum += v(0); }
    } state;
    auto const g = tx::on(points, [&](auto const& x) { return tx::opaque<scalar_spec>(tx::on_device(std::ref(state)), x); });
    CHECK(g(ramp()).item() == 1);
    CHECK(g(ramp()).item() == 2);
    CHECK(state.sum == 2);
}

TEST_CASE("on_device: placed functions within, which call such callables themselves; and those of the cpu") {
    constexpr auto inner = [](auto const& x) {
        return tx::opaque<wide_spec>(tx::on_device([](auto const& v) {
                                         note(v);
                                         return on_its_device(v, [](auto const& a) { return a * 3.0f; });
                                     }),
                                     x);
    };
    auto const outer = tx::on(points, [inner](auto const& x) {
        return tx::opaque<wide_spec>(tx::on_device([inner](auto const& v) {
                                         note(v);
                                         wide const there = tx::on(points, inner)(v);
                                         wide const threads = tx::on(tx::thrust_device{}, inner)(there);
                                         return tx::function{inner}(tx::to(tx::cpu{}, threads));
                                     }),
                                     x) +
               1.0f;
    });
    seen.clear();
    CHECK(outer(ramp())(1) == 55);
    CHECK(seen == names{name_there, name_there, name_there, "cpu"});
}

#if !TRACEXPR_ON_GPU // the addresses are this process's
TEST_CASE("device_data, mutable_device_data: addresses on the device") {
    wide x = tx::to(points, ramp());
    float const* const before = tx::device_data(x);
    CHECK(before[4] == 5);
    wide y = x;
    CHECK(tx::device_data(y) == before);
    tx::mutable_device_data(y)[4] = -1; // takes elements of its own
    CHECK(tx::device_data(y) != before);
    CHECK(tx::device_of(y) == name_there);
    CHECK(x(4) == 5);
    CHECK(y(4) == -1);
    tx::mutable_device_data(y)[5] = -2; // this process has a copy, which stays as it was
    CHECK(y(4) == -1);
    CHECK(y(5) == -2);
    y = tx::to(points, ramp());
    float* const own = tx::mutable_device_data(y);
    CHECK(tx::mutable_device_data(y) == own);
    tx::tensor<float, tx::shape<tx::dyn>> none = tx::to(points, tx::tensor<float, tx::shape<tx::dyn>>{});
    CHECK(tx::device_data(none) == nullptr);
    CHECK(tx::mutable_device_data(none) == nullptr);
    wide here = ramp(), far = distant();
    CHECK(message<tx::device_error>([&] { static_cast<void>(tx::device_data(here)); }) ==
          "tx: device_data: the tensor is on the cpu; move it with tx::to");
    CHECK(message<tx::device_error>([&] { static_cast<void>(tx::mutable_device_data(far)); }) ==
          "tx: mutable_device_data: the tensor is on far away; move it with tx::to");
}
TEST_CASE("device_data: kernels of one's own") {
    auto const f = tx::on(points, [](auto const& x) {
        return tx::opaque<wide_spec>(tx::on_device([](wide const& v) {
                                         wide out = v;
                                         float const* const from = tx::device_data(v);
                                         float* const to = tx::mutable_device_data(out);
                                         for (int i = 0; i < 200; ++i) to[i] = from[199 - i];
                                         return out;
                                     }),
                                     x + 1.0f);
    });
    CHECK(f(ramp())(0) == 201);
    CHECK(f(tx::to(points, ramp()))(199) == 2);
}
#endif
