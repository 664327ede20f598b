// Models may compute shapes from extents that are known only when the program runs. This file reads the operand of Reshape,
// Expand or ConstantOfShape, element by element, as numbers from which op::extents makes a shape.
#pragma once

#include <tracexpr/onnx/operators/reductions.hpp>
#include <tracexpr/trace/extents.hpp>

namespace tx::onnx::detail {

// Finds elements of integer vectors as scalars of the graph. Vectors are followed through the operators with which exporters make
// shapes: Shape, Gather, Slice, Concat, Squeeze, Unsqueeze, Cast, products, and pointwise arithmetic.
class vector_elements {
public:
    explicit vector_elements(op_call const& c) : c_{c}, count_(c.low().scope()) {}

    // Returns element i of a vector, or of a scalar, as int64, or node_id::none if it can't be found.
    node_id of(node_id v, std::int64_t i) {
        if (++steps_ > most_steps_of_extents) return node_id::none;
        if (std::shared_ptr<host_array const> const known = c_.tracer().known({&c_.low().scope(), v, {}, false}))
            return known_element(*known, i);
        graph_view const g = c_.low().scope().recorded.view();
        node const n = g[v];
        dims const d = g.shape_of(n);
        if (!is_integer(n.type) && n.type != dtype::boolean) return node_id::none;
        std::vector<node_id> operands;
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(g.operand(n, k));
        std::vector<std::int64_t> const attributes(g.attributes_of(n).begin(), g.attributes_of(n).end());
        if (info(n.code).kind == kind::pointwise) return pointwise(n.code, n.type, operands, i);
        switch (n.code) {
        case op::axis_size: return c_.as(v, dtype::int64);
        case op::concatenate: return part(operands, i);
        case op::expand_dims:
        case op::squeeze:
        case op::reshape:
            return c_.shape(operands[0]).is_static() && c_.rank(operands[0]) <= 1 ? of(operands[0], i) : node_id::none;
        case op::broadcast_to: return within(operands[0], i);
        case op::slice: {
            std::int64_t const extent = c_.extent(operands[0], 0);
            if (d.rank != 1 || extent == dyn) return node_id::none;
            slice_range const range = resolved_slice(attributes[0], attributes[1], attributes[2], extent);
            return of(operands[0], range.start + i * attributes[2]);
        }
        case op::take: return taken(operands, i);
        case op::sum:
        case op::prod: return d.rank <= 1 ? reduced(n.code == op::sum ? op::add : op::multiply, operands[0]) : node_id::none;
        default: return node_id::none;
        }
    }

private:
    static constexpr int most_steps_of_extents = 1000;

    node_id known_element(host_array const& v, std::int64_t i) const {
        if (i < 0 || i >= v.shape.size()) return node_id::none;
        node_id out = node_id::none;
        with_element(v.type, [&]<class T>(T const&) {
            if constexpr (std::is_integral_v<T>) out = c_.integer(static_cast<std::int64_t>(v.template data<T>()[i]));
        });
        return out;
    }
    node_id within(node_id v, std::int64_t i) {
        if (c_.rank(v) > 1 || !c_.shape(v).is_static()) return node_id::none;
        return of(v, c_.shape(v).size() == 1 ? 0 : i);
    }
    node_id pointwise(op code, dtype type, std::vector<node_id> const& operands, std::int64_t i) {
        buffer<node_id> elements;
        for (node_id const v : operands) {
            node_id const e = within(v, i);
            if (e == node_id::none) return e;
            elements.push_back(code == op::cast ? e : c_.as(e, c_.type(v)));
        }
        if (code == op::cast) return elements[0];
        if (elements.size() == 2 && type == dtype::int64)
            return c_.as(count_.apply(code, elements[0], elements[1]), dtype::int64);
        return c_.as(c_.low().append(code, type, elements), dtype::int64);
    }
    node_id part(std::vector<node_id> const& parts, std::int64_t i) {
        for (node_id const v : parts) {
            std::int64_t const extent = c_.rank(v) == 1 ? c_.extent(v, 0) : dyn;
            if (extent == dyn) return node_id::none;
            if (i < extent) return of(v, i);
            i -= extent;
        }
        return node_id::none;
    }
    node_id taken(std::vector<node_id> const& operands, std::int64_t i) {
        std::int64_t const extent = c_.rank(operands[0]) == 1 ? c_.extent(operands[0], 0) : dyn;
        std::shared_ptr<host_array const> const places = c_.tracer().known({&c_.low().scope(), operands[1], {}, false});
        if (!places || places->type != dtype::int64 || extent == dyn || i >= places->shape.size()) return node_id::none;
        std::int64_t const place = places->data<std::int64_t>()[i];
        return of(operands[0], place < 0 ? place + extent : place);
    }
    node_id reduced(op code, node_id v) {
        if (c_.rank(v) != 1 || c_.extent(v, 0) == dyn) return node_id::none;
        node_id out = c_.integer(code == op::add ? 0 : 1);
        for (std::int64_t i = 0; i < c_.extent(v, 0) && out != node_id::none; ++i) {
            node_id const e = of(v, i);
            out = e == node_id::none ? e : count_.apply(code, out, e);
        }
        return out;
    }

