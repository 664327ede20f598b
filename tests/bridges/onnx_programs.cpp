// Programs as ONNX models: networks, loops, derivatives and training steps, of known and of unknown extents, read again and run.
#include <onnx/exported_families.hpp>

#include <tracexpr/conv.hpp>
#include <tracexpr/image.hpp>
#include <tracexpr/nn.hpp>
#include <tracexpr/onnx.hpp>
#include <tracexpr/statistics.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

using tx::dyn;
using tx::shape;
template <class T, std::int64_t... E> using spec = tx::spec<T, shape<E...>>;
template <class T, std::int64_t... E> using of = tx::tensor<T, shape<E...>>;

// Numbers between -1 and 1.
template <class A> A numbers(double phase = 0) {
    A out = A::uninitialized(A::static_dims());
    for (std::int64_t k = 0; k < out.size(); ++k)
        out.mutable_data()[k] = static_cast<typename A::value_type>(std::sin(1.7 * static_cast<double>(k) + phase));
    return out;
}
template <class A> tx::host_array array_held(A const& a) {
    tx::tensor<typename A::value_type> const open(a);
    return tx::testing::written_array(open);
}
// The model of f for specs S against f itself, on arguments.
template <class... S, class F, class... A> void check(std::string const& name, double epsilons, F const& f, A const&... a) {
    INFO(name);
    std::string const bytes = tx::onnx::to_bytes(f, S{}...);
    std::vector<tx::any_tensor> const got =
        tx::onnx::from_bytes(bytes).run(std::vector<tx::any_tensor>{tx::tensor<typename A::value_type>(a)...});
    std::vector<tx::host_array> wanted, given;
    auto const keep = [&]<class R>(R const& r) { wanted.push_back(array_held(r)); };
    auto const results = tx::function{[&f](auto const&... x) { return f(x...); }}(a...);
    if constexpr (tx::tensor_type<std::remove_cvref_t<decltype(results)>>) keep(results);
    else tx::detail::for_each_leaf(results, keep);
    for (tx::any_tensor const& g : got) given.push_back(tx::testing::written_array(g));
    tx::testing::write_onnx_test(name, bytes, {array_held(a)...}, wanted);
    CHECK(tx::testing::strict_difference(given, wanted, epsilons) == "");
}

TEST_CASE("onnx: save: a perceptron and its derivatives") {
    auto const loss = [](auto const& x, auto const& w, auto const& b) {
        return tx::mean(tx::square(tx::tanh(tx::matmul(x, w) + b)));
    };
    auto const x = numbers<of<float, 5, 4>>();
    auto const w = numbers<of<float, 4, 3>>(1);
    auto const b = numbers<of<float, 3>>(2);
    check<spec<float, 5, 4>, spec<float, 4, 3>, spec<float, 3>>("perceptron", 64, loss, x, w, b);
    check<spec<float, dyn, 4>, spec<float, 4, 3>, spec<float, 3>>("perceptron_of_any_batch", 64, loss, x, w, b);
    auto const step = [loss](auto const& a, auto const& v, auto const& c) {
        auto const [dv, dc] = tx::grad<1, 2>(loss)(a, v, c);
        return std::tuple(v - dv * 0.1f, c - dc * 0.1f);
    };
    check<spec<float, 5, 4>, spec<float, 4, 3>, spec<float, 3>>("training_step", 256, step, x, w, b);
    check<spec<float, dyn, 4>, spec<float, 4, 3>, spec<float, 3>>("training_step_of_any_batch", 256, step, x, w, b);
}

