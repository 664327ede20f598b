// Records losses of ONNX.
#pragma once

#include <tracexpr/onnx/operators/norms.hpp>

namespace tx::onnx::detail {

// Records the mean or sum of -weight[class] * log_p[class], where x is (n, classes, places...) and classes (n, places...).
inline node_id likelihood_loss(op_call const& c, node_id x, node_id classes, std::size_t weights) {
    if (c.rank(x) < 2 || c.rank(classes) != c.rank(x) - 1 || !is_integer(c.type(classes)))
        c.fail("takes x (n, classes, ...) and the numbers of classes (n, ...)");
    node_id const number = c.as(classes, dtype::int64), zero = c.integer(std::int64_t{0});
    node_id counts = node_id::none;
    node_id safe = number;
    if (c.has_attribute("ignore_index")) {
        counts = c.append(op::not_equal, number, c.integer(c.integer("ignore_index", 0)));
        safe = c.choose(counts, number, zero);
    }
    node_id const picked = c.low().squeeze(c.append(op::take_along_axis, x, c.low().expand(safe, 1), attribute_list(1)), 1);
    node_id weight = node_id::none;
    if (c.has(weights)) weight = c.append(op::take, c[weights], safe, attribute_list(0));
    if (counts != node_id::none) {
        node_id const one = weight == node_id::none ? c.number_like(picked, 1) : weight;
        weight = c.choose(counts, one, c.low().zero_like(picked));
    }
    node_id loss = c.append(op::negative, picked);
    if (weight != node_id::none) loss = c.append(op::multiply, loss, weight);
    std::string_view const how = c.text("reduction", "mean");
    if (how == "none") return loss;
    attribute_list all;
    for (int a = 0; a < c.rank(loss); ++a) all.push_back(a);
    node_id const sum = c.reduce(op::sum, loss, all, false);
    if (how == "sum") return sum;
    if (weight == node_id::none) return c.mean(loss, all, false);
    return c.append(op::divide, sum, c.reduce(op::sum, weight, all, false));
}
inline void record_negative_likelihood(op_call& c) { c.give(likelihood_loss(c, c[0], c[1], 2)); }
inline void record_cross_entropy(op_call& c) {
    if (c.rank(c[0]) < 2) c.fail("takes x (n, classes, ...)");
    node_id const logs = log_softmax_of(c, c[0], 1);
    c.give(0, likelihood_loss(c, logs, c[1], 2));
    c.give(1, logs);
}

} // namespace tx::onnx::detail
