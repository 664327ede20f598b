// This file rewrites a graph by a rule, in one walk. Each node that an output needs is offered to the rule once, after its
// operands have been rewritten; the rule answers with a node, and offers the nodes it makes on the way to itself again. So every
// node of the result is one that the rule leaves alone. Equal nodes are merged at any time. The walk itself knows no rules.
//
// During the walk nodes live in a table that shares the old graph's shapes, attributes, blob and captures and appends its own to
// them. Most nodes are then only copied, and nodes that turn out to be useless never reach the new graph.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/passes/options.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace rules {
struct rule_table;
}

class rewriter {
public:
    // Returns the node that `draft`, whose operands are in the table, becomes.
    using rule = node_id (*)(rewriter&, node const& draft);

    constexpr rewriter(graph_view const& in, rule apply, pass_options const& options, rules::rule_table const* rules = nullptr)
        : table{rules}, in_{in}, apply_{apply}, options_{options}, slots_(slot_count(in.size())), mask_{slots_.size() - 1} {
        nodes_.reserve(in.size() + 64);
        hashes_.reserve(in.size() + 64);
        first_ = nodes_.data();
    }

    constexpr graph run() {
        walk();
        return result();
    }

    constexpr pass_options const& options() const { return options_; }
    rules::rule_table const* const table; // only the rule reads it
    // References are valid until the next append.
    constexpr node const& operator[](node_id id) const { return first_[static_cast<std::size_t>(id)]; }
    constexpr op code(node_id id) const { return first_[static_cast<std::size_t>(id)].code; }
    TRACEXPR_ONCE constexpr dims const& shape_of(node const& n) const {
        std::size_t const known = in_.shapes.size();
        return n.shape < known ? in_.shapes[n.shape] : shapes_[n.shape - known];
    }
    constexpr dims const& shape_of(node_id id) const { return shape_of((*this)[id]); }
    TRACEXPR_ONCE constexpr std::int64_t const* attributes_of(node const& n) const {
        std::size_t const known = in_.attributes.size();
        return n.attributes.first < known ? in_.attributes.data() + n.attributes.first
                                          : attributes_.data() + (n.attributes.first - known);
    }
    constexpr node_id const* operands_of(node const& n) const {
        return n.arity <= 3 ? n.operand : more_operands_.data() + index(n.operand[0]);
    }

