// This file holds the graph: flat nodes in program order, which is a topological order. Nodes without side effects are
// hash-consed when they are appended, so equal nodes are one node. `graph` grows; `graph_view` reads a growing or a frozen one
// (base/freeze.hpp).
#pragma once

#include <tracexpr/base/buffer.hpp>
#include <tracexpr/base/hash_index.hpp>
#include <tracexpr/graph/node.hpp>

namespace tx {

struct graph_view {
    table_view<node> nodes;
    table_view<node_id> more_operands;
    table_view<std::int64_t> attributes;
    table_view<dims> shapes;
    table_view<std::uint64_t> blob;
    table_view<captured> captures;
    table_view<node_id> parameters; // The list names every parameter's node, in order.
    table_view<node_id> outputs;
    table_view<tx::region> regions;
    // The nodes are numbered from 0 in each region; all other tables are shared with the graph around it.
    table_view<node> region_nodes;
    table_view<assigned_variable> assigned; // Only a trace has these; the graphs that passes make of it have none.
    table_view<operand_check> checks;       // Only a trace has these; the graphs that passes make of it have none.

    template <class F> constexpr auto with_tables(F f) const {
        return f(nodes, more_operands, attributes, shapes, blob, captures, parameters, outputs, regions, region_nodes, assigned,
                 checks);
    }
    TRACEXPR_ONCE constexpr graph_view region(std::int64_t number) const {
        tx::region const& r = regions[static_cast<std::size_t>(number)];
        graph_view out = *this;
        out.nodes = region_nodes.subspan(r.nodes.first, r.nodes.count);
        out.parameters = more_operands.subspan(r.parameters.first, r.parameters.count);
        out.outputs = more_operands.subspan(r.outputs.first, r.outputs.count);
        return out;
    }
    constexpr std::size_t size() const { return nodes.size(); }
    constexpr auto begin() const { return nodes.begin(); }
    constexpr auto end() const { return nodes.end(); }
    constexpr node const& operator[](node_id id) const { return nodes.data()[static_cast<std::size_t>(id)]; }
    constexpr dims const& shape_of(node const& n) const { return shapes.data()[n.shape]; }
    constexpr dims const& shape_of(node_id id) const { return shapes.data()[nodes.data()[static_cast<std::size_t>(id)].shape]; }
    constexpr table_view<std::int64_t> attributes_of(node const& n) const {
        return attributes.subspan(n.attributes.first, n.attributes.count);
    }
    constexpr node_id operand(node const& n, std::size_t k) const { return n.arity <= 3 ? n.operand[k] : operand_of_many(n, k); }
    // Returns an operand of a node that has more than three. (g++ 12 warns of n.operand[k] where k is a constant above 2.)
    constexpr node_id operand_of_many(node const& n, std::size_t k) const { return more_operands[index(n.operand[0]) + k]; }
    // True if all extents are known. The nodes are checked one by one if the table of shapes has unknown extents, because a
    // region shares the table of the graph around it.
    TRACEXPR_ONCE constexpr bool is_static() const {
        bool all = true;
        for (dims const& d : shapes) all = all && d.is_static();
        if (all) return true;
        for (node const& n : nodes)
            if (!shape_of(n).is_static() || info(n.code).kind == kind::control) return false;
        return true;
    }
};

namespace detail {
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

TRACEXPR_ONCE constexpr std::uint64_t hash_of(dims const& shape) {
    std::uint64_t hash = static_cast<std::uint64_t>(shape.rank + 2);
    for (int axis = 0; axis < shape.rank; ++axis) hash = mix(hash, static_cast<std::uint64_t>(shape.extent[axis]));
    return hash;
}
} // namespace detail

class graph {
public:
    constexpr graph_view view() const {
        return {nodes_,      more_operands_, attributes_, shapes_,       blob_,     captures_,
                parameters_, outputs_,       regions_,    region_nodes_, assigned_, checks_};
    }
    constexpr operator graph_view() const { return view(); }
    constexpr std::size_t size() const { return nodes_.size(); }
    constexpr node const& operator[](node_id id) const { return nodes_[index(id)]; }
    constexpr dims const& shape_of(node_id id) const { return shapes_[nodes_[index(id)].shape]; }
    // The list is valid until the next append.
    constexpr table_view<std::int64_t> attributes_of(node const& n) const { return view().attributes_of(n); }
    constexpr node_id operand(node const& n, std::size_t k) const { return view().operand(n, k); }

