// This file tests operators of ONNX that its own tests can't check, or that work on strings: random numbers by their statistics,
// strings by their expected values.
#include <tracexpr/onnx.hpp>

#include "../onnx/writer.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace onnx_writer;
using vec = tx::tensor<float>;

namespace {

constexpr std::int64_t texts = 8;
tx::onnx::model one_node(message const& n, std::vector<message> inputs, std::int64_t result,
                         std::vector<message> initializers = {}) {
    return tx::onnx::from_bytes(model({{n}, std::move(inputs), {value("y", result, {})}, std::move(initializers)}));
}
double mean_of(vec const& x) {
    double out = 0;
    for (std::int64_t k = 0; k < x.size(); ++k) out += static_cast<double>(x.data()[k]);
    return out / static_cast<double>(x.size());
}
std::vector<std::int64_t> const many{20'000};
vec ones() { return tx::ones<float>(tx::shape<20'000>{}); }

} // namespace

TEST_CASE("onnx: random numbers have the moments that the attributes tell") {
    auto const drawn = [](message const& n, std::vector<message> inputs = {}, std::vector<tx::any_tensor> const& given = {}) {
        return std::get<vec>(one_node(n, std::move(inputs), float32).run(given)[0]);
    };
    message const shape = attribute("shape", many), low = attribute("low", 2.0f), high = attribute("high", 4.0f);
    vec const uniform = drawn(node("RandomUniform", {}, {"y"}, {shape, low, high}));
    CHECK(mean_of(uniform) == doctest::Approx(3).epsilon(0.01));
    CHECK(mean_of(uniform * uniform) == doctest::Approx(9 + 4.0 / 12).epsilon(0.02));
    message const x = value("x", float32, {20'000});
    vec const normal =
        drawn(node("RandomNormalLike", {"x"}, {"y"}, {attribute("mean", 1.0f), attribute("scale", 2.0f)}), {x}, {ones()});
    CHECK(mean_of(normal) == doctest::Approx(1).epsilon(0.08));
    CHECK(mean_of(normal * normal) == doctest::Approx(5).epsilon(0.05));
    vec const shares = drawn(node("Bernoulli", {"x"}, {"y"}), {x}, {ones() * 0.25f});
    CHECK(mean_of(shares) == doctest::Approx(0.25).epsilon(0.05));
}

TEST_CASE("onnx: with a seed random numbers are the same in every run, else others") {
    message const shape = attribute("shape", std::vector<std::int64_t>{8});
    auto const seeded = one_node(node("RandomNormal", {}, {"y"}, {shape, attribute("seed", 3.0f)}), {}, float32);
    auto const other = one_node(node("RandomNormal", {}, {"y"}, {shape, attribute("seed", 4.0f)}), {}, float32);
    auto const free = one_node(node("RandomNormal", {}, {"y"}, {shape}), {}, float32);
    auto const run = [](tx::onnx::model const& m) { return std::get<vec>(m.run(std::vector<tx::any_tensor>{})[0]); };
    CHECK(tx::equal(run(seeded), run(seeded)));
    CHECK(!tx::equal(run(seeded), run(other)));
    CHECK(!tx::equal(run(free), run(free)));
}

TEST_CASE("onnx: classes are drawn by the logarithms of their shares") {
    float const log_shares[]{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
    auto const m = one_node(node("Multinomial", {"x"}, {"y"}, {attribute("sample_size", std::int64_t{20'000})}),
                            {value("x", float32, {1, 3})}, int32);
    auto const drawn = std::get<tx::tensor<std::int32_t>>(
        m.run(std::vector<tx::any_tensor>{vec{{log_shares[0], log_shares[1], log_shares[2]}}})[0]);
    double counts[3]{};
    REQUIRE(drawn.size() == 20'000);
    for (std::int64_t k = 0; k < drawn.size(); ++k) counts[drawn.data()[k]] += 1.0 / 20'000;
    CHECK(counts[0] == doctest::Approx(0.5).epsilon(0.05));
    CHECK(counts[1] == doctest::Approx(0.3).epsilon(0.05));
    CHECK(counts[2] == doctest::Approx(0.2).epsilon(0.07));
}

TEST_CASE("onnx: dropout drops while a model trains, in its derivative, too") {
    auto const m = one_node(node("Dropout", {"x", "ratio", "trains"}, {"y"}, {attribute("seed", std::int64_t{5})}),
                            {value("x", float32, {20'000})}, float32,
                            {floats("ratio", {}, {0.25f}), tensor("trains", boolean, {}, std::vector<std::uint8_t>{1})});
    vec const y = m.call<tx::spec<float, tx::any_shape>>(ones());
    CHECK(mean_of(y) == doctest::Approx(1).epsilon(0.02));
    for (std::int64_t k = 0; k < y.size(); ++k) CHECK((y.data()[k] == 0 || y.data()[k] == doctest::Approx(4.0 / 3)));
    // It is linear: its derivative is what it makes of ones.
    vec const slope = tx::grad([&](auto const& x) { return tx::sum(m.call<tx::spec<float, tx::any_shape>>(x)); })(ones());
    CHECK(tx::equal(slope, y));
}

TEST_CASE("onnx: strings are cast, split and filtered for the strings that are given") {
    using strings = tx::tensor<std::string>;
    auto const run = [](message const& n, strings const& x, std::int64_t result) {
        return one_node(n, {value("x", texts, {static_cast<int>(x.size())})}, result).run(std::vector<tx::any_tensor>{x})[0];
    };
    message const to_float = node("Cast", {"x"}, {"y"}, {attribute("to", float32)});
    CHECK(tx::equal(std::get<vec>(run(to_float, strings{"1.5", "+2", "-1e3"}, float32)), vec{1.5f, 2, -1000}));
    CHECK_THROWS_AS(static_cast<void>(run(to_float, strings{"1.5", "two"}, float32)), tx::error);
    auto const back = one_node(node("Cast", {"x"}, {"y"}, {attribute("to", texts)}), {value("x", float64, {5})}, texts);
    CHECK(tx::equal(std::get<strings>(back.run(std::vector<tx::any_tensor>{tx::tensor<double>{0.1, 1e6, 1e-7, 1e16, -3}})[0]),
                    strings{"0.1", "1000000.0", "1e-07", "1e+16", "-3.0"}));
    CHECK(tx::equal(std::get<strings>(run(node("StringSplit", {"x"}, {"y"}), strings{" a  b ", "", "c"}, texts)),
                    strings{{"a", "b"}, {"", ""}, {"c", ""}}));
    CHECK(tx::equal(std::get<strings>(run(
                        node("StringSplit", {"x"}, {"y"}, {attribute("delimiter", ","), attribute("maxsplit", std::int64_t{1})}),
                        strings{"a,b,c", ","}, texts)),
                    strings{{"a", "b,c"}, {"", ""}}));
    message stops = message().bytes(1, "stopwords").bytes(9, "Of").number(20, 8);
    CHECK(
        tx::equal(std::get<strings>(run(node("StringNormalizer", {"x"}, {"y"}, {attribute("case_change_action", "UPPER"), stops}),
                                        strings{"end", "oF", "time"}, texts)),
                  strings{"END", "TIME"}));
}
