// tx::onnx::save: what a model that was written gives when it is read again, against the callable.
#include <onnx/largest_difference.hpp>

#include <tracexpr/conv.hpp>
#include <tracexpr/nn.hpp>
#include <tracexpr/onnx.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

namespace {

using tx::shape;
template <class T, std::int64_t... E> using spec = tx::spec<T, shape<E...>>;

struct affine {
    tx::tensor<float, shape<3, 2>> w;
    tx::tensor<float, shape<2>> b;
    auto operator()(auto const& x) const { return tx::matmul(x, w) + b; }
};
struct pair {
    tx::tensor<float, shape<2>> a, b;
};
struct shifted {
    tx::tensor<float, shape<2>> shift;
    float factor = 0.5f;
};

// The largest difference of results, of a function and its model.
template <class Result, class F, class... S, class... A> double difference(F const& f, std::tuple<S...>, A const&... a) {
    tx::onnx::model const m = tx::onnx::from_bytes([&] {
        if constexpr (sizeof...(S) == 0) return tx::onnx::to_bytes(f);
        else return tx::onnx::to_bytes(f, S{}...);
    }());
    Result const wanted = f(a...), got = m.call<tx::spec<typename Result::value_type, typename Result::shape_type>>(a...);
    REQUIRE(wanted.dimensions() == got.dimensions());
    return tx::testing::largest_difference(wanted, got);
}

TEST_CASE("onnx: save: names, extents and opset of a model") {
    tx::tensor<float, shape<4, 3>> const w{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0, 1, 0}};
    auto const f = [w](auto const& x) { return tx::tanh(tx::matmul(x, w)); };
    tx::onnx::model const m = tx::onnx::from_bytes(
        tx::onnx::to_bytes(f, spec<float, tx::dyn, 4>{}, {.opset = 18, .inputs = {"pixels"}, .outputs = {"scores"}}));
    REQUIRE(m.inputs().size() == 1);
    CHECK(m.inputs()[0].name == "pixels");
    CHECK(m.inputs()[0].dtype == tx::dtype::float32);
    CHECK(m.inputs()[0].dims[0] == "");
    CHECK(m.inputs()[0].dims[1] == 4);
    CHECK(m.outputs()[0].name == "scores");
    CHECK(m.parameters().size() == 1);
    tx::tensor<float, shape<2, 4>> const x{{1, 0, 0, 0}, {0, 0, 0, 1}};
    auto const y = m.call<tx::spec<float, shape<2, 3>>>(x);
    CHECK(y(0, 2) == std::tanh(3.0f));
    CHECK(y(1, 1) == std::tanh(1.0f));
}

TEST_CASE("onnx: save: names may be those that values of the model have by themselves") {
    auto const f = [](auto const& x) { return tx::exp(x) * 2.0f; };
    tx::tensor<float, shape<2>> const x{0, 1};
    for (std::string const name : {"v0", "v1", "v2", "v", "v_", "v_0"}) {
        tx::onnx::model const m =
            tx::onnx::from_bytes(tx::onnx::to_bytes(f, spec<float, 2>{}, {.inputs = {name}, .outputs = {"v__1"}}));
        CHECK(m.inputs()[0].name == name);
        CHECK(m.outputs()[0].name == "v__1");
        CHECK(tx::allclose(m.call<spec<float, 2>>(x), 2.0f * tx::exp(x)));
    }
}

TEST_CASE("onnx: save: a struct in a spec's place keeps its numbers") {
    auto const f = [](auto const& s, auto const& x) { return x * s.factor - s.shift; };
    tx::onnx::model const m = tx::onnx::from_bytes(tx::onnx::to_bytes(f, shifted{{}, 3.0f}, spec<float, 2>{}));
    REQUIRE(m.inputs().size() == 2);
    tx::tensor<float, shape<2>> const shift{1, 2}, x{5, 6};
    auto const y = m.call<spec<float, 2>>(shift, x);
    CHECK(y(0) == 14);
    CHECK(y(1) == 16);
}