    TRACEXPR_ONCE constexpr node_id append(op code, dtype type, dims const& shape, table_view<node_id> operands,
                                           table_view<std::int64_t> attributes = {}, literal_bits bits = {}) {
        if (__builtin_is_constant_evaluated()) return append_node(code, type, shape_number(shape), operands, attributes, bits);
        else return append_now(code, type, shape, operands, attributes, bits);
    }
    TRACEXPR_ONCE constexpr node_id append(op code, dtype type, std::uint32_t shape, table_view<node_id> operands,
                                           table_view<std::int64_t> attributes, literal_bits bits) {
        if (__builtin_is_constant_evaluated()) return append_node(code, type, shape, operands, attributes, bits);
        else return append_numbered_now(code, type, shape, operands, attributes, bits);
    }
    // Appends a copy of node `n` of another graph, with its operands replaced by nodes of this one.
    TRACEXPR_ONCE constexpr node_id append_copy(graph_view const& from, node const& n, table_view<node_id> operands) {
        if (n.code == op::parameter) return append_parameter(n.type, from.shape_of(n), n.bits[0]);
        if (n.code == op::capture) return append_capture(n.type, from.shape_of(n), from.captures[n.bits[0]]);
        if (n.code == op::constant) return append_constant(n.type, from.shape_of(n), from.blob.subspan(n.bits[0], n.bits[1]));
        if (n.code == op::checked)
            return append(n.code, n.type, shape_of(operands[0]), operands, from.attributes_of(n),
                          {check_number(from.checks[n.bits[0]]), 0});
        if (info(n.code).kind == kind::control)
            return append(n.code, n.type, from.shape_of(n), operands, append_regions(from, n), {n.bits[0], n.bits[1]});
        return append(n.code, n.type, from.shape_of(n), operands, from.attributes_of(n), {n.bits[0], n.bits[1]});
    }

