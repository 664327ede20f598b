// This file compares the tape's derivatives of orders 1 and 2, on tensors, with those of a traced function.
#pragma once

#include <ad/derivative_checks.hpp>

#include <random>

namespace tx::testing {

using eager = tensor<double>; // of open rank: ops are run one by one, by plain loops
inline eager tensor_of(host_array const& from) {
    eager out = eager::uninitialized(from.shape);
    std::memcpy(out.mutable_data(), from.bytes.data(), from.bytes.size());
    return out;
}
template <class Tree> auto tensors_like(Tree const&, leaf_list const& from) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) { return std::tuple{tensor_of(from[K])...}; }(std::make_index_sequence<std::tuple_size_v<Tree>>{});
}
void check_near(char const* what, auto const& got, leaf_list const& want) {
    std::size_t k = 0;
    std::apply([&](auto const&... part) {
        auto const one = [&](eager const& g) {
            double const* const expected = want[k].template data<double>();
            REQUIRE(g.dimensions() == want[k].shape);
            for (std::int64_t i = 0; i < g.size(); ++i) {
                INFO(what << ", argument " << k << ", element " << i << ": " << g.data()[i] << ", not " << expected[i]);
                CHECK(std::abs(g.data()[i] - expected[i]) <= 1e-12 * (1 + std::abs(expected[i])));
            }
            ++k;
        };
        (one(part), ...);
    }, got);
}

template <class F, class... A> void check_tape(leaf_list const& x) {
    using R = result_of_trace<F, A...>;
    using pullback = pullback_of<F>;
    using G = result_of_trace<pullback, A..., R>;
    std::mt19937_64 bits(23);
    leaf_list const y = traced_program<F, A...>()(x), weights = with_numbers(y, random_numbers(numbers_in(y).size(), bits));
    leaf_list const steps = with_numbers(x, random_numbers(numbers_in(x).size(), bits));
    leaf_list given = x;
    given.insert(given.end(), weights.begin(), weights.end());
    leaf_list const first = traced_program<pullback, A..., R>()(given);
    given.insert(given.end(), steps.begin(), steps.end());
    leaf_list const second = traced_program<pullback_of<pullback>, A..., R, G>()(given);

    auto const sources = tensors_like(std::tuple<A...>(), x);
    gradient_tape outer, inner;
    outer.watch(sources);
    inner.watch(sources);
    auto const results = std::apply(F(), sources);
    auto const gradient = inner.gradient(results, sources, tensors_like(results, weights));
    check_near("order 1", gradient, first);
    check_near("order 2", outer.gradient(gradient, sources, tensors_like(sources, steps)), second);
}

} // namespace tx::testing
