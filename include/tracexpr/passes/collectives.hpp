// This pass makes a program announce its collectives before it does the first of them: each communicator is told the sequence of
// those that follow, and ranks compare sequences that they haven't compared yet. The pass also replaces a replicated value, which
// costs nothing in the end, by the value itself.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/kept_calls.hpp>

#include <utility>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// Does a node do something that ranks must agree on? Replicating a value sends nothing.
TRACEXPR_ONCE constexpr bool is_announced(graph_view const& g, node const& n) {
    if (n.code != op::collective || call_form(g.attributes_of(n)).does != call_form::call) return false;
    collective_kind const collective = collective_form(call_form(g.attributes_of(n)).rest()).what;
    return collective != collective_kind::replicate && collective != collective_kind::sequence;
}

// Writes the collectives of one communicator, in order, as numbers that graph/collective_sequence.hpp reads. `communicator` is
// its node in the graph, or none in a region that is not given it.
class collective_sequence_writer {
public:
    TRACEXPR_ONCE constexpr void add(graph_view const& g, node_id communicator) {
        for (node const& n : g) {
            if (n.code == op::collective) add_collective(g, n, communicator);
            else if (has_regions(n) && takes_part_in_collectives(g, n)) add_regions(g, n, communicator);
        }
    }
    constexpr buffer<std::int64_t> const& numbers() const { return numbers_; }
    TRACEXPR_ONCE constexpr std::uint64_t hash() const {
        std::uint64_t out = mix(0, numbers_.size());
        for (std::int64_t const number : numbers_) out = mix(out, static_cast<std::uint64_t>(number));
        return out;
    }

private:
    TRACEXPR_ONCE constexpr void add_collective(graph_view const& g, node const& n, node_id communicator) {
        if (g.operand_of_many(n, collective_operands::communicator) != communicator || !is_announced(g, n)) return;
        collective_form const own(call_form(g.attributes_of(n)).rest());
        bool const has_input = n.arity > collective_operands::input + 1 && own.what != collective_kind::finish;
        node const* const x = has_input ? &g[g.operand_of_many(n, collective_operands::input)] : nullptr;
        numbers_.push_back(sequence_code::collective);
        for (std::int64_t const number :
             {static_cast<std::int64_t>(own.what), reduces(own.what) ? static_cast<std::int64_t>(own.by) : std::int64_t{0},
              std::int64_t{own.reversed}, has_root(own.what) ? own.root : std::int64_t{0},
              has_input ? static_cast<std::int64_t>(x->type) : std::int64_t{0}})
            numbers_.push_back(number);
        // Two ranks that exchange agree on a shape with each other, but other pairs of ranks may have another one.
        bool const has_shape = has_input && own.what != collective_kind::exchange && g.shape_of(*x).rank >= 0;
        numbers_.push_back(has_shape ? g.shape_of(*x).rank : -1);
        for (int axis = 0; has_shape && axis < g.shape_of(*x).rank; ++axis) numbers_.push_back(g.shape_of(*x)[axis]);
        // The sequence says which leaves of a result a bucket of sums has, and their sizes.
        bool const is_bucket = own.what == collective_kind::begin_sums;
        numbers_.push_back(static_cast<std::int64_t>(is_bucket ? 2 * own.pairs.size() : own.pairs.size()));
        for (std::size_t k = 0; k < own.pairs.size(); ++k) {
            numbers_.push_back(own.pairs[k]);
            dims const& d = g.shape_of(g.operand_of_many(n, is_bucket ? collective_operands::input + k : 0));
            if (is_bucket) numbers_.push_back(d.is_static() ? d.size() : dyn);
        }
        has_any_ = true;
    }
    TRACEXPR_ONCE constexpr void add_regions(graph_view const& g, node const& n, node_id communicator) {
        std::size_t const begin = numbers_.size();
        bool const had_any = std::exchange(has_any_, false);
        numbers_.push_back(sequence_code::regions);
        numbers_.push_back(static_cast<std::int64_t>(n.code));
        std::size_t const before = n.code == op::cond ? 1 : 0;
        for (std::size_t r = 0; r < g.attributes_of(n).size(); ++r) {
            graph_view const region = g.region(g.attributes_of(n)[r]);
            node_id inside = node_id::none;
            for (std::size_t k = 0; k < region.parameters.size(); ++k)
                if (g.operand(n, k + before) == communicator) inside = region.parameters[k];
            numbers_.push_back(sequence_code::region);
            add(region, inside);
        }
        numbers_.push_back(sequence_code::end);
        // all of the regions' collectives are other communicators'
        while (!has_any_ && numbers_.size() > begin) numbers_.pop_back();
        has_any_ = has_any_ || had_any;
    }

