// This file tests tx::on_device: user callables that a placed function gives tensors on its device. It checks what they see, and
// what becomes of their results, in branches, loops and batches as well.
#include <thrust/on_device_helper.hpp>

namespace {

std::vector<std::string> lines; // what happened, in order

constexpr auto twice_called = [](auto const& x) { return tx::opaque<wide_spec>(tx::on_device(twice), x + 1.0f) * x; };

} // namespace

TEST_CASE("on_device: operands and results stay where the function runs") {
    wide const x = ramp();
    in_traces_on(points, twice_called, [&](auto const& f) {
        for (wide const& given : {x, tx::to(points, x)}) {
            seen.clear();
            wide const y = f(given);
            CHECK(tx::device_of(y) == name_there);
            CHECK(seen == names{name_there});
            for (int i : {0, 7, 199}) CHECK(y(i) == 2 * (x(i) + 1) * x(i));
        }
    });
}

TEST_CASE("on_device: in functions on the cpu, and on tensors, it is the callable itself") {
    wide const x = ramp();
    seen.clear();
    CHECK(tx::function{twice_called}(x)(3) == 2 * (x(3) + 1) * x(3));
    CHECK(twice_called(x)(3) == 2 * (x(3) + 1) * x(3));
    CHECK(tx::on_device(twice)(x)(3) == 2 * x(3));
    CHECK(seen == names{"cpu", "cpu", "cpu"});
    CHECK(tx::opaque<wide_spec>(tx::on_device(twice), tx::to(points, x))(3) == 2 * x(3)); // as a call of twice
    CHECK(seen.back() == name_there);
}

TEST_CASE("on_device: several results from here and there, small ones, and none") {
    wide const x = ramp();
    constexpr auto f = [](auto const& a) {
        auto const [there, here, sum, first] = tx::opaque<wide_spec, wide_spec, scalar_spec, tx::spec<int, tx::shape<2>>>(
            tx::on_device([](auto const& v, auto const& small, auto const& number) {
                lines.push_back(tx::device_of(v) + " " + tx::device_of(small) + " " + tx::device_of(number));
                wide const host = tx::to(tx::cpu{}, v);
                return std::tuple(tx::on(points, [](auto const& b) { return -b; })(v), host + small(0), tx::sum(host).item(),
                                  tx::tensor<int, tx::shape<2>>{static_cast<int>(host(1)), static_cast<int>(number.item())});
            }),
            a, tx::slice(a, tx::range<0, 3>), 5);
        tx::opaque<>(tx::on_device([](auto const& v, auto const& s) {
                         lines.push_back("sum " + std::to_string(static_cast<int>(s.item())) + " " + tx::device_of(v));
                     }),
                     there, sum);
        static_cast<void>(first);
        return std::tuple(there + here, sum, tx::cast<float>(first));
    };
    in_traces_on(points, f, [&](auto const& g) {
        lines.clear();
        auto const [y, sum, first] = g(x);
        CHECK(y(5) == x(0));
        CHECK(sum.item() == 200 * 201 / 2);
        CHECK(tx::equal(first, tx::tensor<float, tx::shape<2>>{2, 5}));
        CHECK(lines == names{name_there + " cpu cpu", "sum 20100 " + name_there});
    });
}

TEST_CASE("on_device: on the threads of Thrust's system, which have the processor's memory") {
    wide const x = ramp();
    in_traces_on(tx::thrust_device{}, twice_called, [&](auto const& f) {
        seen.clear();
        wide const y = f(tx::to(tx::thrust_device{}, x));
        CHECK(seen == names{name_there});
        CHECK(tx::device_of(y) == name_there);
        CHECK(y(9) == 220);
    });
}

TEST_CASE("on_device: operands of open extents, none of their elements, captures, and what is computed in between") {
    using open = tx::tensor<float, tx::shape<tx::dyn>>;
    static open const held = tx::to(points, open{1, 2, 3});
    static tx::variable<float, tx::shape<tx::dyn>> changing(open{1, 1, 1});
    constexpr auto f = [](auto const& x) {
        return tx::opaque<scalar_spec>(tx::on_device([](auto const&... v) {
                                           (note(v), ...);
                                           return (tx::sum(tx::to(tx::cpu{}, v)).item() + ...);
                                       }),
                                       x, held, changing, tx::flip(x) * 2.0f, tx::slice(held, tx::range<1, tx::open>));
    };
    in_traces_on(points, f, [&](auto const& g) {
        for (float const by : {1.0f, 2.0f}) {
            seen.clear();
            changing.assign(open{by, by, by});
            CHECK(g(tx::to(points, open{1, 1})).item() == 2 + 6 + 3 * by + 4 + 5);
            CHECK(seen == names(5, name_there));
        }
        CHECK(g(open{}).item() == 6 + 6 + 5);
    });
}

TEST_CASE("on_device: in branches and loops, in program order with prints") {
    constexpr auto f = [](auto const& x) {
        auto const counted = [](auto const& s) { return tx::opaque<wide_spec>(tx::on_device(twice), s); };
        auto const a = tx::cond(
            tx::sum(x) > 0, [&] { return counted(x); },
            [&] {
                tx::print("else");
                return x;
            });
        auto const b = tx::while_loop([](auto const& s) { return tx::sum(s) < 100000.0f; }, [&](auto const& s) { return counted(s); }, a);
        auto const scanned = tx::scan([&](auto const& s, auto const& k) { return std::pair(counted(s) + k, tx::sum(k)); }, b,
                                      tx::stack(tx::axis<0>, x, x, x));
        return scanned.first;
    };
    in_traces_on(points, f, [](auto const& g) {
        seen.clear();
        wide const y = g(ramp()); // sums: 20100, twice that, and until it is 160800; then three times
        CHECK(y(4) == ((5 * 8 * 2 + 5) * 2 + 5) * 2 + 5);
        CHECK(seen == names(6, name_there));
    });
}

TEST_CASE("on_device: for each example, where its branch is taken") {
    constexpr auto f = [](auto const& x) {
        return tx::cond(tx::sum(x) > 0, [&] { return tx::opaque<wide_spec>(tx::on_device(twice), x); }, [&] { return x * 5.0f; });
    };
    in_traces_on(points, tx::vmap(f), [](auto const& g) {
        seen.clear();
        auto const y = g(tx::stack(tx::axis<0>, ramp(), -ramp(), ramp() + 1.0f));
        CHECK(seen == names{name_there, name_there});
        CHECK(y(0, 3) == 8);
        CHECK(y(1, 3) == -20);
        CHECK(y(2, 3) == 10);
    });
}
