// This file tests tensors on a device, functions placed there, and errors. The file that includes this says which device:
// tested_device.
#pragma once

#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <thread>

namespace {

using tx::dyn;
using matrix = tx::tensor<float, tx::shape<dyn, dyn>>;
using vector = tx::tensor<float, tx::shape<dyn>>;
constexpr tested_device there{};
std::string const name_there = tx::device_of(tx::to(there, vector{1}));

struct model {
    matrix w;
    tx::tensor<float, tx::shape<2>> b; // holds its elements itself
};
auto const loss = [](model const& m, auto const& x, auto const& y) { return tx::mean(tx::square(tx::tanh(tx::matmul(x, m.w) + m.b) - y)); };
model const start{{{0.5f, -0.25f}, {0.125f, 1}, {-1, 0.75f}}, {0.1f, -0.2f}};
matrix const inputs{{1, 2, 3}, {-1, 0.5f, 0.25f}, {0, 1, -1}, {2, -2, 1}}, targets{{0, 1}, {1, 0}, {-1, 1}, {0.5f, 0.5f}};

template <class A> bool is_near(A const& a, A const& b) { return a.dimensions() == b.dimensions() && (a.size() == 0 || tx::max(tx::abs(tx::to(tx::cpu{}, a) - tx::to(tx::cpu{}, b))).item() < 1e-5f); }

std::string message(auto const& f) {
    try {
        f();
    } catch (tx::device_error const& e) { return e.what(); }
    return "";
}

} // namespace

TEST_CASE("to: a tensor's elements on a device and back") {
    vector const x{1, 2, 3};
    vector const y = tx::to(there, x);
    CHECK(tx::device_of(x) == "cpu");
    CHECK(tx::device_of(y).substr(0, 15) == "thrust_device 0");
    CHECK(tx::device_of(tx::to(there, y)) == name_there);
    CHECK(tx::device_of(tx::to(tx::cpu{}, y)) == "cpu");
    CHECK(tx::equal(y, x));
    CHECK(y(1) == 2);
    CHECK(y.size() == 3);
    CHECK(std::vector<float>(y.begin(), y.end()) == std::vector<float>{1, 2, 3});
    std::ostringstream out;
    out << y;
    CHECK(out.str() == "[1. 2. 3.]");
    CHECK(tx::device_of(y) == name_there); // reading moves nothing
    CHECK(tx::to(there, vector{}).size() == 0);
    CHECK(tx::to(there, tx::tensor<double>(3.5)).item() == 3.5); // of unknown rank: on the heap
}

TEST_CASE("to: what small tensors of known shape hold stays in them; structs, tuples and arrays of tensors") {
    auto const small = tx::to(there, tx::tensor<float, tx::shape<3>>{1, 2, 3});
    CHECK(tx::device_of(small) == "cpu");
    model const m = tx::to(there, start);
    CHECK(tx::device_of(m.w) == name_there);
    CHECK(tx::device_of(m.b) == "cpu");
    auto const [a, b] = tx::to(there, std::tuple(inputs, std::array{targets, inputs}));
    CHECK(tx::device_of(a) == name_there);
    CHECK(tx::device_of(b[1]) == name_there);
    CHECK(tx::equal(tx::to(tx::cpu{}, std::pair(a, 1.5f)).first, inputs));
}

TEST_CASE("to: is nothing in what is traced") {
    auto const f = tx::on(there, [](auto const& x) { return tx::to(there, tx::exp(tx::to(tx::cpu{}, x))) + 1.0f; });
    static_assert(decltype(f)::is_static);
    CHECK(tx::device_of(f(vector{0, 0})) == name_there);
    CHECK(tx::equal(f(vector{0, 0}), vector{2, 2}));
}

TEST_CASE("to: copies share the elements, writes take them here") {
    vector const x = tx::to(there, vector{1, 2, 3});
    std::int64_t const in_use = tx::memory_in_use(tx::thrust_device{});
    vector y = x;
    CHECK(tx::memory_in_use(tx::thrust_device{}) == in_use);
    y.mutable_data()[1] = 7;
    CHECK(tx::device_of(y) == "cpu");
    CHECK(tx::equal(y, vector{1, 7, 3}));
    CHECK(tx::equal(x, vector{1, 2, 3}));
    tx::tensor<float> const open = x;
    CHECK(tx::device_of(open) == name_there);
    tx::tensor<float, tx::shape<3>> const known(open);
    CHECK(tx::device_of(known) == "cpu");
    CHECK(known(2) == 3);
    CHECK_THROWS_AS((tx::tensor<float, tx::shape<4>>(open)), tx::shape_error);
    y = x;
    CHECK(tx::device_of(y) == name_there);
    y = vector{4};
    CHECK(tx::device_of(y) == "cpu");
}