    buffer<std::int64_t> numbers_;
    bool has_any_ = false; // has any collective been written?
};

// mentioned_communicator holds the operands by which nodes of a graph name a communicator.
struct mentioned_communicator {
    node_id communicator = node_id::none, rank = node_id::none, ranks = node_id::none;
};
TRACEXPR_ONCE constexpr void find_communicators(graph_view const& g, table_view<node_id> outside,
                                                buffer<mentioned_communicator>& out) {
    auto const around = [&](node_id id) {
        if (outside.empty()) return id;
        for (std::size_t k = 0; k < g.parameters.size(); ++k)
            if (g.parameters[k] == id) return outside[k];
        return node_id::none;
    };
    for (node const& n : g) {
        if (is_announced(g, n)) {
            namespace at = collective_operands;
            mentioned_communicator const found{around(g.operand_of_many(n, at::communicator)),
                                               around(g.operand_of_many(n, at::rank)), around(g.operand_of_many(n, at::ranks))};
            bool is_known = found.communicator == node_id::none || found.rank == node_id::none || found.ranks == node_id::none;
            for (mentioned_communicator const& known : out) is_known = is_known || known.communicator == found.communicator;
            if (!is_known) out.push_back(found);
        }
        if (!has_regions(n) || !takes_part_in_collectives(g, n)) continue;
        std::size_t const before = n.code == op::cond ? 1 : 0;
        for (std::int64_t const number : g.attributes_of(n)) {
            buffer<node_id> given;
            for (std::size_t k = before; k < n.arity; ++k) given.push_back(around(g.operand(n, k)));
            find_communicators(g.region(number), given, out);
        }
    }
}

// Adds the announcements to a graph. Nothing is added inside of regions, because the graph around them has announced their
// collectives.
TRACEXPR_ONCE constexpr graph with_sequences(graph_view const& g) {
    buffer<mentioned_communicator> all;
    bool has_announcements = false, has_start = false;
    for (node const& n : g) {
        has_start = has_start || n.code == op::token;
        has_announcements =
            has_announcements ||
            (n.code == op::collective && collective_form(call_form(g.attributes_of(n)).rest()).what == collective_kind::sequence);
    }
    if (has_start && !has_announcements) find_communicators(g, {}, all);
    graph out;
    graph_copier copier(g, out);
    node_id start = node_id::none; // the token after the announcements
    auto const instead = [&](node_id id) {
        node const& n = g[id];
        if (n.code == op::result && result_number(g, n) == 1) {
            node const& of = g[g.operand(n, 0)];
            if (of.code == op::collective && call_form(g.attributes_of(of)).does == call_form::call &&
                collective_form(call_form(g.attributes_of(of)).rest()).what == collective_kind::replicate)
                return copier[g.operand_of_many(of, collective_operands::input)];
            return node_id::none;
        }
        return n.code == op::token ? start : node_id::none;
    };
    // The nodes that communicators are read from are copied first; they are leaves, or depend on leaves alone.
    buffer<node_id> roots;
    for (mentioned_communicator const& one : all)
        for (node_id const id : {one.communicator, one.rank, one.ranks}) roots.push_back(id);
    if (!all.empty()) {
        buffer<bool> const first = needed_nodes(g, roots);
        copier.copy_needed(first, [](node_id) { return node_id::none; });
        start = out.append(op::token, dtype::token, dims{}, {});
        for (mentioned_communicator const& one : all) {
            collective_sequence_writer sequence;
            sequence.add(g, one.communicator);
            collective_form announcement(collective_kind::sequence);
            announcement.pairs = sequence.numbers();
            announcement.root = static_cast<std::int64_t>(sequence.hash());
            buffer<std::int64_t> attributes = call_form::attributes({}, 0);
            announcement.append_to(attributes);
            node_id const operands[]{copier[one.communicator], copier[one.communicator], copier[one.rank], copier[one.ranks],
                                     start};
            node_id const announced = out.append(op::collective, dtype::uint64, dims{}, operands, attributes, {1, 0});
            start = append_result(out, announced, 1);
        }
        copier.copy_all([&](node_id id) { return first[index(id)] ? copier[id] : instead(id); });
    } else {
        copier.copy_all(instead);
    }
    copier.add_outputs(g.outputs);
    return out;
}

} // namespace tx::detail

TRACEXPR_END_PASSES
