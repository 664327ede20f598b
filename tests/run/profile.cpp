// This file tests what tx::profile tells of a function's steps. Times may be anything; all else is known.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>
#include <profile_helper.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <string>

using tx::dyn;
using tx::profile_report;
using tx::shape;
using tx::tensor;
using namespace tx::testing;

TEST_CASE("profile: a product is 2 m n k operations, and each operand is read once") {
    auto const x = tx::ones<float>(shape<64, 32>{});
    profile_report const r = tx::profile(twice, tx::function{product_layer{}}, x);
    check_report(r);
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
    check_report(r);
    REQUIRE(r.steps.size() == 1);
    CHECK(r.steps[0].name == "exp, multiply, sum");
    CHECK(r.steps[0].flops == 3 * 800);
    CHECK(r.steps[0].bytes == 8 * (800 + 8 + 100));
    CHECK(!r.steps[0].strategy.empty());
    // What only moves, compares or chooses is no arithmetic.
    profile_report const moved = tx::profile(
        twice, [](auto a) { return tx::where(a > 0, tx::transpose(a), a); },
        tensor<double, shape<8, 8>>(tx::ones<double>(shape<8, 8>{})));
    check_report(moved);
    CHECK(moved.total().flops == 0);
    using complex = std::complex<float>;
    profile_report const products =
        tx::profile(twice, [](auto a) { return a * a + a; }, tensor<complex, shape<50>>(tx::ones<complex>(shape<50>{})));
    CHECK(products.total().flops == 50 * 8); // a fused multiply-add, or a product and a sum
    CHECK(products.total().bytes == 50 * 2 * 8);
}

TEST_CASE("profile: the same of kernels, tiles and traces made at run time") {
    product_layer const l;
    auto const x = tx::ones<float>(shape<64, 32>{});
    int const one = 1;
    profile_report const kernels = tx::profile(twice, tx::function{softmax_of_products}, l, x);
    profile_report const tiles = tx::profile(twice, tx::function{softmax_of_products, tx::options{.jit = tx::jit::never}}, l, x);
    profile_report const captured =
        tx::profile(twice, [one](product_layer const& of, auto a) { return tx::softmax(of(a)) * one; }, l, x);
    for (profile_report const* r : {&kernels, &tiles, &captured}) {
        check_report(*r);
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
        check_report(r);
        CHECK(r.total().flops == 2 * n);
        CHECK(r.total().bytes == 2 * 4 * n);
        profile_report const ranked = tx::profile(twice, f, tensor<float>(tx::ones<float>(shape<dyn>{}, n)));
        check_report(ranked);
        CHECK(ranked.total().flops == 2 * n);
    }
    check_report(tx::profile(twice, [](auto x) { return x; }, 2.0f)); // nothing to do
}
