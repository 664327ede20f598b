// Says which nodes a tape or accumulator inside a traced callable has recorded: the graph under construction holds everything,
// but a tape records only what is computed while it listens, from values that it watches by then.
#pragma once

#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

// Says for each node of a graph whether it is recorded, and whether its derivatives are known, that is, whether it is recorded or
// watched.
struct recorded_nodes {
    buffer<bool> recorded, known;
};

class traced_record {
public:
    // Starts recording the nodes that follow and depend on a watched value.
    constexpr void open(trace_scope* scope) {
        *this = {};
        if (scope) opened_ = now(*scope);
    }
    constexpr void watch(trace_scope& scope, node_id id) {
        moment const since = now(scope);
        watched_.push_back({id, since});
    }
    constexpr void pause(trace_scope& scope) {
        moment const from = now(scope);
        pauses_.push_back({from, never});
    }
    constexpr void resume(trace_scope& scope) { pauses_.back().end = now(scope).number; }
    constexpr bool is_paused() const { return !pauses_.empty() && pauses_[pauses_.size() - 1].end == never; }

    // Returns the recorded nodes. `accessed` are nodes that are watched without being named. With all_captures, nodes that depend
    // on any captured value are recorded, too.
    TRACEXPR_ONCE constexpr recorded_nodes nodes_of(trace_scope& scope, table_view<node_id> accessed = {},
                                                    bool all_captures = false) const {
        graph_view const g = scope.recorded.view();
        std::size_t const opened = first_in(scope);
        recorded_nodes out{buffer<bool>(g.size()), buffer<bool>(g.size())};
        buffer<std::size_t> since(g.size(), never); // nodes that use this one are recorded from this number on
        for (watched const& w : watched_)
            if (w.since.is_in(scope)) lower(since[index(w.id)], w.since.number);
        for (node_id const id : accessed) lower(since[index(id)], opened);
        for (std::size_t i = 0; i < g.size(); ++i) {
            node const& n = g.nodes[i];
            for (std::size_t k = 0, count = n.code == op::result ? 1 : value_operands(n);
                 i >= opened && k < count && !out.recorded[i]; ++k)
                out.recorded[i] = since[index(g.operand(n, k))] <= i && !is_paused_at(scope, i);
            if (out.recorded[i]) lower(since[i], i);
            out.known[i] = since[i] != never;
            if (all_captures && n.code == op::capture) lower(since[i], opened);
        }
        return out;
    }

private:
    static constexpr std::size_t never = static_cast<std::size_t>(-1);
    struct moment {
        trace_scope const* scope = nullptr;
        std::uint32_t scope_number = 0; // another trace may later have the same address
        std::size_t number = 0;         // the number of the next node

        constexpr bool is_in(trace_scope const& s) const { return scope == &s && scope_number == s.number; }
    };
    struct watched {
        node_id id;
        moment since;
    };
    struct silence {
        moment from;
        std::size_t end = never;
    };

    // Returns the present moment. Ops recorded from now on are nodes of their own, even if the same op was computed before.
    static constexpr moment now(trace_scope& scope) {
        scope.recorded.stop_sharing();
        return {&scope, scope.number, scope.recorded.size()};
    }
    // Returns the first node that may be recorded. In a constant evaluation the trace is known only when a first value is
    // watched.
    TRACEXPR_ONCE constexpr std::size_t first_in(trace_scope const& scope) const {
        if (opened_.is_in(scope)) return opened_.number;
        return __builtin_is_constant_evaluated() && !watched_.empty() ? watched_[0].since.number : 0;
    }
    static constexpr void lower(std::size_t& number, std::size_t to) { number = to < number ? to : number; }
    TRACEXPR_ONCE constexpr bool is_paused_at(trace_scope const& scope, std::size_t i) const {
        for (silence const& s : pauses_)
            if (s.from.is_in(scope) && s.from.number <= i && i < s.end) return true;
        return false;
    }

    moment opened_;
    buffer<watched> watched_;
    buffer<silence> pauses_;
};

} // namespace tx::detail