TEST_CASE("onnx: save: convolutions") {
    auto const x = numbers<of<float, 2, 9, 8, 4>>();
    auto const w = numbers<of<float, 3, 3, 4, 6>>(1);
    auto const grouped = numbers<of<float, 3, 3, 2, 6>>(2);
    using any = spec<float, dyn, dyn, dyn, 4>;
    using all = spec<float, 2, 9, 8, 4>;
    auto const plain = [w](auto const& a) { return tx::conv(a, w, tx::widths<1>); };
    auto const strided = [w](auto const& a) { return tx::relu(tx::conv(a, w, tx::stride<2, 2>, tx::mode::same)); };
    auto const in_groups = [grouped](auto const& a) { return tx::conv(a, grouped, tx::groups<2>, tx::dilation<2, 2>); };
    check<all>("conv", 256, plain, x), check<any>("conv_of_any_image", 256, plain, x);
    check<all>("conv_same", 256, strided, x), check<any>("conv_same_of_any_image", 256, strided, x);
    check<all>("conv_groups", 256, in_groups, x), check<any>("conv_groups_of_any_image", 256, in_groups, x);
    auto const full = [w](auto const& a) { return tx::conv(a, w, tx::mode::full); };
    check<all>("conv_full", 256, full, x), check<any>("conv_full_of_any_image", 256, full, x);
    auto const upwards = [](auto const& a) {
        return tx::conv_transpose(a, numbers<of<float, 3, 3, 5, 4>>(3), tx::stride<2, 2>, tx::mode::same);
    };
    check<all>("conv_transpose", 256, upwards, x);
    auto const derivatives = [](auto const& a, auto const& v) {
        return tx::grad<0, 1>([](auto const& p, auto const& q) {
            return tx::sum(tx::square(tx::conv(p, q, tx::stride<2, 2>, tx::widths<1>, tx::groups<2>)));
        })(a, v);
    };
    check<all, spec<float, 3, 3, 2, 6>>("conv_derivatives", 512, derivatives, x, grouped);
    auto const pools = [](auto const& a) {
        return std::tuple(tx::max_pool<2, 2>(a), tx::average_pool<3, 3>(a, tx::stride<2, 2>, tx::mode::same),
                          tx::adaptive_average_pool<3, 3>(a));
    };
    check<all>("pools", 64, pools, x);
    check<all>("resize", 256, [](auto const& a) { return tx::resize<5, 11>(a, tx::interpolation::linear); }, x);
    auto const first = [](auto const& a) { return tx::conv(a, numbers<of<float, 6, 9, 3, 3>>(1), tx::channels_first); };
    check<all>("conv_channels_first", 256, first, x);
}

TEST_CASE("onnx: save: a transformer's block") {
    auto const block = [](auto const& x) {
        auto const normal = tx::nn::layer_norm(x, numbers<of<float, 8>>(1), numbers<of<float, 8>>(2));
        auto const heads = [&](double phase) {
            return tx::transpose<1, 0, 2>(tx::reshape<-1, 2, 4>(tx::matmul(normal, numbers<of<float, 8, 8>>(phase))));
        };
        auto const seen = tx::nn::attention(heads(3), heads(4), heads(5), tx::causal);
        auto const mixed = x + tx::matmul(tx::reshape<-1, 8>(tx::transpose<1, 0, 2>(seen)), numbers<of<float, 8, 8>>(6));
        return mixed + tx::matmul(tx::gelu(tx::matmul(mixed, numbers<of<float, 8, 16>>(7))), numbers<of<float, 16, 8>>(8));
    };
    auto const x = numbers<of<float, 6, 8>>();
    check<spec<float, 6, 8>>("transformer", 4096, block, x);
    check<spec<float, dyn, 8>>("transformer_of_any_length", 4096, block, x);
    check<spec<float, 6, 8>>(
        "softmax", 64,
        [](auto const& a) {
            return std::tuple(tx::softmax(a, tx::axis<-1>), tx::log_softmax(a, tx::axis<0>), tx::logsumexp(a, tx::axis<1>));
        },
        x);
}