TEST_CASE("on: results are those of the cpu, and stay on the device") {
    auto const f = [](auto const& x, auto const& y) { return std::tuple(tx::tanh(x) * y + 1.0f, tx::sum(x * y), tx::softmax(x)); };
    tx::function const here(f);
    auto const placed = tx::on(there, f);
    SUBCASE("known extents") {
        tx::tensor<float, tx::shape<50, 40>> const x = tx::cast<float>(tx::sin(tx::reshape<50, 40>(tx::linspace<double>(0, 90, 2000))));
        auto const [a, b, c] = placed(x, x);
        auto const [p, q, r] = here(x, x);
        CHECK(tx::device_of(a) == name_there);
        CHECK(is_near(a, p));
        CHECK(b.item() == doctest::Approx(q.item()));
        CHECK(is_near(c, r));
        auto const [a2, b2, c2] = placed(a, c); // and on from there
        auto const [p2, q2, r2] = here(p, r);
        CHECK(is_near(a2, p2));
        CHECK(b2.item() == doctest::Approx(q2.item()));
    }
    SUBCASE("unknown extents") {
        for (matrix const& x : {inputs, targets, matrix{}}) {
            auto const [a, b, c] = placed(tx::to(there, x), tx::to(there, x));
            auto const [p, q, r] = here(x, x);
            CHECK(is_near(a, p));
            CHECK(b.item() == doctest::Approx(q.item()));
        }
    }
    SUBCASE("unknown rank") {
        tx::tensor<float> const x = inputs;
        auto const [a, b, c] = placed(tx::to(there, x), tx::to(there, x));
        auto const [p, q, r] = here(x, x);
        CHECK(tx::device_of(a) == name_there);
        CHECK(tx::device_of(b) == name_there);
        CHECK(is_near(a, p));
        CHECK(b.item() == doctest::Approx(q.item()));
        CHECK(is_near(c, r));
    }
    SUBCASE("a callable that is traced at run time") {
        vector const factor{1, 2, 3};
        auto const g = [factor](auto const& x) { return x * factor; };
        auto const product = tx::on(there, g)(tx::to(there, inputs));
        CHECK(tx::device_of(product) == name_there);
        CHECK(is_near(product, tx::function(g)(inputs)));
    }
}

TEST_CASE("on: gradients, and steps of an optimiser whose parameters stay on the device") {
    auto const step = [](model const& m, auto const& x, auto const& y) {
        auto const [value, slopes] = tx::value_and_grad(loss)(m, x, y);
        return std::pair(value, tx::tree_map([](auto const& p, auto const& g) { return p - 0.1f * g; }, m, slopes));
    };
    auto const placed = tx::on(there, step);
    tx::function const here(step);
    model on_device = tx::to(there, start), on_cpu = start;
    matrix const x = tx::to(there, inputs), y = tx::to(there, targets);
    std::int64_t in_use = 0;
    for (int i = 0; i < 20; ++i) {
        auto [value, next] = placed(on_device, x, y);
        auto [expected, expected_next] = here(on_cpu, inputs, targets);
        on_device = next, on_cpu = expected_next;
        CHECK(value.item() == doctest::Approx(expected.item()).epsilon(1e-5));
        if (i == 0) in_use = tx::memory_in_use(tx::thrust_device{});
    }
    CHECK(tx::memory_in_use(tx::thrust_device{}) == in_use);
    CHECK(tx::device_of(on_device.w) == name_there);
    CHECK(is_near(on_device.w, on_cpu.w));
    CHECK(is_near(on_device.b, on_cpu.b));
}

TEST_CASE("on: variables that a placed function assigns to stay there") {
    tx::variable<float, tx::shape<dyn>> total(vector{1, 2, 3});
    tx::variable<float, tx::shape<>> count(0.0f);
    auto const add = tx::on(there, [&](auto const& x) {
        total.assign_add(x);
        count.assign_add(1.0f);
        return tx::sum(total.value());
    });
    CHECK(add(tx::to(there, vector{1, 1, 1})).item() == 9);
    CHECK(tx::device_of(total) == name_there);
    CHECK(add(tx::to(there, vector{1, 2, 3})).item() == 15);
    CHECK(tx::equal(total.value(), vector{3, 5, 7}));
    CHECK(count.item() == 2);
    CHECK(message([&] { tx::function([&](auto const& x) { return x + total; })(vector{1, 1, 1}); }).find("a function or op on the cpu was given a tensor on " + name_there) != std::string::npos);
    total.assign(tx::to(tx::cpu{}, total.value()));
    CHECK(tx::equal(tx::function([&](auto const& x) { return x + total; })(vector{1, 1, 1}), vector{4, 6, 8}));
}

TEST_CASE("on: function's options and signature come along, and traces are its own") {
    tx::function const f([](auto const& x) { return x + x; }, tx::signature<tx::spec<float, tx::shape<dyn>>>{});
    auto const placed = tx::on(there, f);
    CHECK(placed.tracing_count() == 0);
    CHECK(tx::equal(placed(vector{1, 2}), vector{2, 4}));
    CHECK(placed.tracing_count() == 1);
    CHECK(f.tracing_count() == 0);
    vector out;
    placed.into(out, vector{1, 2, 3});
    CHECK(tx::device_of(out) == name_there);
    CHECK(tx::equal(out, vector{2, 4, 6}));
    auto const within = tx::function([&](auto const& x) { return placed(x) * 2.0f; }); // is part of that
    CHECK(tx::device_of(within(vector{1})) == "cpu");
}