    // Appends a node without asking the rule; returns the existing node if there is an equal one.
    TRACEXPR_ONCE constexpr node_id append(node const& draft) {
        std::uint64_t const hash = hash_of(draft);
        std::size_t slot = hash & mask_;
        node_id const known = find(draft, hash, slot);
        if (known != node_id::none) return known;
        nodes_.push_back(draft);
        hashes_.push_back(hash);
        first_ = nodes_.data();
        std::size_t const count = nodes_.size();
        slots_.data()[slot] = static_cast<std::int32_t>(count);
        if (2 * count > mask_) grow();
        return static_cast<node_id>(count - 1);
    }
    // Returns the node that equals `draft`, or none.
    TRACEXPR_ONCE constexpr node_id find(node const& draft) const {
        std::uint64_t const hash = hash_of(draft);
        std::size_t slot = hash & mask_;
        return find(draft, hash, slot);
    }
    // Returns what the rule makes of a node that no rule has seen.
    constexpr node_id make(node const& draft) { return apply_(*this, draft); }
    TRACEXPR_ONCE constexpr node_id literal(dtype type, literal_bits value) {
        if (scalar_ < 0) scalar_ = static_cast<std::int32_t>(shape_number(dims{}));
        node n;
        n.code = op::literal, n.type = type, n.shape = static_cast<std::uint32_t>(scalar_);
        n.bits[0] = value.low, n.bits[1] = value.high;
        return append(n);
    }
    TRACEXPR_ONCE constexpr std::uint32_t shape_number(dims const& shape) {
        std::size_t const known = in_.shapes.size();
        while (indexed_shapes_ < known) shape_index_.add(detail::hash_of(in_.shapes[indexed_shapes_++]));
        std::uint64_t const hash = detail::hash_of(shape);
        std::int32_t const found =
            shape_index_.find(hash, [&](std::size_t i) { return (i < known ? in_.shapes[i] : shapes_[i - known]) == shape; });
        if (found >= 0) return static_cast<std::uint32_t>(found);
        shapes_.push_back(shape);
        shape_index_.add(hash);
        return static_cast<std::uint32_t>(known + shapes_.size() - 1);
    }
    TRACEXPR_ONCE constexpr stretch add_attributes(std::int64_t const* from, std::size_t count) {
        stretch const place{static_cast<std::uint32_t>(in_.attributes.size() + attributes_.size()),
                            static_cast<std::uint32_t>(count)};
        for (std::size_t k = 0; k < count; ++k) attributes_.push_back(from[k]);
        return place;
    }

private:
    // Searches from the slot of the hash on; `slot` then is where the node is, or would be.
    TRACEXPR_ONCE constexpr node_id find(node const& draft, std::uint64_t hash, std::size_t& slot) const {
        std::int32_t const* const slots = slots_.data();
        for (std::int32_t entry = slots[slot]; entry; entry = slots[slot = (slot + 1) & mask_])
            if (hashes_[static_cast<std::size_t>(entry - 1)] == hash && same(first_[entry - 1], draft))
                return static_cast<node_id>(entry - 1);
        return node_id::none;
    }
    static constexpr std::size_t slot_count(std::size_t nodes) {
        std::size_t count = 256;
        while (count < 3 * nodes) count *= 2;
        return count;
    }
    // Computes nearly all nodes' hashes by one expression, because unused operands are none.
    TRACEXPR_ONCE constexpr std::uint64_t hash_of(node const& n) const {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
        std::uint64_t hash = static_cast<std::uint64_t>(n.code) | static_cast<std::uint64_t>(n.type) << 8 |
                             static_cast<std::uint64_t>(n.shape) << 16;
        if (n.attributes.count || n.arity > 3) {
            std::int64_t const* const attributes = attributes_of(n);
            for (std::uint32_t k = 0; k < n.attributes.count; ++k)
                hash = detail::mix(hash, static_cast<std::uint64_t>(attributes[k]));
            node_id const* const operands = operands_of(n);
            for (std::uint32_t k = 0; k < n.arity; ++k) hash = detail::mix(hash, static_cast<std::uint64_t>(operands[k]));
        } else {
            hash = (hash * odd ^ static_cast<std::uint32_t>(n.operand[0])) * odd;
            hash = ((hash ^ static_cast<std::uint32_t>(n.operand[1])) * odd ^ static_cast<std::uint32_t>(n.operand[2])) * odd;
        }
        hash = ((hash ^ n.bits[0]) * odd ^ n.bits[1]) * odd;
        hash = (hash ^ hash >> 32) * odd;
        return hash ^ hash >> 29;
    }
    TRACEXPR_ONCE constexpr bool same(node const& a, node const& b) const {
        if (a.code != b.code || a.type != b.type || a.shape != b.shape || a.arity != b.arity ||
            a.attributes.count != b.attributes.count)
            return false;
        if (a.bits[0] != b.bits[0] || a.bits[1] != b.bits[1]) return false;
        node_id const* const x = operands_of(a);
        node_id const* const y = operands_of(b);
        for (std::uint32_t k = 0; k < a.arity; ++k)
            if (x[k] != y[k]) return false;
        std::int64_t const* const p = attributes_of(a);
        std::int64_t const* const q = attributes_of(b);
        for (std::uint32_t k = 0; k < a.attributes.count; ++k)
            if (p[k] != q[k]) return false;
        return true;
    }
    TRACEXPR_ONCE constexpr void grow() {
        slots_ = buffer<std::int32_t>(4 * slots_.size());
        mask_ = slots_.size() - 1;
        std::int32_t* const slots = slots_.data();
        for (std::size_t entry = 0; entry < hashes_.size(); ++entry) {
            std::size_t slot = hashes_[entry] & mask_;
            while (slots[slot]) slot = (slot + 1) & mask_;
            slots[slot] = static_cast<std::int32_t>(entry) + 1;
        }
    }

