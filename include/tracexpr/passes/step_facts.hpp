// This file describes a step of a plan in words, with its cost, for profiles and drawings.
#pragma once

#include <tracexpr/passes/flops.hpp>
#include <tracexpr/passes/print.hpp>

#include <algorithm>
#include <string>
#include <vector>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

struct step_facts {
    std::string name;     // "matmul", "multiply, sum"
    std::string size;     // "100 times 3", "32 x 10"
    std::string strategy; // "rows, shared by threads"
    std::int64_t bytes = 0, flops = 0;
};

// Counts what a step reads and writes: each element of a buffer once, however many loops use it.
class step_traffic {
public:
    explicit step_traffic(plan_view const& p) : p_{p}, read_(p.buffers.size(), 0), written_(p.buffers.size(), 0) {}
    void add(std::int32_t b, std::int64_t elements, dtype type, bool writes) {
        if (b < 0) return;
        std::int64_t& seen = (writes ? written_ : read_)[static_cast<std::size_t>(b)];
        seen = std::min(seen + elements * static_cast<std::int64_t>(size_in_bytes(type)),
                        p_.buffers[static_cast<std::size_t>(b)].bytes);
    }
    std::int64_t bytes() const {
        std::int64_t sum = 0;
        for (std::size_t b = 0; b < read_.size(); ++b) sum += read_[b] + written_[b];
        return sum;
    }

private:
    plan_view p_;
    std::vector<std::int64_t> read_, written_;
};
// Returns how many elements an access uses.
inline std::int64_t elements_accessed(walk const& over, std::int64_t const* strides) {
    std::int64_t count = 1;
    for (int axis = 0; axis < over.rank; ++axis)
        if (strides[axis] != 0 || over.extent[axis] == 0) count *= over.extent[axis];
    return count;
}

// op_names collects the names of a step's ops, each once, in order.
class op_names {
public:
    void add(op code) {
        if (std::find(all_.begin(), all_.end(), name(code)) == all_.end()) all_.push_back(name(code));
    }
    // Adds the names of a graph's ops that do work.
    void add_work(graph_view const& g) {
        for (node const& n : g) {
            kind const k = info(n.code).kind;
            if (k != kind::leaf && k != kind::view && k != kind::projection) add(n.code);
        }
    }
    std::string str() const {
        std::string out;
        for (std::size_t k = 0; k < std::min(all_.size(), most); ++k) out += (k ? ", " : "") + std::string(all_[k]);
        return all_.size() > most ? out + ", ..." : out;
    }

private:
    static constexpr std::size_t most = 5;
    std::vector<std::string_view> all_;
};

class step_reader {
public:
    // `known` is the compiler's plan, which has the strategies if p was made at run time.
    step_reader(graph_view const& g, plan_view const& p, plan_view const& known, std::size_t number)
        : g_{g}, p_{p}, s_{p.steps[number]}, known_{known.steps[number]}, known_plan_{known}, traffic_(p) {}

    step_facts facts() {
        if (s_.call == node_id::none) read_loops();
        else read_call();
        out_.bytes = traffic_.bytes();
        return std::move(out_);
    }

private:
    void read_loops() {
        op_names ops;
        for (std::size_t l = s_.loops.first; l < s_.loops.first + s_.loops.count; ++l) {
            plan_loop const& loop = p_.loops[l];
            for (std::size_t k = loop.lines.first; k < loop.lines.first + loop.lines.count; ++k) add_line(loop, p_.lines[k], ops);
            for (std::size_t k = loop.accesses.first; k < loop.accesses.first + loop.accesses.count; ++k) {
                plan_access const& a = p_.accesses[k];
                std::int64_t const elements = is_looked_up(loop, k)
                                                  ? s_.outer.size() * loop.inner.size()
                                                  : elements_accessed(s_.outer, a.outer) * elements_accessed(loop.inner, a.inner);
                traffic_.add(a.buffer, elements, a.type, a.stores);
            }
        }
        out_.name = ops.str();
        if (out_.name.empty()) out_.name = "copy";
        plan_loop const& first = p_.loops[s_.loops.first];
        out_.size = (s_.outer.rank ? extents_text(s_.outer) + " times " : "") + extents_text(first.inner);
        strategy const chosen = first.kept != strategy{} ? first.kept : known_.strategy;
        plan_loop shown = known_plan_.loops[known_.loops.first];
        if (chosen != known_.strategy) shown.known_length = 0;
        out_.strategy = strategy_words(chosen, known_.sharing, shown);
    }
    // The elements of a table are wherever the indices point.
    bool is_looked_up(plan_loop const& loop, std::size_t access) const {
        for (std::size_t k = loop.lines.first; k < loop.lines.first + loop.lines.count; ++k)
            if (p_.lines[k].role == role::lookup && loop.accesses.first + static_cast<std::size_t>(p_.lines[k].b) == access)
                return true;
        return false;
    }
    void add_line(plan_loop const& loop, kernel_line const& line, op_names& ops) {
        if (line.role != role::compute && line.role != role::reduce) return;
        ops.add(line.code);
        op const by = line.role == role::reduce ? info(line.code).combines.by : line.code;
        dtype const type = p_.lines[loop.lines.first + static_cast<std::size_t>(line.a)].type;
        out_.flops += flops_of_element(by, type) * s_.outer.size() * loop.inner.size();
    }