    constexpr node_id append_parameter(dtype type, dims const& shape) {
        return append_parameter(type, shape, parameters_.size());
    }
    // Appends a value that stands for one example of a batch while a part of the graph is recorded for a single example. No
    // output may need it.
    constexpr node_id append_placeholder(dtype type, dims const& shape) {
        return append(op::placeholder, type, shape, {}, {}, {size(), 0});
    }
    // Appends a node that has the value of x and equals no other node, so that a derivative with respect to it is with respect to
    // this one use of x.
    TRACEXPR_ONCE constexpr node_id append_mark(node_id x) {
        node const from = (*this)[x];
        node_id const operand[]{x};
        return append(op::mark, from.type, from.shape, operand, {}, {size(), 0});
    }
    constexpr node_id append_capture(dtype type, dims const& shape, captured what) {
        return append(op::capture, type, shape, {}, {}, {capture_number(what), 0});
    }
    // Appends a node that has the value of x, and whose run throws if the other operands don't pass the check.
    TRACEXPR_ONCE constexpr node_id append_checked(node_id x, table_view<node_id> checked, operand_check const& check) {
        buffer<node_id> operands(1, x);
        for (node_id const id : checked) operands.push_back(id);
        node const of = (*this)[x];
        return append(op::checked, of.type, of.shape, operands, {}, {check_number(check), 0});
    }
    // `words` are the bits of the elements, one word an element (two for complex ones), row-major.
    TRACEXPR_ONCE constexpr node_id append_constant(dtype type, dims const& shape, table_view<std::uint64_t> words) {
        stretch const part = part_of_blob(words);
        return append(op::constant, type, shape, {}, {}, {part.first, part.count});
    }
    // Appends another graph as a region of this one, and returns its number; equal regions have one number.
    TRACEXPR_ONCE constexpr std::int64_t append_region(graph_view const& from) {
        buffer<std::int64_t> inner; // The numbers of the regions of nested control-flow nodes.
        for (node const& n : from)
            if (info(n.code).kind == kind::control)
                for (std::int64_t const number : append_regions(from, n)) inner.push_back(number);
        std::size_t const nodes = region_nodes_.size(), ids = more_operands_.size(), attributes = attributes_.size();
        std::int64_t const* next_inner = inner.data();
        for (node n : from) append_region_node(from, n, next_inner);
        auto const list = [&](table_view<node_id> added) {
            std::size_t const first = more_operands_.size();
            for (node_id const id : added) more_operands_.push_back(id);
            return stretch{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(added.size())};
        };
        stretch const all{static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(from.size())};
        stretch const parameters = list(from.parameters), outputs = list(from.outputs);
        regions_.push_back({all, parameters, outputs});
        std::int64_t const last = static_cast<std::int64_t>(regions_.size()) - 1;
        for (std::int64_t known = 0; known < last; ++known) {
            if (!same_region(known, last)) continue;
            regions_.pop_back();
            region_nodes_.shorten(nodes), more_operands_.shorten(ids), attributes_.shorten(attributes);
            return known;
        }
        return last;
    }
    // Appends the regions of a node of another graph.
    TRACEXPR_ONCE constexpr buffer<std::int64_t> append_regions(graph_view const& from, node const& n) {
        buffer<std::int64_t> out;
        for (std::int64_t const number : from.attributes_of(n)) out.push_back(append_region(from.region(number)));
        return out;
    }
    // Appends a parameter with a number given by the caller, to a graph that will become a region.
    TRACEXPR_ONCE constexpr node_id append_parameter(dtype type, dims const& shape, std::size_t number) {
        node_id const id = append(op::parameter, type, shape, {}, {}, {number, 0});
        while (parameters_.size() <= number) parameters_.push_back(node_id::none);
        parameters_[number] = id;
        return id;
    }
    // Turns each capture that lies in the callable into a parameter, behind all others, in their order. Nothing may be appended
    // afterwards.
    TRACEXPR_ONCE constexpr void give_captures_of_callable() {
        buffer<std::uint64_t> numbers(captures_.size());
        std::uint64_t next = parameters_.size();
        for (std::size_t k = 0; k < captures_.size(); ++k)
            if (captures_[k].in_callable > 0) numbers[k] = next++;
        if (next == parameters_.size()) return;
        while (parameters_.size() < next) parameters_.push_back(node_id::none);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            node& n = nodes_[i];
            if (n.code != op::capture || captures_[n.bits[0]].in_callable == 0) continue;
            n.code = op::parameter, n.bits[0] = numbers[n.bits[0]];
            parameters_[n.bits[0]] = to_id(i);
        }
    }
    constexpr void add_output(node_id id) { outputs_.push_back(id); }
    // Records that a call assigns `value` to a variable. Assigned values become outputs by add_assigned_outputs.
    constexpr void assign_capture(captured const& what, node_id value) {
        assigned_.push_back({static_cast<std::int32_t>(capture_number(what)), -1, value});
    }
    constexpr void assign_parameter(std::size_t number, node_id value) {
        assigned_.push_back({-1, static_cast<std::int32_t>(number), value});
    }
    TRACEXPR_ONCE constexpr void add_assigned_outputs() {
        for (std::size_t k = 0; k < assigned_.size(); ++k) outputs_.push_back(assigned_[k].value);
    }
    constexpr table_view<node_id> outputs() const { return outputs_; }
    constexpr void clear_outputs() { outputs_.clear(); }
    // From now on appended nodes are not merged with nodes that exist already, except leaves and op::result nodes.
    constexpr void stop_sharing() { shared_from_ = nodes_.size(); }
    static constexpr bool is_always_shared(node const& n) { return n.arity == 0 || n.code == op::result; }

