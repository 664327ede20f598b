// This file tests random programs where each allocation, and each call of an opaque callable, fails in turn: the call that it
// ends must have changed no variable, and the next one must work.
#include <failing_memory.hpp>
#include <random_programs.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tx::testing;

namespace {

struct two_variables {
    static constexpr bool may_draw = true;
    tx::variable<double, own_shape> first{vec{0.5, -0.25, 1}}, second{vec{-1, 0.75, 0.25}};
    auto& operator[](std::size_t k) { return k == 0 ? first : second; }

    bool equal(two_variables const& other) const {
        return tx::equal(first.value(), other.first.value()) && tx::equal(second.value(), other.second.value());
    }
};
vec const x{0.53, -0.71, 0.29}, y{-0.27, 0.93, 0.41};

// prepare(n) lets the n-th of what may fail do so. The number of failures.
template <class Transform, class Prepare> int check(std::uint64_t seed, Transform const& transform, Prepare const& prepare) {
    random_program const p(seed, {.most = 5});
    auto const make = [&](two_variables& v) {
        return tx::function{
            transform([&p, &v](auto a, auto b) { return interpreter<own_shape, two_variables>(p, v).run(a, b); })};
    };
    two_variables expected;
    tx::random::seed(seed);
    vec const wanted = make(expected)(x, y);
    bool is_right = true, failed = true;
    int failures = 0;
    for (; failed; ++failures) {
        two_variables v;
        auto const f = make(v);
        failed = false;
        prepare(failures);
        try {
            static_cast<void>(f(x, y));
        } catch (std::bad_alloc const&) {
            failed = true;
        } catch (std::domain_error const&) {
            failed = true;
        }
        until_failure = -1, until_throw() = -1;
        if (!failed) break;
        is_right = is_right && v.equal(two_variables()) && f.tracing_count() == f.signatures().size();
        tx::random::seed(seed);
        vec const again = f(x, y);
        is_right = is_right && v.equal(expected) && tx::equal(again, wanted) && f.tracing_count() == 1;
    }
    CHECK(is_right);
    return failures;
}
constexpr auto plain = [](auto f) { return f; };
constexpr auto gradient = [](auto f) { return tx::grad([f](auto a, auto b) { return tx::sum(f(a, b)); }); };

} // namespace

TEST_CASE("random programs: an allocation fails") {
    int failures = 0;
    for (std::uint64_t const seed : {3U, 8U, 21U, 34U}) {
        CAPTURE(seed);
        failures += check(seed, plain, [](int n) { until_failure = n; });
        failures += check(seed, gradient, [](int n) { until_failure = n; });
    }
    CHECK(failures > 1000);
}

TEST_CASE("random programs: an opaque call throws") {
    int failures = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        failures += check(seed, plain, [](int n) { until_throw() = n; });
        failures += check(seed, gradient, [](int n) { until_throw() = n; });
    }
    CHECK(failures > 100);
}