TEST_CASE("onnx: save: a file, which a call that throws leaves as it was") {
    std::string const path = (std::filesystem::temp_directory_path() / "tracexpr_export.onnx").string();
    tx::function const f{[](auto const& x) { return x * 2.0f; }};
    tx::onnx::save(path, f, spec<float, 3>{});
    auto const y = tx::onnx::load(path).call<spec<float, 3>>(tx::tensor<float, shape<3>>{1, 2, 3});
    CHECK(y(2) == 6);
    auto const bad = [](auto const& x) { return tx::lgamma(x) + tx::lgamma(x * 2.0f); };
    try {
        tx::onnx::save(path, bad, spec<float, 3>{});
        FAIL("must throw");
    } catch (tx::error const& e) {
        CHECK(std::string(e.what()).find("ONNX has no counterpart of lgamma (2)") != std::string::npos);
    }
    CHECK(tx::onnx::load(path).call<spec<float, 3>>(tx::tensor<float, shape<3>>{1, 2, 3})(0) == 2);
    std::filesystem::remove(path);
}

TEST_CASE("onnx: save: what is wrong with options") {
    auto const f = [](auto const& x, auto const& y) { return x + y; };
    auto const message = [&](tx::onnx::save_options const& o) {
        try {
            static_cast<void>(tx::onnx::to_bytes(f, spec<float, 3>{}, spec<float, 3>{}, o));
        } catch (tx::error const& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(message({.opset = 17}) == "tx: onnx::to_bytes: the model: opset must be from 18 to 28; given 17");
    CHECK(message({.inputs = {"a"}}) ==
          "tx: onnx::to_bytes: the model: as many names of inputs must be given as there are, 2; given 1");
    CHECK(message({.inputs = {"a", "a"}}) ==
          "tx: onnx::to_bytes: the model: names of inputs and outputs must differ, and not be empty; given \"a\"");
    CHECK(message({.outputs = {"x0"}}) ==
          "tx: onnx::to_bytes: the model: names of inputs and outputs must differ, and not be empty; given \"x0\"");
    CHECK(message({.opset = 28, .inputs = {"a", "b"}, .outputs = {"c"}}).empty());
}

TEST_CASE("onnx: save: all that ONNX has no counterpart of is one message") {
    auto const message = [](auto const& f, auto const& spec) {
        try {
            static_cast<void>(tx::onnx::to_bytes(f, spec));
        } catch (tx::error const& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    auto const f = [](auto const& x) {
        tx::print("{}", x);
        tx::assert_that(tx::all(x > 0.0f), "positive");
        return tx::linalg::inv(x) + tx::linalg::cholesky(x) + tx::lgamma(x);
    };
    CHECK(message(f, spec<float, 3, 3>{}) ==
          "tx: onnx::to_bytes: the model: ONNX has no counterpart of assert_that, cholesky, lgamma, lu, print, solve");
    auto const opaque = [](auto const& x) { return tx::opaque<spec<float, 3>>([](auto const& a) { return a * 2.0f; }, x); };
    CHECK(message(opaque, spec<float, 3>{}) == "tx: onnx::to_bytes: the model: ONNX has no counterpart of opaque");
    auto const turned = [](auto const& x) { return tx::abs(x * std::complex<float>(0, 1)); };
    CHECK(message(turned, spec<float, 3>{}).find("elements of complex64") != std::string::npos);
    CHECK(
        message([](auto const& x) { return tx::random::normal<float>(shape<3>{}) + x; }, spec<float, 3>{}).find("random_bits") !=
        std::string::npos);
    // Padding that depends on a window of unknown extent has no place in Conv, where it is a number.
    auto const full = [](auto const& x, auto const& w) { return tx::conv(x, w, tx::mode::full); };
    std::string problem;
    try {
        static_cast<void>(tx::onnx::to_bytes(full, spec<float, 1, 8, 8, 2>{}, spec<float, tx::dyn, 3, 2, 4>{}));
    } catch (tx::error const& e) {
        problem = e.what();
    }
    CHECK(problem == "tx: onnx::to_bytes: the model: ONNX has no counterpart of a convolution whose padding only a run knows");
    tx::variable<float, shape<>> count{0.0f};
    CHECK(message(
              [&](auto const& x) {
                  count.assign_add(1.0f);
                  return x + count;
              },
              spec<float, 3>{})
              .find("assignments to variables") != std::string::npos);
}

TEST_CASE("onnx: save: captured tensors, members and variables become initializers") {
    affine const layer{{{1, 2}, {3, 4}, {5, 6}}, {10, 20}};
    tx::tensor<float, shape<1, 3>> const x{{1, 1, 1}};
    tx::onnx::model const m = tx::onnx::from_bytes(tx::onnx::to_bytes(layer, spec<float, 1, 3>{}));
    CHECK(m.inputs().size() == 1);
    CHECK(m.parameters().size() == 2);
    CHECK(m.call<spec<float, 1, 2>>(x)(0, 1) == 32);
    tx::variable<float, shape<3>> scale{tx::tensor<float, shape<3>>{1, 2, 3}};
    auto const by = [&](auto const& a) { return a * scale; };
    scale.assign(tx::tensor<float, shape<3>>{2, 3, 4});
    tx::onnx::model const scaled = tx::onnx::from_bytes(tx::onnx::to_bytes(by, spec<float, 1, 3>{}));
    CHECK(scaled.call<spec<float, 1, 3>>(x)(0, 2) == 4);
    tx::function const f{[w = tx::capture(layer.w)](auto const& a) { return tx::matmul(a, w); }};
    CHECK(tx::onnx::from_bytes(tx::onnx::to_bytes(f.concrete<spec<float, 1, 3>>())).call<spec<float, 1, 2>>(x)(0, 0) == 9);
}

TEST_CASE("onnx: save: a struct of tensors is an input for each, empty tensors and extents of 1") {
    tx::onnx::model const m = tx::onnx::from_bytes(tx::onnx::to_bytes([](auto const& p) { return p.a - p.b; }, pair{}));
    REQUIRE(m.inputs().size() == 2);
    CHECK(m.call<spec<float, 2>>(tx::tensor<float, shape<2>>{3, 4}, tx::tensor<float, shape<2>>{1, 1})(1) == 3);
    auto const sums = [](auto const& x) { return tx::sum(tx::concat(tx::axis<0>, x, x), tx::axis<0>); };
    CHECK(tx::onnx::from_bytes(tx::onnx::to_bytes(sums, spec<float, 0, 2>{}))
              .call<spec<float, 2>>(tx::tensor<float, shape<0, 2>>{})(1) == 0);
    CHECK(tx::onnx::from_bytes(tx::onnx::to_bytes(sums, spec<float, tx::dyn, 2>{}))
              .call<spec<float, 2>>(tx::tensor<float, shape<1, 2>>{{1, 2}})(1) == 4);
}

TEST_CASE("onnx: save: control flow") {
    tx::tensor<float, shape<3>> const x{1, 2, 3};
    auto const power = [](auto const& a) {
        return tx::fori_loop(tx::tensor<int>(0), tx::tensor<int>(5), [](auto const&, auto const& s) { return s * 1.5f; }, a);
    };
    CHECK(difference<tx::tensor<float, shape<3>>>(power, std::tuple<spec<float, 3>>(), x) == 0);
    auto const either = [](auto const& a) {
        return tx::cond(tx::sum(a) > 3.0f, [](auto const& v) { return v + 1.0f; }, [](auto const& v) { return v - 1.0f; }, a);
    };
    CHECK(difference<tx::tensor<float, shape<3>>>(either, std::tuple<spec<float, 3>>(), x) == 0);
    CHECK(difference<tx::tensor<float, shape<3>>>(either, std::tuple<spec<float, 3>>(), -x) == 0);
}

} // namespace