    void read_call() {
        node const& n = g_[s_.call];
        bool const checks = p_.buffer_of[index(s_.call)] < 0 && known_.strategy == strategy::check_indices;
        out_.name = (checks ? "check indices of " : "") + std::string(shown_name(g_, n));
        std::size_t const first = checks ? 1 : 0, values = value_operands(n);
        std::int64_t const result = p_.extents[index(s_.call)].size();
        for (std::size_t k = first; k < values; ++k) {
            plan_access const& a = p_.accesses[s_.operands.first + k - first];
            dims const& d = p_.extents[index(g_.operand(n, k))];
            walk over{d.rank, {}};
            std::copy_n(d.extent, d.rank, over.extent);
            std::int64_t const elements = elements_accessed(over, a.outer);
            traffic_.add(a.buffer, info(n.code).kind == kind::lookup && k == 0 ? std::min(elements, result) : elements, a.type,
                         false);
        }
        if (checks) {
            out_.size = extents_text_of(p_.extents[index(g_.operand(n, 1))]);
            return;
        }
        traffic_.add(p_.buffer_of[index(s_.call)], result, n.type, true);
        for (std::size_t k = values; k < s_.operands.count; ++k) {
            plan_access const& a = p_.accesses[s_.operands.first + k];
            if (a.buffer >= 0) traffic_.add(a.buffer, p_.buffers[static_cast<std::size_t>(a.buffer)].bytes, a.type, true);
        }
        out_.size = extents_text_of(p_.extents[index(s_.call)]);
        if (n.code == op::matmul) {
            dims const& left = p_.extents[index(g_.operand(n, 0))];
            out_.size += ", sums of " + std::to_string(left[left.rank - 1]);
        }
        out_.flops = flops_of_node(g_, s_.call, p_.extents);
        out_.strategy = strategy_words(known_.strategy, known_.sharing, {});
        if (has_regions(n)) read_regions(n);
    }
    void read_regions(node const& n) {
        op_names ops;
        for (std::int64_t const number : g_.attributes_of(n)) ops.add_work(g_.region(number));
        if (std::string const within = ops.str(); !within.empty()) out_.name += " of " + within;
        if (n.code != op::blocks) return;
        std::int64_t const places = block_form::of(n).block;
        out_.strategy = "blocks of " + (places > 0 ? std::to_string(places) : "places that the run chooses");
    }
    static std::string extents_text_of(dims const& d) {
        walk w{d.rank, {}};
        std::copy_n(d.extent, d.rank, w.extent);
        return extents_text(w);
    }

    graph_view const& g_;
    plan_view const& p_;
    plan_step const &s_, &known_;
    plan_view const& known_plan_;
    step_traffic traffic_;
    step_facts out_;
};

// Returns the facts of step k of the plan p that runs a graph. `known` is the compiler's plan, which has the strategies if p was
// made at run time.
inline step_facts facts_of_step(graph_view const& g, plan_view const& p, plan_view const& known, std::size_t k) {
    return step_reader(g, p, known, k).facts();
}

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
