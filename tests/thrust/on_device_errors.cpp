// tx::on_device: what is left when a callable throws or gives what it should not, and calls at once.
#include <thrust/on_device_helper.hpp>

#include <atomic>
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

