// Prints docs/from_libtorch.md.
#include "sheet.hpp"

#include <map>

using tx::shape;
using tx::tensor;
using namespace tx::testing;

struct dense {
    tx::variable<float, shape<3, 2>> weight;
    tx::variable<float, shape<2>> bias;
    auto operator()(auto const& x) const { return tx::matmul(x, weight) + bias; }
};

int main() {
    tensor<float, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
    tensor<float, shape<3>> const v{1, 2, 3};
    tensor<int, shape<2>> const i{2, 0};
    auto const squares = [](auto a) { return tx::sum(a * a); };

    page("From libtorch", "Side by side with PyTorch's C++ library: `x` is a 2 x 3 matrix, `v` a vector of 3, `i` a vector of places. Each expression on the\n"
                          "right is compiled and run. Shapes and dtypes are part of a tensor's type where they are known, tensors are values (no two share what is\n"
                          "written), and a callable is compiled with the program instead of run op by op. [The guide](guide.md) has the whole story.\n"
         "`shape` and `tensor` are `tx::shape` and `tx::tensor`.");
    section("Tensors", "libtorch");
    SAME("auto a = torch::tensor({{1.f, 2.f}, {3.f, 4.f}});", tensor<float, shape<2, 2>> a{{1, 2}, {3, 4}});
    ROW("torch::zeros({2, 3})", "[[0. 0. 0.]\n [0. 0. 0.]]", tx::zeros<float>(shape<2, 3>{}));
    ROW("torch::full({3}, 7.f)", "[7. 7. 7.]", tx::full<float>(shape<3>{}, 7));
    ROW("torch::eye(2)", "[[1. 0.]\n [0. 1.]]", tx::eye<float>(shape<2, 2>{}));
    ROW("torch::arange(3, torch::kFloat)", "[0. 1. 2.]", tx::arange<float, 3>());
    ROW("torch::ones_like(v)", "[1. 1. 1.]", tx::ones_like(v));
    ROW("x.size(1)", "3", x.extent(1));
    ROW("x.numel()", "6", x.size());
    ROW("x.to(torch::kInt)", "[[1 2 3]\n [4 5 6]]", tx::cast<int>(x));
    ROW("v.sum().item<float>()", "6", tx::sum(v).item());
    ROW("x.index({1, 0}).item<float>()", "4", x(1, 0));
    SAME("a.index_put_({1, 0}, 7);", a(1, 0) = 7);
    ROW("torch::from_blob(p, {3}).clone()", "[1. 2. 3.]", tx::from_data<shape<3>>(v.data()));

    section("Ops", "libtorch");
    ROW("x.index({torch::indexing::Slice(), 0})", "[1. 4.]", tx::slice(x, tx::range<>, tx::at<0>));
    ROW("x.select(0, 1)", "[4. 5. 6.]", x[1]);
    ROW("v.index_select(0, i)", "[3. 1.]", tx::take(v, i, tx::axis<0>));
    ROW("v.masked_select(v > 1)", "[2. 3.]", tx::compress(v > 1, v));
    ROW("x.view({3, 2})", "[[1. 2.]\n [3. 4.]\n [5. 6.]]", tx::reshape<3, 2>(x));
    ROW("x.t()", "[[1. 4.]\n [2. 5.]\n [3. 6.]]", tx::transpose(x));
    ROW("v.unsqueeze(1)", "[[1.]\n [2.]\n [3.]]", tx::expand_dims<1>(v));
    ROW("v.expand({2, 3})", "[[1. 2. 3.]\n [1. 2. 3.]]", tx::broadcast_to<2, 3>(v));
    ROW("torch::cat({v, v})", "[1. 2. 3. 1. 2. 3.]", tx::concat(tx::axis<0>, v, v));
    ROW("torch::stack({v, v})", "[[1. 2. 3.]\n [1. 2. 3.]]", tx::stack(tx::axis<0>, v, v));
    ROW("x.sum(0)", "[5. 7. 9.]", tx::sum(x, tx::axis<0>));
    ROW("x.mean(1, /*keepdim=*/true)", "[[2.]\n [5.]]", tx::mean(x, tx::axis<1>, tx::keepdims));
    ROW("x.argmax(1)", "[2 2]", tx::argmax(x, tx::axis<1>));
    ROW("torch::where(v > 1, v, 0)", "[0. 2. 3.]", tx::where(v > 1, v, 0));
    ROW("v.clamp(1, 2)", "[1. 2. 2.]", tx::clip(v, 1, 2));
    ROW("x.matmul(v)", "[14. 32.]", tx::matmul(x, v));
    ROW("torch::einsum(\"ij,j->i\", {x, v})", "[14. 32.]", tx::einsum<"ij,j->i">(x, v));
    ROW("torch::relu(v - 2)", "[0. 0. 1.]", tx::relu(v - 2));
    ROW("torch::one_hot(i, 3)", "[[0. 0. 1.]\n [1. 0. 0.]]", tx::one_hot(i, tx::depth<3>));

    section("Derivatives, modules, training", "libtorch");
    SAME("auto w = torch::ones({3}, torch::requires_grad());", tx::variable w{tx::ones<float>(shape<3>{})});
    SAME("auto loss = (w * w).sum(); loss.backward(); w.grad()",
         tx::gradient_tape tape; auto const loss = tx::sum(w * w); auto const dw = tape.gradient(loss, w));
    ROW("torch::autograd::grad({squares(v)}, {v})", "[2. 4. 6.]", tx::grad(squares)(v));
    SAME("torch::NoGradGuard guard;", auto const off = tape.stop_recording());
    ROW("v.detach()", "[1. 2. 3.]", tx::stop_gradient(v));
    SAME("struct Dense : torch::nn::Module { ... register_parameter(\"weight\", ...)", dense net{});
    ROW("net->forward(x)", "[[0. 0.]\n [0. 0.]]", net(x));
    SAME("torch::OrderedDict<std::string, torch::Tensor> params;", std::map<std::string, tensor<float, shape<3>>> params{{"a", v}, {"b", v}});
    ROW("torch::autograd::grad({squares(params[\"a\"])}, params.values())[0]", "[2. 4. 6.]",
        tx::function{tx::grad([&](auto p) { return squares(p["a"]); })}(params).at("a"));
    SAME("torch::optim::Adam optimizer(net->parameters(), 1e-3);", static constexpr auto adam = tx::optim::adam({.learning_rate = 1e-3}));
    SAME("optimizer.step();", auto [next, state] = adam.update(tx::grad(squares)(v), adam.init(v), v));
    SAME("torch::manual_seed(42);", tx::random::seed(42));
    ROW("torch::randn({2, 3}).numel()", "6", tx::random::normal<float>(shape<2, 3>{}).size());
    static_cast<void>(dw), static_cast<void>(next), static_cast<void>(state);

    text("`torch::save(net, path)` is `tx::save(\"net.safetensors\", net)`, with `tracexpr/files.hpp`; `x.to(torch::kCUDA)` is\n"
         "[`tx::to(tx::thrust_device{}, x)`](devices.md), `torch::jit` is `tx::function`.");
    return wrong_rows == 0 ? 0 : 1;
}
