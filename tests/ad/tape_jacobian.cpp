// This file tests Jacobians by gradient tapes.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<3>>;

namespace {
bool same(auto const& a, auto const& b) { return tx::equal(a, b); }
} // namespace

TEST_CASE("tape: Jacobians") {
    vec const x{1, 2, 3};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    SUBCASE("of a vector") {
        auto const j = tape.jacobian(x * x, x);
        static_assert(std::is_same_v<decltype(j), tensor<double, shape<3, 3>> const>);
        CHECK(same(j, tensor<double, shape<3, 3>>{{2, 0, 0}, {0, 4, 0}, {0, 0, 6}}));
        CHECK(same(tape.jacobian(tx::cumsum(x, tx::axis<0>), x), tensor<double, shape<3, 3>>{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
    }
    SUBCASE("of a target without elements") {
        auto const nothing = tx::slice(x * x, tx::range<0, 0>);
        CHECK(same(tape.jacobian(nothing, x), tensor<double, shape<0, 3>>{}));
        tensor<double, shape<0>> const none{};
        tape.watch(none);
        CHECK(same(tape.jacobian(none * none, none), tensor<double, shape<0, 0>>{}));
        CHECK_THROWS_AS(tape.jacobian(tx::slice(none, tx::range<0, 0>), x), tx::tape_error); // not connected
    }
    SUBCASE("of a scalar, and the Hessian from two tapes") {
        auto const y = tx::sum(x * x * x);
        auto const slope = tape.gradient(y, x);
        CHECK(same(tape.jacobian(y, x), slope));
        CHECK(same(tape.jacobian(slope, x), tensor<double, shape<3, 3>>{{6, 0, 0}, {0, 12, 0}, {0, 0, 18}}));
    }
    SUBCASE("of a matrix, several sources") {
        tensor<double, shape<2, 3>> const m{{1, 2, 3}, {4, 5, 6}};
        tape.watch(m);
        auto const y = tx::matmul(m, x);
        auto const [jm, jx] = tape.jacobian(y, std::tuple(m, x));
        CHECK(same(jx, m));
        CHECK(same(jm, tensor<double, shape<2, 2, 3>>{{{1, 2, 3}, {0, 0, 0}}, {{0, 0, 0}, {1, 2, 3}}}));
        auto const none = tape.jacobian(y, vec{1, 1, 1}, tx::unconnected::none);
        CHECK(!none);
        CHECK(same(tape.jacobian(y, vec{1, 1, 1}, tx::unconnected::zero), tensor<double, shape<2, 3>>{}));
    }
    SUBCASE("of open shapes") {
        tensor<double> const any = x;
        CHECK(same(tape.jacobian(any * any, any), tensor<double>{{2, 0, 0}, {0, 4, 0}, {0, 0, 6}}));
    }
    SUBCASE("of batches") {
        tensor<double, shape<2, 3>> const m{{1, 2, 3}, {4, 5, 6}};
        tape.watch(m);
        auto const y = tx::flip(m * m, tx::axis<1>);
        auto const j = tape.batch_jacobian(y, m);
        static_assert(std::is_same_v<decltype(j), tensor<double, shape<2, 3, 3>> const>);
        CHECK(same(j, tensor<double, shape<2, 3, 3>>{{{0, 0, 6}, {0, 4, 0}, {2, 0, 0}}, {{0, 0, 12}, {0, 10, 0}, {8, 0, 0}}}));
        auto const sums = tape.batch_jacobian(tx::sum(m * m, tx::axis<1>), m);
        CHECK(same(sums, m * 2));
    }
}

TEST_CASE("tape: a batch_jacobian of a vector's matrix is refused, that of a vector's vector is the slopes") {
    constexpr auto words = "where the target has axes behind that of the batch the source must have some";
    tensor<double> const x{1.0, 2.0};
    tensor<double> const column{{1.0}, {2.0}};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x, column);
    tensor<double> const m{{1, 2}, {3, 4}};
    CHECK_THROWS_WITH_AS((void)tape.batch_jacobian(m * x * x, x), doctest::Contains(words), tx::shape_error);
    CHECK_THROWS_WITH_AS((void)tape.batch_jacobian(tx::stack<1>(x, x * x), x), doctest::Contains(words), tx::shape_error);
    CHECK(same(tape.batch_jacobian(x * x, x), tensor<double>{2, 4}));
    CHECK(same(tape.batch_jacobian(tx::concat<1>(column, column * column), column), tensor<double>{{{1}, {2}}, {{1}, {4}}}));
    CHECK(same(tape.jacobian(m * x * x, x), tensor<double>{{{2, 0}, {0, 8}}, {{6, 0}, {0, 16}}}));
}
