// Changes the layout of a model's graph. ONNX has channels first, but the library's convolutions have them last, so each
// convolution is recorded between two transposes. Here transposes are moved behind ops that don't depend on the order of axes,
// until they meet their inverses; and factors of the channels behind a convolution are multiplied into its filters.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/onnx/constant_parts.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace tx::onnx::detail {

// Writes a new graph with the same values. Every node of the old graph corresponds to a node of the new one and a permutation:
// its value is the transpose of the new node.
class layout_writer {
public:
    explicit layout_writer(graph_view const& from)
        : from_{from}, values_(from.size()), readers_(from.size()), constant_{constant_nodes(from)} {
        for (node const& n : from)
            for (std::size_t k = 0; k < n.arity; ++k) ++readers_[index(from.operand(n, k))];
        for (node_id const id : from.outputs) ++readers_[index(id)];
    }
    tx::graph write() {
        for (std::size_t i = 0; i < from_.size(); ++i) values_[i] = written(to_id(i));
        for (node_id const id : from_.outputs) to_.add_output(plain(id));
        return std::move(to_);
    }

private:
    using order = std::vector<std::int64_t>; // axis k of the value is axis order[k] of the node
    struct value {
        node_id id = node_id::none;
        order turned; // empty: the node is the value
    };

    static bool is_identity(order const& o) {
        for (std::size_t k = 0; k < o.size(); ++k)
            if (o[k] != static_cast<std::int64_t>(k)) return false;
        return true;
    }
    static order inverse(order const& o) {
        order out(o.size());
        for (std::size_t k = 0; k < o.size(); ++k) out[static_cast<std::size_t>(o[k])] = static_cast<std::int64_t>(k);
        return out;
    }
    value const& of(node_id old) const { return values_[index(old)]; }
    node_id append(op code, node_id x, attribute_span attributes) {
        node_id const operands[]{x};
        return append(code, to_[x].type, {operands, 1}, attributes);
    }
    node_id append(op code, dtype type, table_view<node_id> operands, attribute_span attributes) {
        buffer<dims> shapes;
        for (node_id const id : operands) shapes.push_back(dims(to_.shape_of(id)));
        return to_.append(code, type, infer_or_throw(code, {}, shapes, attributes), operands, attributes);
    }
    // Returns a node that has the value itself.
    node_id plain(node_id old) {
        value& v = values_[index(old)];
        if (v.turned.empty()) return v.id;
        return append(op::transpose, v.id, {v.turned.data(), v.turned.size()});
    }
    // Returns a node with a permutation, which is dropped if it is the identity.
    static value turned(node_id id, order o) {
        if (is_identity(o)) o.clear();
        return {id, std::move(o)};
    }

    value written(node_id old) {
        node const& n = from_[old];
        if (n.arity == 0 || constant_[index(old)] || n.code == op::checked) return copied(old);
        if (n.code == op::transpose) return transposed(n);
        std::optional<value> sunk;
        kind const k = info(n.code).kind;
        if (k == kind::pointwise) sunk = pointwise(old, n);
        else if (k == kind::reduction) sunk = reduced(n);
        else if (n.code == op::concatenate) sunk = concatenated(n);
        else if (n.code == op::pad || n.code == op::slice || n.code == op::sliding_window_view) sunk = along_axes(n);
        if (sunk) return *sunk;
        value const out = copied(old);
        if (n.code == op::convolution && n.arity == 2 && constant_[index(from_.operand(n, 1))]) {
            convolution_form const form(from_.attributes_of(n));
            attribute_span const a = from_.attributes_of(n);
            if (form.makes == convolution_form::result && form.kept == 0) {
                node const& made = to_[out.id];
                convolutions_[out.id] = {made.operand[0], made.operand[1], {a.begin(), a.end()}};
            }
        }
        return out;
    }
    value copied(node_id old) {
        node const& n = from_[old];
        buffer<node_id> operands;
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(plain(from_.operand(n, k)));
        return {to_.append_copy(from_, n, operands), {}};
    }
    value transposed(node const& n) {
        value const x = of(from_.operand(n, 0));
        attribute_span const permutation = from_.attributes_of(n);
        order o(permutation.begin(), permutation.end());
        if (!x.turned.empty())
            for (std::int64_t& axis : o) axis = x.turned[static_cast<std::size_t>(axis)];
        return turned(x.id, std::move(o));
    }

