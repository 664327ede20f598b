// Records the recurrent networks of ONNX, LSTM, GRU and RNN, as loops over time.
#pragma once

#include <tracexpr/onnx/operators/control.hpp>

namespace tx::onnx::detail {

// Records the activation with this name in a recurrent network.
inline node_id activated(op_call const& c, std::string_view name, node_id x, double alpha, double beta) {
    auto const is = [&](std::string_view other) {
        bool same = name.size() == other.size();
        for (std::size_t k = 0; same && k < name.size(); ++k) same = (name[k] | 32) == (other[k] | 32);
        return same;
    };
    if (is("Sigmoid")) return c.append(op::sigmoid, x);
    if (is("Tanh")) return c.append(op::tanh, x);
    if (is("Relu")) return c.append(op::maximum, x, c.low().zero_like(x));
    if (is("HardSigmoid")) return hard_sigmoid(c, x, std::isnan(alpha) ? 0.2 : alpha, std::isnan(beta) ? 0.5 : beta);
    if (is("Softsign")) return c.append(op::divide, x, plus(c, c.append(op::absolute, x), 1));
    if (is("Softplus")) return softplus(c, x);
    if (is("Affine")) return plus(c, times(c, x, std::isnan(alpha) ? 1 : alpha), std::isnan(beta) ? 0 : beta);
    if (is("ScaledTanh"))
        return times(c, c.append(op::tanh, times(c, x, std::isnan(beta) ? 1 : beta)), std::isnan(alpha) ? 1 : alpha);
    if (is("LeakyRelu"))
        return c.choose(c.append(op::less, x, c.low().zero_like(x)), times(c, x, std::isnan(alpha) ? 0.01 : alpha), x);
    if (is("ThresholdedRelu"))
        return c.choose(c.append(op::greater, x, c.number_like(x, std::isnan(alpha) ? 1 : alpha)), x, c.low().zero_like(x));
    if (is("Elu")) return where_positive(c, x, x, times(c, expm1_below(c, x), std::isnan(alpha) ? 1 : alpha));
    c.fail("has no activation " + quoted_piece(name));
}

// Reads the operands and attributes of a network, and records it one direction after the other.
class recurrent_layer {
public:
    enum class kind { rnn, gru, lstm };

