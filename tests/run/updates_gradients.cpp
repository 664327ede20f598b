// This file tests derivatives and batches of updates, and that a value which is no longer needed is changed in place.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <sstream>

namespace {
using matrix = tx::tensor<double, tx::shape<4, 3>>;
matrix const x = tx::sin(tx::reshape<4, 3>(tx::arange<double, 12>()) + 1);
tx::tensor<double, tx::shape<2, 3>> const v = tx::cos(tx::reshape<2, 3>(tx::arange<double, 6>()));
} // namespace

TEST_CASE("updates: derivatives of both modes and orders") {
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::square(tx::set(a * a, b * 2, tx::range<0, tx::open, 2>)) * a); }, x, v);
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::exp(tx::add_at(a, b * b, tx::range<1, 3>)) * a); }, x, v);
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::square(tx::multiply_at(a, b, tx::range<2, 4>))); }, x, v);
}
TEST_CASE("updates: derivatives at places that the run knows") {
    tx::tensor<std::int32_t, tx::shape<2>> const places{3, 3};
    auto const loss = [](auto a, auto b, auto i) { return tx::sum(tx::square(tx::set(a, b * b, i)) * a); };
    tx::check_gradients([&](auto a, auto b) { return loss(a, b, places); }, x, v);
    auto const [da, db] = tx::grad<0, 1>(loss)(x, v, places);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j) {
            double const b = v(1, j), here = x(i, j);
            CHECK(da(i, j) == doctest::Approx(i == 3 ? b * b * b * b : 3 * here * here));
            if (i < 2) CHECK(db(i, j) == doctest::Approx(i == 0 ? 0 : 4 * b * b * b * x(3, j))); // the first one is overwritten
        }
    tx::check_gradients([](auto a, auto b) { return tx::sum(tx::square(tx::set(a, b[1] * b[0], 2)) * a); }, x, v);
    tx::tensor<std::int64_t, tx::shape<4, 1>> const each{{0}, {2}, {2}, {1}};
    tx::check_gradients([&](auto a) { return tx::sum(tx::square(tx::put_along_axis(a * 2, each, tx::take(a, each * 0 + 1, tx::axis<1>)[0], tx::axis<1>))); }, x);
}
TEST_CASE("updates: batches, of places too") {
    tx::tensor<double, tx::shape<2, 4, 3>> const both = tx::stack(tx::axis<0>, x, x * 2);
    auto const f = [](auto a, auto i, auto b) { return tx::set(a, b, i, tx::range<0, 2>); };
    tx::tensor<std::int64_t, tx::shape<2>> const places{3, 1};
    auto const got = tx::vmap(f)(both, places, places * 1.5);
    for (int k = 0; k < 2; ++k) CHECK(tx::equal(got[k], f(both[k], places(k), static_cast<double>(places(k)) * 1.5)));
    auto const shared = tx::vmap<0, tx::none, tx::none>(f)(both, 2, 7.0);
    for (int k = 0; k < 2; ++k) CHECK(tx::equal(shared[k], f(both[k], 2, 7.0)));
    auto const slopes = tx::vmap<tx::none, 0, tx::none>(tx::grad([&](auto a, auto i, auto b) { return tx::sum(tx::square(f(a, i, b))); }))(x, places, 3.0);
    for (int k = 0; k < 2; ++k) CHECK(tx::equal(slopes[k], tx::set(2 * x, 0, places(k), tx::range<0, 2>)));
}
TEST_CASE("updates: in place where nobody needs the old value") {
    auto const copies = [](auto f) { // buffers of 4,000 bytes in the arena, besides arguments and the result
        auto const c = tx::function{f}.template concrete<tx::spec<float, tx::shape<1000>>>();
        std::string const plan = c.explain_passes();
        std::size_t const at = plan.rfind("arena: ");
        return at == std::string::npos ? 0 : std::stoi(plan.substr(at + 7)) / 4000;
    };
    CHECK(copies([](auto a) {
              auto b = tx::exp(a);
              for (int i = 0; i < 10; ++i) b(i) = tx::sum(a) * i;
              return b;
          }) == 0);
    CHECK(copies([](auto a) {
              auto b = tx::set(tx::cumsum(a), 1, tx::range<0, 5>);
              return tx::sum(tx::set(b, 2, tx::range<5, 9>));
          }) <= 1);
}
