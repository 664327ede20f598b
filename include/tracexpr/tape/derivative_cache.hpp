// This file caches the programs for the last gradients of a thread: a tape that has recorded the same graph as one before, as in
// each step of a training loop, needs no new differentiation.
#pragma once

#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/graph/canonical.hpp>
#include <tracexpr/run/made_programs.hpp>
#include <tracexpr/tape/gradient_question.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tx::detail::inline TRACEXPR_RUNS {

struct cached_derivative {
    buffer<char> connected;    // whether each source has a gradient
    buffer<node_id> arguments; // nodes whose values are the program's arguments
    std::shared_ptr<tiles::program const> made;
};

class derivative_cache {
public:
    static derivative_cache& of_this_thread() { return per_thread<derivative_cache>(); }
    // Returns whether a program for the graph may be reused. Derivatives that users define may do anything, and effects must
    // happen each time.
    static bool is_cacheable(graph_view const& g) {
        for (node const& n : g)
            if (n.code == op::custom_derivative || n.code == op::capture || n.type == dtype::token) return false;
        return is_worth_remembering(g);
    }
    // Returns what was added for this graph and question, or an empty cached_derivative. It sets the question's hash.
    cached_derivative find(graph_view const& g, gradient_question& asked) const {
        asked.hash = hash_of(g);
        for (node_id const id : asked.targets) asked.hash = mix(asked.hash, static_cast<std::uint64_t>(id));
        for (node_id const id : asked.sources) asked.hash = mix(asked.hash, static_cast<std::uint64_t>(id));
        for (entry const& e : all_)
            if (e.found.made && e.asked == asked && same_graph(e.of.view(), g)) return e.found;
        return {};
    }
    // Returns whether this question is asked for the second time. A question that is asked once need not be copied.
    bool is_repeated(gradient_question const& asked) {
        if (std::find(seen_.begin(), seen_.end(), asked.hash) != seen_.end()) return true;
        seen_[next_seen_++ % seen_.size()] = asked.hash;
        return false;
    }
    void add(graph&& of, gradient_question&& asked, cached_derivative&& found) {
        all_[next_++ % all_.size()] = {std::move(of), std::move(asked), std::move(found)};
    }

private:
    struct entry {
        graph of;
        gradient_question asked;
        cached_derivative found;
    };
    std::array<entry, 16> all_;
    std::array<std::uint64_t, 32> seen_{};
    std::size_t next_ = 0, next_seen_ = 0;
};

} // namespace tx::detail::inline TRACEXPR_RUNS
