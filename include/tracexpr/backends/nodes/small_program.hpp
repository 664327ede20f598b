// This file runs a graph of a few ops on small tensors node by node, by the ops' routines: a call needs no plan, no tiles, and
// nothing that is cached for its extents. Larger tensors have programs, whose loops fuse ops and divide elements among threads.
#pragma once

#include <tracexpr/backends/arenas.hpp>
#include <tracexpr/backends/nodes/reduction.hpp>
#include <tracexpr/backends/nodes/view.hpp>
#include <tracexpr/graph/infer.hpp>
#include <tracexpr/graph/literal.hpp>

#include <new>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd::nodes {

class small_program {
public:
    // A call of at most few_nodes nodes has its values on the stack.
    static constexpr std::size_t few_nodes = 24, most_operands = 8;

    // node_facts holds what the extents of a call determine for one node.
    struct node_facts {
        dims extents;
        elementwise::layout each;
        reduction::shape reduced;
        view_place viewed;
    };
    // What is known of a node in a call.
    struct node_values {
        value is;
        node_facts facts;
    };
    // The values of a call, by the numbers of their nodes, in memory given by the caller. They don't exist before they are set.
    class values {
    public:
        explicit values(std::byte* memory) : memory_{memory} {}
        value& operator[](std::size_t node) { return of(node).is; }
        node_facts& facts(std::size_t node) { return of(node).facts; }
        // Sets a value. Its extents are made in place by `make`, because a copy would wait for stores that have just been made.
        template <class Make> void set(std::size_t node, void const* at, Make make) {
            (*this)[node] = {static_cast<std::byte const*>(at), new (&facts(node).extents) dims(make())};
        }
        std::int64_t memory_bytes = 0;

    private:
        node_values& of(std::size_t node) {
            return *std::launder(reinterpret_cast<node_values*>(memory_ + node * sizeof(node_values)));
        }

        std::byte* memory_;
    };
    struct few_values {
        alignas(node_values) std::byte memory[few_nodes * sizeof(node_values)];
    };
    // `argument` is a parameter that is read, and its node.
    struct argument {
        std::size_t parameter, node;
    };

    small_program() = default;
    // Makes the program of a simplified graph, which must outlive it. For a graph that doesn't fit, or has more nodes, the
    // program is empty.
    explicit small_program(graph_view const& g, std::size_t most_nodes = few_nodes) {
        if (g.size() > most_nodes || !fits(g)) return;
        bytes_.resize(g.size()), result_of_.resize(g.size());
        for (std::size_t k = 0; k < g.size(); ++k)
            if (!add(g, k)) return;
        for (node_id const id : g.outputs) {
            outputs_.push_back(index(id));
            if (writes_itself(index(id)) && result_of_[index(id)] < 0)
                result_of_[index(id)] = static_cast<int>(outputs_.size() - 1);
        }
        std::size_t large = 0;
        for (step const& s : steps_) large += !s.is_of_numbers;
        is_one_op_ = large <= 1;
        count_ = g.size();
    }
    bool is_empty() const { return count_ == 0; }
    table_view<argument> arguments() const { return {arguments_.data(), arguments_.size()}; }