TEST_CASE("on: tapes see what a placed function computed") {
    vector const x{1, 2, 3};
    auto const placed = tx::on(there, [](auto const& v) { return tx::sum(v * v * v); });
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = placed(x);
    CHECK(tx::equal(tape.gradient(y, x), vector{3, 12, 27}));
}

TEST_CASE("device_error: tensors at different places, no such device, no memory; nothing is lost") {
    vector const a{1, 2, 3}, b = tx::to(there, a);
    auto const add = tx::on(there, [](auto const& x, auto const& y) { return x + y; });
    CHECK(message([&] { add(b, a); }) == "tx: a function on " + name_there + ": arguments must be at one place; argument 0 (float32(3,)) is on the device, argument 1 (float32(3,)) on the cpu; move one of them with tx::to");
    CHECK(message([&] { add(a, b); }).find("argument 1 (float32(3,)) is on the device, argument 0 (float32(3,)) on the cpu") != std::string::npos);
    CHECK(tx::equal(add(b, 1.0f), vector{2, 3, 4})); // numbers go along
    auto const of_pair = tx::on(there, [](auto const& p) { return p.first + tx::sum(p.second); });
    CHECK(message([&] { of_pair(std::pair(b, a)); }).find("argument 0 (float32(3,)) is on the device, part 1 of argument 0 (float32(3,)) on the cpu") != std::string::npos);
    CHECK(tx::equal(of_pair(std::pair(b, vector())), a)); // what has no elements is nowhere
    CHECK(tx::equal(of_pair(std::pair(a, tx::to(there, vector()))), a));
    CHECK(tx::equal(add(b, tx::tensor<float, tx::shape<3>>{1, 1, 1}), vector{2, 3, 4}));
    tx::function const here([](auto const& x, auto const& y) { return x + y; });
    std::string const on_cpu = "tx: a function or op on the cpu was given a tensor on " + name_there + "; place the function there with tx::on, or bring the tensor here with tx::to(tx::cpu{}, x)";
    CHECK(message([&] { here(a, b); }) == on_cpu);
    CHECK(message([&] { static_cast<void>(a + b); }) == on_cpu);
    vector out{7};
    CHECK(message([&] { here.into(out, b, b); }) == on_cpu);
    CHECK(tx::equal(out, vector{7}));
    CHECK(message([&] { (void)tx::to(tested_device{99}, a); }).find("there is no device 99; ") != std::string::npos);
    CHECK(message([&] { tx::on(tested_device{-1}, [](auto const& x) { return x; })(a); }).find("there is no device -1") != std::string::npos);

    std::int64_t const before = tx::memory_in_use(tx::thrust_device{});
    {
        auto const huge = tx::on(there, [](auto const& x) { return tx::broadcast_to<1000000000, 1000000>(x) + 1.0f; });
        CHECK(message([&] { huge(tx::tensor<float>{1}); }).find("out of memory: 4000000000000000 bytes were asked for, while ") != std::string::npos);
        auto const wrong = tx::on(there, [](auto const& x, auto const& y) { return tx::take(x, y) + 1.0f; });
        CHECK_THROWS_AS(wrong(a, tx::tensor<int, tx::shape<dyn>>{0, 3}), tx::shape_error);
        auto const wide = tx::on(there, [](auto const& x) { return tx::sum(tx::matmul(tx::broadcast_to<1000000000, 1>(x), tx::broadcast_to<1, 1000000>(x))); });
        CHECK(message([&] { wide(tx::tensor<float, tx::shape<1, 1>>{{1}}); }).find("out of memory") != std::string::npos);
    }
    CHECK(tx::memory_in_use(tx::thrust_device{}) == before);
    CHECK(tx::equal(add(b, b), vector{2, 4, 6}));
}

TEST_CASE("on: from several threads at once") {
    auto const f = tx::on(there, [](auto const& x) { return tx::exp(-x * x) + tx::sum(x); });
    matrix const x = tx::to(there, inputs);
    matrix const expected = tx::to(tx::cpu{}, f(x));
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 50; ++i) wrong += !tx::equal(f(x), expected);
            });
    }
    CHECK(wrong == 0);
}

TEST_CASE("thrust_device: memory is counted, and what is kept can be given back") {
    std::int64_t const before = tx::memory_in_use(tx::thrust_device{});
    {
        vector const x = tx::to(there, vector{1, 2, 3}), y = x;
        CHECK(tx::memory_in_use(tx::thrust_device{}) == before + 256);
    }
    CHECK(tx::memory_in_use(tx::thrust_device{}) == before);
    tx::synchronize(tx::thrust_device{});
    tx::release_memory(tx::thrust_device{});
    CHECK(tx::memory_in_use(tx::thrust_device{}) == before);
}
