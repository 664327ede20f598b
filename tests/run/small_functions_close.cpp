// This file tests isclose, allclose, array_equal and nan_to_num. Expected values are those of NumPy 2.4.
#include <run/small_functions_checks.hpp>

using namespace tx::testing;
using tx::axis;
using tx::shape;
using tx::tensor;
using cd = std::complex<double>;

TEST_CASE("small functions: isclose, allclose") {
    tensor<double, shape<6>> const a{1e10, 1e-7, missing, infinite, -infinite, 1},
        b{1.00001e10, 1e-8, missing, infinite, infinite, 1.0001};
    check_each([](auto const& x, auto const& y) { return tx::isclose(x, y); },
               tensor<bool>{true, false, false, true, false, false}, 0, a, b);
    check_each([](auto const& x, auto const& y) { return tx::isclose(x, y, {.rtol = 1e-3, .atol = 1e-6, .equal_nan = true}); },
               tensor<bool>{true, true, true, true, false, true}, 0, a, b);
    check_each([](auto const& x, auto const& y) { return tx::allclose(x, y); }, tensor<bool>(false), 0, a, b);
    check_each([](auto const& x) { return tx::allclose(x, x, {.equal_nan = true}); }, tensor<bool>(true), 0, a);
    check_values(tx::isclose(a, 1), tensor<bool>{false, false, false, false, false, true}, 0);
    check_values(tx::isclose(tensor<int, shape<2>>{1000000, 5}, tensor<int, shape<2>>{1000001, 6}), tensor<bool>{true, false}, 0);
    check_values(tx::isclose(tensor<cd, shape<2>>{{1, 1}, {infinite, 0}}, tensor<cd, shape<2>>{{1, 1.000001}, {infinite, 0}}),
                 tensor<bool>{true, true}, 0);
    check_values(tx::isclose(tensor<tx::half, shape<1>>{tx::half(1.f)}, tensor<tx::half, shape<1>>{tx::half(1.001f)}),
                 tensor<bool>{false}, 0);
    check_values(tx::isclose(tensor<bool, shape<2>>{true, false}, tensor<bool, shape<2>>{true, true}), tensor<bool>{true, false},
                 0);
    CHECK(tx::allclose(tensor<double, shape<0>>{}, 1.0).item());
    CHECK_THROWS_AS(tx::isclose(tensor<double>{1, 2}, tensor<double>{1, 2, 3}), tx::shape_error);
    CHECK(tx::isclose(1.0, 1.0 + 1e-9));
    static_assert(!tx::isclose(1.0, 1.1) && tx::isclose(1.0, 1.1, {.atol = 0.2}));
}

TEST_CASE("small functions: array_equal") {
    tensor<double, shape<2>> const a{1, missing};
    auto const strict = [](auto const& x, auto const& y) { return tx::array_equal(x, y); };
    check_each(strict, tensor<bool>(false), 0, a, a);
    check_each([](auto const& x, auto const& y) { return tx::array_equal(x, y, true); }, tensor<bool>(true), 0, a, a);
    tensor<int, shape<2>> const b{1, 2};
    check_each(strict, tensor<bool>(true), 0, b, tensor<double, shape<2>>{1, 2});
    check_each(strict, tensor<bool>(false), 0, b, tensor<int, shape<1>>{1}); // shapes that would broadcast
    check_values(tx::array_equal(b, tensor<int, shape<3>>{1, 2, 3}), tensor<bool>(false), 0);
    check_values(tx::array_equal(tensor<int>(b), tensor<int>{{1, 2}}), tensor<bool>(false), 0);
    check_values(tx::array_equal(tensor<int, shape<0>>{}, tensor<int, shape<0>>{}), tensor<bool>(true), 0);
    tensor<std::string, shape<1>> const s{"a"};
    check_values(tx::array_equal(s, s), tensor<bool>(true), 0);
    tensor<int, shape<tx::dyn>> const two(b), one(tensor<int, shape<1>>{1}), three(tensor<int, shape<3>>{1, 1, 1});
    tx::static_function const f{strict};
    CHECK(!f(one, three).item());
    CHECK_THROWS_AS(f(two, three), tx::shape_error); // what a run alone knows
    CHECK(!tx::array_equal(two, three).item());
}