    // Infers the extents of all nodes, after those of the arguments have been set. Returns false if this program should not run
    // the call.
    bool infer_extents(values& of) const {
        // The limit is what fits in the caches near a core. A program would fuse more than one op.
        std::int64_t const most_bytes = std::int64_t{1} << (is_one_op_ ? 17 : 14);
        auto const is_more = [&](std::int64_t size, std::int64_t bytes) {
            return size > most_bytes || size * bytes > most_bytes;
        };
        for (argument const& a : arguments_)
            if (of[a.node].extents->size() == 0) return false;
        for (number const& n : numbers_) of[n.node] = {n.bits, &no_axes};
        for (step const& s : steps_) {
            value const* operands[most_operands];
            for (std::size_t k = 0; k < s.arity; ++k) operands[k] = &of[s.operands[k]];
            dims const* const made = infer_extents(s, operands, of.facts(s.node));
            if (!made) return false;
            of[s.node].extents = made;
            dims const& out = *made;
            if (result_of_[s.node] < 0) of.memory_bytes += whole_lines(out.size() * s.result_bytes);
            if (s.kind == step_kind::reduce) of.memory_bytes += s.reduces.memory_bytes(of.facts(s.node).reduced);
            if (s.is_of_numbers || (s.kind == step_kind::call && is_one_op_)) continue;
            for (std::size_t k = 0; k < s.arity; ++k)
                if (is_more(operands[k]->extents->size(), s.operand_bytes[k])) return false;
            if (std::int64_t const size = out.size(); size == 0 || is_more(size, s.result_bytes)) return false;
        }
        return true;
    }
    dims const& output_extents(values& of, std::size_t output) const { return *of[outputs_[output]].extents; }
    // Runs the program, which writes each output to the memory given for it.
    void run(values& of, void* const* outputs) const {
        alignas(64) std::byte stack_memory[1024];
        if (of.memory_bytes <= static_cast<std::int64_t>(sizeof stack_memory)) return run(of, outputs, stack_memory);
        tx::detail::arena_lease const lease(static_cast<std::size_t>(of.memory_bytes));
        run(of, outputs, lease.memory());
    }

private:
    void run(values& of, void* const* outputs, std::byte* memory) const {
        for (step const& s : steps_) {
            std::byte* out = memory;
            int const result = result_of_[s.node];
            if (s.kind == step_kind::view && result < 0 && of.facts(s.node).viewed.is_in_place) {
                of[s.node].at = of[s.operands[0]].at + of.facts(s.node).viewed.at.offset * s.result_bytes;
                continue;
            }
            if (result >= 0) out = static_cast<std::byte*>(outputs[result]);
            else memory += whole_lines(of[s.node].extents->size() * s.result_bytes);
            run_step(s, of, out, memory);
            of[s.node].at = out;
        }
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            if (result_of_[outputs_[k]] != static_cast<int>(k) && outputs[k] != of[outputs_[k]].at)
                std::memcpy(outputs[k], of[outputs_[k]].at,
                            static_cast<std::size_t>(of[outputs_[k]].extents->size() * bytes_[outputs_[k]]));
    }

    enum class step_kind : std::uint8_t { elementwise, reduce, view, call, size };
    struct step {
        step_kind kind{};
        op code{};
        dtype type{};
        std::size_t node = 0, arity = 0, operands[most_operands]{};
        std::int64_t operand_bytes[most_operands]{}, result_bytes = 0;
        bool is_of_numbers = false;
        attribute_span attributes;
        elementwise each;
        reduction reduces;
        tiles::detail::call_routine call = nullptr;
    };
    struct number {
        std::size_t node;
        std::byte bits[32];
    };

    static bool fits(graph_view const& g) {
        if (g.captures.size() > 0 || g.regions.size() > 0 || g.outputs.size() == 0 || g.outputs.size() > few_nodes ||
            g.assigned.size() > 0)
            return false;
        for (node const& n : g)
            if (n.type == dtype::string || n.type == dtype::token || n.arity > most_operands) return false;
        return true;
    }
    static bool is_call(op code) {
        switch (info(code).kind) {
        case kind::scan:
        case kind::order:
        case kind::arg_reduction:
        case kind::contraction: return true;
        default: return code == op::concatenate;
        }
    }
    bool add(graph_view const& g, std::size_t k) {
        node const& n = g[static_cast<node_id>(k)];
        bytes_[k] = static_cast<std::int64_t>(size_in_bytes(n.type)), result_of_[k] = -1;
        if (n.code == op::parameter) return arguments_.push_back({static_cast<std::size_t>(n.bits[0]), k}), true;
        if (n.code == op::literal) {
            if (g.shape_of(n).rank != 0) return false;
            numbers_.push_back({k, {}});
            tiles::detail::put_literal(n.type, {n.bits[0], n.bits[1]}, numbers_.back().bits);
            return true;
        }
        step s;
        s.code = n.code, s.type = n.type, s.node = k, s.arity = n.arity, s.attributes = g.attributes_of(n);
        s.result_bytes = bytes_[k], s.is_of_numbers = g.shape_of(n).rank == 0;
        for (std::size_t o = 0; o < n.arity; ++o) {
            s.operands[o] = index(g.operand(n, o));
            s.operand_bytes[o] = bytes_[s.operands[o]];
            s.is_of_numbers = s.is_of_numbers && g.shape_of(g.operand(n, o)).rank == 0;
        }
        if (n.code != op::axis_size && n.arity == 0) return false;
        dtype const type = g[g.operand(n, n.arity - 1)].type;
        switch (info(n.code).kind) {
        case kind::pointwise:
            s.kind = step_kind::elementwise, s.each = elementwise(n.code, type, n.type);
            if (!s.each.is_known()) return false;
            break;
        case kind::reduction:
            s.kind = step_kind::reduce, s.reduces = reduction(n.code, type, s.attributes);
            if (!s.reduces.is_known()) return false;
            break;
        case kind::view:
            if (n.code == op::sum_to) return false;
            s.kind = step_kind::view;
            break;
        default:
            if (n.code == op::axis_size) {
                s.kind = step_kind::size;
            } else if (is_call(n.code)) {
                s.kind = step_kind::call, s.call = tiles::detail::calling_routine(n.code, g[g.operand(n, 0)].type);
            } else {
                return false;
            }
        }
        steps_.push_back(s);
        return true;
    }
    bool writes_itself(std::size_t node) const {
        for (step const& s : steps_)
            if (s.node == node) return true;
        return false;
    }

