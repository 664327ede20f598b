// This file tests tx::profile of all that can be called.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>
#include <profile_helper.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>

using tx::dyn;
using tx::profile_report;
using tx::shape;
using tx::spec;
using tx::tensor;
using namespace tx::testing;

TEST_CASE("profile: every form of a function") {
    product_layer const l;
    auto const x = tx::ones<float>(shape<64, 32>{});
    tx::function const f{softmax_of_products};
    CHECK(f.tracing_count() == 0);
    check_report(tx::profile(twice, f, l, x));
    CHECK(f.tracing_count() == 0); // it is no call
    check_report(tx::profile(twice, f.concrete<product_layer, spec<float, shape<64, 32>>>(), l, x));
    check_report(tx::profile(twice, tx::static_function{softmax_of_products}, l, x));
    check_report(tx::profile(twice, tx::grad([](auto a) { return tx::sum(tx::exp(a)); }), x));
    check_report(tx::profile(twice, tx::function{std::ref(l)}, x));
    tx::function const twofold{[](auto a, auto b) { return a * b; }};
    auto const y = tx::ones<float>(shape<64, 32>{});
    check_report(tx::profile(twice, twofold.bind(y), x));
    check_report(tx::profile(twice, tx::on(tx::cpu{.threads = 2}, softmax_of_products), l, x));
    tx::function const of_spec{[](auto a) { return tx::exp(a); }, tx::signature<spec<float, shape<dyn>>>{}};
    profile_report const r = tx::profile(twice, of_spec, tensor<float, shape<3>>{1, 2, 3});
    check_report(r);
    CHECK(r.signature == "(float32[?]) -> float32[?]");
    profile_report const often = tx::profile({.seconds = 0.001}, twofold, x, y);
    CHECK(often.repetitions >= 3);
    CHECK(often.repetitions <= 1000);
    CHECK(tx::profile(twofold, x, y).repetitions >= 3);
}
