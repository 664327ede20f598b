// This file holds recurrent networks: one step, and sequences, whose inputs are multiplied by the weights for all times at once.
// Weights and states are anything that structured bindings can decompose: a tuple, or a struct of parameters.
#pragma once

#include <tracexpr/nn/recurrent_cells.hpp>
#include <tracexpr/transforms/loops.hpp>

namespace tx {
namespace nn {

// This option of lstm, gru and rnn says that the sequence is processed from its last element to its first; outputs stay at the
// times of their inputs.
enum reversed_t { reversed };
// This option of lstm, gru and rnn says that the sequence is processed both ways, each with its own state and weights; the
// outputs of both are concatenated.
enum bidirectional_t { bidirectional };

} // namespace nn
namespace detail {

// Computes the product of the input, of one step or of all steps, and its weights, plus the bias.
template <class X, class W, class B> constexpr auto input_product(X const& x, W const& w, B const& b) {
    using T = mean_sum_type<ctype<common_dtype<X, W, B>>>;
    return built_fn<linear_builder<true>>{}(cast_to<T>(x), cast_to<T>(w), cast_to<T>(b));
}
// Says what is wrong with the operands x, h, w, u, b, and c of an LSTM or the bias of h of a GRU; null if nothing is. In a
// sequence x has an axis of times in front.
TRACEXPR_ONCE constexpr char const* recurrent_problem(builder_specs given, cell kind, bool is_sequence) {
    builder_spec const &x = given[0], &h = given[1], &w = given[2], &u = given[3], &b = given[4];
    builder_spec const product[]{x, w, b};
    if (char const* const wrong = linear_problem(product)) return wrong;
    bool const is_known = x.shape.rank >= 0 && w.shape.rank >= 0;
    dims all = is_known ? linear_shape(product) : dims{{}, dims::unknown_rank};
    if (is_sequence && is_known && all.rank < 2) return "xs must have an axis of times, (t, ..., in)";
    if (is_sequence && is_known) all = without_leading(all);
    builder_spec const more = given.size() > 5 ? given[5] : builder_spec{};
    bool const is_lstm = kind == cell::lstm;
    builder_spec const of_cell[]{{x.type, all}, h, is_lstm ? more : u, is_lstm ? u : more};
    return cell_problem({of_cell, given.size() - 2}, kind);
}
template <cell Kind, bool IsSequence> struct recurrent_operands {
    static constexpr char const* called = cell_builder<Kind>::called;
    static constexpr char const* problem(builder_specs given) { return recurrent_problem(given, Kind, IsSequence); }
};

template <cell Kind> struct cell_fn {
    static constexpr char const* called = cell_builder<Kind>::called;
    template <class X, class H, class W, class U, class B, class... More>
    constexpr auto operator()(X const& x, H const& h, W const& w, U const& u, B const& b, More const&... more) const {
        return step(input_product(with_check<recurrent_operands<Kind, false>>(x, x, h, w, u, b, more...), w, b), h, u, more...);
    }
    // Records one step from the product of the input. `more` is c of an LSTM, or the bias of h of a GRU.
    template <class P, class H, class U, class... More>
    static constexpr auto step(P const& product, H const& h, U const& u, More const&... more) {
        if constexpr (Kind == cell::lstm) return built_fn<cell_builder<Kind>>{}(product, h, more..., u);
        else return built_fn<cell_builder<Kind>>{}(product, h, u, more...);
    }
};
// Runs a sequence. The results are the last state (h, and c of an LSTM) and all h.
template <cell Kind, bool Reversed> struct sequence_fn {
    static constexpr char const* called = cell_builder<Kind>::called;
    template <class X, class H, class W, class U, class B, class... More>
    constexpr auto operator()(X const& xs, H const& h, W const& w, U const& u, B const& b, More const&... more) const {
        auto const products = input_product(with_check<recurrent_operands<Kind, true>>(xs, xs, h, w, u, b, more...), w, b);
        auto const first = cast_to<mean_type<typename H::value_type>>(h);
        if constexpr (Kind == cell::lstm) {
            auto const body = [&](auto const& state, auto const& product) {
                auto const [next, c] = cell_fn<Kind>::step(product, std::get<0>(state), u, std::get<1>(state));
                return std::pair(std::pair(next, c), next);
            };
            auto const [last, all] = tx::scan(body, std::pair(first, cast_to<mean_type<typename H::value_type>>(more)...),
                                              products, {.reverse = Reversed});
            return std::tuple(last.first, last.second, all);
        } else {
            auto const body = [&](auto const& state, auto const& product) {
                auto const next = cell_fn<Kind>::step(product, state, u, more...);
                return std::pair(next, next);
            };
            return tx::scan(body, first, products, {.reverse = Reversed});
        }
    }
};

template <cell Kind, bool IsSequence, bool Reversed, class X, class H, class W, class U, class B, class... More>
constexpr auto run_recurrent(X const& x, H const& h, W const& w, U const& u, B const& b, More const&... more) {
    constexpr bool fits = checked_types<recurrent_operands<Kind, IsSequence>, X, H, W, U, B, More...>::problem == nullptr;
    static_assert(fits, "tx: lstm, gru, rnn: need x (..., in), or (t, ..., in) of sequences, a state of (..., h), and weights "
                        "(in, gates h), (h, gates h) and (gates h): 4 gates of an LSTM, 3 of a GRU, 1 of an RNN");
    if constexpr (IsSequence) return apply_if<fits>(sequence_fn<Kind, Reversed>{}, x, h, w, u, b, more...);
    else return apply_if<fits>(cell_fn<Kind>{}, x, h, w, u, b, more...);
}

// Returns whether a type has this many parts. A tensor is never several parts, as far as structured bindings go.
template <class P, std::size_t Count> constexpr bool has_parts() {
    if constexpr (requires { std::tuple_size<P>::value; }) return std::tuple_size<P>::value == Count;
    else return !operand<P>;
}
template <cell Kind, class S, class W> constexpr bool check_parts() {
    constexpr bool has_state = Kind != cell::lstm || has_parts<S, 2>();
    constexpr bool has_weights = has_parts<W, Kind == cell::gru ? 4 : 3>();
    static_assert(has_state, "tx: lstm: the state is two tensors, h and c: std::pair(h, c)");
    static_assert(has_weights,
                  "tx: lstm, gru, rnn: the weights are three tensors, of gru four: std::tuple(of_x, of_h, bias), and the "
                  "bias of h");
    return has_state && has_weights;
}
template <bool Reversed, class X, class S, class W> constexpr auto run_lstm_with(X const& xs, S const& state, W const& weights) {
    auto const& [h, c] = state;
    auto const& [w, u, b] = weights;
    auto out = run_recurrent<cell::lstm, true, Reversed>(xs, h, w, u, b, c);
    if constexpr (is_failed<decltype(out)>) return out;
    else return std::pair(std::pair(std::get<0>(out), std::get<1>(out)), std::get<2>(out));
}
template <bool Reversed, class X, class S, class W> constexpr auto run_lstm(X const& xs, S const& state, W const& weights) {
    if constexpr (!check_parts<cell::lstm, S, W>()) return failed{};
    else return run_lstm_with<Reversed>(xs, state, weights);
}
template <bool Reversed, class X, class S, class W> constexpr auto run_gru(X const& xs, S const& state, W const& weights) {
    if constexpr (!check_parts<cell::gru, S, W>()) {
        return failed{};
    } else {
        auto const& [w, u, b, c] = weights;
        return run_recurrent<cell::gru, true, Reversed>(xs, state, w, u, b, c);
    }
}
template <bool Reversed, class X, class S, class W> constexpr auto run_rnn(X const& xs, S const& state, W const& weights) {
    if constexpr (!check_parts<cell::rnn, S, W>()) {
        return failed{};
    } else {
        auto const& [w, u, b] = weights;
        return run_recurrent<cell::rnn, true, Reversed>(xs, state, w, u, b);
    }
}
// Returns the states of both directions, and their outputs concatenated.
template <class A, class B> constexpr auto both_ways(A const& forward, B const& backward) {
    if constexpr (is_failed<A> || is_failed<B>) return failed{};
    else return std::pair(std::pair(forward.first, backward.first), tx::concat<-1>(forward.second, backward.second));
}

} // namespace detail

namespace nn {
inline namespace TRACEXPR_CALLS {

// Computes one step of an LSTM: x (..., in), the state (h, c) of (..., h) each, and weights (in, 4 h), (h, 4 h) and a bias (4 h),
// whose gates are in the order i f g o -> the next (h, c). For PyTorch's parameters pass the transposes of the weights and the
// sum of the two biases.
template <array_operand X, class S, class W>
[[nodiscard]] constexpr auto lstm_cell(X const& x, S const& state, W const& weights) {
    if constexpr (!detail::check_parts<detail::cell::lstm, S, W>()) {
        return detail::failed{};
    } else {
        auto const& [h, c] = state;
        auto const& [w, u, b] = weights;
        return detail::run_recurrent<detail::cell::lstm, false, false>(x, h, w, u, b, c);
    }
}
// Computes one step of a GRU: x (..., in), h (..., h), and weights (in, 3 h), (h, 3 h) and biases (3 h) of each, whose gates are
// in the order r z n -> the next h. The reset gate is applied after the product, as in PyTorch, cuDNN and ONNX with
// linear_before_reset.
template <array_operand X, array_operand H, class W>
[[nodiscard]] constexpr auto gru_cell(X const& x, H const& h, W const& weights) {
    if constexpr (!detail::check_parts<detail::cell::gru, H, W>()) {
        return detail::failed{};
    } else {
        auto const& [w, u, b, c] = weights;
        return detail::run_recurrent<detail::cell::gru, false, false>(x, h, w, u, b, c);
    }
}
// Computes tanh(x w + h u + b): x (..., in), h (..., h), and weights (in, h), (h, h) and (h) -> the next h. Elman, Finding
// Structure in Time (1990).
template <array_operand X, array_operand H, class W>
[[nodiscard]] constexpr auto rnn_cell(X const& x, H const& h, W const& weights) {
    if constexpr (!detail::check_parts<detail::cell::rnn, H, W>()) {
        return detail::failed{};
    } else {
        auto const& [w, u, b] = weights;
        return detail::run_recurrent<detail::cell::rnn, false, false>(x, h, w, u, b);
    }
}
// Applies lstm_cell to each element of xs (t, ..., in): gives the last (h, c), and all h, (t, ..., h). Options: lstm(xs, state,
// weights, tx::nn::reversed), and lstm(xs, two states, two weights, tx::nn::bidirectional).
template <array_operand X, class S, class W> [[nodiscard]] constexpr auto lstm(X const& xs, S const& state, W const& weights) {
    return detail::run_lstm<false>(xs, state, weights);
}
template <array_operand X, class S, class W>
[[nodiscard]] constexpr auto lstm(X const& xs, S const& state, W const& weights, reversed_t) {
    return detail::run_lstm<true>(xs, state, weights);
}
template <array_operand X, class S, class W>
[[nodiscard]] constexpr auto lstm(X const& xs, S const& states, W const& weights, bidirectional_t) {
    auto const& [forward, backward] = states;
    auto const& [w, v] = weights;
    return detail::both_ways(detail::run_lstm<false>(xs, forward, w), detail::run_lstm<true>(xs, backward, v));
}
// Applies gru_cell to each element of xs (t, ..., in): gives the last h, and all h, (t, ..., h). The options are those of lstm.
template <array_operand X, class S, class W> [[nodiscard]] constexpr auto gru(X const& xs, S const& state, W const& weights) {
    return detail::run_gru<false>(xs, state, weights);
}
template <array_operand X, class S, class W>
[[nodiscard]] constexpr auto gru(X const& xs, S const& state, W const& weights, reversed_t) {
    return detail::run_gru<true>(xs, state, weights);
}
template <array_operand X, class S, class W>
[[nodiscard]] constexpr auto gru(X const& xs, S const& states, W const& weights, bidirectional_t) {
    auto const& [forward, backward] = states;
    auto const& [w, v] = weights;
    return detail::both_ways(detail::run_gru<false>(xs, forward, w), detail::run_gru<true>(xs, backward, v));
}
// Applies rnn_cell to each element of xs (t, ..., in): gives the last h, and all h, (t, ..., h). The options are those of lstm.
template <array_operand X, class S, class W> [[nodiscard]] constexpr auto rnn(X const& xs, S const& state, W const& weights) {
    return detail::run_rnn<false>(xs, state, weights);
}
template <array_operand X, class S, class W>
[[nodiscard]] constexpr auto rnn(X const& xs, S const& state, W const& weights, reversed_t) {
    return detail::run_rnn<true>(xs, state, weights);
}
template <array_operand X, class S, class W>
[[nodiscard]] constexpr auto rnn(X const& xs, S const& states, W const& weights, bidirectional_t) {
    auto const& [forward, backward] = states;
    auto const& [w, v] = weights;
    return detail::both_ways(detail::run_rnn<false>(xs, forward, w), detail::run_rnn<true>(xs, backward, v));
}

} // namespace TRACEXPR_CALLS
} // namespace nn
} // namespace tx
