// This file tests that functions composed of others report errors in their own name, with the shapes that the user gave: that of
// a vector, not that of the matrix which it becomes internally.
#include "messages.hpp"

#include <doctest/doctest.h>
#include <tracexpr/tracexpr.hpp>

namespace {

using vector = tx::tensor<float, tx::shape<tx::dyn>>;
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using open = tx::tensor<float>;

matrix const wide(tx::zeros<float>(2, 3)), square(tx::zeros<float>(3, 3));
vector const four(tx::zeros<float>(4)), none(tx::zeros<float>(0));

} // namespace

TEST_CASE("messages: products of a vector show the vector") {
    CHECK(message_of([] { (void)tx::matmul(wide, four); }) ==
          "tx: matmul: the last extent of a must equal the last but one of b; given (2, 3), (4,)");
    CHECK(message_of([] { (void)tx::matmul(four, wide); }) ==
          "tx: matmul: the last extent of a must equal the last but one of b; given (4,), (2, 3)");
    CHECK(message_of([] { (void)tx::matmul(four, none); }) ==
          "tx: matmul: the last extent of a must equal the last but one of b; given (4,), (0,)");
    CHECK(message_of([] { (void)tx::matmul(open(wide), open(four)); }) ==
          "tx: matmul: the last extent of a must equal the last but one of b; given (2, 3), (4,)");
    CHECK(message_of([] { (void)tx::tensordot(wide, four, tx::axis<1>, tx::axis<0>); }) ==
          "tx: tensordot: summed axes must have equal extents in a and b; given (2, 3), (4,)");
    CHECK(message_of([] { (void)tx::einsum<"ij,j->i">(wide, four); }) ==
          "tx: einsum: the subscripts ij,j->i must fit the operands; given (2, 3) (4,)");
    CHECK(message_of([] { (void)tx::cross(square, four); }) == "tx: cross: the axis must have an extent of 3; given (3, 3), (4,)");
}
TEST_CASE("messages: linear algebra names the function that was called, and what it was given") {
    namespace linalg = tx::linalg;
    CHECK(message_of([] { (void)linalg::det(wide); }) == "tx: det: the last two extents must be equal; given (2, 3)");
    CHECK(message_of([] { (void)linalg::matrix_power<2>(wide); }) ==
          "tx: matrix_power: the last two extents must be equal; given (2, 3)");
    CHECK(message_of([] { (void)linalg::solve(wide, four); }) == "tx: solve: the last two extents must be equal; given (2, 3), (4,)");
    CHECK(message_of([] { (void)linalg::solve(square, four); }) ==
          "tx: solve: the right side must have as many rows as the matrix, and leading extents that broadcast; given (3, 3), (4,)");
    CHECK(message_of([] { (void)linalg::lstsq(square, four); }) ==
          "tx: lstsq: the right side must have as many rows as the matrix, and leading extents that broadcast; given (3, 3), (4,)");
    CHECK(message_of([] { (void)tx::grad([](auto a) { return tx::linalg::det(a); })(open(wide)); }) ==
          "tx: det: the last two extents must be equal; given (2, 3)");
}
TEST_CASE("messages: the median of nothing is no matter of an index") {
    CHECK(message_of([] { (void)tx::median(none); }) == "tx: median: must not reduce an axis of extent 0; given (0,)");
    CHECK(message_of([] { (void)tx::median(open(none)); }) == "tx: median: must not reduce an axis of extent 0; given (0,)");
    CHECK(message_of([] { (void)tx::quantile(none, 0.5); }) == "tx: quantile: must not reduce an axis of extent 0; given (0,)");
    CHECK(message_of([] { (void)tx::median(matrix(tx::zeros<float>(0, 3)), tx::axis<0>); }) ==
          "tx: median: must not reduce an axis of extent 0; given (0, 3)");
}
TEST_CASE("messages: in a function, too, products show the vector, and decompositions the functions that need them") {
    tx::function const product{[](auto a, auto b) { return tx::matmul(a, b); }};
    CHECK(message_of([&] { product(wide, four); }) ==
          "tx: matmul: the last extent of a must equal the last but one of b; given (2, 3), (4,)");
    CHECK(message_of([&] { product(open(wide), open(four)); }) ==
          "tx: matmul: the last extent of a must equal the last but one of b; given (2, 3), (4,)");
    // What the user made a matrix is shown as one.
    tx::function const column{[](auto a, auto b) { return tx::matmul(a, tx::expand_dims(b, tx::axis<1>)); }};
    CHECK(message_of([&] { column(wide, four); }) ==
          "tx: matmul: the last extent of a must equal the last but one of b; given (2, 3), (4, 1)");
    tx::function const determinant{[](auto a) { return tx::linalg::det(a); }};
    CHECK(message_of([&] { determinant(wide); }) == "tx: det, slogdet, lu: the last two extents must be equal; given (2, 3)");
    tx::function const solution{[](auto a, auto b) { return tx::linalg::solve(a, b); }};
    CHECK(message_of([&] { solution(wide, four); }) == "tx: solve, inv: the last two extents must be equal; given (2, 3)");
    CHECK(message_of([&] { solution(square, four); }) ==
          "tx: solve: the right side must have as many rows as the matrix, and leading extents that broadcast; given (3, 3), (4,)");
}
TEST_CASE("messages: a callable that returns nothing must have an effect, when it is traced at run time, too") {
    float const factor = 2;
    tx::function const lost{[factor](auto x) { static_cast<void>(x * factor); }};
    CHECK(message_of([&] { lost(four); }) ==
          "tx: function: the callable returns nothing and has no effect; return what it computes");
    tx::variable total{tx::tensor<float, tx::shape<>>(0.0F)};
    tx::function const kept{[&](auto x) { total.assign_add(tx::sum(x) * factor); }};
    kept(vector{1, 2});
    CHECK(total.value().item() == 6);
    // What happens on the host while it is traced may be all that it is for.
    int calls = 0;
    tx::function const counted{[&](auto) { ++calls; }};
    counted(four);
    CHECK(calls == 1);
}
