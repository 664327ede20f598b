// This file tests tx::profile of regions and effects: what runs once, what is unchanged, what throws.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>
#include <profile_helper.hpp>

#include <doctest/doctest.h>

#include <string>

using tx::dyn;
using tx::profile_report;
using tx::shape;
using tx::spec;
using tx::tensor;
using namespace tx::testing;

TEST_CASE("profile: regions are one step") {
    tensor<float, shape<8>> const x = tx::ones<float>(shape<8>{});
    auto const scanned = [](auto a) { return tx::fori_loop(0, 10, [](auto, auto s) { return tx::exp(s); }, a); };
    for (profile_report const& r :
         {tx::profile(twice, scanned, x), tx::profile(twice, tx::function{scanned, tx::options{.jit = tx::jit::never}}, x)}) {
        check_report(r);
        CHECK(step_of(r, "scan of exp").flops == 80);
    }
    profile_report const r = tx::profile(
        twice, [](auto a) { return tx::while_loop([](auto s) { return tx::sum(s) < 1000; }, [](auto s) { return s * 2; }, a); },
        x);
    check_report(r);
    CHECK(step_of(r, "while_loop of sum, less").flops == 0); // how often it runs only the run tells
}

TEST_CASE("profile: what shows outside happens once, variables keep their values") {
    int calls = 0;
    auto const count = [&](auto x) { return tx::opaque<spec<float, shape<2>>>([&](auto a) { return ++calls, a; }, x); };
    profile_report const r = tx::profile(count, tensor<float, shape<2>>{1, 2});
    check_report(r);
    CHECK(calls == 1);
    CHECK(r.repetitions == 1);
    CHECK(step_of(r, "opaque").flops == 0);
    tx::variable<float, shape<2>> v{tensor<float, shape<2>>{1, 2}};
    check_report(tx::profile(
        twice,
        [&](auto x) {
            v.assign_add(x);
            return v * 2;
        },
        tensor<float, shape<2>>{10, 20}));
    CHECK(tx::equal(v.value(), tensor<float, shape<2>>{1, 2}));
    tx::function const draw{[](auto x) {
        auto const body = [](auto sum, auto) { return std::pair(sum + tx::random::normal<float>(shape<4>{}), sum); };
        return tx::scan(body, x + tx::random::normal<float>(shape<4>{}), tx::zeros<float>(shape<3>{}));
    }};
    tx::random::seed(3);
    auto const expected = draw(1.0f).first;
    tx::random::seed(3);
    profile_report const drawn = tx::profile(twice, draw, 1.0f);
    check_report(drawn);
    CHECK(drawn.repetitions == 2); // they can be drawn again
    CHECK(tx::equal(draw(1.0f).first, expected));
}

TEST_CASE("profile: what throws") {
    auto const f = [](auto x) { return x * 2; };
    tensor<float, shape<2>> const x{1, 2};
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::profile(tx::function{f, tx::options{.jit = tx::jit::always}}, tx::key(2))),
                         "tx: function: tx::jit::always needs a callable and arguments that the compiler can trace; "
                         "tx::static_function tells what prevents it",
                         tx::trace_error);
    tx::function const within{[&](auto a) {
        static_cast<void>(tx::profile(twice, f, x));
        return a;
    }};
    CHECK_THROWS_WITH_AS(
        within(x), "tx: profile: runs the function, which a trace can't; call it outside of the callables that functions trace",
        tx::trace_error);
    CHECK_THROWS_AS(static_cast<void>(tx::profile(
                        twice, [](auto a, auto b) { return a + b; }, tensor<float>{1, 2}, tensor<float>{1, 2, 3})),
                    tx::shape_error);
}

TEST_CASE("profile: a report as text") {
    profile_report r;
    r.signature = "(float32[2]) -> float32[2]";
    r.executor = "kernels";
    r.repetitions = 1;
    r.seconds = 2e-6, r.arena_bytes = 4096;
    r.steps.push_back({"matmul \"a\"", "2 x 2", "small_product", 1.5e-6, 3000, 600'000});
    r.steps.push_back({"exp", "4", "", 0.5e-6, 16, 0});
    CHECK(r.to_text() == R"((float32[2]) -> float32[2]
kernels, 1 run of 2.00 us, arena of 4.10 kB
step        size   strategy          time    share    bytes  GB/s  GFLOP/s
matmul "a"  2 x 2  small_product  1.50 us   75.0 %  3.00 kB  2.00   400.00
exp         4                      500 ns   25.0 %     16 B  0.03        -
all steps                         2.00 us  100.0 %  3.02 kB  1.51   300.00
)");
    CHECK(is_json(r.to_chrome_trace()));
    CHECK(
        r.to_chrome_trace().find(
            R"({"name": "exp", "cat": "step", "ph": "X", "pid": 1, "tid": 1, "ts": 1.500, "dur": 0.500, "args": {"size": "4", "strategy": "", "bytes": 16, "flops": 0, "GB/s": 0.032, "GFLOP/s": 0.000}})") !=
        std::string::npos);
    CHECK(r.to_chrome_trace().find(R"("name": "matmul \"a\"")") != std::string::npos);
    r.steps[0].seconds = r.steps[1].seconds = 0; // shorter than a clock can tell
    CHECK(r.share(r.steps[0]) == 0);
    CHECK(r.to_text().find("< 1 ns") != std::string::npos);
    CHECK(is_json(r.to_chrome_trace()));
}