    // Returns an operand that broadcasts, or is constant, with its axes in the order of the other operands; node_id::none if that
    // would move many elements.
    node_id in_order(node_id old, order const& o) {
        value const& v = of(old);
        dims const d = dims(from_.shape_of(old));
        if (d.rank == 0) return v.id;
        if (v.turned == o) return v.id;
        int several = 0;
        for (int axis = 0; axis < d.rank; ++axis) several += d[axis] != 1;
        if (d.rank < 0 || d.rank > static_cast<int>(o.size()) || (several > 1 && !constant_[index(old)])) return node_id::none;
        node_id x = plain(old);
        std::vector<std::int64_t> in_front;
        for (int axis = 0; axis < static_cast<int>(o.size()) - d.rank; ++axis) in_front.push_back(axis);
        if (!in_front.empty()) x = append(op::expand_dims, x, {in_front.data(), in_front.size()});
        order const back = inverse(o);
        return append(op::transpose, x, {back.data(), back.size()});
    }
    order const* common_order(node const& n, std::size_t operands) const {
        for (std::size_t k = 0; k < operands; ++k) {
            value const& v = of(from_.operand(n, k));
            if (!v.turned.empty()) return &v.turned;
        }
        return nullptr;
    }
    std::optional<value> pointwise(node_id old, node const& n) {
        if (auto const folded = factor_of_filters(n)) return folded;
        order const* const found = common_order(n, n.arity);
        if (!found) return std::nullopt;
        order const o = *found;
        if (from_.shape_of(old).rank != static_cast<int>(o.size())) return std::nullopt;
        buffer<node_id> operands;
        for (std::size_t k = 0; k < n.arity; ++k) {
            operands.push_back(in_order(from_.operand(n, k), o));
            if (operands[k] == node_id::none) return std::nullopt;
        }
        return value{append(n.code, n.type, operands, from_.attributes_of(n)), o};
    }
    std::optional<value> reduced(node const& n) {
        value const x = of(from_.operand(n, 0));
        if (x.turned.empty()) return std::nullopt;
        attribute_span const given = from_.attributes_of(n);
        std::vector<std::int64_t> attributes{given[0]};
        std::vector<bool> gone(x.turned.size());
        for (std::int64_t const axis : given.subspan(1)) {
            attributes.push_back(x.turned[static_cast<std::size_t>(axis)]);
            gone[static_cast<std::size_t>(attributes.back())] = true;
        }
        std::sort(attributes.begin() + 1, attributes.end());
        node_id const out = append(n.code, x.id, {attributes.data(), attributes.size()});
        if (given[0] & 1) return value{out, x.turned};
        order kept;
        for (std::int64_t const axis : x.turned)
            if (!gone[static_cast<std::size_t>(axis)])
                kept.push_back(axis - std::count(gone.begin(), gone.begin() + static_cast<std::ptrdiff_t>(axis), true));
        return turned(out, std::move(kept));
    }
    std::optional<value> concatenated(node const& n) {
        order const* const found = common_order(n, n.arity);
        if (!found) return std::nullopt;
        order const o = *found;
        buffer<node_id> operands;
        for (std::size_t k = 0; k < n.arity; ++k) {
            if (of(from_.operand(n, k)).turned != o) return std::nullopt;
            operands.push_back(of(from_.operand(n, k)).id);
        }
        std::int64_t const axis[]{o[static_cast<std::size_t>(from_.attributes_of(n)[0])]};
        return value{append(n.code, n.type, operands, {axis, 1}), o};
    }
    // Handles ops with attributes for axes: pad and slice have some numbers for each axis; sliding_window_view has pairs of an
    // axis and a size, each of which adds an axis at the end.
    std::optional<value> along_axes(node const& n) {
        value const x = of(from_.operand(n, 0));
        if (x.turned.empty()) return std::nullopt;
        attribute_span const given = from_.attributes_of(n);
        std::vector<std::int64_t> attributes(given.begin(), given.end());
        order o = x.turned;
        if (n.code == op::sliding_window_view) {
            for (std::size_t k = 0; k < attributes.size(); k += 2) {
                attributes[k] = x.turned[static_cast<std::size_t>(attributes[k])];
                o.push_back(static_cast<std::int64_t>(o.size()));
            }
        } else {
            std::size_t const each = n.code == op::pad ? 2 : 3;
            for (std::size_t axis = 0; axis < o.size(); ++axis)
                for (std::size_t k = 0; k < each; ++k)
                    attributes[static_cast<std::size_t>(o[axis]) * each + k] = given[axis * each + k];
        }
        buffer<node_id> operands(1, x.id);
        for (std::size_t k = 1; k < n.arity; ++k) operands.push_back(plain(from_.operand(n, k)));
        return value{append(n.code, n.type, operands, {attributes.data(), attributes.size()}), o};
    }

