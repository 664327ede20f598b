// This file tests that derivatives of iterative solvers are those of the equations' solutions.
#include <tracexpr/matrices.hpp>

#include <family_checks.hpp>

namespace {

namespace la = tx::linalg;
using tx::testing::difference;
using vec = tx::tensor<double, tx::shape<4>>;
using matrix = tx::tensor<double, tx::shape<4, 4>>;
matrix const definite{{4, 1, 0, 0.5}, {1, 5, 1, 0}, {0, 1, 3, 1}, {0.5, 0, 1, 6}};
matrix const general{{4, 1, 0, -0.5}, {-1, 5, 1, 0}, {0, 2, 3, 1}, {0.5, 0, -1, 6}};
vec const b{1, -2, 3, 0.5};
constexpr la::iterative_options<> tight{.tolerance = 1e-14, .max_iterations = 50};

// Each solver as a function of the matrix and the right side; of the definite ones of the symmetric part.
struct conjugate {
    static constexpr auto of(auto const& m, auto const& x) {
        return la::conjugate_gradient([&](auto const& v) { return tx::matmul(m, v) * 0.5 + tx::matmul(v, m) * 0.5; }, x, tight);
    }
    static constexpr auto exact(auto const& m, auto const& x) { return la::solve(m * 0.5 + tx::transpose(m) * 0.5, x); }
};
struct stabilised {
    static constexpr auto of(auto const& m, auto const& x) {
        return la::bicgstab([&](auto const& v) { return tx::matmul(m, v); }, x, tight);
    }
    static constexpr auto exact(auto const& m, auto const& x) { return la::solve(m, x); }
};
struct residuals : stabilised {
    static constexpr auto of(auto const& m, auto const& x) {
        return la::gmres<4>([&](auto const& v) { return tx::matmul(m, v); }, x, tight);
    }
};

template <class Solver> void check(matrix const& a) {
    // The callable has ended when its derivative is asked for: what it captured by reference is gone then.
    constexpr auto loss = [](auto m, auto x) { return tx::sum(tx::sin(Solver::of(m, x))); };
    constexpr auto exact = [](auto m, auto x) { return tx::sum(tx::sin(Solver::exact(m, x))); };
    auto const [m_slope, x_slope] = tx::grad<0, 1>(loss)(a, b);
    auto const [m_wanted, x_wanted] = tx::grad<0, 1>(exact)(a, b);
    CHECK(difference(m_slope, m_wanted, 1e-9, 1e-10) == "");
    CHECK(difference(x_slope, x_wanted, 1e-9, 1e-10) == "");

    vec const db{0.3, 0.1, -1, 2};
    matrix const da = a * 0.1 + 0.2;
    CHECK(difference(tx::jvp(loss)(a, b, da, db).second, tx::jvp(exact)(a, b, da, db).second, 1e-9, 1e-10) == "");

    // At 0 there is no step that a derivative could go through.
    CHECK(difference(tx::grad<1>(loss)(a, b * 0), tx::grad<1>(exact)(a, b * 0), 1e-9, 1e-10) == "");

    // The second order, by both modes, with respect to all.
    auto const twice = [&](auto const& f) {
        return tx::grad<0, 1>([f](auto m, auto x) {
            auto const [to_m, to_x] = tx::grad<0, 1>(f)(m, x);
            return tx::sum(tx::square(to_m)) + tx::sum(to_x * to_x * to_x);
        });
    };
    auto const [m_second, x_second] = twice(loss)(a, b);
    auto const [m_second_wanted, x_second_wanted] = twice(exact)(a, b);
    CHECK(difference(m_second, m_second_wanted, 1e-8, 1e-9) == "");
    CHECK(difference(x_second, x_second_wanted, 1e-8, 1e-9) == "");
    auto const forward = [&](auto const& f) { return tx::jvp(tx::grad<0>(f))(a, b, da, db).second; };
    CHECK(difference(forward(loss), forward(exact), 1e-8, 1e-9) == "");

    // Of a batch, and where only the run knows the extents.
    tx::tensor<double, tx::shape<3, 4>> const sides{{1, 2, 3, 4}, {0, 0, 0, 0}, {-1, 5, 2, 0.5}};
    auto const slopes = tx::vmap<tx::none, 0>(tx::grad<0>(loss));
    auto const slopes_wanted = tx::vmap<tx::none, 0>(tx::grad<0>(exact));
    CHECK(difference(slopes(a, sides), slopes_wanted(a, sides), 1e-9, 1e-10) == "");
    tx::tensor<double, tx::shape<tx::dyn, tx::dyn>> const open = a;
    tx::tensor<double, tx::shape<tx::dyn>> const open_b = b;
    auto const open_slope = tx::grad<0>(loss)(open, open_b);
    CHECK(difference(matrix(open_slope), m_wanted, 1e-9, 1e-10) == "");
}

} // namespace

