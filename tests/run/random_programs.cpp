// This file tests random programs traced when they run, against the same statements on tensors: results, variables, draws, what
// opaque callables see and in which order; and derivatives against differences. Seeds are printed where a check fails;
// TRACEXPR_SEEDS=first:last tries others.
#include <random_programs.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace tx::testing;

namespace {

struct outcome {
    vec result;
    vec stored[variable_count];
    std::vector<double> calls;
};

// What run(variables) gives from the same start.
template <class Run> outcome outcome_of(Run const& run) {
    variables v;
    seen().clear();
    tx::random::seed(7);
    outcome out;
    out.result = run(v);
    for (std::size_t k = 0; k < variable_count; ++k) out.stored[k] = v[k];
    out.calls = seen();
    return out;
}
bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance * (1 + std::abs(a) + std::abs(b)); }
bool near(vec const& a, vec const& b) { return near(a(0), b(0)) && near(a(1), b(1)) && near(a(2), b(2)); }
std::string difference(outcome const& a, outcome const& b) {
    if (!near(a.result, b.result)) return "result";
    for (std::size_t k = 0; k < variable_count; ++k)
        if (!near(a.stored[k], b.stored[k])) return "variable " + std::to_string(k);
    if (a.calls.size() != b.calls.size())
        return "calls: " + std::to_string(a.calls.size()) + ", not " + std::to_string(b.calls.size());
    for (std::size_t k = 0; k < a.calls.size(); ++k)
        if (!near(a.calls[k], b.calls[k])) return "call " + std::to_string(k);
    return "";
}

vec const x{0.53, -0.71, 0.3137}, y{-0.27, 0.93, 0.41};

template <class Check> void for_each_seed(unsigned long last, Check const& check) {
    unsigned long first = 0;
    if (char const* const text = std::getenv("TRACEXPR_SEEDS")) std::sscanf(text, "%lu:%lu", &first, &last);
    for (unsigned long seed = first; seed < last; ++seed) {
        CAPTURE(seed);
        try {
            check(seed);
        } catch (std::exception const& e) {
            FAIL_CHECK(std::string(e.what()));
        }
    }
}

} // namespace

TEST_CASE("random programs: as functions, and eagerly") {
    for_each_seed(400, [](unsigned long seed) {
        random_program const p(seed, {});
        auto const on_tensors = outcome_of([&](variables& v) { return interpreter<own_shape, variables>(p, v).run(x, y); });
        auto const as_function = [&](variables& v) {
            tx::function const f{[&p, &v](auto a, auto b) { return interpreter<own_shape, variables>(p, v).run(a, b); }};
            return f(x, y);
        };
        CHECK(difference(outcome_of(as_function), on_tensors) == "");
        tx::run_eagerly(true);
        CHECK(difference(outcome_of(as_function), on_tensors) == "");
        tx::run_eagerly(false);
    });
}

TEST_CASE("random programs: several calls of one function") {
    for_each_seed(100, [](unsigned long seed) {
        random_program const p(seed, {});
        auto const on_tensors = outcome_of([&](variables& v) {
            interpreter<own_shape, variables> const once(p, v);
            return once.run(once.run(once.run(x, y), x), y);
        });
        CHECK(difference(outcome_of([&](variables& v) {
                             tx::function const f{
                                 [&p, &v](auto a, auto b) { return interpreter<own_shape, variables>(p, v).run(a, b); }};
                             return f(f(f(x, y), x), y);
                         }),
                         on_tensors) == "");
    });
}

TEST_CASE("random programs: gradients are what differences say, and do what the program does once") {
    for_each_seed(200, [](unsigned long seed) {
        random_program const p(seed, {});
        vec const direction{0.25, 1, -0.5};
        auto const value = [&](vec const& at, variables& v) { return interpreter<own_shape, variables>(p, v).run(at, y); };
        constexpr double step = 1e-6;
        vec const ahead = outcome_of([&](variables& v) { return value(x + step * direction, v); }).result,
                  behind = outcome_of([&](variables& v) { return value(x - step * direction, v); }).result;
        double const expected = (tx::sum(ahead).item() - tx::sum(behind).item()) / (2 * step);
        outcome const plain = outcome_of([&](variables& v) { return value(x, v); });
        outcome const backward = outcome_of([&](variables& v) {
            auto const total = [&p, &v](auto a, auto b) { return tx::sum(interpreter<own_shape, variables>(p, v).run(a, b)); };
            return tx::function{tx::grad(total)}(x, y);
        });
        outcome const forward = outcome_of([&](variables& v) {
            auto const f = [&p, &v](auto a) { return interpreter<own_shape, variables>(p, v).run(a, a * 0.0 + y); };
            return tx::function{tx::jvp(f)}(x, direction).second;
        });
        double const slope = tx::sum(backward.result * direction).item(), change = tx::sum(forward.result).item();
        CAPTURE(expected);
        CAPTURE(slope);
        CAPTURE(change);
        CHECK(near(slope, expected, 1e-6));
        CHECK(near(change, expected, 1e-6));
        for (outcome const* const with : {&backward, &forward}) {
            outcome same = *with;
            same.result = plain.result;
            CHECK(difference(same, plain) == "");
        }
    });
}