    recurrent_layer(op_call& c, kind of) : c_{c}, kind_{of}, gates_{of == kind::lstm ? 4 : of == kind::gru ? 3 : 1} {
        batch_first_ = c.integer("layout", 0) != 0;
        x_ = batch_first_ ? c.low().transpose(c[0], attribute_list(1, 0, 2)) : c[0];
        if (c.rank(x_) != 3 || c.rank(c[1]) != 3 || c.rank(c[2]) != 3)
            c.fail("takes x (time, batch, features), and weights of three axes");
        size_ = c.known_extent(c[2], 2);
        directions_ = c.known_extent(c[1], 0);
        std::string_view const direction = c.text("direction", "forward");
        if (directions_ != (direction == "bidirectional" ? 2 : 1)) c.fail("its weights must be those of its directions");
        is_reverse_ = direction == "reverse";
        for (std::string_view const name : c.texts("activations")) activations_.emplace_back(name);
        alpha_ = c.numbers("activation_alpha"), beta_ = c.numbers("activation_beta");
        if (activations_.empty())
            for (std::int64_t d = 0; d < directions_; ++d) {
                activations_.emplace_back(of == kind::rnn ? "Tanh" : "Sigmoid");
                if (of != kind::rnn) activations_.emplace_back("Tanh");
                if (of == kind::lstm) activations_.emplace_back("Tanh");
            }
        if (activations_.size() != static_cast<std::size_t>(directions_) * per_direction())
            c.fail("needs an activation for each gate and direction");
    }
    void record() {
        std::vector<node_id> all, last, last_c;
        for (std::int64_t d = 0; d < directions_; ++d) {
            buffer<node_id> const out = direction(d);
            bool const is_lstm = kind_ == kind::lstm;
            bool const back = is_reverse_ || d == 1;
            node_id const y = out[is_lstm ? 2 : 1];
            all.push_back(c_.low().expand(back ? turned(y) : y, 1));
            last.push_back(c_.low().expand(out[0], 0));
            if (is_lstm) last_c.push_back(c_.low().expand(out[1], 0));
        }
        auto const joined = [&](std::vector<node_id> const& parts, int axis) {
            return c_.append(op::concatenate, {parts.data(), parts.size()}, attribute_list(axis));
        };
        node_id y = joined(all, 1), h = joined(last, 0); // (time, directions, batch, h), (directions, batch, h)
        if (batch_first_)
            y = c_.low().transpose(y, attribute_list(2, 0, 1, 3)), h = c_.low().transpose(h, attribute_list(1, 0, 2));
        c_.give(0, y), c_.give(1, h);
        if (last_c.empty()) return;
        node_id const cell = joined(last_c, 0);
        c_.give(2, batch_first_ ? c_.low().transpose(cell, attribute_list(1, 0, 2)) : cell);
    }

private:
    std::size_t per_direction() const { return kind_ == kind::lstm ? 3 : kind_ == kind::gru ? 2 : 1; }
    // Returns element d of an operand along its first axis.
    node_id part(node_id v, std::int64_t d) const { return c_.low().squeeze(c_.low().slice(v, 0, d, d + 1), 0); }
    node_id piece(node_id v, std::int64_t k) const { return c_.low().slice(v, c_.rank(v) - 1, k * size_, (k + 1) * size_); }
    node_id activate(std::int64_t d, std::size_t k, node_id v) const {
        std::size_t const at = static_cast<std::size_t>(d) * per_direction() + k;
        auto const given = [&](std::vector<float> const& all) {
            return at < all.size() ? static_cast<double>(all[at]) : std::nan("");
        };
        double const clip = c_.number("clip", 0);
        if (clip > 0) v = c_.append(op::minimum, c_.append(op::maximum, v, c_.number_like(v, -clip)), c_.number_like(v, clip));
        return activated(c_, activations_[at], v, given(alpha_), given(beta_));
    }
    // Reverses the times. In the reverse direction each example begins at its own end.
    node_id turned(node_id v) const {
        return c_.has(4) ? record_reversed(c_.low(), v, c_.as(c_[4], dtype::int64), 0, 1) : reversed(c_, v, 0);
    }
    node_id state(std::size_t operand, std::int64_t d) const {
        if (!c_.has(operand)) {
            std::int64_t const examples = c_.shape(x_)[1];
            if (examples == dyn)
                c_.fail("without an initial state the number of examples must be known while the model is traced");
            return c_.broadcast(c_.low().zero_like(x_), dims{{examples, size_}, 2});
        }
        node_id const given = c_[operand];
        return part(batch_first_ ? c_.low().transpose(given, attribute_list(1, 0, 2)) : given, d);
    }

