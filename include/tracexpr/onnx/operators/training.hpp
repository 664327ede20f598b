// Records operators of ONNX's other domains: steps of optimizers (ai.onnx.preview.training) and label encoders (ai.onnx.ml).
#pragma once

#include <tracexpr/onnx/operators/shapes.hpp>

namespace tx::onnx::detail {

// Holds the operands of a step: a learning rate, the number of the step, then for each of some tensors the tensor, its gradient,
// and its states.
struct step_operands {
    op_call const& call;
    std::size_t kinds, count;

    step_operands(op_call const& c, std::size_t of_each) : call{c}, kinds{of_each}, count{(c.operands() - 2) / of_each} {
        if (c.operands() < 2 + of_each || (c.operands() - 2) % of_each != 0)
            c.fail("needs a rate, a number and tensors of each kind");
    }
    node_id of(std::size_t kind, std::size_t k) const { return call[2 + kind * count + k]; }
    node_id rate(node_id x) const { return scalar(0, x); }
    node_id step(node_id x) const { return scalar(1, x); }
    // Returns the gradient plus norm_coefficient times the tensor.
    node_id gradient(std::size_t k) const {
        return call.append(op::add, of(1, k), times(call, of(0, k), call.number("norm_coefficient", 0)));
    }

private:
    node_id scalar(std::size_t k, node_id x) const {
        node_id const v = call.as(call[k], call.type(x));
        return call.rank(v) == 0 ? v : call.reshape(v, dims{});
    }
};
inline node_id minus(op_call const& c, node_id x, node_id y) { return c.append(op::subtract, x, y); }
inline node_id multiplied(op_call const& c, node_id x, node_id y) { return c.append(op::multiply, x, y); }
inline node_id mixed(op_call const& c, node_id old, node_id fresh, double share) {
    return c.append(op::add, times(c, old, share), times(c, fresh, 1 - share));
}
inline void record_adagrad(op_call& c) {
    step_operands const in(c, 3);
    for (std::size_t k = 0; k < in.count; ++k) {
        node_id const x = in.of(0, k), g = in.gradient(k);
        node_id const rate = c.append(op::divide, in.rate(x), plus(c, times(c, in.step(x), c.number("decay_factor", 0)), 1));
        node_id const squares = c.append(op::add, in.of(2, k), squared(c, g));
        node_id const size = plus(c, c.append(op::sqrt, squares), c.number("epsilon", 1e-6));
        c.give(k, minus(c, x, c.append(op::divide, multiplied(c, rate, g), size)));
        c.give(in.count + k, squares);
    }
}
inline void record_adam(op_call& c) {
    step_operands const in(c, 4);
    double const alpha = c.number("alpha", 0.9), beta = c.number("beta", 0.999);
    for (std::size_t k = 0; k < in.count; ++k) {
        node_id const x = in.of(0, k), g = in.gradient(k), t = in.step(x), rate = in.rate(x), one = c.number_like(x, 1);
        node_id const mean = mixed(c, in.of(2, k), g, alpha), squares = mixed(c, in.of(3, k), squared(c, g), beta);
        auto const rest = [&](double share) { return minus(c, one, c.append(op::power, c.number_like(x, share), t)); };
        node_id const is_later = c.append(op::greater, t, c.low().zero_like(t));
        node_id const first = c.choose(is_later, rest(alpha), one), second = c.choose(is_later, rest(beta), one);
        node_id const adjusted = multiplied(c, rate, c.append(op::divide, c.append(op::sqrt, second), first));
        node_id const size = plus(c, c.append(op::sqrt, squares), c.number("epsilon", 1e-6));
        node_id const next = minus(c, x, c.append(op::divide, multiplied(c, adjusted, mean), size));
        c.give(k, times(c, next, 1 - c.number("norm_coefficient_post", 0)));
        c.give(in.count + k, mean), c.give(2 * in.count + k, squares);
    }
}
inline void record_momentum(op_call& c) {
    step_operands const in(c, 3);
    double const alpha = c.number("alpha", 0), beta = c.number("beta", 0);
    for (std::size_t k = 0; k < in.count; ++k) {
        node_id const x = in.of(0, k), g = in.gradient(k), t = in.step(x);
        node_id const share =
            c.choose(c.append(op::greater, t, c.low().zero_like(t)), c.number_like(x, beta), c.number_like(x, 1));
        node_id const moved = c.append(op::add, times(c, in.of(2, k), alpha), multiplied(c, share, g));
        bool const looks_ahead = c.text("mode", "standard") == "nesterov";
        node_id const by = looks_ahead ? c.append(op::add, g, times(c, moved, alpha)) : moved;
        c.give(k, minus(c, x, multiplied(c, in.rate(x), by)));
        c.give(in.count + k, moved);
    }
}

inline void record_array_features(op_call& c) {
    node_id const x = c[0], places = c[1];
    if (c.rank(x) < 1 || !is_integer(c.type(places))) c.fail("takes a tensor, and the numbers of features");
    node_id const flat = c.reshape(c.as(places, dtype::int64), dims{{c.known_shape(places).size()}, 1});
    node_id const out = c.append(op::take, x, flat, attribute_list(c.rank(x) - 1));
    c.give(c.rank(x) == 1 ? c.low().expand(out, 0) : out);
}
inline void record_binarizer(op_call& c) {
    node_id const x = c[0];
    c.give(c.as(c.append(op::greater, x, c.number_like(x, c.number("threshold", 0))), c.type(x)));
}
// Returns an attribute <name>_strings, _int64s, _floats or _tensor as a vector, or node_id::none where there is none.
inline node_id listed_attribute(op_call const& c, std::string const& name) {
    model_tracer& at = c.tracer();
    if (auto const a = c.attribute(name + "_tensor")) {
        stored_tensor const value = stored(tensor_message::read(a->bytes(5, at.file()), at.file()), at.model().files);
        return at.record_stored(value, nullptr);
    }
    if (c.has_attribute(name + "_int64s")) return c.integers(c.integers(name + "_int64s"));
    if (c.has_attribute(name + "_floats")) return floats_of(c, c.numbers(name + "_floats"));
    std::vector<std::string_view> const texts = c.texts(name + "_strings");
    if (!texts.empty()) return texts_of(c, texts, dims{{static_cast<std::int64_t>(texts.size())}, 1});
    return node_id::none;
}
// Looks up the value of the first key that an element equals, or the default.
inline void record_label_encoder(op_call& c) {
    node_id const x = c[0];
    node_id const keys = listed_attribute(c, "keys"), values = listed_attribute(c, "values");
    if (keys == node_id::none || values == node_id::none || c.rank(keys) != 1 || c.shape(values) != c.shape(keys) ||
        c.extent(keys, 0) < 1)
        c.fail("needs keys, and as many values");
    if (c.rank(x) == max_rank) c.fail("takes at most 7 axes");
    dtype const type = c.type(values);
    node_id otherwise;
    if (auto const a = c.attribute("default_tensor")) {
        file_call const& file = c.tracer().file();
        otherwise =
            c.tracer().record_stored(stored(tensor_message::read(a->bytes(5, file), file), c.tracer().model().files), nullptr);
        otherwise = c.as(c.reshape(otherwise, dims{}), type);
    } else if (type == dtype::string) {
        otherwise = texts_of(c, {c.text("default_string", "_Unused")}, dims{});
    } else if (is_inexact(type)) {
        otherwise = c.as(c.low().literal(c.number("default_float", -0.0)), type);
    } else {
        otherwise = c.as(c.integer(c.integer("default_int64", -1)), type);
    }
    node_id const is_key = c.as(c.append(op::equal, c.low().expand(x, c.rank(x)), keys), dtype::int8);
    int const last = c.rank(x);
    node_id const found = c.as(c.append(op::max, is_key, attribute_list(0, last)), dtype::boolean);
    node_id const place = c.append(op::argmax, is_key, attribute_list(0, last));
    c.give(c.choose(found, c.append(op::take, values, place, attribute_list(0)), otherwise));
}

} // namespace tx::onnx::detail
