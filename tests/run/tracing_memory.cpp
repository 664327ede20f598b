// This file tests functions that are traced at run time where memory runs out: a call that throws is not remembered.
#include <failing_memory.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<3>>;

namespace {

// The n-th allocation of a function's first call fails, for each n.
template <class Make> void check(Make const& make) {
    vec const x{1, 2, 3};
    bool is_right = true;
    int failures = 0;
    for (bool failed = true; failed; ++failures) {
        int traced = 0;
        failed = false;
        auto const f = make(traced);
        tx::testing::until_failure = failures;
        try {
            static_cast<void>(f(x));
        } catch (std::bad_alloc const&) {
            failed = true;
        }
        tx::testing::until_failure = -1;
        std::size_t const known = f.tracing_count();
        int const traced_at_first = traced;
        is_right = is_right && known == f.signatures().size() && tx::equal(f(x), vec{3, 6, 9}) && f.tracing_count() == 1;
        is_right = is_right && traced - traced_at_first == (known == 0 ? 1 : 0);
    }
    CHECK(is_right);
    CHECK(failures > 10);
}

} // namespace

TEST_CASE("into: a call that lacks memory changes nothing") {
    using open = tx::tensor<float, tx::shape<tx::dyn>>;
    auto const filled = [](std::int64_t count, float value) { return tx::full<float, tx::shape<tx::dyn>>(value, count); };
    tx::static_function f{[](auto x) { return std::pair(x + 1, tx::cumsum<0>(x) * 2); }};
    std::pair<open, open> out;
    f.into(out, filled(100, 1));
    int failures = 0;
    for (int k = 0; k < 90; ++k) {
        out = std::pair(filled(2, 5), filled(2, 6));
        open const argument = filled(100000 + 1000 * k, 1); // no kept block is that large
        tx::testing::until_failure = k;
        try {
            f.into(out, argument);
        } catch (std::bad_alloc const&) {
            ++failures;
            CHECK(tx::equal(out.first, filled(2, 5)));
            CHECK(tx::equal(out.second, filled(2, 6)));
        }
        tx::testing::until_failure = -1;
    }
    CHECK(failures > 4);
    CHECK(failures < 90);
}

TEST_CASE("tracing memory: a trace is there, counted and with its signature, or isn't there") {
    double const factor = 2;
    check([&](int& traced) {
        return tx::function{[&, factor](auto x) {
            ++traced;
            return x * factor + x;
        }};
    });
    check([&](int& traced) {
        return tx::function{[&, factor](auto x) {
                                ++traced;
                                return x * factor + x;
                            },
                            tx::options{.reduce_retracing = true}};
    });
}
