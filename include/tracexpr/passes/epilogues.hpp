// This file finds epilogues: loops that can run on the vectors which the step before them leaves in registers, either a small
// product, or a reduction in register tiles. Examples are the square root of a sum of squares, a mean, and a bias with an
// activation.
#pragma once

#include <tracexpr/passes/kernel_facts.hpp>
#include <tracexpr/passes/register_tile.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

// Returns the number of vector multiplications in a product (m, k) x (k, n).
constexpr std::int64_t vector_products(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lanes) {
    return m * k * ((n + lanes - 1) / lanes);
}

// Describes the accesses of an elementwise loop over the results of a tiled reduction, by the axes of the reduction.
struct end_of_tile {
    static constexpr int most = 16;
    bool fits = false;                         // is each of the loop's elements one result's?
    std::int64_t stride[most][2 * max_rank]{}; // the stride of each access along each axis of the tile
    int reads[most]{};                         // the line of the reduction that each access reads, or -1
    static constexpr int most_results = 16;
    int results = 0, result_line[most_results]{};

    // `lines` and `accesses` are those of the tile's loop, `of_end` are the accesses of the loop behind it.
    constexpr end_of_tile(loop_space const& space, plan_loop const& tile, kernel_line const* lines, plan_access const* accesses,
                          plan_loop const& end, plan_access const* of_end) {
        for (int& r : reads) r = -1;
        if (end.accesses.count > most || end.reduces || end.columns) return;
        for (std::uint32_t i = 0; i < tile.lines.count; ++i)
            if (lines[i].role == role::reduce) {
                if (results == most_results) return;
                result_line[results++] = static_cast<int>(i);
            }
        for (int r = 0; r < results; ++r) {
            plan_access const& result = accesses[lines[result_line[r]].b];
            for (std::uint32_t k = 0; k < end.accesses.count; ++k) {
                if (of_end[k].stores || of_end[k].buffer != result.buffer) continue;
                fits = split_axes(space, result, end, of_end, static_cast<int>(k)) &&
                       finds_results(space, lines, accesses, end, of_end);
                return;
            }
        }
    }

private:
    // Finds the axes of the results that make up each axis of the loop: one axis, or several neighbouring ones.
    constexpr bool split_axes(loop_space const& space, plan_access const& result, plan_loop const& end, plan_access const* of_end,
                              int reading) {
        bool is_met[2 * max_rank]{};
        for (int axis = 0; axis < space.rank(); ++axis) is_met[axis] = space.is_reduced(axis) || space.extent(axis) == 1;
        for (int along = end.inner.rank; along-- > 0;) {
            std::int64_t step = 1;
            while (step < end.inner.extent[along]) {
                int found = -1;
                for (int axis = 0; axis < space.rank(); ++axis)
                    if (!is_met[axis] && space.stride(result, axis) == of_end[reading].inner[along] * step) found = axis;
                if (found < 0) return false;
                is_met[found] = true;
                for (std::uint32_t k = 0; k < end.accesses.count; ++k) stride[k][found] = of_end[k].inner[along] * step;
                step *= space.extent(found);
            }
            if (step != end.inner.extent[along]) return false;
        }
        for (int axis = 0; axis < space.rank(); ++axis)
            if (!is_met[axis]) return false;
        return true;
    }
    // Finds the results that the loop's accesses read. Such an access must read each result where it is stored.
    constexpr bool finds_results(loop_space const& space, kernel_line const* lines, plan_access const* accesses,
                                 plan_loop const& end, plan_access const* of_end) {
        for (std::uint32_t k = 0; k < end.accesses.count; ++k)
            for (int r = 0; r < results; ++r) {
                plan_access const& of_result = accesses[lines[result_line[r]].b];
                if (of_end[k].buffer != of_result.buffer || of_end[k].buffer < 0) continue;
                if (of_end[k].offset != of_result.offset) return false;
                for (int axis = 0; axis < space.rank(); ++axis)
                    if (!space.is_reduced(axis) && space.extent(axis) != 1 && stride[k][axis] != space.stride(of_result, axis))
                        return false;
                if (!of_end[k].stores) reads[k] = result_line[r];
            }
        return true;
    }
};

// Must a tile also store a result that the loop behind it reads?
constexpr bool is_kept(plan_view const& p, plan_loop const& tile, plan_loop const& end, plan_access const& result) {
    std::size_t others = 0;
    for (plan_access const& a : p.accesses) others += a.buffer == result.buffer;
    for (stretch const& of : {tile.accesses, end.accesses})
        for (std::size_t k = of.first; k < of.first + of.count; ++k)
            if (p.accesses[k].buffer == result.buffer) {
                --others;
                if (of.first == end.accesses.first && p.accesses[k].stores) return false; // the result is overwritten
            }
    for (output_copy const& c : p.copies) others += c.from == result.buffer;
    return others > 0 || p.buffers[static_cast<std::size_t>(result.buffer)].place != buffer_place::arena;
}

