// What tx::profile tells of a function. Times are whatever they are; all else is known.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>
#include <json_checker.hpp>
#include <messages.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <functional>
#include <sstream>
#include <string>

using tx::dyn;
using tx::profile_options;
using tx::profile_report;
using tx::shape;
using tx::spec;
using tx::tensor;
using tx::testing::is_json;

namespace {

constexpr profile_options twice{.repetitions = 2};

// What every report must be.
void check(profile_report const& r) {
    tx::profile_step const all = r.total();
    double seconds = 0, shares = 0;
    std::int64_t bytes = 0, flops = 0;
    for (tx::profile_step const& s : r.steps) {
        CHECK(!s.name.empty());
        CHECK(s.seconds >= 0);
        seconds += s.seconds, shares += r.share(s), bytes += s.bytes, flops += s.flops;
    }
    CHECK(all.seconds == doctest::Approx(seconds));
    CHECK(all.bytes == bytes);
    CHECK(all.flops == flops);
    if (seconds > 0) CHECK(shares == doctest::Approx(1));
    CHECK(r.seconds >= 0);
    CHECK(is_json(r.to_chrome_trace()));
    std::string const text = r.to_text();
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == r.steps.size() + 4);
    std::ostringstream out;
    out << r;
    CHECK(out.str() == text);
}
// The only step whose name begins so.
tx::profile_step step_of(profile_report const& r, std::string const& name) {
    tx::profile_step found;
    int count = 0;
    for (tx::profile_step const& s : r.steps)
        if (s.name.starts_with(name)) found = s, ++count;
    CAPTURE(r.to_text());
    CHECK(count == 1);
    return found;
}

struct layer {
    tensor<float, shape<32, 16>> w = tx::ones<float>(shape<32, 16>{});
    constexpr auto operator()(auto const& x) const { return tx::matmul(x, w); }
};
constexpr auto softmax_of_products = [](layer const& l, auto x) { return tx::softmax(l(x)); };

} // namespace

TEST_CASE("profile: a product is 2 m n k operations, and each operand is read once") {
    auto const x = tx::ones<float>(shape<64, 32>{});
    profile_report const r = tx::profile(twice, tx::function{layer{}}, x);
    check(r);
    CHECK(r.signature == "(float32[64,32]) -> float32[64,16]");
    CHECK(r.executor == "kernels");
    CHECK(r.repetitions == 2);
    tx::profile_step const product = step_of(r, "matmul");
    CHECK(product.flops == 2 * 64 * 32 * 16);
    CHECK(product.bytes == 4 * (64 * 32 + 32 * 16 + 64 * 16));
    CHECK(product.size == "64 x 16, sums of 32");
}

TEST_CASE("profile: a loop's operations are those of its lines") {
    tensor<double, shape<100, 8>> const x = tx::ones<double>(shape<100, 8>{});
    tensor<double, shape<8>> const y = tx::ones<double>(shape<8>{});
    profile_report const r = tx::profile(twice, [](auto a, auto b) { return tx::sum(tx::exp(a) * b, tx::axis<1>); }, x, y);
    check(r);
    REQUIRE(r.steps.size() == 1);
    CHECK(r.steps[0].name == "exp, multiply, sum");
    CHECK(r.steps[0].flops == 3 * 800);
    CHECK(r.steps[0].bytes == 8 * (800 + 8 + 100));
    CHECK(!r.steps[0].strategy.empty());
    // What only moves, compares or chooses is no arithmetic.
    profile_report const moved = tx::profile(
        twice, [](auto a) { return tx::where(a > 0, tx::transpose(a), a); },
        tensor<double, shape<8, 8>>(tx::ones<double>(shape<8, 8>{})));
    check(moved);
    CHECK(moved.total().flops == 0);
    using complex = std::complex<float>;
    profile_report const products =
        tx::profile(twice, [](auto a) { return a * a + a; }, tensor<complex, shape<50>>(tx::ones<complex>(shape<50>{})));
    CHECK(products.total().flops == 50 * 8); // a fused multiply-add, or a product and a sum
    CHECK(products.total().bytes == 50 * 2 * 8);
}

TEST_CASE("profile: the same of kernels, tiles and traces made at run time") {
    layer const l;
    auto const x = tx::ones<float>(shape<64, 32>{});
    int const one = 1;
    profile_report const kernels = tx::profile(twice, tx::function{softmax_of_products}, l, x);
    profile_report const tiles = tx::profile(twice, tx::function{softmax_of_products, tx::options{.jit = tx::jit::never}}, l, x);
    profile_report const captured = tx::profile(twice, [one](layer const& of, auto a) { return tx::softmax(of(a)) * one; }, l, x);
    for (profile_report const* r : {&kernels, &tiles, &captured}) {
        check(*r);
        CHECK(r->signature == "((float32[32,16]), float32[64,32]) -> float32[64,16]");
        CHECK(r->total().flops >= 2 * 64 * 32 * 16 + 4 * 64 * 16);
    }
    CHECK(kernels.executor == "kernels");
    CHECK(tiles.executor == "tiles");
    CHECK(captured.executor == "tiles");
    CHECK(tiles.total().flops == kernels.total().flops);
    CHECK(tiles.total().bytes == kernels.total().bytes);
}

