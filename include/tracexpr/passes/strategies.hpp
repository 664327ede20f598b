// This file chooses the strategy by which each step of a plan runs on a target, and tells whether a plan with other numbers fits
// the compiler's choice.
#pragma once

#include <tracexpr/base/strided_copy.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/epilogues.hpp>
#include <tracexpr/passes/kernel_facts.hpp>
#include <tracexpr/passes/plan_tables.hpp>
#include <tracexpr/passes/register_tile.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

// Is a loop a single row? Calls on vectors mostly are.
constexpr bool is_row(walk const& outer, plan_loop const& loop) {
    return outer.rank == 0 && loop.inner.rank == 1 && !loop.columns;
}
constexpr std::int64_t row_length(plan_loop const& l) { return l.inner.rank ? l.inner.extent[l.inner.rank - 1] : 1; }

// Do rows cost more to walk than to compute? Many of them then run at a time, if only a run knows how short they are.
constexpr bool is_short_sum(plan_loop const& l) { return l.inner.size() > 0 && l.inner.size() <= l.lanes / 2; }
constexpr bool has_short_rows(walk const& outer, plan_loop const& l) {
    bool const are_many = l.inner.size() >= 4 * l.lanes;
    if (l.columns) return are_many && row_length(l) < l.lanes;
    return l.reduces ? outer.rank > 0 && outer.extent[outer.rank - 1] >= l.lanes && is_short_sum(l)
                     : are_many && l.inner.rank > 1 && row_length(l) < 2 * l.lanes;
}
// Rows of a nest that are not longer than this count as short.
constexpr std::int64_t short_row_of_nest = 8;

// The columns of so many rows are reduced side by side.
inline constexpr std::int64_t rows_at_once = 8;
constexpr bool fits_always(strategy s) {
    return s < strategy::known_row || s > strategy::register_tile || s == strategy::open_row;
}

// Longer rows are not faster if their length is known.
inline constexpr std::int64_t longest_known_row = 64; // vectors

// Returns the number of elements from which on a loop stores past the caches.
constexpr std::int64_t least_streamed(std::int64_t lanes, plan_target const& t) {
    return t.streamed_bytes / t.register_bytes * lanes;
}

// Returns the number of instructions on elements; it is capped where extents are assumed, so that no product overflows.
constexpr std::int64_t work(walk const& outer, plan_loop const& l) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t const elements = outer.size() * l.inner.size();
    return (elements < most ? elements : most) * static_cast<std::int64_t>(l.lines.count);
}

// packed_access says how an access reads or writes packed rows.
enum class packed_access { in_one_piece, repeated, spread, constant, total, other };
constexpr packed_access packed_access_of(plan_access const& a, plan_loop const& l) {
    using enum packed_access;
    std::int64_t const step = a.inner[l.inner.rank > 1 ? l.inner.rank - 2 : 0];
    if (a.buffer >= 0 && a.mode == access_mode::splat) return step == 0 ? constant : l.reduces ? other : spread;
    if (a.buffer < 0 || a.mode != access_mode::contiguous) return other;
    return step == row_length(l) ? in_one_piece : step != 0 ? other : a.stores ? total : repeated;
}
// Returns how many packed rows run at once: as many as fill a tile, in whole cache lines; for sums as many as there are lanes.
constexpr std::int64_t rows_together(plan_loop const& l) {
    std::int64_t const lanes = l.lanes, n = row_length(l), vectors = 512 / (n > 1 ? n : 1) / lanes;
    return l.reduces || vectors < 1 ? lanes : vectors * lanes;
}
// Returns the least number of rows that are packed; fewer run one by one.
constexpr std::int64_t least_rows(plan_loop const& l) { return l.reduces ? 2 * rows_together(l) : l.lanes; }

// Is an update of a slice or a diagonal so small that each element is written out?
constexpr bool is_small_update(graph_view const& g, table_view<dims> extents, node_id id) {
    node const& n = g[id];
    if (!updates_view(n.code)) return false;
    dims const& part = extents[index(g.operand(n, 1))];
    return part.rank == 1 && part[0] > 0 && part[0] <= 64;
}

class choosing {
public:
    constexpr choosing(graph_view const& g, plan& p, plan_target const& t, pass_options const& options)
        : g_{g}, p_{p}, t_{t}, known_{g.is_static()}, threads_{options.threads}, on_tiles_{options.kernels == execution::tiles},
          fuses_results_{!options.threads && !options.points && !on_tiles_} {}