    TRACEXPR_ONCE constexpr std::uint32_t shape_number(dims const& shape) {
        std::uint64_t const hash = detail::hash_of(shape);
        std::int32_t const known = shape_index_.find(hash, [&](std::size_t i) { return shapes_[i] == shape; });
        if (known >= 0) return static_cast<std::uint32_t>(known);
        shapes_.make_room();
        shape_index_.add(hash);
        shapes_.push_back(shape);
        return static_cast<std::uint32_t>(shapes_.size() - 1);
    }

private:
    template <class Unused = void> node_id append_now(op code, dtype type, dims const& shape, table_view<node_id> operands,
                                                      table_view<std::int64_t> attributes, literal_bits bits);
    template <class Unused = void> node_id append_numbered_now(op code, dtype type, std::uint32_t shape,
                                                               table_view<node_id> operands, table_view<std::int64_t> attributes,
                                                               literal_bits bits);
    TRACEXPR_ONCE constexpr node_id append_node(op code, dtype type, std::uint32_t shape, table_view<node_id> operands,
                                                table_view<std::int64_t> attributes, literal_bits bits) {
        node n{code,
               type,
               shape,
               static_cast<std::uint32_t>(operands.size()),
               {node_id::none, node_id::none, node_id::none},
               {},
               {bits.low, bits.high}};
        node_id const* const from = operands.data();
        if (n.arity <= 3)
            for (std::uint32_t k = 0; k < n.arity; ++k) n.operand[k] = from[k];
        n.attributes.count = static_cast<std::uint32_t>(attributes.size());
        std::uint64_t const hash = hash_of(n, from, attributes.data());
        auto const place = index_.find_place(hash, [&](std::size_t i) {
            return (i >= shared_from_ || is_always_shared(n)) && same(nodes_.data()[i], n, from, attributes.data());
        });
        if (place.entry >= 0) return static_cast<node_id>(place.entry);
        if (__builtin_is_constant_evaluated() && nodes_.size() >= most_nodes)
            throw "tx: more than TRACEXPR_MAX_NODES nodes: make a long loop one of tx::scan or tx::fori_loop";
        if (n.arity > 3) {
            n.operand[0] = to_id(more_operands_.size());
            for (std::uint32_t k = 0; k < n.arity; ++k) more_operands_.push_back(from[k]);
        }
        if (n.attributes.count) n.attributes.first = static_cast<std::uint32_t>(attributes_.size());
        for (std::int64_t a : attributes) attributes_.push_back(a);
        nodes_.make_room();
        auto const id = static_cast<node_id>(index_.add_at(place, hash));
        nodes_.push_back(n);
        return id;
    }
    TRACEXPR_ONCE constexpr std::size_t capture_number(captured const& what) {
        std::size_t number = 0;
        while (number < captures_.size() && !(captures_[number] == what)) ++number;
        if (number == captures_.size()) captures_.push_back(what);
        return number;
    }
    // In constant evaluation equal checks are not merged, as g++ can't compare all function pointers while it compiles for a
    // sanitizer.
    TRACEXPR_ONCE constexpr std::size_t check_number(operand_check const& check) {
        if (!__builtin_is_constant_evaluated())
            for (std::size_t number = 0; number < checks_.size(); ++number)
                if (checks_[number] == check) return number;
        checks_.push_back(check);
        return checks_.size() - 1;
    }
    TRACEXPR_ONCE constexpr stretch part_of_blob(table_view<std::uint64_t> words) {
        std::uint64_t hash = words.size();
        for (std::uint64_t const word : words) hash = detail::mix(hash, word);
        std::int32_t const known = blob_index_.find(hash, [&](std::size_t i) {
            if (blob_parts_[i].count != words.size()) return false;
            for (std::size_t k = 0; k < words.size(); ++k)
                if (blob_[blob_parts_[i].first + k] != words[k]) return false;
            return true;
        });
        if (known < 0) {
            stretch const added{static_cast<std::uint32_t>(blob_.size()), static_cast<std::uint32_t>(words.size())};
            for (std::uint64_t const word : words) blob_.push_back(word);
            blob_parts_.make_room();
            blob_index_.add(hash);
            blob_parts_.push_back(added);
        }
        return known < 0 ? blob_parts_.back() : blob_parts_[static_cast<std::size_t>(known)];
    }
    TRACEXPR_ONCE constexpr void append_region_node(graph_view const& from, node n, std::int64_t const*& inner) {
        table_view<std::int64_t> const attributes = from.attributes_of(n);
        bool const has_regions = info(n.code).kind == kind::control;
        n.shape = shape_number(from.shape_of(n));
        if (n.code == op::capture) n.bits[0] = capture_number(from.captures[n.bits[0]]);
        if (n.code == op::checked) n.bits[0] = check_number(from.checks[n.bits[0]]);
        if (n.code == op::constant) n.bits[0] = part_of_blob(from.blob.subspan(n.bits[0], n.bits[1])).first;
        if (n.arity > 3) {
            std::size_t const first = more_operands_.size();
            for (std::size_t k = 0; k < n.arity; ++k) more_operands_.push_back(from.operand(n, k));
            n.operand[0] = to_id(first);
        }
        n.attributes.first = static_cast<std::uint32_t>(n.attributes.count ? attributes_.size() : 0);
        for (std::int64_t const a : attributes) attributes_.push_back(has_regions ? *inner++ : a);
        region_nodes_.push_back(n);
    }
    TRACEXPR_ONCE constexpr bool same_region(std::int64_t a, std::int64_t b) const {
        graph_view const x = view().region(a), y = view().region(b);
        auto const same_ids = [](table_view<node_id> p, table_view<node_id> q) {
            bool same = p.size() == q.size();
            for (std::size_t k = 0; same && k < p.size(); ++k) same = p[k] == q[k];
            return same;
        };
        bool equal = x.size() == y.size() && same_ids(x.parameters, y.parameters) && same_ids(x.outputs, y.outputs);
        for (std::size_t i = 0; equal && i < x.size(); ++i) {
            node const& n = y.nodes[i];
            node_id const* const operands = n.arity <= 3 ? n.operand : more_operands_.data() + index(n.operand[0]);
            equal = same(x.nodes[i], n, operands, attributes_.data() + n.attributes.first);
        }
        return equal;
    }
    // The hash of nearly all nodes is one expression, as unused operands are none. It takes pointers, not iterators: those would
    // cost more steps of constant evaluation than the rest of this function.
    TRACEXPR_ONCE static constexpr std::uint64_t hash_of(node const& n, node_id const* operands, std::int64_t const* attributes) {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
        std::uint64_t hash = static_cast<std::uint64_t>(n.code) | static_cast<std::uint64_t>(n.type) << 8 |
                             static_cast<std::uint64_t>(n.shape) << 16;
        if (n.arity > 3)
            for (std::uint32_t k = 0; k < n.arity; ++k) hash = detail::mix(hash, static_cast<std::uint64_t>(operands[k]));
        for (std::uint32_t k = 0; k < n.attributes.count; ++k)
            hash = detail::mix(hash, static_cast<std::uint64_t>(attributes[k]));
        hash = (((hash * odd ^ static_cast<std::uint32_t>(n.operand[0])) * odd ^ static_cast<std::uint32_t>(n.operand[1])) * odd ^
                static_cast<std::uint32_t>(n.operand[2])) *
               odd;
        hash = ((hash ^ n.bits[0]) * odd ^ n.bits[1]) * odd;
        hash = (hash ^ hash >> 32) * odd;
        return hash ^ hash >> 29;
    }
    // Compares a node of the graph with a draft, whose attributes and, if there are more than three, operands are not in the
    // tables yet.
    TRACEXPR_ONCE constexpr bool same(node const& known, node const& draft, node_id const* operands,
                                      std::int64_t const* attributes) const {
        if (known.code != draft.code || known.type != draft.type || known.shape != draft.shape || known.arity != draft.arity)
            return false;
        if (known.bits[0] != draft.bits[0] || known.bits[1] != draft.bits[1] || known.attributes.count != draft.attributes.count)
            return false;
        node_id const* const mine = known.arity <= 3 ? known.operand : more_operands_.data() + index(known.operand[0]);
        for (std::uint32_t k = 0; k < known.arity; ++k)
            if (mine[k] != operands[k]) return false;
        for (std::uint32_t k = 0; k < known.attributes.count; ++k)
            if (attributes_[known.attributes.first + k] != attributes[k]) return false;
        return true;
    }