    // Returns constants that vary only along the axis of the channels as a vector along the last axis of a node in this order, or
    // node_id::none.
    node_id vector_of_channels(node_id old, order const& o, int rank) {
        dims const d = dims(from_.shape_of(old));
        std::int64_t const last = rank - 1;
        if (!constant_[index(old)] || d.rank < 0 || d.rank > rank) return node_id::none;
        for (int axis = 0; axis < d.rank; ++axis) {
            std::int64_t const in_value = axis + rank - d.rank,
                               in_node = o.empty() ? in_value : o[static_cast<std::size_t>(in_value)];
            if (d[axis] != 1 && in_node != last) return node_id::none;
        }
        std::int64_t const flat[]{-1};
        return append(op::reshape, plain(old), {flat, 1});
    }
    // If a and b have one number for each filter, (convolution(x, w) - a) b is convolution(x, w b) - a b.
    std::optional<value> factor_of_filters(node const& n) {
        if (n.code != op::multiply) return std::nullopt;
        for (std::size_t side = 0; side < 2; ++side) {
            node_id const scaled = from_.operand(n, side), factor = from_.operand(n, 1 - side);
            node const& before = from_[scaled];
            if (readers_[index(scaled)] != 1) continue;
            bool const is_moved = before.code == op::subtract;
            node_id const made = is_moved ? from_.operand(before, 0) : scaled;
            if (is_moved && readers_[index(made)] != 1) continue;
            auto const known = convolutions_.find(of(made).id);
            if (known == convolutions_.end()) continue;
            convolution_parts const conv = known->second;
            order const o = of(made).turned;
            int const rank = to_.shape_of(of(made).id).rank;
            node_id const b = vector_of_channels(factor, o, rank);
            node_id const a = is_moved ? vector_of_channels(from_.operand(before, 1), o, rank) : node_id::none;
            if (b == node_id::none || (is_moved && a == node_id::none)) continue;
            node_id const pair[]{conv.w, b};
            node_id const operands[]{conv.x, append(op::multiply, to_[conv.w].type, {pair, 2}, {})};
            node_id out =
                append(op::convolution, to_[conv.x].type, {operands, 2}, {conv.attributes.data(), conv.attributes.size()});
            if (is_moved) {
                node_id const numbers[]{a, b};
                node_id const difference[]{out, append(op::multiply, to_[a].type, {numbers, 2}, {})};
                out = append(op::subtract, to_[out].type, {difference, 2}, {});
            }
            return value{out, o};
        }
        return std::nullopt;
    }

    struct convolution_parts {
        node_id x, w;
        std::vector<std::int64_t> attributes;
    };

    graph_view from_;
    tx::graph to_;
    std::vector<value> values_;
    std::vector<int> readers_;
    std::vector<bool> constant_;
    std::map<node_id, convolution_parts> convolutions_;
};

inline tx::graph with_layouts(graph_view const& g) { return layout_writer(g).write(); }

} // namespace tx::onnx::detail
