// This file tests tx::on_device: what callables hold, the functions that they call, concurrent calls, the state after one throws
// or gives a wrong result, and addresses for kernels of one's own.
#include <thrust/on_device_helper.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

TEST_CASE("on_device: what the callable throws comes out, and nothing is lost") {
    tx::variable<float, tx::shape<tx::dyn>> total(tx::tensor<float, tx::shape<tx::dyn>>{1, 2});
    bool fails = false;
    auto const f = tx::on(points, [&](auto const& x) {
        total.assign_add(1.0f);
        return tx::opaque<wide_spec>(tx::on_device([&](auto const& v) {
                                         auto const kept = tx::on(points, [](auto const& a) { return a + 1.0f; })(v);
                                         if (fails) throw std::runtime_error("stop");
                                         return kept;
                                     }),
                                     x * 2.0f);
    });
    wide const x = tx::to(points, ramp());
    auto const fail = [&] {
        fails = true;
        CHECK(message<std::runtime_error>([&] { f(x); }) == "stop");
        fails = false;
    };
    CHECK(f(x)(2) == 7);
    fail(); // from here on the variable has memory there for its next value
    std::int64_t const in_use = tx::memory_in_use(tx::thrust_device{});
    for (int round = 0; round < 3; ++round) {
        fail();
        CHECK(tx::memory_in_use(tx::thrust_device{}) == in_use);
        CHECK(total.value()(0) == static_cast<float>(round + 2));
        CHECK(f(x)(2) == 7);
    }
}

TEST_CASE("on_device: results that are elsewhere or not as declared") {
    constexpr auto far = [](auto const& x) {
        return std::get<1>(tx::opaque<scalar_spec, wide_spec>(tx::on_device([](auto const&) { return std::pair(1.0f, distant()); }), x));
    };
    auto const wrong = tx::on(points, [](auto const& x) {
        return tx::opaque<wide_spec>(tx::on_device([](auto const& v) { return tx::tensor<float>(tx::to(tx::cpu{}, v)); }), x);
    });
    std::int64_t const in_use = tx::memory_in_use(tx::thrust_device{});
    in_traces_on(points, far, [](auto const& f) {
        CHECK(message<tx::device_error>([&] { f(ramp()); }) ==
              "tx: opaque: result 1 of the callable is on far away, the function that was given it on " + name_there +
                  "; move it with tx::to");
    });
    CHECK(tx::function{far}(ramp())(1) == 20); // on the cpu it is read
    CHECK_THROWS_AS(wrong(tx::ones<float, tx::shape<201>>()), tx::type_error);
    CHECK(wrong(ramp())(1) == 2);
    CHECK(tx::memory_in_use(tx::thrust_device{}) == in_use);
}

TEST_CASE("on_device: from several threads at once") {
    constexpr auto doubled = [](auto const& v) { return tx::on(points, [](auto const& a) { return a + a; })(v); };
    auto const f = tx::on(points, [doubled](auto const& x) { return tx::opaque<wide_spec>(tx::on_device(doubled), x) + x; });
    std::int64_t const in_use = tx::memory_in_use(tx::thrust_device{});
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                wide const x = ramp() * static_cast<float>(t), there = tx::to(points, x);
                for (int i = 0; i < 50; ++i) wrong += f(i % 2 ? x : there)(10) != 33 * static_cast<float>(t);
            });
    }
    CHECK(wrong == 0);
    CHECK(tx::memory_in_use(tx::thrust_device{}) == in_use);
}

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
