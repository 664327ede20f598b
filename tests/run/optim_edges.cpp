// This file tests optimizers and clipping on trees with members that are no leaves, on shapes that only a run knows, and on empty
// lists.
#include <tracexpr/optim.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using tx::shape;
using tx::tensor;

namespace {

using vec = tensor<float, shape<2>>;
using open_vec = tensor<float, shape<tx::dyn>>;

struct named_layer {
    vec w = tx::random::normal<float>(shape<2>{});
    std::shared_ptr<int> tag{};
};
struct scaled_layer {
    float scale;
    tensor<float, shape<>> w;
};
// Updates a named_layer with this optimizer; other members must stay, and no initialiser may draw.
template <class O> void check_members(O const& optimizer) {
    named_layer const layer{vec{1, 2}, std::make_shared<int>(7)}, slopes{vec{1, 1}, nullptr};
    tx::random::seed(7);
    vec const drawn = tx::random::normal<float>(shape<2>{});
    tx::random::seed(7);
    auto const [next, state] = optimizer.update(slopes, optimizer.init(layer), layer);
    auto const clipped = tx::optim::clip_by_global_norm(layer, 0.5f);
    CHECK(tx::equal(tx::random::normal<float>(shape<2>{}), drawn));
    CHECK(next.tag == layer.tag);
    CHECK(clipped.tag == layer.tag);
    CHECK_FALSE(tx::equal(next.w, layer.w));
    CHECK(tx::equal(layer.w, vec{1, 2}));
}

} // namespace

TEST_CASE("optim: members that are no leaves stay, and initialisers of members don't run") {
    check_members(tx::optim::sgd(0.1));
    check_members(tx::optim::adam(0.1));
    check_members(tx::optim::rmsprop(0.1));
}

TEST_CASE("optim: states and rates whose extents only the run knows must have the parameter's shape") {
    tensor<float, shape<1>> const p{9}, g{1};
    open_vec const many = tx::full<float>(shape<4096>{}, 7.0f), one = tx::full<float>(shape<1>{}, 0.5f);
    auto const sgd = tx::optim::sgd(0.1);
    auto const adam = tx::optim::adam(0.1);
    CHECK(sgd.update(g, sgd.init(p), p, one).first.item() == 8.5f);
    CHECK_THROWS_WITH_AS(sgd.update(g, sgd.init(p), p, many), doctest::Contains("given (4096,), (1,)"), tx::shape_error);
    CHECK_THROWS_WITH_AS(adam.update(g, adam.init(many), p), doctest::Contains("the state must be of these parameters"),
                         tx::shape_error);
    tx::function const step{
        [&](auto const& x, auto const& slope, auto const& rate) { return sgd.update(slope, sgd.init(x), x, rate).first; }};
    CHECK(step(p, g, one).item() == 8.5f);
    CHECK_THROWS_WITH_AS(step(p, g, many), doctest::Contains("(4096,)"), tx::shape_error);
    tensor<float> const norms = tx::full<float>(shape<3>{}, 1.0f), norm = tx::full<float>(shape<>{}, 0.5f);
    CHECK(tx::optim::clip_by_global_norm(p, norm).item() == 0.5f);
    CHECK_THROWS_WITH_AS(tx::optim::clip_by_global_norm(p, norms), doctest::Contains("the norm must be a scalar"),
                         tx::shape_error);
}

TEST_CASE("optim: lists without parts have the norm 0, in functions too") {
    std::vector<vec> const none, some{vec{3, 4}};
    tx::function const norm{[](auto const& tree) { return tx::optim::global_norm(tree); }};
    CHECK(norm(some).item() == 5);
    CHECK(norm(none).item() == 0);
    CHECK(tx::optim::global_norm(none).item() == 0);
    tx::function const clip{[](auto const& tree) { return tx::optim::clip_by_global_norm(tree, 1.0f); }};
    CHECK(clip(none).empty());
}

TEST_CASE("optim: gradients from a trace that has ended are refused") {
    vec const x{1, 2};
    auto const sgd = tx::optim::sgd(0.1);
    std::vector<tx::expr<float, shape<2>>> leaked;
    tx::function const leaking{[&](auto const& a) {
        auto const out = a * 2;
        leaked.emplace_back(out);
        return out;
    }};
    static_cast<void>(leaking(x));
    CHECK(leaked.size() >= 1);
    CHECK_THROWS_AS(sgd.update(x, sgd.init(x), leaked.back()), tx::trace_error);
    CHECK_THROWS_AS(sgd.update(leaked.back(), sgd.init(x), x), tx::trace_error);
}