    buffer<node> nodes_;
    buffer<node_id> more_operands_;
    buffer<std::int64_t> attributes_;
    buffer<dims> shapes_;
    buffer<std::uint64_t> blob_;
    buffer<captured> captures_;
    buffer<node_id> parameters_;
    buffer<node_id> outputs_;
    buffer<region> regions_;
    buffer<node> region_nodes_;
    buffer<assigned_variable> assigned_;
    buffer<operand_check> checks_;
    detail::hash_index index_;
    std::size_t shared_from_ = 0; // Nodes with operands are shared only if their number is at least this.
    detail::hash_index shape_index_;
    detail::hash_index blob_index_;
    buffer<stretch> blob_parts_; // the entries that blob_index_ numbers
};

template <class Unused> node_id graph::append_now(op code, dtype type, dims const& shape, table_view<node_id> operands,
                                                  table_view<std::int64_t> attributes, literal_bits bits) {
    return append_node(code, type, shape_number(shape), operands, attributes, bits);
}
template <class Unused> node_id graph::append_numbered_now(op code, dtype type, std::uint32_t shape, table_view<node_id> operands,
                                                           table_view<std::int64_t> attributes, literal_bits bits) {
    return append_node(code, type, shape, operands, attributes, bits);
}
TRACEXPR_INSTANCE(node_id graph::append_now<void>(op, dtype, dims const&, table_view<node_id>, table_view<std::int64_t>,
                                                  literal_bits))
TRACEXPR_INSTANCE(node_id graph::append_numbered_now<void>(op, dtype, std::uint32_t, table_view<node_id>,
                                                           table_view<std::int64_t>, literal_bits))

} // namespace tx
