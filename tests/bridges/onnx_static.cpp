// This file tests models that were turned into headers when the tests were built (tracexpr_add_onnx), against what ONNX Runtime
// gives (onnx/data/make.py).
#include <net.hpp>
#include <net_of_two.hpp>
#include <unrolled.hpp>

#include <onnx/largest_difference.hpp>

#include <tracexpr/files.hpp>
#include <tracexpr/onnx.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using tx::dyn;
using tx::shape;
using image = tx::tensor<float, shape<2, 1, 8, 8>>;

std::string data(std::string const& name) {
    return std::string(__FILE__).substr(0, std::string(__FILE__).rfind("bridges")) + "onnx/data/" + name;
}
template <class A> A value_of(std::string const& model, std::string const& name) {
    return tx::load_npz<typename A::value_type, typename A::shape_type>(data(model + "/values.npz"), name);
}
template <class A, class B> double difference(A const& a, B const& b) {
    REQUIRE(a.size() == b.size());
    return tx::testing::largest_difference(a, b);
}

TEST_CASE("onnx: a header: a network, compiled, by itself and of unknown extents") {
    auto const x = value_of<image>("net", "x");
    auto const wanted = value_of<tx::tensor<float, shape<2, 3>>>("net", "y0");
    tx::static_function const f{[](auto const& a) { return net(a); }};
    auto const y = f(x);
    static_assert(std::is_same_v<decltype(y), tx::tensor<float, shape<2, 3>> const>);
    CHECK(difference(y, wanted) < 1e-6);
    CHECK(difference(net(x), wanted) < 1e-6);
    CHECK(difference(net_of_two(x), wanted) < 1e-6);
    CHECK(difference(net(tx::tensor<float, shape<dyn, 1, 8, 8>>(x)), wanted) < 1e-6);
    CHECK(difference(net(tx::tensor<float>(x)), wanted) < 1e-6);
    tx::variable<float, shape<2, 1, 8, 8>> const kept{x};
    CHECK(difference(net(kept), wanted) < 1e-6);
}

TEST_CASE("onnx: a header: derivatives, batches, and parts of callables") {
    auto const x = value_of<image>("net", "x");
    auto const loss = [](auto const& a) { return tx::sum(tx::log(net(a))); };
    tx::onnx::model const m = tx::onnx::load(data("net/net.onnx"));
    auto const by_model = [&](auto const& a) { return tx::sum(tx::log(m.call<tx::spec<float, shape<2, 3>>>(a))); };
    CHECK(difference(tx::grad(loss)(x), tx::grad(by_model)(x)) < 1e-5);
    auto const one = [](auto const& a) { return tx::squeeze<0>(net(tx::expand_dims<0>(a))); };
    CHECK(difference(tx::vmap(one)(x), value_of<tx::tensor<float, shape<2, 3>>>("net", "y0")) < 1e-6);
}

TEST_CASE("onnx: a header: a loop, and two outputs") {
    auto const x = value_of<tx::tensor<float, shape<4>>>("loop", "x");
    tx::static_function const f{[](auto const& a) { return unrolled(a); }};
    auto const [y, sums] = f(x);
    CHECK(difference(y, value_of<tx::tensor<float, shape<4>>>("loop", "y0")) < 1e-6);
    CHECK(difference(sums, value_of<tx::tensor<float, shape<5>>>("loop", "y1")) < 1e-6);
}

} // namespace