    constexpr void run() {
        users_.assign(p_.buffers.size(), 0);
        for (plan_access const& a : p_.accesses)
            if (a.buffer >= 0) ++users_[static_cast<std::size_t>(a.buffer)];
        for (output_copy const& c : p_.copies) ++users_[static_cast<std::size_t>(c.from)];
        for (std::size_t s = 0; s < p_.steps.size(); ++s) {
            plan_step& step = p_.steps[s];
            if (step.call != node_id::none) step.strategy = step.otherwise = of_call(step);
            else choose_loops(s);
        }
    }

private:
    constexpr plan_access const& access(stretch const& of, std::size_t k) const { return p_.accesses[of.first + k]; }

    constexpr strategy of_call(plan_step const& s) const {
        if (g_[s.call].code == op::blocks) return strategy::blocks;
        if (has_regions(g_[s.call])) return strategy::branches;
        if (info(g_[s.call].code).kind == kind::routine) return strategy::routine;
        if (info(g_[s.call].code).kind == kind::effect || is_callback(g_[s.call])) return strategy::effect;
        if (p_.buffer_of[index(s.call)] < 0) return strategy::check_indices;
        if (known_ && is_small_product(s)) return strategy::small_product;
        if (is_small_products(s)) return strategy::small_products;
        if (known_ && is_small_update(g_, p_.extents, s.call)) return strategy::small_update;
        if (known_ && is_small_join(s)) return strategy::small_join;
        return strategy::any_call;
    }
    constexpr bool is_small_join(plan_step const& s) const {
        constexpr std::int64_t most_bytes = 1024, most_pieces = 16;
        node const& n = g_[s.call];
        dims const& d = p_.extents[index(s.call)];
        if (n.code != op::concatenate || n.type == dtype::string) return false;
        if (d.size() * static_cast<std::int64_t>(size_in_bytes(n.type)) > most_bytes) return false;
        auto const steps = row_major_strides(d);
        std::int64_t pieces = 0;
        for (std::size_t k = 0; k < s.operands.count; ++k)
            pieces += strided_copy(p_.extents[index(g_.operand(n, k))], access(s.operands, k).outer, steps.data()).pieces();
        return pieces <= most_pieces;
    }
    // Is it a product of small matrices that are each stored by rows or by columns?
    constexpr bool is_small_product(plan_step const& s) const {
        node const& n = g_[s.call];
        if (n.code != op::matmul || (n.type != dtype::float32 && n.type != dtype::float64)) return false;
        for (std::size_t k = 0; k < 2; ++k) {
            dims const& d = p_.extents[index(g_.operand(n, k))];
            std::int64_t const* const strides = access(s.operands, k).outer;
            if (d.rank != 2 || d[0] < 1 || d[1] < 1 || d[0] > 64 || d[1] > 64) return false;
            if (!(strides[1] == 1 && strides[0] == d[1]) && !(strides[0] == 1 && strides[1] == d[0])) return false;
        }
        dims const &c = p_.extents[index(s.call)], &a = p_.extents[index(g_.operand(n, 0))];
        return vector_products(c[0], c[1], a[1], t_.lanes(n.type)) <= t_.small_products;
    }

    // Is it a batch of products of small matrices of known extents, each with a right factor of its own? Their strides may be
    // known only at run time.
    constexpr bool is_small_products(plan_step const& s) const {
        node const& n = g_[s.call];
        if (n.code != op::matmul || (n.type != dtype::float32 && n.type != dtype::float64)) return false;
        for (std::size_t k = 0; k < 2; ++k) {
            dims const& d = g_.shape_of(g_.operand(n, k));
            if (d.rank < 2) return false;
            for (int axis = d.rank - 2; axis < d.rank; ++axis)
                if (d[axis] < 1 || d[axis] > 16) return false;
        }
        dims const &a = g_.shape_of(g_.operand(n, 0)), &b = g_.shape_of(g_.operand(n, 1));
        bool has_own = false;
        for (int axis = 0; axis < b.rank - 2; ++axis) has_own = has_own || b[axis] != 1;
        return has_own && vector_products(a[a.rank - 2], b[b.rank - 1], b[b.rank - 2], t_.lanes(n.type)) <= t_.small_products;
    }