    TRACEXPR_ONCE constexpr void walk() {
        std::size_t const count = in_.size();
        node const* const nodes = in_.nodes.data();
        buffer<bool> const needed = needed_nodes(in_, in_.outputs);
        bool const* const live = needed.data();
        buffer<node_id> map(count, node_id::none);
        node_id* const moved = map.data();
        for (node_id id : in_.parameters)
            if (id != node_id::none) moved[index(id)] = append(nodes[index(id)]);
        for (std::size_t i = 0; i < count; ++i) {
            if (!live[i] || moved[i] != node_id::none) continue;
            node n = nodes[i];
            if (n.arity <= 3) {
                for (std::uint32_t k = 0; k < n.arity; ++k) n.operand[k] = moved[static_cast<std::size_t>(n.operand[k])];
            } else {
                std::size_t const from = index(n.operand[0]);
                n.operand[0] = to_id(more_operands_.size());
                for (std::uint32_t k = 0; k < n.arity; ++k) more_operands_.push_back(moved[index(in_.more_operands[from + k])]);
            }
            moved[i] = apply_(*this, n);
        }
        for (node_id id : in_.outputs) outputs_.push_back(moved[index(id)]);
    }

    // Returns the graph of the nodes that the outputs need, and of all parameters.
    TRACEXPR_ONCE constexpr graph result() const {
        graph out;
        std::size_t const count = nodes_.size();
        buffer<bool> const needed = needed_nodes({nodes_, more_operands_, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}, outputs_);
        bool const* const live = needed.data();
        buffer<node_id> map(count, node_id::none);
        buffer<std::int32_t> shape_map(in_.shapes.size() + shapes_.size(), -1);
        node_id* const moved = map.data();
        std::int32_t* const shapes = shape_map.data();
        buffer<node_id> many;
        for (std::size_t i = 0; i < count; ++i) {
            node const& n = first_[i];
            if (!live[i] && n.code != op::parameter) continue;
            if (n.code == op::parameter || n.code == op::capture || n.code == op::constant) {
                moved[i] = out.append_copy(in_, n, {});
                continue;
            }
            if (shapes[n.shape] < 0) shapes[n.shape] = static_cast<std::int32_t>(out.shape_number(shape_of(n)));
            node_id inline_operands[3]{};
            node_id* operands = inline_operands;
            node_id const* from = n.operand;
            if (n.arity > 3) many = buffer<node_id>(n.arity), operands = many.data(), from = operands_of(n);
            for (std::uint32_t k = 0; k < n.arity; ++k) operands[k] = moved[static_cast<std::size_t>(from[k])];
            table_view<std::int64_t> attributes;
            if (n.attributes.count) attributes = {attributes_of(n), n.attributes.count};
            buffer<std::int64_t> regions; // regions of the new graph, rewritten as this one is
            if (info(n.code).kind == kind::control) {
                for (std::int64_t const number : attributes)
                    regions.push_back(out.append_region(rewriter(in_.region(number), apply_, options_, table).run().view()));
                attributes = regions;
            }
            moved[i] = out.append(n.code, n.type, static_cast<std::uint32_t>(shapes[n.shape]), {operands, n.arity}, attributes,
                                  {n.bits[0], n.bits[1]});
        }
        for (node_id id : outputs_) out.add_output(moved[index(id)]);
        return out;
    }

    graph_view in_;
    rule apply_;
    pass_options options_;
    buffer<node> nodes_;
    node const* first_ = nullptr;
    buffer<std::uint64_t> hashes_;
    buffer<std::int32_t> slots_; // node + 1, by hash; 0 where empty
    std::size_t mask_;
    buffer<node_id> more_operands_;
    buffer<std::int64_t> attributes_; // numbered from in_.attributes.size() on
    buffer<dims> shapes_;             // numbered from in_.shapes.size() on
    std::size_t indexed_shapes_ = 0;
    std::int32_t scalar_ = -1; // the number of the shape without axes, once it was needed
    detail::hash_index shape_index_;
    buffer<node_id> outputs_;
};

} // namespace tx

TRACEXPR_END_PASSES