    buffer<node_id> direction(std::int64_t d) {
        bool const back = is_reverse_ || d == 1, is_lstm = kind_ == kind::lstm;
        node_id const w = c_.low().swap_last_axes(part(c_[1], d)), r = c_.low().swap_last_axes(part(c_[2], d));
        node_id const x = back ? turned(x_) : x_;
        node_id wx = c_.append(op::matmul, x, w), bias_of_r = node_id::none;
        if (c_.has(3)) {
            node_id const b = part(c_[3], d), of_w = c_.low().slice(b, 0, 0, gates_ * size_),
                          of_r = c_.low().slice(b, 0, gates_ * size_, 2 * gates_ * size_);
            wx = c_.append(op::add, wx, of_w);
            if (kind_ == kind::gru) bias_of_r = of_r;
            else wx = c_.append(op::add, wx, of_r);
        }
        std::vector<node_id> start{state(5, d)};
        if (is_lstm) start.push_back(state(6, d));
        std::vector<node_id> sequences{wx};
        if (c_.has(4)) sequences.push_back(c_.iota_along(x, 0));
        traced_value const weights = here(r), bias = bias_of_r == node_id::none ? traced_value{} : here(bias_of_r);
        traced_value const peepholes = is_lstm && c_.has(7) ? here(part(c_[7], d)) : traced_value{};
        traced_value const lengths = c_.has(4) ? here(c_.low().expand(c_.as(c_[4], dtype::int64), 1)) : traced_value{};
        return record_scan(c_, start, sequences, false, [&](std::vector<node_id> const& s, std::vector<node_id> const& e) {
            auto const inside = [&](traced_value const& v) { return v.home ? c_.tracer().here(v).id : node_id::none; };
            std::vector<node_id> next =
                is_lstm ? lstm(d, s, e[0], inside(weights), inside(peepholes))
                : kind_ == kind::gru
                    ? std::vector{gru(d, s[0], e[0], inside(weights), inside(bias))}
                    : std::vector{activate(d, 0, c_.append(op::add, e[0], c_.append(op::matmul, s[0], inside(weights))))};
            node_id y = next[0];
            if (lengths.home) { // behind its end an example keeps its state and gives zeros
                node_id const goes_on = c_.append(op::less, e[1], inside(lengths));
                y = c_.choose(goes_on, y, c_.low().zero_like(y));
                for (std::size_t k = 0; k < next.size(); ++k) next[k] = c_.choose(goes_on, next[k], s[k]);
            }
            next.push_back(y);
            return next;
        });
    }
    traced_value here(node_id id) const { return {&c_.tracer().innermost().scope, id, {}, false}; }
    // The gates are in the order i o f c.
    std::vector<node_id> lstm(std::int64_t d, std::vector<node_id> const& s, node_id wx, node_id r, node_id p) const {
        node_id const all = c_.append(op::add, wx, c_.append(op::matmul, s[0], r));
        auto const peeped = [&](node_id gate, std::int64_t k, node_id cell) {
            return p == node_id::none ? gate : c_.append(op::add, gate, c_.append(op::multiply, piece(p, k), cell));
        };
        node_id const in = activate(d, 0, peeped(piece(all, 0), 0, s[1]));
        node_id const forget = c_.integer("input_forget", 0) ? c_.append(op::subtract, c_.number_like(in, 1), in)
                                                             : activate(d, 0, peeped(piece(all, 2), 2, s[1]));
        node_id const candidate = activate(d, 1, piece(all, 3));
        node_id const cell = c_.append(op::add, c_.append(op::multiply, forget, s[1]), c_.append(op::multiply, in, candidate));
        node_id const out = activate(d, 0, peeped(piece(all, 1), 1, cell));
        return {c_.append(op::multiply, out, activate_cell(d, cell)), cell};
    }
    node_id activate_cell(std::int64_t d, node_id cell) const {
        std::size_t const at = static_cast<std::size_t>(d) * per_direction() + 2;
        return activated(c_, activations_[at], cell, std::nan(""), std::nan(""));
    }
    // The gates are in the order z r h.
    node_id gru(std::int64_t d, node_id h, node_id wx, node_id r, node_id bias) const {
        bool const behind = c_.integer("linear_before_reset", 0) != 0;
        auto const beside = [&](node_id v, std::int64_t k) {
            return bias == node_id::none ? v : c_.append(op::add, v, piece(bias, k));
        };
        auto const product = [&](node_id state, std::int64_t k) { return beside(c_.append(op::matmul, state, piece(r, k)), k); };
        node_id const update = activate(d, 0, c_.append(op::add, piece(wx, 0), product(h, 0)));
        node_id const reset = activate(d, 0, c_.append(op::add, piece(wx, 1), product(h, 1)));
        node_id const from_state =
            behind ? c_.append(op::multiply, reset, product(h, 2)) : product(c_.append(op::multiply, reset, h), 2);
        node_id const candidate = activate(d, 1, c_.append(op::add, piece(wx, 2), from_state));
        return c_.append(op::add, candidate, c_.append(op::multiply, update, c_.append(op::subtract, h, candidate)));
    }

    op_call& c_;
    kind kind_;
    std::int64_t gates_, size_ = 0, directions_ = 1;
    bool batch_first_ = false, is_reverse_ = false;
    node_id x_{};
    std::vector<std::string> activations_;
    std::vector<float> alpha_, beta_;
};
inline void record_rnn_node(op_call& c) { recurrent_layer(c, recurrent_layer::kind::rnn).record(); }
inline void record_gru_node(op_call& c) { recurrent_layer(c, recurrent_layer::kind::gru).record(); }
inline void record_lstm_node(op_call& c) { recurrent_layer(c, recurrent_layer::kind::lstm).record(); }

} // namespace tx::onnx::detail
