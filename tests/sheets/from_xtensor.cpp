// Prints docs/from_xtensor.md.
#include "sheet.hpp"

using tx::shape;
using tx::tensor;
using namespace tx::testing;

int main() {
    tensor<float, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
    tensor<float, shape<3>> const v{1, 2, 3};
    tensor<int, shape<2>> const i{2, 0};

    page("From xtensor", "Side by side: `x` is a 2 x 3 matrix, `v` a vector of 3, `i` a vector of places. Each expression on the right is compiled and run.\n"
                         "xtensor's expressions are computed when they are assigned; here an op on tensors computes at once, and what a `tx::function` is given\n"
                         "becomes fused loops. Its arrays, views and expressions are arguments of functions as they are, without a copy where they are row-major:\n"
                         "see [the bridge](guide.md#xtensor).\n"
         "`shape` and `tensor` are `tx::shape` and `tx::tensor`.");
    section("Containers", "xtensor");
    SAME("xt::xtensor_fixed<float, xt::xshape<2, 2>> a{{1, 2}, {3, 4}};", tensor<float, shape<2, 2>> a{{1, 2}, {3, 4}});
    SAME("xt::xtensor<float, 2> b = a;", tensor<float, shape<tx::dyn, tx::dyn>> b = a);
    SAME("xt::xarray<float> c = b;", tensor<float> c = b);
    ROW("xt::zeros<float>({2, 3})", "[[0. 0. 0.]\n [0. 0. 0.]]", tx::zeros<float>(shape<2, 3>{}));
    ROW("xt::eye<float>(2)", "[[1. 0.]\n [0. 1.]]", tx::eye<float>(shape<2, 2>{}));
    ROW("xt::arange<float>(3)", "[0. 1. 2.]", tx::arange<float, 3>());
    ROW("xt::linspace<double>(0, 1, 3)", "[0.  0.5 1. ]", tx::linspace<double, 3>(0, 1));
    ROW("x.shape(1)", "3", x.extent(1));
    ROW("x.dimension()", "2", x.rank());
    ROW("x(1, 0)", "4", x(1, 0));
    SAME("a(1, 0) = 7;", a(1, 0) = 7);
    ROW("xt::cast<int>(x)", "[[1 2 3]\n [4 5 6]]", tx::cast<int>(x));
    ROW("xt::adapt(p, {3}) (copied)", "[1. 2. 3.]", tx::from_data<shape<3>>(v.data()));

    section("Views", "xtensor");
    ROW("xt::view(x, 1)", "[4. 5. 6.]", x[1]);
    ROW("xt::view(x, xt::all(), 0)", "[1. 4.]", tx::slice(x, tx::range<>, tx::at<0>));
    ROW("xt::view(x, xt::all(), xt::range(1, _))", "[[2. 3.]\n [5. 6.]]", tx::slice(x, tx::range<>, tx::range<1, tx::open>));
    ROW("xt::view(x, xt::ellipsis(), 0)", "[1. 4.]", tx::slice(x, tx::ellipsis, tx::at<0>));
    ROW("xt::view(v, xt::newaxis(), xt::all())", "[[1. 2. 3.]]", tx::slice(v, tx::new_axis, tx::range<>));
    ROW("xt::view(v, xt::keep(2, 0))", "[3. 1.]", tx::slice(v, i));
    ROW("xt::filter(v, v > 1)", "[2. 3.]", tx::compress(v > 1, v));
    ROW("xt::view(v, 0) = 9 (of a copy)", "[9. 2. 3.]", tx::set(v, 9, tx::at<0>));
    ROW("xt::reshape_view(x, {3, 2})", "[[1. 2.]\n [3. 4.]\n [5. 6.]]", tx::reshape<3, 2>(x));
    ROW("xt::transpose(x)", "[[1. 4.]\n [2. 5.]\n [3. 6.]]", tx::transpose(x));
    ROW("xt::broadcast(v, {2, 3})", "[[1. 2. 3.]\n [1. 2. 3.]]", tx::broadcast_to<2, 3>(v));
    ROW("xt::concatenate(xt::xtuple(v, v))", "[1. 2. 3. 1. 2. 3.]", tx::concat(tx::axis<0>, v, v));
    ROW("xt::stack(xt::xtuple(v, v))", "[[1. 2. 3.]\n [1. 2. 3.]]", tx::stack(tx::axis<0>, v, v));
    ROW("xt::flip(v, 0)", "[3. 2. 1.]", tx::flip(v, tx::axis<0>));

    section("Functions", "xtensor");
    ROW("x * 2 + v", "[[ 3.  6.  9.]\n [ 9. 12. 15.]]", x * 2 + v);
    ROW("xt::sum(x)()", "21.0", tx::sum(x));
    ROW("xt::sum(x, {0})", "[5. 7. 9.]", tx::sum(x, tx::axis<0>));
    ROW("xt::mean(x, {1}, xt::keep_dims)", "[[2.]\n [5.]]", tx::mean(x, tx::axis<1>, tx::keepdims));
    ROW("xt::amax(x, {1})", "[3. 6.]", tx::max(x, tx::axis<1>));
    ROW("xt::argmax(x, 1)", "[2 2]", tx::argmax(x, tx::axis<1>));
    ROW("xt::cumsum(v)", "[1. 3. 6.]", tx::cumsum(v));
    ROW("xt::where(v > 1, v, 0)", "[0. 2. 3.]", tx::where(v > 1, v, 0));
    ROW("xt::clip(v, 1, 2)", "[1. 2. 2.]", tx::clip(v, 1, 2));
    ROW("xt::linalg::dot(x, v)", "[14. 32.]", tx::matmul(x, v));
    SAME("xt::random::seed(42);", tx::random::seed(42));
    ROW("xt::random::rand<float>({2, 3}).size()", "6", tx::random::uniform<float>(shape<2, 3>{}).size());
    static_cast<void>(c);

    text("`xt::dump_npy` and `xt::load_npy` are `tx::save_npy` and `tx::load_npy`. There are no lazy expressions to keep: a callable is what is evaluated later,\n"
         "`tx::function f{[](auto x) { return x * 2 + 1; }}`, and `auto` never holds a reference to a temporary.");
    return wrong_rows == 0 ? 0 : 1;
}
