// tx::mpi::sharded shards an optimizer's state over the ranks: each rank keeps the state of its part of the parameters, and
// computes the step of this part alone. (Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter
// Models, 2020, stage 1)
#pragma once

#include <tracexpr/mpi/ops.hpp>
#include <tracexpr/mpi/shards.hpp>
#include <tracexpr/optim/norms.hpp>

#include <limits>
#include <tuple>
#include <utility>

namespace tx::mpi {

// The options of tx::mpi::sharded.
struct sharded_options {
    bool reduce_gradients = true; // false: the gradients are the ranks' mean already, as data_parallel gives it
    double max_norm = std::numeric_limits<double>::infinity(); // the mean gradient is scaled down to this norm
};

namespace detail::ops {

// Returns the gradients of this rank's part of the parameters, scaled as tx::optim::clip_by_global_norm scales those of all
// parameters.
template <class Parts, class C> constexpr auto clipped_parts(Parts const& gradients, double max_norm, C const& among) {
    using R = optim::detail::number_of_squares<Parts>;
    auto const size = all_reduce(optim::detail::sum_over_leaves(optim::detail::size_fn<R>{}, gradients), sum, among);
    auto const scale = tx::detail::apply(optim::detail::scale_fn<R>{}, size);
    auto const own = optim::detail::sum_over_leaves(optim::detail::squares_fn<R>{}, gradients, scale);
    auto const squares = all_reduce(own, sum, among);
    return optim::detail::clipped_by(gradients, optim::detail::clip_factors<R>(squares, scale, max_norm));
}

// Converts a state to the type Result: where it has a tree of type From and Result has one of type To, f(tree) is used.
template <class From, class To, class Result, class A, class F> constexpr Result exchanged(A const& state, F const& f) {
    if constexpr (std::is_same_v<A, From> && std::is_same_v<Result, To>) {
        return f(state);
    } else if constexpr (leaf<A> || expr_type<A> || !(parted<A> || aggregate<A>)) {
        return state;
    } else if constexpr (list_type<A>) {
        return map_list_to<Result>(state, [&](auto const& part) { return exchanged<From, To, list_part<Result>>(part, f); });
    } else {
        using fields = decltype(parts_of(std::declval<Result const&>()));
        auto const all = parts_of(state);
        return with_parts(all, [&](auto const&... part) {
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return Result{exchanged<From, To, std::remove_cvref_t<std::tuple_element_t<I, fields>>>(part, f)...};
            }(std::index_sequence_for<decltype(part)...>{});
        });
    }
}
// Checks that a vector of a state is as long as this rank's part. (In a trace the op checks it when it runs.)
template <class A, class B> constexpr A as_long_as(A const& given, B const& wanted) {
    if constexpr (expr_type<B>) return kept_as<A>(tx::detail::apply(as_shape_fn<op::reshape, shape<dyn>>{}, given, wanted));
    else if (given.size() != wanted.size())
        throw shape_error("tx: mpi: sharded: the state must be of these parameters and of this number of ranks; it has " +
                          std::to_string(given.size()) + " elements of a dtype, this rank's part " +
                          std::to_string(wanted.size()));
    else return given;
}
// Checks by as_long_as that each vector of a state is as long as this rank's part of the parameters, `own`.
template <class Part, class S, class Own> constexpr S state_of(S const& state, Own const& own) {
    return exchanged<Part, Part, S>(state, [&](Part const& part) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return Part{as_long_as(std::get<I>(part), std::get<I>(own))...};
        }(std::make_index_sequence<std::tuple_size_v<Part>>{});
    });
}

template <class O> constexpr bool require_elementwise() {
    constexpr bool is_elementwise = requires { requires O::is_elementwise; };
    static_assert(is_elementwise,
                  "tx: mpi: sharded: the step of each element must follow from the gradients of this element alone, as with "
                  "sgd, adam, adamw and rmsprop; an optimizer of your own says so: static constexpr bool is_elementwise = true;");
    return is_elementwise;
}

} // namespace detail::ops

