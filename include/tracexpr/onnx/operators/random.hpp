// Records operators of ONNX that draw random numbers. With a seed they draw the same numbers in every run; without, other numbers
// each time, from the program's sequence of keys.
#pragma once

#include <tracexpr/onnx/operators/shapes.hpp>
#include <tracexpr/run/random/stateful.hpp>

namespace tx::onnx::detail {

inline random_source random_numbers_for(op_call const& c, dims const& shape) {
    trace_scope& scope = c.low().scope();
    c.require_possible(shape);
    if (std::optional<attribute_message> const seed = c.attribute("seed")) { // a float in some operators, an integer in others
        std::uint64_t const bits = static_cast<std::uint64_t>(seed->integer(c.tracer().file()));
        std::uint64_t const key = bits ^ std::bit_cast<std::uint32_t>(seed->number(c.tracer().file()));
        return {scope, c.low().literal(key), shape};
    }
    return {scope, record_fresh_key(scope), shape};
}
inline dtype noise_for(dtype type) { return type == dtype::float64 ? dtype::float64 : dtype::float32; }
inline dims shape_attribute(op_call const& c) { return dims_from(c, c.integers("shape")); }

inline void give_uniform(op_call& c, dims const& shape, dtype type) {
    if (!is_floating(type)) c.fail("draws floating numbers");
    double const low = c.number("low", 0), high = c.number("high", 1);
    node_id const unit = random_numbers_for(c, shape).unit(noise_for(type), 0).id();
    c.give(c.as(plus(c, times(c, unit, high - low), low), type));
}
inline void record_random_uniform(op_call& c) { give_uniform(c, shape_attribute(c), c.type_attribute("dtype", dtype::float32)); }
inline void record_random_uniform_like(op_call& c) {
    give_uniform(c, c.known_shape(c[0]), c.type_attribute("dtype", c.type(c[0])));
}
inline void give_normal(op_call& c, dims const& shape, dtype type) {
    if (!is_floating(type)) c.fail("draws floating numbers");
    node_id const normal = random_numbers_for(c, shape).normal(noise_for(type), 0).id();
    c.give(c.as(plus(c, times(c, normal, c.number("scale", 1)), c.number("mean", 0)), type));
}
inline void record_random_normal(op_call& c) { give_normal(c, shape_attribute(c), c.type_attribute("dtype", dtype::float32)); }
inline void record_random_normal_like(op_call& c) {
    give_normal(c, c.known_shape(c[0]), c.type_attribute("dtype", c.type(c[0])));
}
inline void record_bernoulli(op_call& c) {
    node_id const x = c[0];
    dtype const noise = noise_for(c.type(x));
    node_id const unit = random_numbers_for(c, c.known_shape(x)).unit(noise, 0).id();
    c.give(c.as(c.append(op::less, unit, c.as(x, noise)), c.type_attribute("dtype", c.type(x))));
}
// Draws classes from the logarithms of their probabilities: the class with the largest sum of logarithm and Gumbel noise is
// drawn.
inline void record_multinomial(op_call& c) {
    node_id const x = c[0];
    dims const d = c.known_shape(x);
    std::int64_t const count = c.integer("sample_size", 1);
    if (d.rank != 2 || d[1] < 1 || count < 1) c.fail("takes (batch, classes), and a number of samples");
    dtype const noise = noise_for(c.type(x));
    node_id const unit = random_numbers_for(c, dims{{d[0], count, d[1]}, 3}).fine_unit(noise, 0).id();
    auto const negative_log = [&](node_id v) { return c.append(op::negative, c.append(op::log, v)); };
    node_id const noisy = c.append(op::add, c.low().expand(c.as(x, noise), 1), negative_log(negative_log(unit)));
    c.give(c.as(c.append(op::argmax, noisy, attribute_list(0, 2)), c.type_attribute("dtype", dtype::int32)));
}
// The elements that are kept are scaled, so that the mean doesn't change.
inline void record_dropout(op_call& c) {
    node_id const x = c[0];
    bool const trains = c.has(2) && c.known_number(2) != 0;
    double const ratio = c.has(1) ? c.known_number(1) : c.number("ratio", 0.5);
    if (!trains || ratio == 0) {
        c.give(0, x);
        if (c.wants(1)) c.give(1, c.broadcast(c.low().literal(true), c.known_shape(x)));
        return;
    }
    if (!(ratio > 0 && ratio < 1)) c.fail("the ratio must lie in [0, 1)");
    dtype const noise = noise_for(c.type(x));
    node_id const unit = random_numbers_for(c, c.known_shape(x)).unit(noise, 0).id();
    node_id const is_kept = c.append(op::greater_equal, unit, c.number_like(unit, ratio));
    c.give(0, c.choose(is_kept, times(c, x, 1 / (1 - ratio)), c.low().zero_like(x)));
    c.give(1, is_kept);
}

} // namespace tx::onnx::detail