TEST_CASE("profile: extents that only the call tells, none, and ranks") {
    auto const f = [](auto x) { return tx::exp(x) * 2; };
    for (std::int64_t const n : {0, 1, 7, 1000}) {
        CAPTURE(n);
        profile_report const r = tx::profile(twice, f, tx::ones<float>(shape<dyn>{}, n));
        check(r);
        CHECK(r.total().flops == 2 * n);
        CHECK(r.total().bytes == 2 * 4 * n);
        profile_report const ranked = tx::profile(twice, f, tensor<float>(tx::ones<float>(shape<dyn>{}, n)));
        check(ranked);
        CHECK(ranked.total().flops == 2 * n);
    }
    check(tx::profile(twice, [](auto x) { return x; }, 2.0f)); // nothing to do
}

TEST_CASE("profile: regions are one step") {
    tensor<float, shape<8>> const x = tx::ones<float>(shape<8>{});
    auto const scanned = [](auto a) { return tx::fori_loop(0, 10, [](auto, auto s) { return tx::exp(s); }, a); };
    for (profile_report const& r :
         {tx::profile(twice, scanned, x), tx::profile(twice, tx::function{scanned, tx::options{.jit = tx::jit::never}}, x)}) {
        check(r);
        CHECK(step_of(r, "scan of exp").flops == 80);
    }
    profile_report const r = tx::profile(
        twice, [](auto a) { return tx::while_loop([](auto s) { return tx::sum(s) < 1000; }, [](auto s) { return s * 2; }, a); },
        x);
    check(r);
    CHECK(step_of(r, "while_loop of sum, less, multiply").flops == 0); // how often it runs only the run tells
}

TEST_CASE("profile: every form of a function") {
    layer const l;
    auto const x = tx::ones<float>(shape<64, 32>{});
    tx::function const f{softmax_of_products};
    CHECK(f.tracing_count() == 0);
    check(tx::profile(twice, f, l, x));
    CHECK(f.tracing_count() == 0); // it is no call
    check(tx::profile(twice, f.concrete<layer, spec<float, shape<64, 32>>>(), l, x));
    check(tx::profile(twice, tx::static_function{softmax_of_products}, l, x));
    check(tx::profile(twice, tx::grad([](auto a) { return tx::sum(tx::exp(a)); }), x));
    check(tx::profile(twice, tx::function{std::ref(l)}, x));
    tx::function const twofold{[](auto a, auto b) { return a * b; }};
    auto const y = tx::ones<float>(shape<64, 32>{});
    check(tx::profile(twice, twofold.bind(y), x));
    check(tx::profile(twice, tx::on(tx::cpu{.threads = 2}, softmax_of_products), l, x));
    tx::function const of_spec{[](auto a) { return tx::exp(a); }, tx::signature<spec<float, shape<dyn>>>{}};
    profile_report const r = tx::profile(twice, of_spec, tensor<float, shape<3>>{1, 2, 3});
    check(r);
    CHECK(r.signature == "(float32[?]) -> float32[?]");
    profile_report const often = tx::profile({.seconds = 0.001}, twofold, x, y);
    CHECK(often.repetitions >= 3);
    CHECK(often.repetitions <= 1000);
    CHECK(tx::profile(twofold, x, y).repetitions >= 3);
}

TEST_CASE("profile: what shows outside happens once, variables keep their values") {
    int calls = 0;
    auto const count = [&](auto x) { return tx::opaque<spec<float, shape<2>>>([&](auto a) { return ++calls, a; }, x); };
    profile_report const r = tx::profile(count, tensor<float, shape<2>>{1, 2});
    check(r);
    CHECK(calls == 1);
    CHECK(r.repetitions == 1);
    CHECK(step_of(r, "opaque").flops == 0);
    tx::variable<float, shape<2>> v{tensor<float, shape<2>>{1, 2}};
    check(tx::profile(
        twice,
        [&](auto x) {
            v.assign_add(x);
            return v * 2;
        },
        tensor<float, shape<2>>{10, 20}));
    CHECK(tx::equal(v.value(), tensor<float, shape<2>>{1, 2}));
    tx::random::seed(3);
    auto const draw = [] { return tx::random::normal<float>(shape<4>{}); };
    auto const expected = tx::function{draw}();
    tx::random::seed(3);
    check(tx::profile(twice, [](auto x) { return x + tx::random::normal<float>(shape<4>{}); }, 1.0f));
    CHECK(tx::equal(tx::function{draw}(), expected)); // the generator did not move
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