class epilogues {
public:
    // `users` says how many accesses and copies of the whole plan each buffer has.
    constexpr epilogues(graph_view const& g, plan const& p, plan_target const& t, buffer<std::int32_t> const& users)
        : g_{g}, p_{p}, t_{t}, users_{users} {}

    // Returns the access of the loop behind a product which reads the product, or -1 if the loop can't run on its vectors: if it
    // is not one row over just these elements, doesn't walk from the first to the last, overwrites what is still to be read, or
    // is so long that its code can't be repeated for each vector.
    constexpr std::int32_t behind_product(plan_step const& s, plan_loop const& l, kernel_facts const& facts) const {
        dims const& d = p_.extents[index(s.call)];
        std::int32_t const product = p_.buffer_of[index(s.call)];
        std::int32_t users = 0, found = -1;
        if (l.inner.rank != 1 || l.inner.extent[0] != d.size() || l.reduces) return -1;
        if (facts.cost * vector_products(d[0], d[1], 1, t_.lanes(g_[s.call].type)) > 128) return -1;
        if (p_.buffers[static_cast<std::size_t>(product)].place != buffer_place::arena) return -1;
        for (std::size_t k = 0; k < l.accesses.count; ++k) {
            plan_access const& a = access(l.accesses, k);
            if (a.buffer < 0) continue;
            if (static_cast<int>(size_in_bytes(a.type)) != facts.widest) return -1;
            if (a.mode != access_mode::contiguous && (a.stores || a.mode != access_mode::splat)) return -1;
            if (a.buffer == product) {
                if (++users > 1 || a.mode != access_mode::contiguous || a.offset != 0) return -1;
                found = static_cast<std::int32_t>(k);
            } else if (a.stores &&
                       (touched(s.operands, a.buffer, product, s.operands.count) || touched(l.accesses, a.buffer, product, k))) {
                return -1;
            }
        }
        return users_[static_cast<std::size_t>(product)] == users ? found : -1;
    }
    // Can the loop run on the results of a tile's reduction, wherever the tile is? It can't if it overwrites what the tile, or
    // the loop itself at another place, still reads: the last tiles reach back over results that are done.
    constexpr bool behind_tile(plan_step const& s, plan_loop const& tile, plan_loop const& l, kernel_facts const& facts) const {
        loop_space const space(s.outer, tile);
        if (space.is_reduced(tile.tile.lanes) || facts.looks_up || facts.widest * tile.lanes != t_.register_bytes) return false;
        for (std::size_t k = 0; k < l.accesses.count; ++k) {
            plan_access const& a = access(l.accesses, k);
            if (a.buffer >= 0 && static_cast<int>(size_in_bytes(a.type)) != facts.widest) return false;
            if (a.stores &&
                (spoils(a, tile.accesses, tile.accesses, tile.accesses.count) || spoils(a, tile.accesses, l.accesses, k)))
                return false;
        }
        end_of_tile const end(space, tile, p_.lines.data() + tile.lines.first, p_.accesses.data() + tile.accesses.first, l,
                              p_.accesses.data() + l.accesses.first);
        return end.fits;
    }

private:
    constexpr plan_access const& access(stretch const& of, std::size_t k) const { return p_.accesses[of.first + k]; }
    constexpr bool overlap(std::int32_t first, std::int32_t second) const {
        plan_buffer const &a = p_.buffers[static_cast<std::size_t>(first)], &b = p_.buffers[static_cast<std::size_t>(second)];
        bool const in_arena = a.place == buffer_place::arena && b.place == buffer_place::arena;
        return first == second || (in_arena && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes);
    }
    // Does an access overwrite what other accesses (apart from number `except`) write or read? It doesn't if they touch the same
    // results.
    constexpr bool spoils(plan_access const& store, stretch const& tile, stretch const& others, std::size_t except) const {
        bool is_result = false;
        for (std::size_t k = 0; k < tile.count; ++k)
            is_result = is_result || (access(tile, k).stores && access(tile, k).buffer == store.buffer);
        for (std::size_t k = 0; k < others.count; ++k) {
            plan_access const& a = access(others, k);
            if (k == except || a.buffer < 0 || !overlap(a.buffer, store.buffer)) continue;
            bool const is_same = is_result && a.buffer == store.buffer && (others.first == tile.first ? a.stores : !a.stores);
            if (!is_same) return true;
        }
        return false;
    }
    // Does one of these accesses, apart from the product's and number `except`, touch the buffer?
    constexpr bool touched(stretch const& accesses, std::int32_t buffer, std::int32_t product, std::size_t except) const {
        for (std::size_t k = 0; k < accesses.count; ++k) {
            std::int32_t const other = access(accesses, k).buffer;
            if (k != except && other >= 0 && other != product && overlap(other, buffer)) return true;
        }
        return false;
    }

    graph_view g_;
    plan const& p_;
    plan_target t_;
    buffer<std::int32_t> const& users_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