// sharded_optimizer is the type that tx::mpi::sharded returns. It has the interface of the optimizer that it wraps.
template <class Optimizer, communicator_like C> struct sharded_optimizer {
    Optimizer optimizer;
    C among;
    sharded_options options;

    // Gives the initial state of this rank's part of the parameters, as one vector for each dtype: of n elements of a dtype, rank
    // r has the ceil(n / size) elements from r * ceil(n / size) on, padded with zeros behind the last one. It sends no message.
    template <class P> constexpr auto init(P const& params) const {
        if constexpr (detail::ops::require_elementwise<Optimizer>() && optim::detail::require_parameters<P>())
            return detail::ops::with_shards(
                among, [&](auto const& shards) { return optimizer.init(shards.parts_of(params, params)); }, params);
        else return tx::detail::failed{};
    }
    // Gives the next parameters, which are the same on every rank, and the next state. `gradients` are this rank's, whose mean
    // over the ranks is taken, or with `reduce_gradients = false` that mean. `rate` is passed to the wrapped optimizer, if given.
    // Each dtype needs a reduce_scatter and an all_gather of its elements; all ranks must call it. Throws shape_error where the
    // state is that of another number of parameters or ranks.
    template <class G, class S, class P, operand... R>
    constexpr auto update(G const& gradients, S const& state, P const& params, R const&... rate) const {
        if constexpr (detail::ops::require_elementwise<Optimizer>() && optim::detail::require_update<G, P, P>()) {
            optim::detail::require_forms(params, gradients, params);
            return detail::ops::with_shards(
                among,
                [&](auto const& shards) {
                    auto const own = shards.parts_of(params, params);
                    auto const state_now = detail::ops::state_of<detail::ops::part_of_tree<P>>(state, own);
                    auto const [next, next_state] =
                        optimizer.update(own_gradients(shards, gradients, params), state_now, own, rate...);
                    return std::pair(shards.whole_of(next, params), next_state);
                },
                gradients, state, params);
        } else return tx::detail::failed{};
    }

    // Gives every rank the whole state, as the wrapped optimizer would have it for these parameters. It does not depend on the
    // number of ranks, so it can be saved. All ranks must call it.
    template <class S, class P> constexpr auto gathered(S const& state, P const& params) const {
        using part = detail::ops::part_of_tree<P>;
        using whole = detail::ops::kept_tree<P>;
        using result = std::remove_cvref_t<decltype(optimizer.init(params))>;
        return detail::ops::with_shards(
            among,
            [&](auto const& shards) {
                return detail::ops::exchanged<part, whole, result>(
                    detail::ops::state_of<part>(state, shards.parts_of(params, params)),
                    [&](part const& own) { return whole(shards.whole_of(own, detail::ops::kept_of(params))); });
            },
            state, params);
    }
    // Gives this rank's part of a whole state, such as `gathered` gives. It sends no message.
    template <class S, class P> constexpr auto scattered(S const& state, P const& params) const {
        using part = detail::ops::part_of_tree<P>;
        using whole = detail::ops::kept_tree<P>;
        using result = std::remove_cvref_t<decltype(init(params))>;
        return detail::ops::with_shards(
            among,
            [&](auto const& shards) {
                return detail::ops::exchanged<whole, part, result>(
                    state, [&](whole const& all) { return part(shards.parts_of(params, all)); });
            },
            state, params);
    }

private:
    template <class Shards, class G, class P>
    constexpr auto own_gradients(Shards const& shards, G const& gradients, P const& params) const {
        auto const own = options.reduce_gradients ? shards.mean_parts_of(params, gradients) : shards.parts_of(params, gradients);
        if constexpr (std::tuple_size_v<std::remove_const_t<decltype(own)>> > 0)
            if (options.max_norm < std::numeric_limits<double>::infinity())
                return detail::ops::clipped_parts(own, options.max_norm, among);
        return own;
    }
};

// Wraps an elementwise optimizer so that each rank keeps 1 / size of its state: sharded(tx::optim::adam(1e-3), world). The update
// of each element must depend only on its own gradients, as with sgd, adam, adamw and rmsprop.
template <class Optimizer, communicator_like C> [[nodiscard]] constexpr sharded_optimizer<Optimizer, C>
sharded(Optimizer const& optimizer, C const& among, sharded_options options = {}) {
    static_cast<void>(detail::ops::require_elementwise<Optimizer>());
    return {optimizer, among, options};
}

} // namespace tx::mpi
