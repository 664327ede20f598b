// This file sums over the blocks of all ranks' examples in a fixed order, so that any number of ranks gives the same bits. The
// sum is a binary tree whose shape depends only on the number of blocks: neighbouring blocks are added, then neighbouring sums.
// Each rank has consecutive blocks, and adds the part of the tree that lies in them.
#pragma once

#include <tracexpr/ad/value.hpp>
#include <tracexpr/mpi/collectives.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tx::mpi::detail::ops {

// Node `index` of a level is the sum of the blocks from index * 2^level up to (index + 1) * 2^level, cut off at the number of
// blocks.
struct tree_node {
    std::int64_t level = 0, index = 0;
    bool operator==(tree_node const&) const = default;
};
struct block_tree {
    std::int64_t blocks = 1;

    std::int64_t first(tree_node n) const { return n.index << n.level; }
    std::int64_t last(tree_node n) const { return std::min((n.index + 1) << n.level, blocks); }
    bool exists(tree_node n) const { return first(n) < blocks; }
    tree_node root() const {
        std::int64_t level = 0;
        while (std::int64_t{1} << level < blocks) ++level;
        return {level, 0};
    }
    // Returns the largest nodes that cover exactly the blocks from `begin` up to `end`, from left to right.
    std::vector<tree_node> nodes_within(std::int64_t begin, std::int64_t end) const {
        std::vector<tree_node> out;
        while (begin < end) {
            tree_node n{0, begin};
            for (tree_node up{1, begin / 2}; n != root() && first(up) == begin && last(up) <= end;
                 up = {up.level + 1, up.index / 2})
                n = up;
            out.push_back(n);
            begin = last(n);
        }
        return out;
    }
};

class block_sum {
public:
    block_sum(trace_scope& scope, traced_communicator const& among, rank_transport const& ranks, std::int64_t blocks)
        : scope_{scope}, among_{among}, rank_{ranks.rank}, size_{ranks.size}, tree_{blocks}, own_{blocks / ranks.size} {}

    // Records the sum over the blocks of all ranks, where x is (this rank's blocks, ...).
    ad::value of(ad::value const& x) const {
        std::vector<tree_node> const mine = tree_.nodes_within(rank_ * own_, (rank_ + 1) * own_);
        if (std::has_single_bit(static_cast<std::uint64_t>(size_)) && std::has_single_bit(static_cast<std::uint64_t>(own_)))
            return exchanged_sum(local(x, mine[0]));
        std::size_t most = 0; // partial sums of a rank
        for (std::int64_t r = 0; r < size_; ++r) most = std::max(most, tree_.nodes_within(r * own_, (r + 1) * own_).size());
        std::vector<ad::value> partial;
        for (tree_node const& n : mine) partial.push_back(ad::unary(op::expand_dims, local(x, n), ad::attribute_list(0)));
        while (partial.size() < most) partial.push_back(ad::zeros_like(partial[0]));
        buffer<node_id> parts;
        for (ad::value const& p : partial) parts.push_back(p.id());
        graph& g = scope_.recorded;
        dims joined = partial[0].shape();
        joined[0] = static_cast<std::int64_t>(most);
        node_id const list[]{most == 1 ? parts[0] : g.append(op::concatenate, x.type(), joined, parts, ad::attribute_list(0))};
        collective_form const form(collective_kind::all_gather);
        return combined({g, append_collective(scope_, form, among_, list)}, tree_.root());
    }

private:
    // Computes the value of a node that lies entirely in this rank's blocks.
    ad::value local(ad::value const& x, tree_node n) const {
        if (n.level == 0) return element(x, n.index - rank_ * own_);
        tree_node const left{n.level - 1, 2 * n.index}, right{n.level - 1, 2 * n.index + 1};
        if (!tree_.exists(right)) return local(x, left);
        return ad::record(op::add, {local(x, left), local(x, right)});
    }
    static ad::value element(ad::value const& x, std::int64_t k) {
        return ad::unary(op::squeeze, ad::slice(x, 0, k, k + 1), ad::attribute_list(0));
    }
    // Ranks whose numbers differ in one binary digit exchange their sums, one digit after the other; both get the same bits, as a
    // + b and b + a are equal.
    ad::value exchanged_sum(ad::value sum) const {
        graph& g = scope_.recorded;
        for (std::int64_t step = 1; step < size_; step *= 2) {
            ad::value const partner = sum.like(static_cast<double>(rank_ ^ step), dtype::int64);
            node_id const inputs[]{sum.id(), partner.id(), partner.id()};
            collective_form const form(collective_kind::exchange);
            ad::value const other{g, append_collective(scope_, form, among_, inputs)};
            sum = ad::record(op::add, {sum, other});
        }
        return sum;
    }
    // Computes the value of a node, computed from the partial sums of all ranks, (ranks, partial sums, ...).
    ad::value combined(ad::value const& all, tree_node n) const {
        std::int64_t const owner = tree_.first(n) / own_;
        if (tree_.last(n) <= (owner + 1) * own_) {
            std::vector<tree_node> const theirs = tree_.nodes_within(owner * own_, (owner + 1) * own_);
            auto const found = std::find(theirs.begin(), theirs.end(), n);
            if (found != theirs.end()) return element(element(all, owner), found - theirs.begin());
        }
        tree_node const left{n.level - 1, 2 * n.index}, right{n.level - 1, 2 * n.index + 1};
        if (!tree_.exists(right)) return combined(all, left);
        return ad::record(op::add, {combined(all, left), combined(all, right)});
    }

    trace_scope& scope_;
    traced_communicator among_;
    std::int64_t rank_, size_;
    block_tree tree_;
    std::int64_t own_; // blocks of this rank
};

} // namespace tx::mpi::detail::ops
