// This file tests functions called inside a trace on operands that aren't live, whose callables read ones that are. (Live
// operands are read at each run.)
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;
using single = tensor<float, shape<>>;

namespace {

vec scale{1, 2};
tx::variable<float, shape<2>> shared_weight{vec{1, 2}};

// Calls f on zeros, changes `what`, calls it again: one trace gives both results.
template <class F, class What> void check_live(F const& f, What& what, vec const& before, vec const& after) {
    what = vec{1, 2};
    CHECK(tx::equal(f(vec{0, 0}), before));
    what = vec{3, 4};
    CHECK(tx::equal(f(vec{0, 0}), after));
    CHECK(f.tracing_count() == 1);
}

} // namespace

TEST_CASE("live: functions without state that read what is live, called inside on what isn't") {
    vec const local{1, 1};
    SUBCASE("traced by the compiler") {
        tx::function inner{[](auto z) { return z * tx::sum(scale); }};
        check_live(tx::function{[&](auto x) { return x + inner(local); }}, scale, {3, 3}, {7, 7});
        check_live(tx::function{[&](auto x) { return x + inner(2.0f); }}, scale, {6, 6}, {14, 14});
        CHECK_THROWS_AS(tx::function{[&](auto x) {
            vec out;
            inner.into(out, local);
            return x + out;
        }}(local), tx::trace_error);
    }
    SUBCASE("a variable") {
        tx::function inner{[](auto z) { return z * shared_weight; }};
        check_live(tx::function{[&](auto x) { return x + inner(local); }}, shared_weight, {1, 2}, {3, 4});
    }
    SUBCASE("traced at run time") {
        tx::function inner{[] { return tx::sum(scale * scale); }};
        static_assert(!tx::detail::statically_traceable<std::remove_cvref_t<decltype(inner.traced_callable())>>);
        check_live(tx::function{[&](auto x) { return x + inner(); }}, scale, {5, 5}, {25, 25});
        tx::function never{[](auto z) { return z * tx::sum(scale); }, tx::options{.jit = tx::jit::never}};
        check_live(tx::function{[&](auto x) { return x + never(local); }}, scale, {3, 3}, {7, 7});
        CHECK_THROWS_AS(tx::function{[&](auto x) {
            single out;
            inner.into(out);
            return x + out;
        }}(local), tx::trace_error);
    }
    SUBCASE("transforms") {
        check_live(tx::function{[&](auto x) { return x + tx::grad([](auto z) { return tx::sum(z * z * scale); })(local); }},
                   scale, {2, 4}, {6, 8});
        check_live(tx::function{[&](auto x) { return x + tx::vmap([](auto z) { return z * tx::sum(scale); })(local); }},
                   scale, {3, 3}, {7, 7});
    }
    SUBCASE("what only copies keep is not live") {
        tx::function inner{[] { return tx::sum(tx::ones<float>(tx::shape<40>{}) * 2.0f); }, tx::options{.jit = tx::jit::never}};
        tx::function outer{[&](auto x) { return x * inner().item(); }};
        CHECK(outer(local)(0) == 80);
    }
}
