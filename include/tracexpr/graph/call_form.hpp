// The attributes of a node that calls a function of the user's (op::opaque): how many batch axes its operands and results have in
// front, whether its second operand is a condition, and the dtype and shape of each value that the function gives. Of the node's
// results these are the ones behind the first; the last is a token.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx {

struct value_spec {
    dtype type{};
    dims shape{};
};

constexpr bool is_callback(node const& n) { return info(n.code).kind == kind::callback; }

struct call_form {
    std::int64_t batch_axes = 0;
    bool has_condition = false;

    static constexpr std::size_t numbers_in_front = 3;

    constexpr explicit call_form(table_view<std::int64_t> form) : batch_axes{form[0]}, has_condition{form[1] != 0}, form_{form} {}
    constexpr std::size_t results() const { return static_cast<std::size_t>(form_[2]); }
    // Of number k of what the function gives, for all examples; `first` is the shape of the node.
    constexpr value_spec result(dims const& first, std::size_t k) const {
        std::size_t at = numbers_in_front;
        for (; k > 0 && at < form_.size(); --k) at += 2 + static_cast<std::size_t>(form_[at + 1]);
        if (at >= form_.size()) return {dtype::token, {}};
        value_spec out{static_cast<dtype>(form_[at]), first};
        for (std::int64_t axis = 0; axis < form_[at + 1]; ++axis)
            out.shape.push_back(form_[at + 2 + static_cast<std::size_t>(axis)]);
        return out;
    }

    static constexpr buffer<std::int64_t> attributes(table_view<value_spec> results) {
        buffer<std::int64_t> out;
        for (std::int64_t const number : {std::int64_t{0}, std::int64_t{0}, static_cast<std::int64_t>(results.size())})
            out.push_back(number);
        for (value_spec const& r : results) {
            out.push_back(static_cast<std::int64_t>(r.type));
            out.push_back(r.shape.rank);
            for (int axis = 0; axis < r.shape.rank; ++axis) out.push_back(r.shape[axis]);
        }
        return out;
    }
    // The same call of more examples, or where a condition holds.
    static constexpr buffer<std::int64_t> with(table_view<std::int64_t> form, std::int64_t more_batch_axes, bool has_condition) {
        buffer<std::int64_t> out(form);
        out[0] += more_batch_axes, out[1] = out[1] || has_condition;
        return out;
    }

private:
    table_view<std::int64_t> form_;
};

} // namespace tx