    // Returns the extents of the step's result, or null if the step can't run.
    static dims const* infer_extents(step const& s, value const* const* operands, node_facts& facts) {
        dims& out = facts.extents;
        dims const& first = *operands[0]->extents;
        switch (s.kind) {
        case step_kind::size: return &no_axes;
        case step_kind::elementwise: {
            dims const* all = &first;
            for (std::size_t k = 1; k < s.arity; ++k) {
                dims const& more = *operands[k]->extents;
                if (more.rank == 0 || more == *all) continue;
                if (all->rank == 0) {
                    all = &more;
                } else if (broadcastable(*all, more)) {
                    out = broadcast(*all, more);
                    all = &out;
                } else {
                    return nullptr;
                }
            }
            return s.each.infer(operands, *all, facts.each) ? all : nullptr;
        }
        case step_kind::reduce: return s.reduces.infer(first, facts.reduced, out) ? &out : nullptr;
        case step_kind::view: {
            dims const* const like = s.arity == 2 ? operands[1]->extents : nullptr;
            return infer_view(s.code, s.attributes, first, like, facts.viewed, out) ? &out : nullptr;
        }
        case step_kind::call: break;
        }
        dims all[most_operands];
        for (std::size_t k = 0; k < s.arity; ++k) all[k] = *operands[k]->extents;
        inferred const found = tx::infer(s.code, {}, {all, s.arity}, s.attributes);
        out = found.shape;
        return found.problem ? nullptr : &out;
    }
    static std::int64_t whole_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
    static void run_step(step const& s, values& of, std::byte* out, std::byte* memory) {
        value const* operands[most_operands];
        for (std::size_t k = 0; k < s.arity; ++k) operands[k] = &of[s.operands[k]];
        dims const& extents = *of[s.node].extents;
        switch (s.kind) {
        case step_kind::elementwise: return s.each.run(operands, extents, of.facts(s.node).each, out);
        case step_kind::reduce: return s.reduces.run(of.facts(s.node).reduced, operands[0]->at, out, memory);
        case step_kind::view: return copy_view(of.facts(s.node).viewed, operands[0]->at, extents, s.result_bytes, out);
        case step_kind::size: {
            std::int64_t const count = elements_along(*operands[0]->extents, s.attributes);
            return tiles::detail::put_literal(s.type, cast_literal(to_literal(count), dtype::int64, s.type), out);
        }
        case step_kind::call: {
            std::array<std::int64_t, max_rank> strides[most_operands];
            call_operand all[most_operands];
            for (std::size_t k = 0; k < s.arity; ++k) {
                strides[k] = row_major_strides(*operands[k]->extents);
                all[k] = {operands[k]->at, *operands[k]->extents, strides[k].data()};
            }
            std::byte* const results[]{out};
            return s.call({all, s.arity}, results, extents, s.attributes);
        }
        }
    }

    static constexpr dims no_axes{};
    std::size_t count_ = 0;
    bool is_one_op_ = false;          // not counting ops on numbers alone
    std::vector<std::int64_t> bytes_; // of an element of each node
    std::vector<int> result_of_;      // The output whose memory a node writes to, or -1.
    std::vector<argument> arguments_;
    std::vector<number> numbers_;
    std::vector<step> steps_;
    std::vector<std::size_t> outputs_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::nodes