    constexpr void choose_loops(std::size_t number) {
        plan_step& s = p_.steps[number];
        for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l) {
            plan_loop& loop = p_.loops[l];
            kernel_facts const facts = facts_of(p_.lines.data() + loop.lines.first, loop.lines.count);
            note_facts(s, loop, facts);
            s.work += work(s.outer, loop);
            if (s.loops.count == 1) {
                s.strategy = of_loop(number, loop, facts);
                if (on_tiles_ && s.strategy == strategy::register_tile &&
                    !loop_space(s.outer, loop).is_reduced(loop.tile.lanes)) {
                    lay_out_blocks(s, loop, p_.accesses.data() + loop.accesses.first);
                    s.strategy = strategy::columns;
                }
                s.otherwise = otherwise(s, loop, facts);
            } else {
                s.strategy = s.otherwise = strategy::nest;
            }
            // The stand-ins for unknown extents are longer.
            bool const may_be_known = known_ || row_length(loop) <= longest_known_row * loop.lanes;
            bool const has_length = s.strategy == strategy::nest ? loop.inner.rank == 0 || (loop.inner.rank == 1 && may_be_known)
                                                                 : s.strategy == strategy::known_row;
            if (s.strategy == strategy::short_rows || (has_length && is_known_row(loop, facts)))
                loop.known_length = row_length(loop);
            bool const has_totals = loop.reduces && !facts.skips && !finds_places(p_.view(), s.loops);
            s.sharing = s.strategy == strategy::open_row && has_totals ? sharing::total : sharing::pieces;
        }
        if (!threads_ || s.strategy == strategy::epilogue || (known_ && s.work < 2 * t_.least_work)) s.sharing = sharing::none;
        for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l)
            if (known_ && s.sharing == sharing::none) note_parts(p_.loops[l]); // a thread's piece may have rows of any length
    }
    constexpr void note_parts(plan_loop& l) const {
        kernel_facts const facts = facts_of(p_.lines.data() + l.lines.first, l.lines.count);
        std::int64_t const n = row_length(l), round = facts.unroll(t_.registers) * l.lanes;
        if (facts.skips && n >= l.lanes) return; // the last vector is not read beyond its last element
        l.rows.rounds = n >= round;
        l.rows.rest = n >= l.lanes && n % round != 0;
    }
    constexpr void note_facts(plan_step const& s, plan_loop& l, kernel_facts const& facts) const {
        l.lanes = t_.register_bytes / facts.widest;
        bool const is_large = s.outer.size() * l.inner.size() >= least_streamed(l.lanes, t_);
        l.streams = facts.streams && is_large;
        l.rows.wide = known_ && row_length(l) >= l.lanes;
        l.rows.cached = known_ && !is_large;
        if (known_ && l.columns && l.inner.rank > 1)
            for (std::uint32_t k = 0; k < l.accesses.count && k < 64; ++k)
                if (access(l.accesses, k).inner[l.inner.rank - 2] == 0) l.rows.still |= std::uint64_t{1} << k;
    }

    // Is it a row of one block, whose sums need no cascade?
    constexpr bool is_known_row(plan_loop const& l, kernel_facts const& facts) const {
        std::int64_t const n = row_length(l);
        bool const is_simple = !facts.is_long() && !facts.skips && !facts.transposes;
        return facts.is_short_row(n, l.lanes, t_.short_row_cost) ||
               (is_simple && n >= l.lanes && n <= block_vectors * facts.unroll(t_.registers) * l.lanes);
    }
    // Does the loop run as a register tile? It does if it reduces little, or reads what it loads several times; l.tile is then
    // set.
    constexpr bool is_tiled(plan_step const& s, plan_loop& l, kernel_facts const& facts) const {
        constexpr std::int64_t most_reduced = 64;
        if (!l.reduces || l.rows.overwritten || l.lines.count > line_axes::most_lines) return false;
        loop_space const space(s.outer, l);
        std::int64_t reduced = 1, all = 1;
        bool any = false; // does the loop reduce an axis of more than one element?
        for (int axis = 0; axis < space.rank(); ++axis) {
            all *= space.extent(axis);
            if (space.is_reduced(axis)) reduced *= space.extent(axis), any = true;
        }
        if (all == 0 || reduced == all || !any) return false;
        bool reads_again = true;
        for (std::size_t k = 0; k < l.lines.count; ++k) {
            kernel_line const& line = p_.lines[l.lines.first + k];
            if (line.type == dtype::string || is_dual(line.type)) return false;
            if (line.role != role::load) continue;
            plan_access const& a = access(l.accesses, static_cast<std::size_t>(line.a));
            std::int64_t const elements =
                p_.buffers[static_cast<std::size_t>(a.buffer)].bytes / static_cast<std::int64_t>(size_in_bytes(a.type));
            reads_again = reads_again && all >= 2 * elements;
        }
        bool const gathers = reads_again || is_kept_between(s, l, facts);
        if (!gathers && reduced > most_reduced) return false;
        register_tile const best =
            tiling(s.outer, l, p_.lines.data() + l.lines.first, p_.accesses.data() + l.accesses.first, t_).best();
        if (best.lanes < 0) return false;
        // Rows that are read once are as fast one by one, unless they are shorter than two vectors and wait for long
        // computations.
        bool const waits = facts.cost > 8 && space.extent(best.lanes) < 2 * l.lanes;
        if (!gathers && space.is_reduced(best.lanes) && !waits) return false;
        l.tile = best;
        return true;
    }
    constexpr strategy of_loop(std::size_t number, plan_loop& l, kernel_facts const& facts) {
        plan_step const& s = p_.steps[number];
        bool const is_one_row = s.outer.rank == 0 && l.inner.rank <= 1 && !l.columns;
        if (number > 0 && known_ && s.outer.rank == 0) {
            plan_step& before = p_.steps[number - 1];
            epilogues const find(g_, p_, t_, users_);
            if (before.strategy == strategy::small_product && is_one_row) before.epilogue = find.behind_product(before, l, facts);
            else if (before.strategy == strategy::register_tile && fuses_results_)
                before.epilogue = find.behind_tile(before, p_.loops[before.loops.first], l, facts) ? 0 : -1;
            if (before.epilogue >= 0) return strategy::epilogue;
        }
        if (known_ && is_one_row && is_known_row(l, facts)) return strategy::known_row;
        if (is_tiled(s, l, facts)) return strategy::register_tile;
        if (is_packed(s, l, facts)) return strategy::packed_rows;
        if (l.reduces && !l.columns && l.inner.rank == 1 && s.outer.rank > 0 && row_length(l) <= 8 * l.lanes &&
            facts.is_short_row(row_length(l), l.lanes, t_.short_row_cost))
            return strategy::short_rows;
        return is_row(s.outer, l) ? strategy::open_row : walking(l, facts);
    }
    constexpr strategy walking(plan_loop const& l, kernel_facts const& facts) const {
        return facts.transposes ? strategy::tiles : l.columns ? strategy::columns : strategy::rows;
    }

    constexpr strategy otherwise(plan_step const& s, plan_loop const& l, kernel_facts const& facts) const {
        if (s.strategy == strategy::known_row && is_row(s.outer, l)) return strategy::open_row;

        return fits_always(s.strategy) ? s.strategy : walking(l, facts);
    }

    constexpr bool is_packed(plan_step const& s, plan_loop const& l, kernel_facts const& facts) const {
        int const rank = l.inner.rank;
        if (facts.looks_up || s.outer.rank > 0 || l.reduces != l.columns || rank < 2 || (l.reduces && rank > 2) ||
            row_length(l) < 2 || row_length(l) >= 2 * l.lanes || (known_ && l.inner.extent[rank - 2] < least_rows(l)))
            return false;
        if (l.reduces && finds_places(p_.view(), s.loops)) return false;
        for (std::size_t k = 0; k < l.accesses.count; ++k) {
            packed_access const packed = packed_access_of(access(l.accesses, k), l);
            bool const is_total = l.reduces && access(l.accesses, k).stores;
            if (packed == packed_access::other || (packed == packed_access::total) != is_total) return false;
        }
        return true;
    }
    constexpr bool is_kept_between(plan_step const& s, plan_loop const& l, kernel_facts const& facts) const {
        if (!l.reduces || l.columns || s.outer.rank < 1 || l.inner.rank < 2 || facts.transposes) return false;
        for (std::size_t k = 0; k < l.accesses.count; ++k) {
            plan_access const& a = access(l.accesses, k);
            std::int64_t const step = a.outer[s.outer.rank - 1];
            if (!a.stores && a.mode == access_mode::contiguous) return step > 0 && step < a.inner[0];
        }
        return false;
    }

    graph_view g_;
    plan& p_;
    plan_target t_;
    bool known_, threads_;       // known: the plan's numbers are those of each run
    bool on_tiles_;              // an executor that interprets loops runs the plan
    bool fuses_results_;         // may an epilogue run on a tile's results in registers?
    buffer<std::int32_t> users_; // the number of accesses and copies of each buffer
};

