// This file tests that errors of tensors whose rank only the run knows name the function that was called, not an op that it is
// composed of.
#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::axis;
using tx::shape;
using tx::tensor;

namespace {

tensor<double> const matrix = {{1, 2}, {3, 4}}, vector = {1, 2}, longer = {1, 2, 3};

template <class F> void check_named(std::string const& function, F const& f) {
    std::string const message = message_of<tx::shape_error>([&] { static_cast<void>(f()); });
    INFO(message);
    CHECK(message.find("tx: " + function + ": ") == 0);
}

} // namespace

TEST_CASE("messages: reductions") {
    check_named("sum", [] { return tx::sum<3>(vector); });
    check_named("mean", [] { return tx::mean<3>(vector); });
    check_named("var", [] { return tx::var<3>(vector); });
    check_named("std", [] { return tx::std<3>(vector); });
    check_named("norm", [] { return tx::norm<3>(vector); });
    check_named("all", [] { return tx::all<3>(vector); });
    check_named("any", [] { return tx::any<3>(vector); });
    check_named("count_nonzero", [] { return tx::count_nonzero<3>(vector); });
    check_named("argmax", [] { return tx::argmax<3>(vector); });
    check_named("cumsum", [] { return tx::cumsum<3>(vector); });
    check_named("softmax", [] { return tx::softmax<3>(vector); });
    check_named("log_softmax", [] { return tx::log_softmax<3>(vector); });
    check_named("logsumexp", [] { return tx::logsumexp<3>(vector); });
}

TEST_CASE("messages: shapes") {
    check_named("swapaxes", [] { return tx::swapaxes<0, 3>(vector); });
    check_named("moveaxis", [] { return tx::moveaxis(vector, axis<0>, axis<3>); });
    check_named("matrix_transpose", [] { return tx::matrix_transpose(vector); });
    check_named("flip", [] { return tx::flip<3>(vector); });
    check_named("flip", [] { return tx::flip<-5>(vector); });
    check_named("flip", [] { return tx::flip<0, 0>(vector); });
    check_named("flip", [] { return tx::flip<0, -1>(vector); });
    check_named("rot90", [] { return tx::rot90<2>(vector); });
    check_named("roll", [] { return tx::roll<1>(vector, axis<2>); });
    check_named("roll", [] { return tx::roll<1, 1>(vector, axis<0, 0>); });
    check_named("repeat", [] { return tx::repeat<2, 4>(vector); });
    check_named("sliding_window_view", [] { return tx::sliding_window_view<9>(vector); });
    check_named("sliding_window_view", [] { return tx::sliding_window_view<1, 1>(vector); });
    check_named("sliding_window_view", [] { return tx::sliding_window_view<1>(vector, axis<1>); });
    check_named("split", [] { return tx::split<3>(vector); });
    check_named("split", [] { return tx::split<2>(vector, axis<4>); });
    check_named("broadcast_arrays", [] { return tx::broadcast_arrays(vector, longer); });
    check_named("concat", [] { return tx::concat(axis<0>, matrix, vector); });
    check_named("stack", [] { return tx::stack(axis<0>, matrix, vector); });
    check_named("tril", [] { return tx::tril(vector); });
    check_named("triu", [] { return tx::triu(vector); });
    check_named("diag", [] { return tx::diag(tensor<double>(tx::zeros<double>(shape<1, 1, 1>{}))); });
}

TEST_CASE("messages: axes out of range, extents that don't divide") {
    auto const said = [](auto const& f) { return message_of<tx::shape_error>([&] { static_cast<void>(f()); }); };
    CHECK(said([] { return tx::swapaxes<0, 2>(matrix); }) == "tx: swapaxes: axes must differ and lie within the rank; given (2, 2)");
    CHECK(said([] { return tx::moveaxis<0, 5>(matrix); }) == "tx: moveaxis: axes must differ and lie within the rank; given (2, 2)");
    CHECK(said([] { return tx::transpose<1, 2>(matrix); }) == "tx: transpose: axes must differ and lie within the rank; given (2, 2)");
    CHECK(said([] { return tx::split<2>(longer)[0]; }) ==
          "tx: split: the extent of the axis must be divisible by the number of sections; split_at takes parts of any size; given (3,), 2 "
          "sections along axis 0");
}

TEST_CASE("messages: products, lookups, linear algebra") {
    check_named("matmul", [] { return tx::matmul(matrix, longer); });
    check_named("dot", [] { return tx::dot(matrix, longer); });
    check_named("inner", [] { return tx::inner(matrix, longer); });
    check_named("vecdot", [] { return tx::vecdot(matrix, longer); });
    check_named("vecdot", [] { return tx::vecdot(tensor<double>(2.0), vector); });
    check_named("tensordot", [] { return tx::tensordot(matrix, longer, axis<0>, axis<0>); });
    check_named("trace", [] { return tx::trace(vector); });
    check_named("take", [] { return tx::take<4>(matrix, tensor<int>{0}); });
    check_named("take", [] { return tx::take(vector, tensor<int>{5}); });
    check_named("take_along_axis", [] { return tx::take_along_axis<3>(matrix, tensor<int>{{0}}); });
    check_named("clip", [] { return tx::clip(matrix, longer, 4.0); });
    check_named("cholesky", [] { return tx::linalg::cholesky(vector); });
    check_named("inv", [] { return tx::linalg::inv(vector); });
    check_named("det", [] { return tx::linalg::det(vector); });
    check_named("slogdet", [] { return tx::linalg::slogdet(vector); });
    check_named("eigh", [] { return tx::linalg::eigh(vector); });
}

TEST_CASE("messages: an index out of bounds is a shape_error in every executor") {
    auto const look = [](auto const& x, auto const& i) { return message_of<tx::shape_error>([&] { static_cast<void>(tx::take(x, i)); }); };
    std::string const want = "tx: take: index 5 is out of bounds for axis 0 with size 2";
    CHECK(look(tensor<double, shape<2>>{1, 2}, tensor<int, shape<1>>{5}) == want);
    CHECK(look(tensor<double, shape<tx::dyn>>{1, 2}, tensor<int, shape<tx::dyn>>{5}) == want);
    CHECK(look(vector, tensor<int>{5}) == want);
    double const unseen = 1;
    tx::function g{[unseen](auto x, auto i) { return tx::take(x, i) * unseen; }};
    CHECK(message_of<tx::shape_error>([&] { g(tensor<double, shape<2>>{1, 2}, tensor<int, shape<1>>{5}); }) == want);
}
