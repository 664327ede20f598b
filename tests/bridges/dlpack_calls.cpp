// This file tests tensors that share a capsule's memory, in functions, derivatives, variables and traces.
#include <tracexpr/tracexpr.hpp>
#include <bridges/dlpack_capsules.hpp>

#include <doctest/doctest.h>

#include <sstream>

using dlpack_tests::lender;
using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<dyn>>;

namespace {
constexpr auto norm = [](auto x) { return tx::sqrt(tx::sum(x * x)); };
constexpr auto loss = [](auto x) { return tx::sum(x * x * x); };
} // namespace

TEST_CASE("dlpack: functions and ops read shared elements where they lie") {
    lender<double> from({3, 4}, {2});
    {
        auto const x = tx::from_dlpack<double, shape<dyn>>(&from.capsule);
        CHECK(tx::function{norm}(x).item() == 5);
        tx::function const at_run_time{norm, tx::options{.jit = tx::jit::never}};
        CHECK(at_run_time(x).item() == 5);
        CHECK(tx::array_equal(x + x, vec{6, 8}).item());
        CHECK(tx::array_equal(tx::concat(x, x), vec{3, 4, 3, 4}).item());
        CHECK(tx::equal(x, vec{3, 4}));
        CHECK(x(-1) == 4);
        std::ostringstream text;
        text << x;
        CHECK(text.str().find('3') != std::string::npos);
        double all = 0;
        for (double const e : x) all += e;
        CHECK(all == 7);
        CHECK(tx::array_equal(tx::vmap([](auto e) { return e * 2; })(x), vec{6, 8}).item());
        vec out;
        tx::function{[](auto a) { return a * 2; }}.into(out, x);
        CHECK(tx::equal(out, vec{6, 8}));
        CHECK(from.elements == std::vector<double>{3, 4});
    }
    CHECK(from.discarded == 1);
}

TEST_CASE("dlpack: derivatives with respect to shared elements") {
    lender<double> from({1, 2}, {2});
    {
        auto const x = tx::from_dlpack<double, shape<dyn>>(&from.capsule);
        CHECK(tx::equal(tx::grad(loss)(x), vec{3, 12}));
        tx::gradient_tape tape;
        tape.watch(x);
        auto const y = tx::sum(x * x * x);
        CHECK(tx::equal(tape.gradient(y, x), vec{3, 12}));
    }
    CHECK(from.discarded == 1);
}
TEST_CASE("dlpack: a tape keeps shared elements as they were") {
    lender<double> from({1, 2}, {2});
    {
        auto x = tx::from_dlpack<double, shape<dyn>>(&from.capsule);
        tx::gradient_tape tape;
        tape.watch(x);
        auto const z = x;
        auto const y = tx::sum(x * x * x);
        x(0) = 5;
        CHECK(from.discarded == 0); // z has them, and the tape
        CHECK(tx::equal(tape.gradient(y, z), vec{3, 12}));
    }
    CHECK(from.discarded == 1);
}
TEST_CASE("dlpack: a tape outlives the tensor") {
    lender<double> from({1, 2}, {2});
    {
        tx::gradient_tape tape;
        tx::variable<double, shape<dyn>> w{vec{1, 1}};
        tensor<double, shape<>> y;
        {
            auto const x = tx::from_dlpack<double, shape<dyn>>(&from.capsule);
            y = tx::sum(w * x);
        }
        CHECK(from.discarded == 0);
        CHECK(tx::equal(tape.gradient(y, w), vec{1, 2}));
    }
    CHECK(from.discarded == 1);
}

TEST_CASE("dlpack: variables that start with shared elements") {
    lender<double> from({1, 2}, {2});
    tx::variable<double, shape<dyn>> v{tx::from_dlpack<double, shape<dyn>>(&from.capsule)};
    CHECK(v.data() == from.first());
    CHECK(from.discarded == 0);
    SUBCASE("assigned to") { v.assign_add(vec{1, 1}); }
    SUBCASE("assigned to by a function") {
        tx::function const step{[&v] {
            v.assign_add(tensor<double, shape<2>>{1, 1});
            return v.value();
        }};
        static_cast<void>(step());
    }
    CHECK(from.discarded == 1);
    CHECK(tx::equal(v.value(), vec{2, 3}));
    CHECK(from.elements == std::vector<double>{1, 2});
}

TEST_CASE("dlpack: captured and bound shared elements") {
    lender<double> from({1, 2}, {2});
    {
        auto const x = tx::from_dlpack<double, shape<dyn>>(&from.capsule);
        tx::function const f{[x](auto a) { return a * x; }};
        CHECK(tx::equal(f(vec{3, 3}), vec{3, 6}));
        auto const g = tx::function{[](auto a, auto b) { return a + b; }}.bind(x);
        CHECK(tx::equal(g(vec{3, 3}), vec{4, 5}));
        CHECK(tx::equal(tx::grad([x](auto a) { return tx::sum(a * x); })(vec{3, 3}), vec{1, 2}));
    }
    CHECK(from.elements == std::vector<double>{1, 2});
}

TEST_CASE("dlpack: symbols have no elements to export") {
    tx::function const g{[](tensor<double, shape<dyn>> x) {
                             static_cast<void>(tx::to_dlpack(x));
                             return x;
                         },
                         tx::options{.jit = tx::jit::never}};
    CHECK_THROWS_AS(g(vec{1, 2}), tx::trace_error);
}

TEST_CASE("dlpack: shared elements go through opaque callables and trees") {
    lender<double> from({1, 2}, {2});
    {
        std::tuple const tree(tx::from_dlpack<double, shape<dyn>>(&from.capsule), 2.0);
        auto const scaled = tx::function{[](auto t) { return std::get<0>(t) * std::get<1>(t); }}(tree);
        CHECK(tx::equal(scaled, vec{2, 4}));
        using S = tx::spec<double, shape<2>>;
        auto const doubled = tx::opaque<S>([](auto x) { return tensor<double, shape<2>>(x + x); }, std::get<0>(tree));
        CHECK(tx::equal(vec(doubled), vec{2, 4}));
    }
    CHECK(from.discarded == 1);
}