// Do a plan's numbers fit the strategy that `known`, of the same form, has for the step?
constexpr bool fits_strategy(plan_view const& known, plan_view const& p, std::size_t number) {
    plan_step const &chosen = known.steps[number], &s = p.steps[number];
    plan_loop const &known_loop = known.loops[chosen.loops.first], &l = p.loops[s.loops.first];
    int const rank = l.inner.rank;
    switch (chosen.strategy) {
    case strategy::register_tile: return fits_tile(known, p, chosen, s);
    case strategy::short_rows: return rank == 1 && row_length(l) == known_loop.known_length;
    case strategy::packed_rows:
        if (s.outer.rank > 0 || rank != known_loop.inner.rank || row_length(l) != row_length(known_loop) ||
            l.inner.extent[rank - 2] < least_rows(known_loop))
            return false;
        for (std::size_t k = 0; k < known_loop.accesses.count; ++k)
            if (packed_access_of(p.accesses[l.accesses.first + k], l) !=
                packed_access_of(known.accesses[known_loop.accesses.first + k], known_loop))
                return false;
        return true;
    default: return fits_always(chosen.strategy);
    }
}
// Do a run-time plan's loop and its accesses have the form that the compiler assumed in `known`?
constexpr bool has_known_form(plan_view const& known, plan_view const& p, plan_step const& s, std::size_t loop) {
    plan_loop const &known_loop = known.loops[loop], &l = p.loops[loop];
    bool const row = is_row(s.outer, known_loop);
    if (l.columns != known_loop.columns) return false;
    if (known_loop.inner.rank == 1 && l.inner.rank > 1) return false;
    if (s.strategy == strategy::nest && known_loop.known_length > 0 && row_length(l) != known_loop.known_length) return false;
    for (std::size_t k = known_loop.accesses.first; k < known_loop.accesses.first + known_loop.accesses.count; ++k)
        if (p.accesses[k].mode != known.accesses[k].mode ||
            (row && known.accesses[k].offset == 0 && p.accesses[k].offset != 0)) // a row's cursor doesn't add this offset
            return false;
    return true;
}
// fit_of_plan says how well a plan that was made at run time fits the kernels that the compiler made for its form. `work` is
// counted as in plan_step; `unfit` and `slow` are the work of loops that don't fit, and of those whose rows are so short that
// walking them takes the kernels longer than computing.
struct fit_of_plan {
    bool all = true, counts_on = false; // counts_on: indices of extremes exceed what their lanes can count
    std::int64_t work = 0, unfit = 0, slow = 0;

