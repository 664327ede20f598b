// This file tests collectives in checkpoints, for several examples: they take one message, whatever the order of transforms.
#include <collectives/checkpoint_checks.hpp>

namespace {

// Of two examples that f makes of one argument.
constexpr auto examples = [](auto x) { return tx::stack(tx::axis<0>, x, x * x); };
constexpr auto batched_gradient = [](auto const& f) { return [f](auto x) { return tx::vmap(tx::grad(f))(examples(x)); }; };
constexpr auto gradient_of_batch = [](auto const& f) {
    return tx::grad([f](auto x) { return tx::sum(tx::sin(tx::vmap(f)(examples(x)))); });
};
constexpr auto gradient_of_gradients = [](auto const& f) {
    return tx::grad([f](auto x) { return tx::sum(tx::sin(tx::vmap(tx::grad(f))(examples(x)))); });
};
constexpr auto all_second = [](auto const& f) { return tx::hessian(f); };
constexpr auto all_second_backwards = [](auto const& f) { return tx::jacrev(tx::grad(f)); };
constexpr auto gradient_of_all_second = [](auto const& f) {
    return tx::grad([f](auto x) { return tx::sum(tx::sin(tx::hessian(f)(x))); });
};

} // namespace

#define CHECK_BATCHED(make)                     \
    CHECK_SAME(make, batched_gradient, 0);      \
    CHECK_SAME(make, gradient_of_batch, 0);     \
    CHECK_SAME(make, gradient_of_gradients, 0); \
    CHECK_SAME(make, all_second, 0);            \
    CHECK_SAME(make, all_second_backwards, 0)

TEST_CASE("collectives in checkpoints, batched") {
    CHECK_BATCHED(gathered);
    CHECK_BATCHED(from_first);
    CHECK_BATCHED(to_second);
    CHECK_BATCHED(dead);
    CHECK_BATCHED(nested);
    CHECK_BATCHED(looped);
    CHECK_SAME(gathered, gradient_of_all_second, 0);
    CHECK_SAME(from_first, gradient_of_all_second, 0);
}
