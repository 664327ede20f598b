// This file makes a program of the tile executor from a graph and the extents of its arguments.
#pragma once

#include <tracexpr/backends/region_programs.hpp>
#include <tracexpr/backends/tiles/build_loop.hpp>
#include <tracexpr/backends/tiles/run_loop.hpp>
#include <tracexpr/passes/pipeline.hpp>
#include <tracexpr/passes/specialize.hpp>
#include <tracexpr/passes/stops.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::inline TRACEXPR_RUNS::tiles {
template <class Unused>
std::shared_ptr<program const> make_program(graph_view const& traced, table_view<dims> arguments, pass_options const& given);
}

namespace tx::inline TRACEXPR_TARGET::simd::tiles {

namespace detail {

class branch_programs {
public:
    explicit branch_programs(pass_options const& options) : options_{options} {}
    template <class Unused>
    std::shared_ptr<program const> find(graph_view const& g, std::int64_t region, table_view<dims> operands) {
        return all_.find(g, region, operands,
                         [&](graph_view const& of) { return tx::tiles::make_program<Unused>(of, operands, options_); });
    }

private:
    pass_options options_;
    tx::detail::region_programs<program> all_;
};

template <class Unused> class program_builder {
public:
    explicit program_builder(program& out) : out_{out}, g_{out.graph.view()}, p_{out.plan.view()} {}

    void run() {
        out_.rows_of_buffer.assign(p_.buffers.size(), -1);
        for (std::size_t s = 0; s < p_.steps.size(); ++s) add_step(s);
        for (plan_buffer const& b : p_.buffers)
            if (b.place == buffer_place::constant) add_constant(b);
            else out_.constants.emplace_back();
    }

private:
    void add_constant(plan_buffer const& b) {
        node const& n = g_[b.node];
        std::size_t const bytes = size_in_bytes(n.type), stride = words_of(n.type),
                          count = static_cast<std::size_t>(n.bits[1]) / stride;
        std::vector<std::byte> elements(count * bytes);
        std::uint64_t const* const words = g_.blob.data() + n.bits[0];
        with_element(n.type, [&]<class T>(T const&) {
            for (std::size_t i = 0; i < count; ++i) {
                T const value = from_words<T>(words + i * stride);
                std::memcpy(elements.data() + i * bytes, &value, bytes);
            }
        });
        out_.constants.push_back(std::move(elements));
    }
    void add_step(std::size_t number) {
        plan_step const& s = p_.steps[number];
        tile_step to;
        to.outer = s.outer;
        if (s.call != node_id::none) add_call(s, to);
        else add_loops(number, to);
        out_.steps.push_back(std::move(to));
    }
    void add_call(plan_step const& s, tile_step& to) {
        node const& n = g_[s.call];
        using kind_of_step = tile_step::kind;
        to.tag = has_regions(n)                          ? kind_of_step::branches
                 : s.strategy == strategy::effect        ? kind_of_step::effect
                 : s.strategy == strategy::routine       ? kind_of_step::routine
                 : s.strategy == strategy::check_indices ? kind_of_step::check
                                                         : kind_of_step::call;
        if (has_indices(n.code)) {
            node_id const indices = g_.operand(n, n.arity - 1);
            if (g_[indices].type != dtype::int64) {
                to.convert = casting_routine(g_[indices].type, dtype::int64);
                to.index_count = p_.extents[index(indices)].size();
            }
        }
        if (to.tag == kind_of_step::call) to.call = calling_routine(n.code, g_[g_.operand(n, 0)].type);
        std::int64_t spare = 0; // for results that nobody needs
        for (std::size_t k = 1; to.tag == kind_of_step::call && k < static_cast<std::size_t>(info(n.code).results); ++k) {
            value_spec const spec = result_spec(g_, n, p_.extents[index(s.call)], p_.extents[index(g_.operand(n, 0))], k);
            spare += (spec.shape.size() * static_cast<std::int64_t>(size_in_bytes(spec.type)) + 63) / 64 * 64;
        }
        need_scratch(to.index_count * 8 + 64 + spare);
    }
    void need_scratch(std::int64_t bytes) { out_.scratch_bytes = std::max(out_.scratch_bytes, bytes); }

    void add_loops(std::size_t number, tile_step& to) {
        plan_step const& s = p_.steps[number];
        to.tag = tile_step::kind::loops;
        to.batch = rows_at_once(s);
        if ((to.group = rows_of_group(s, to.batch)) > 0) {
            to.batch = std::min(to.batch / to.group, s.outer.extent[s.outer.rank - 2]);
            --to.outer.rank;
        }
        row_strides strides(p_.buffers.size(), 0);
        if (to.batch > 0 && to.group == 0) spread_rows(s, to.batch, strides);
        divided_memory measured(nullptr);
        measured.take_for<loop_run<Unused>>(s.loops.count);
        for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l) {
            to.loops.push_back(loop_builder<Unused>(p_, number, l, to.batch, to.group, strides).run());
            loop_run<Unused>(to.loops.back(), nullptr, measured);
            for (instruction const& i : to.loops.back().body) to.streams = to.streams || i.opcode == action::stream;
            for (chain const& c : to.loops.back().chains) to.streams = to.streams || c.stream;
        }
        need_scratch(measured.used_bytes());
        if (s.sharing == sharing::none) return;
        find_row_buffers(s, to);
        measured.take_for<std::byte*>(p_.buffers.size());
        for (row_buffer const& b : to.row_buffers) measured.take(b.bytes);
        to.piece_bytes = measured.used_bytes();
    }
    // Finds the buffers that are overwritten at each position of some outer axis: nothing in them is needed at the next position.
    void find_row_buffers(plan_step const& s, tile_step& to) const {
        for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l)
            for (std::size_t k = p_.loops[l].accesses.first; k < p_.loops[l].accesses.first + p_.loops[l].accesses.count; ++k) {
                plan_access const& a = p_.accesses[k];
                if (!a.stores || s.outer.rank == 0) continue;
                plan_buffer const& of = p_.buffers[static_cast<std::size_t>(a.buffer)];
                bool const is_known = std::any_of(to.row_buffers.begin(), to.row_buffers.end(),
                                                  [&](row_buffer const& b) { return b.number == a.buffer; });
                if (of.place != buffer_place::arena || is_known) continue;
                bool const is_spread = out_.rows_of_buffer[static_cast<std::size_t>(a.buffer)] >= 0;
                row_buffer b{a.buffer, of.bytes * (is_spread ? to.batch : 1)};
                std::copy_n(a.outer, s.outer.rank, b.outer);
                if (std::find(b.outer, b.outer + s.outer.rank, 0) != b.outer + s.outer.rank) to.row_buffers.push_back(b);
            }
    }
    // Returns the number of positions of the last outer axis that loops over short rows take at once; 0 if rows are not short.
    std::int64_t rows_at_once(plan_step const& s) const {
        if (plan_loop const& only = p_.loops[s.loops.first]; s.loops.count == 1 && only.columns) return rows_of_blocks(s, only);
        if (s.outer.rank == 0) return 0;
        std::int64_t longest = 1;
        int widest = 1;
        for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l) {
            plan_loop const& loop = p_.loops[l];
            kernel_facts const facts = facts_of(p_.lines.data() + loop.lines.first, loop.lines.count);
            if (loop.inner.rank > 1 || loop.columns) return 0;
            if (loop.reduces && loop.inner.size() > block_vectors * loop.lanes * facts.unroll(this_processor.registers)) return 0;
            longest = std::max(longest, loop.inner.size());
            widest = std::max(widest, widest_in_tile(p_.lines.data() + loop.lines.first, loop.lines.count));
        }
        std::int64_t const fit = 4 * tile_elements(widest) / longest;
        return fit < 2 ? 0 : is_grouped(s, fit) ? fit : std::min(fit, s.outer.extent[s.outer.rank - 1]);
    }
    // True if the last outer axis alone has too few rows to fill a tile of sums, so that the positions of the axis around it are
    // rows of the tile as well.
    bool is_grouped(plan_step const& s, std::int64_t rows) const {
        plan_loop const& loop = p_.loops[s.loops.first];
        if (s.loops.count > 1 || !loop.reduces || s.outer.rank < 2 || s.sharing != sharing::none) return false;
        std::int64_t const group = s.outer.extent[s.outer.rank - 1];
        if (group < 1 || rows < 2 * group || s.outer.extent[s.outer.rank - 2] < 2) return false;
        for (std::size_t k = loop.lines.first; k < loop.lines.first + loop.lines.count; ++k) {
            kernel_line const& l = p_.lines[k];
            bool const is_simple = l.role == role::load || l.role == role::literal || l.role == role::compute;
            if (!is_simple && l.role != role::reduce) return false;
            if (l.role != role::reduce) continue;
            plan_access const& a = p_.accesses[loop.accesses.first + static_cast<std::size_t>(l.b)];
            if (a.outer[s.outer.rank - 2] != group * a.outer[s.outer.rank - 1]) return false;
        }
        return true;
    }
    std::int64_t rows_of_group(plan_step const& s, std::int64_t rows) const {
        return rows > 0 && !p_.loops[s.loops.first].columns && is_grouped(s, rows) ? s.outer.extent[s.outer.rank - 1] : 0;
    }
    // Returns the number of rows of results in a block, where so few columns and rows are reduced at a time that a tile of them
    // would be small; otherwise 0.
    std::int64_t rows_of_blocks(plan_step const& s, plan_loop const& loop) const {
        constexpr std::int64_t small = 1024;
        std::int64_t const columns = loop.inner.extent[loop.inner.rank - 1],
                           rows = loop.inner.rank > 1 ? loop.inner.extent[loop.inner.rank - 2] : 1;
        bool const is_worth_it =
            rows * columns < small || block_finder::has_routine(p_.lines.data() + loop.lines.first, loop.lines.count);
        if (!loop.reduces || columns == 0 || s.outer.size() == 0 || !is_worth_it) return 0;
        if (s.outer.rank == 0) return 1;
        int const widest = widest_in_tile(p_.lines.data() + loop.lines.first, loop.lines.count);
        return std::clamp<std::int64_t>(tile_elements(widest) / columns, 1, s.outer.extent[s.outer.rank - 1]);
    }
    // Gives buffers that every row of a nest overwrites room for this many rows.
    void spread_rows(plan_step const& s, std::int64_t rows, row_strides& strides) {
        if (s.outer.rank == 0) return; // there is only one row
        for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l)
            for (std::size_t k = p_.loops[l].accesses.first; k < p_.loops[l].accesses.first + p_.loops[l].accesses.count; ++k) {
                plan_access const& a = p_.accesses[k];
                if (!a.stores || s.outer.extent[s.outer.rank - 1] < 2) continue;
                bool moves = false;
                for (int axis = 0; axis < s.outer.rank; ++axis) moves = moves || a.outer[axis] != 0;
                std::size_t const b = static_cast<std::size_t>(a.buffer);
                if (moves || strides[b] > 0) continue;
                std::int64_t const bytes = p_.buffers[b].bytes;
                strides[b] = bytes / static_cast<std::int64_t>(size_in_bytes(a.type));
                out_.rows_of_buffer[b] = out_.row_bytes;
                out_.row_bytes += (rows * bytes + 63) / 64 * 64;
            }
    }

    program& out_;
    graph_view g_;
    plan_view p_;
};

} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles

TRACEXPR_END_PASSES
