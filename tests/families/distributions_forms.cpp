// This file tests that distributions draw the same numbers at once, in a function, with open extents and under vmap; and their
// derivatives.
#include "distributions_checks.hpp"

namespace {

namespace r = tx::random;
using tx::testing::check_in_all_forms;
using vec = tx::tensor<double, tx::shape<4>>;
using number = tx::tensor<std::uint64_t, tx::shape<>>;
number const key{17u};
vec const a{0.5, 1, 3, 40}, b{2, 0.25, 1, 30};

// What draws without loops is the same but for roundings, counts are the same.
template <class F, class... A> void check(F f, A const&... x) { check_in_all_forms(f, f(key, x...), 1e-12, 1e-12, key, x...); }

} // namespace

TEST_CASE("distributions: the same draws in all forms") {
    check([](auto k, auto x, auto y) { return r::stateless_laplace<double>(k, tx::shape<4>{}, x, y); }, a, b);
    check([](auto k, auto x, auto y) { return r::stateless_weibull<double>(k, x, y); }, a, b);
    check([](auto k, auto x, auto y) { return r::stateless_beta<double>(k, x, y); }, a, b);
    check([](auto k, auto x) { return r::stateless_student_t<double>(k, x); }, a);
}
TEST_CASE("distributions: the same draws in all forms, where they loop") {
    check([](auto k, auto x, auto y) { return r::stateless_von_mises<double>(k, x, y); }, a, b);
    check([](auto k, auto x) { return r::stateless_poisson<int>(k, x); }, a);
    check([](auto k, auto x, auto y) { return r::stateless_binomial<int>(k, x, y); }, vec{10, 1000, 3, 0}, vec{0.25, 0.75, 1, 0.5});
}
TEST_CASE("distributions: under vmap each key draws what it draws alone") {
    auto const f = [](auto k) { return r::stateless_poisson<int>(k, tx::shape<20>{}, 30.0); };
    tx::tensor<std::uint64_t, tx::shape<3>> const keys{1, 2, 3};
    auto const all = tx::vmap(f)(keys);
    for (int k = 0; k < 3; ++k) CHECK(tx::equal(tx::slice(all, k), f(number(static_cast<std::uint64_t>(k + 1)))));
}
TEST_CASE("distributions: of open rank") {
    tx::testing::check_open_rank([](auto x) { return r::stateless_poisson<int>(r::key{17u}, x); }, r::stateless_poisson<int>(key, a), 0, 0, a);
    tx::testing::check_open_rank([](auto x) { return r::stateless_student_t<double>(r::key{17u}, x); }, r::stateless_student_t<double>(key, a), 1e-14, 0, a);
}
TEST_CASE("distributions: derivatives with respect to locations and scales") {
    vec const location{0, 1, 2, 3}, scale{1, 2, 0.5, 3};
    auto const k = r::key{3u};
    auto const slopes = tx::grad<0, 1>([](auto x, auto y) { return tx::sum(r::stateless_logistic<double>(r::key{3u}, tx::shape<4>{}, x, y)); })(location, scale);
    CHECK(tx::equal(std::get<0>(slopes), tx::ones<double>(tx::shape<4>{})));
    CHECK(tx::testing::difference(std::get<1>(slopes), r::stateless_logistic<double>(k, tx::shape<4>{}), 1e-14) == "");
    tx::check_gradients([](auto x, auto y) { return tx::sum(r::stateless_weibull<double>(r::key{3u}, x, y)); }, scale, scale);
    auto const of_mean = tx::grad([](auto m) { return tx::sum(r::stateless_von_mises<double>(r::key{3u}, m, 2.0)); })(location);
    CHECK(tx::equal(of_mean, tx::ones<double>(tx::shape<4>{})));
}
TEST_CASE("distributions: derivatives through gamma variables have the right means") {
    // d E[log gamma(a)] / da = trigamma(a); d E[beta(a, b)] / da = b / (a + b)^2 (the derivative is an approximation; see gamma)
    auto const of_log = tx::grad([](auto x) { return tx::mean(r::stateless_log_gamma<double>(r::key{3u}, tx::shape<20000>{}, x)); });
    CHECK(std::abs(of_log(2.0).item() - 0.6449340668482264) < 0.02);
    auto const of_beta = tx::grad([](auto x) { return tx::mean(r::stateless_beta<double>(r::key{3u}, tx::shape<20000>{}, x, 3.0)); });
    CHECK(std::abs(of_beta(2.0).item() - 3.0 / 25) < 0.01);
}
TEST_CASE("distributions: without a key they are others each time, and the same after a seed") {
    tx::random::seed(5);
    auto const first = r::poisson<int>(tx::shape<50>{}, 7.0), second = r::poisson<int>(tx::shape<50>{}, 7.0);
    CHECK(!tx::equal(first, second));
    tx::random::seed(5);
    CHECK(tx::equal(r::poisson<int>(tx::shape<50>{}, 7.0), first));
    tx::function const f{[](auto x) { return r::binomial<int>(tx::shape<50>{}, 20, x); }};
    CHECK(!tx::equal(f(0.5), f(0.5)));
}
