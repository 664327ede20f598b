// This file compares steps of an optimizer whose state is divided among the ranks with those of the optimizer itself.
#pragma once

#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

namespace mpi = tx::mpi;
using tx::dyn;
using tx::shape;
using tx::tensor;

template <class T> T number(double angle) {
    if constexpr (tx::is_complex(tx::dtype_of<T>))
        return {number<typename T::value_type>(angle), number<typename T::value_type>(2 * angle)};
    else return static_cast<T>(static_cast<float>(std::sin(angle)));
}
// Gives a tree of the form of `like`, with other numbers for each `from`.
template <class Tree> Tree numbers(Tree const& like, double from) {
    return tx::tree_map(
        [&]<class T, class Shape>(tensor<T, Shape> out) {
            T* const p = out.mutable_data();
            for (std::int64_t i = 0; i < out.size(); ++i) p[i] = number<T>(from + 0.7 * static_cast<double>(i));
            return out;
        },
        like);
}
template <class Tree> Tree own_numbers(Tree const& like, int step) {
    return numbers(like, step + 10.0 * static_cast<double>(mpi::world().rank()));
}
// Are both trees equal, except for the rounding of sums over the ranks?
template <class A, class B> bool are_close(A const& a, B const& b) {
    bool are = true;
    static_cast<void>(tx::tree_map(
        [&]<class T, class Shape>(tensor<T, Shape> const& x, auto const& y) {
            double const rounding = sizeof(T) == 2 ? 0.01 : 1e-5;
            are = are && x.dimensions() == y.dimensions() && tx::all(tx::abs(x - y) < rounding).item();
            return x;
        },
        a, b));
    return are;
}

// Makes eager and traced steps of the sharded optimizer in turn, and those of the optimizer itself on the mean of all gradients.
template <class Optimizer, class Tree> void check_steps(Optimizer const& optimizer, Tree const& start) {
    auto const world = mpi::world();
    auto const sharded = mpi::sharded(optimizer, world);
    auto const of_mean = mpi::sharded(optimizer, world, {.reduce_gradients = false});
    tx::function const step{[=](auto gradient, auto state, auto p) { return sharded.update(gradient, state, p); }};
    tx::function const step_of_mean{[=](auto gradient, auto state, auto p) { return of_mean.update(gradient, state, p); }};
    Tree whole = start, own = start, given = start;
    auto whole_state = optimizer.init(whole);
    auto state = sharded.init(own), given_state = of_mean.init(given);
    for (int k = 0; k < 4; ++k) {
        Tree const gradient = own_numbers(start, k), mean = mpi::all_reduce(gradient, mpi::mean, world);
        std::tie(own, state) = k % 2 == 0 ? step(gradient, state, own) : sharded.update(gradient, state, own);
        std::tie(given, given_state) =
            k % 2 == 0 ? step_of_mean(mean, given_state, given) : of_mean.update(mean, given_state, given);
        std::tie(whole, whole_state) = optimizer.update(mean, whole_state, whole);
        CHECK(are_close(own, whole));
        CHECK(are_close(given, whole));
    }
    CHECK(are_close(sharded.gathered(state, own), whole_state));
    CHECK(are_close(sharded.scattered(whole_state, whole), state));
}

} // namespace
