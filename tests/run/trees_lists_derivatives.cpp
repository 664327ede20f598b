// This file tests derivatives for vectors and maps of tensors.
#include <run/trees_lists_model.hpp>

#include <doctest/doctest.h>

#include <map>
#include <optional>

using namespace tx::testing;

TEST_CASE("lists: gradients have the form of the parameters") {
    tx::function const slope{tx::value_and_grad(loss)};
    layers params = some_layers();
    auto const [value, gradients] = slope(params, batch);
    static_assert(std::is_same_v<std::remove_const_t<decltype(gradients)>, layers>);
    CHECK(gradients.at("tail").size() == 2);
    tx::function const f{loss};
    CHECK(value.item() == doctest::Approx(f(params, batch).item()));
    // Central differences; h balances what is cut off and what is rounded (float32).
    float const h = 0.01f;
    auto const check = [&](float& number, float gradient) {
        float const kept = number;
        number = kept + h;
        float const above = f(params, batch).item();
        number = kept - h;
        float const below = f(params, batch).item();
        number = kept;
        CHECK((above - below) / (2 * h) == doctest::Approx(gradient).epsilon(0.01));
    };
    check(params["head"][0].weights.mutable_data()[1], gradients.at("head")[0].weights(0, 1));
    check(params["tail"][0].weights.mutable_data()[2], gradients.at("tail")[0].weights(1, 0));
    check(params["tail"][1].bias.mutable_data()[0], gradients.at("tail")[1].bias(0));
}

TEST_CASE("lists: of vectors and optionals, and other transforms") {
    auto const f = [](auto const& parts, auto const& bias) {
        auto out = tx::sum(parts[0] * parts[0]);
        for (std::size_t k = 1; k < parts.size(); ++k) out = out + tx::sum(parts[k] * parts[k]);
        return bias ? out * tx::sum(*bias) : out;
    };
    std::vector<vec> const parts{vec{1, 2}, vec{3}};
    auto const [by_parts, by_bias] = tx::function{tx::grad<0, 1>(f)}(parts, std::optional(vec{10}));
    CHECK(tx::equal(by_parts[0], vec{20, 40}));
    CHECK(by_bias->item() == 14);
    CHECK(!std::get<1>(tx::function{tx::grad<0, 1>(f)}(parts, std::optional<vec>())));

    auto const only = [&](auto const& p) { return f(p, std::optional<vec>()); };
    auto const [y, dy] = tx::function{tx::jvp(only)}(parts, std::vector<vec>{vec{1, 0}, vec{1}});
    CHECK(y.item() == 14);
    CHECK(dy.item() == 8);
    CHECK(tx::equal(std::get<0>(tx::function{tx::vjp(only)}(parts, 2.0f))[1], vec{12}));
    CHECK_THROWS_WITH_AS(tx::function{tx::jvp(only)}(parts, std::vector<vec>{vec{1, 0}}),
                         "tx: jvp: the arguments and the tangents must have one form; tangents[0] has 1 parts, and not 2",
                         tx::shape_error);

    std::map<std::string, mat> const examples{{"a", mat{{1, 2}, {3, 4}, {5, 6}}}, {"b", mat{{1}, {2}, {3}}}};
    auto const sums = tx::function{tx::vmap([](auto const& e) {
        return std::map<std::string, decltype(tx::sum(e.at("a")))>{{"s", tx::sum(e.at("a")) * tx::sum(e.at("b"))}};
    })}(examples);
    CHECK(tx::equal(sums.at("s"), vec{3, 14, 33}));

    tx::gradient_tape tape;
    std::map<std::string, vec> params{{"a", vec{2}}, {"b", vec{3}}};
    tape.watch(params);
    auto const product = tx::sum(params.at("a") * params.at("a") * params.at("b"));
    auto const found = tape.gradient(product, params);
    CHECK(found.at("a")(0) == 12);
    CHECK(found.at("b")(0) == 4);
}