    op_call const& c_;
    tx::detail::counter count_;
    int steps_ = 0;
};

// Holds the operand of an op that gives a shape: a scalar of the graph for each axis, and its number if the trace knows it.
// asked_extents_of throws if the shape depends on elements or arguments, on which no extent may depend.
struct asked_extents {
    std::vector<node_id> numbers{};
    std::vector<std::optional<std::int64_t>> known{};
    bool are_known() const {
        return std::all_of(known.begin(), known.end(), [](auto const& k) { return k.has_value(); });
    }
    // Returns the extents where all of them are known.
    std::vector<std::int64_t> values() const {
        std::vector<std::int64_t> out;
        for (auto const& k : known) out.push_back(*k);
        return out;
    }
};
inline asked_extents asked_extents_of(op_call const& c, std::size_t operand) {
    asked_extents out;
    auto const add = [&](node_id number, std::optional<std::int64_t> known) {
        out.numbers.push_back(number), out.known.push_back(known);
    };
    node_id const v = c[operand];
    if (!c.known(operand) && c.rank(v) == 1 && c.extent(v, 0) != dyn && c.extent(v, 0) <= max_rank) {
        vector_elements elements(c);
        for (std::int64_t i = 0; i < c.extent(v, 0); ++i) add(elements.of(v, i), std::nullopt);
        graph const& g = c.low().scope().recorded;
        bool founded = std::find(out.numbers.begin(), out.numbers.end(), node_id::none) == out.numbers.end();
        counting const assumed = counts_of(g.view(), true), known = counts_of(g.view());
        for (std::size_t k = 0; founded && k < out.numbers.size(); ++k) {
            founded = assumed[out.numbers[k]].known;
            if (rules::folded const found = known[out.numbers[k]]; found.known)
                out.known[k] = static_cast<std::int64_t>(found.bits.low), out.numbers[k] = c.integer(*out.known[k]);
        }
        if (founded) return out;
        out = {};
    }
    for (std::int64_t const number : c.known_integers(operand)) add(c.integer(number), number);
    return out;
}
// Reshapes or broadcasts x (op::reshape or op::broadcast_to) to the shape that the numbers give.
inline node_id as_told(op_call const& c, op code, node_id x, std::vector<node_id> const& numbers) {
    dims declared;
    for (std::size_t k = 0; k < numbers.size(); ++k) declared.push_back(dyn);
    tx::detail::told_shape const to =
        tx::detail::record_shape("onnx", c.low().scope(), declared, {numbers.data(), numbers.size()});
    c.require_possible(to.shape);
    if (to.like != node_id::none) return c.append(code, x, to.like);
    return code == op::reshape ? c.reshape(x, to.shape) : c.broadcast(x, to.shape);
}

} // namespace tx::onnx::detail