    // Does it pay to leave the whole program to an executor that knows the numbers?
    constexpr bool is_poor() const {
        constexpr std::int64_t little = 1 << 14;
        return counts_on || (work >= little && 4 * (unfit + slow) >= work);
    }
};
// Gives a plan made at run time the strategies of `known`, or their substitutes, or `strided` if an access walks otherwise than
// in `known`, or rows are shorter than kernels accept.
inline fit_of_plan keep_strategies(plan_view const& known, plan& p) {
    constexpr std::int64_t short_row = 4; // vectors
    fit_of_plan out;
    for (std::size_t s = 0; s < known.steps.size(); ++s) {
        plan_step const& known_step = known.steps[s];
        if (known_step.call != node_id::none) continue;
        bool holds = true;
        std::int64_t row = 0;
        for (std::size_t l = known_step.loops.first; l < known_step.loops.first + known_step.loops.count; ++l) {
            p.loops[l].lanes = known.loops[l].lanes, p.loops[l].tile = known.loops[l].tile;
            p.steps[s].work += work(p.steps[s].outer, p.loops[l]);
            holds = holds && has_known_form(known, p.view(), known_step, l) &&
                    (!is_row(known_step.outer, known.loops[l]) || is_row(p.steps[s].outer, p.loops[l]));
            row = p.loops[l].inner.size() > row ? p.loops[l].inner.size() : row;
            for (int axis = 0; axis < p.loops[l].inner.rank && finds_places(known, known_step.loops); ++axis)
                out.counts_on = out.counts_on || p.loops[l].inner.extent[axis] > most_narrow_places;
        }
        plan_loop& first = p.loops[known_step.loops.first];
        bool fits = fits_strategy(known, p.view(), s);
        strategy const chosen = fits ? known_step.strategy : known_step.otherwise;
        bool const walks = chosen == strategy::rows || chosen == strategy::columns, is_nest = chosen == strategy::nest;
        if (known_step.strategy != strategy::register_tile) // register_tile doesn't depend on which axis is the last
            fits = holds && !(is_nest ? row <= short_row_of_nest : walks && has_short_rows(p.steps[s].outer, first));
        first.kept = fits ? chosen : strategy::strided;
        out.all = out.all && fits;
        out.work += p.steps[s].work;
        bool const is_slow = (is_nest ? row : walks ? row_length(first) : short_row * first.lanes) < short_row * first.lanes;
        if (!fits) out.unfit += p.steps[s].work;
        else if (is_slow) out.slow += p.steps[s].work;
    }
    return out;
}

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