TEST_CASE("conjugate_gradient: derivatives are those of the solution") { check<conjugate>(definite); }
TEST_CASE("bicgstab: derivatives are those of the solution") { check<stabilised>(general); }
TEST_CASE("gmres: derivatives are those of the solution") { check<residuals>(general); }
TEST_CASE("iterative solvers: derivatives in loops and branches, and of tensors that a tape watches, are those of the steps") {
    auto const loss = [](auto m, auto x) {
        auto const solved = [&](auto const& y) { return conjugate::of(m, y); };
        return tx::sum(tx::fori_loop(0, 2, [&](auto const&, auto const& y) { return solved(y) + 1; }, x));
    };
    auto const exact = [](auto m, auto x) {
        return tx::sum(tx::fori_loop(0, 2, [&](auto const&, auto const& y) { return conjugate::exact(m, y) + 1; }, x));
    };
    CHECK(difference(tx::grad<1>(loss)(definite, b), tx::grad<1>(exact)(definite, b), 1e-7, 1e-8) == "");
    tx::variable<double, tx::shape<4>> x(b);
    tx::gradient_tape tape;
    auto const y = tx::sum(la::conjugate_gradient([](auto const& v) { return tx::matmul(definite, v); }, x, tight));
    CHECK(difference(tape.gradient(y, x), la::solve(definite, b * 0 + 1), 1e-7, 1e-8) == "");
}
TEST_CASE("iterative solvers: what a product does but for its result is done by the steps alone") {
    auto const checked = [](auto m, auto x) {
        auto const product = [&](auto const& v) {
            tx::assert_that(tx::sum(v * v) < 1e6, "too large");
            return tx::matmul(m, v);
        };
        return la::conjugate_gradient(product, x, tight);
    };
    auto const exact = [](auto m, auto x) { return la::solve(m, x); };
    CHECK(difference(tx::function{checked}(definite, b), exact(definite, b), 1e-9, 1e-10) == "");
    auto const loss = [](auto f) { return [f](auto m, auto x) { return tx::sum(tx::sin(f(m, x))); }; };
    CHECK(difference(tx::grad<1>(loss(checked))(definite, b), tx::grad<1>(loss(exact))(definite, b), 1e-7, 1e-8) == "");
    CHECK_THROWS_AS(static_cast<void>(tx::function{checked}(definite, b * 1e6)), tx::assertion_error);

    tx::variable<std::int64_t, tx::shape<>> calls(0);
    auto const counted = [&calls](auto m, auto x) {
        return la::bicgstab(
            [&](auto const& v) {
                calls.assign(calls + 1);
                return tx::matmul(m, v);
            },
            x, tight);
    };
    CHECK(difference(counted(general, b), exact(general, b), 1e-9, 1e-10) == "");
    std::int64_t const at_once = calls.value().item();
    CHECK(at_once > 0);
    CHECK(difference(tx::function{counted}(general, b), exact(general, b), 1e-9, 1e-10) == "");
    CHECK(calls.value().item() == 2 * at_once);
}