TEST_CASE("small functions: nan_to_num") {
    tensor<double, shape<4>> const a{missing, infinite, -infinite, 2.5};
    double const most = std::numeric_limits<double>::max();
    check_each([](auto const& x) { return tx::nan_to_num(x); }, tensor<double>{0, most, -most, 2.5}, 0, a);
    check_each([](auto const& x) { return tx::nan_to_num(x, {.nan = -1, .posinf = 9, .neginf = -9}); },
               tensor<double>{-1, 9, -9, 2.5}, 0, a);
    check_values(
        tx::nan_to_num(tensor<cd, shape<3>>{{missing, infinite}, {1, -infinite}, {2, -3}}, {.posinf = 1e3, .neginf = -1e3}),
        tensor<cd, shape<3>>{{0, 1e3}, {1, -1e3}, {2, -3}}, 0);
    tensor<tx::half, shape<1>> const h{std::numeric_limits<tx::half>::infinity()};
    CHECK(static_cast<float>(tx::nan_to_num(h).item()) == 65504);
    CHECK(tx::nan_to_num(tensor<float, shape<1>>{-std::numeric_limits<float>::infinity()}).item() ==
          std::numeric_limits<float>::lowest());
    check_values(tx::nan_to_num(tensor<int, shape<2>>{1, 2}), tensor<int>{1, 2}, 0);
    CHECK(tx::nan_to_num(missing) == 0);
    check_values(tx::grad([](auto x) { return tx::sum(tx::nan_to_num(x) * 2); })(a), tensor<double>{0, 0, 0, 2}, 0);
}

TEST_CASE("small functions: nan_to_num of complex numbers changes each part alone") {
    tensor<cd, shape<6>> const a{{1, infinite}, {missing, infinite}, {-infinite, -0.0},
                                 {-0.0, 2},     {0, -0.0},           {infinite, missing}};
    auto const fill = [](auto const& x) { return tx::nan_to_num(x, {.posinf = infinite, .neginf = -7}); };
    check_each(fill, tensor<cd, shape<6>>{{1, infinite}, {0, infinite}, {-7, -0.0}, {-0.0, 2}, {0, -0.0}, {infinite, 0}}, 0, a);
    check_each(
        [fill](auto const& x) {
            auto const y = fill(x);
            return tx::stack(axis<0>, tx::copysign(1.0, tx::real(y)), tx::copysign(1.0, tx::imag(y)));
        },
        tensor<double>{{1, 1, -1, -1, 1, 1}, {1, 1, -1, 1, -1, 1}}, 0, a);
    tensor<std::complex<float>, shape<1>> const b{{-0.0f, -std::numeric_limits<float>::infinity()}};
    std::complex<float> const of_b = fill(b).item();
    CHECK((std::signbit(of_b.real()) && of_b == std::complex<float>(0, -7)));
    check_values(tx::vmap(fill)(tensor<cd, shape<1, 1>>{{{missing, infinite}}}), tensor<cd, shape<1, 1>>{{{0, infinite}}}, 0);
    check_values(tx::grad([](auto x) {
                     auto const y = tx::nan_to_num(x);
                     return tx::sum(tx::real(y) * 2 + tx::imag(y) * 3);
                 })(a),
                 tensor<cd, shape<6>>{{2, 0}, {0, 0}, {0, 3}, {2, 3}, {2, 3}, {0, 0}}, 0);
}
TEST_CASE("small functions: a gradient through the imaginary part may be infinite") {
    check_values(tx::grad([](auto x) { return tx::sum(tx::sqrt(tx::imag(x))); })(tensor<cd, shape<2>>{{1, 4}, {1, 0}}),
                 tensor<cd, shape<2>>{{0, 0.25}, {0, infinite}}, 0);
}

TEST_CASE("small functions: real, imag and conj of real numbers") {
    tensor<double, shape<3>> const a{1, missing, -infinite};
    check_each([](auto const& x) { return tx::real(x); }, tensor<double>(a), 0, a);
    check_each([](auto const& x) { return tx::imag(x); }, tensor<double>{0, 0, 0}, 0, a);
    check_each([](auto const& x) { return tx::conj(x); }, tensor<double>(a), 0, a);
    check_values(tx::imag(tensor<std::uint8_t, shape<2>>{1, 2}), tensor<std::uint8_t>{0, 0}, 0);
    check_values(tx::conj(tensor<bool, shape<1>>{true}), tensor<bool>{true}, 0);
    CHECK(tx::conj(2.5) == 2.5);
    CHECK(tx::imag(cd{1, 2}) == 2);
    tx::gradient_tape tape;
    tape.watch(a);
    check_values(tape.gradient(tx::sum(tx::real(a) * 3), a), tensor<double>{3, 3, 3}, 0);
}