TEST_CASE("onnx: save: loops") {
    auto const x = numbers<of<float, 4, 3>>();
    auto const running = [](auto const& xs) {
        return tx::scan([](auto const& s, auto const& e) { return std::pair(s * 0.5f + e, tx::sum(s)); },
                        tx::zeros<float, shape<3>>(), xs);
    };
    check<spec<float, 4, 3>>("scan", 64, running, x), check<spec<float, dyn, 3>>("scan_of_any_length", 64, running, x);
    auto const until = [](auto const& a) {
        return tx::while_loop([](auto const& s) { return tx::sum(tx::abs(s)) > 0.1f; }, [](auto const& s) { return s * 0.5f; },
                              a);
    };
    check<spec<float, 4, 3>>("while", 16, until, x), check<spec<float, dyn, 3>>("while_of_any_extent", 16, until, x);
    auto const nested = [](auto const& a) {
        return tx::fori_loop(
            0, 3,
            [](auto const& i, auto const& s) {
                return tx::cond(
                    i % 2 == 0,
                    [](auto const& v) { return tx::fori_loop(0, 2, [](auto const&, auto const& u) { return u * 2.0f; }, v); },
                    [](auto const& v) { return v - 1.0f; }, s);
            },
            a);
    };
    check<spec<float, 4, 3>>("nested_loops", 16, nested, x);
    auto const slope = [](auto const& a) {
        return tx::grad([](auto const& v) {
            return tx::sum(tx::fori_loop(0, 4, [](auto const&, auto const& s) { return tx::sin(s) * 1.5f; }, v));
        })(a);
    };
    check<spec<float, 4, 3>>("derivative_of_a_loop", 64, slope, x);
    auto const lstm = [](auto const& xs) {
        auto const zero = tx::zeros<float, shape<2, 5>>();
        return tx::nn::lstm(xs, std::pair(zero, zero),
                            std::tuple(numbers<of<float, 3, 20>>(1), numbers<of<float, 5, 20>>(2), numbers<of<float, 20>>(3)))
            .second;
    };
    check<spec<float, 4, 2, 3>>("lstm", 256, lstm, numbers<of<float, 4, 2, 3>>());
}

TEST_CASE("onnx: save: statistics, sorting, integers") {
    auto const x = numbers<of<double, 6, 5>>();
    check<spec<double, 6, 5>>(
        "statistics", 64,
        [](auto const& a) {
            return std::tuple(tx::mean(a, tx::axis<0>), tx::var(a, tx::axis<1>), tx::median(a, tx::axis<0>),
                              tx::quantile(a, 0.3, tx::axis<1>), tx::topk<2>(a).first, tx::argsort(a, tx::axis<0>),
                              tx::cumprod(a, tx::axis<1>), tx::cummax(a, tx::axis<0>), tx::roll<1>(a, tx::axis<1>),
                              tx::trace(tx::matmul(a, tx::transpose(a))));
        },
        x);
    of<int, 7> const n{3, -1, 7, 0, 2, -8, 5};
    check<spec<int, 7>>(
        "integers", 0,
        [](auto const& a) {
            return std::tuple(a % 3, tx::floor_divide(a, 2), a * a - 7, tx::where(a > 0, a, -a), tx::sum(a), tx::max(a),
                              tx::cumsum(a, tx::axis<0>), tx::one_hot<4>(a % 4), a << 2, a >> 1, a & 3);
        },
        n);
    check<spec<int, dyn>>(
        "integers_of_any_length", 0,
        [](auto const& a) {
            return std::tuple(tx::sum(a), tx::sort(a, tx::axis<0>), tx::full<int, shape<dyn>>(3, tx::extent<0>(a) + 1));
        },
        n);
}

TEST_CASE("onnx: save: a model that was read is written again") {
    auto const f = [](auto const& a) { return tx::softmax(tx::matmul(a, numbers<of<float, 3, 3>>()), tx::axis<-1>); };
    tx::onnx::model const m = tx::onnx::from_bytes(tx::onnx::to_bytes(f, spec<float, dyn, 3>{}));
    check<spec<float, 4, 3>>(
        "written_again", 64, [m](auto const& a) { return m.call<spec<float, 4, 3>>(a); }, numbers<of<float, 4, 3>>());
}

} // namespace
