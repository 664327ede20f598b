// This file chooses which axes of a loop that reduces are computed side by side in registers (register tiling): several vectors
// along one axis, for several indices of another, while the reduced axes run innermost. A load that several of them share is made
// once, so a convolution, a product or a distance of all pairs takes the time of its arithmetic, not of its loads. The choice is
// made by a model of what the processor does in a cycle.
#pragma once

#include <tracexpr/passes/kernel_facts.hpp>
#include <tracexpr/passes/plan_tables.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

// loop_space holds the axes of a step with one loop: the outer ones, then the loop's own.
struct loop_space {
    walk outer, inner;
    bool reduces, columns;

    constexpr loop_space(walk const& around, plan_loop const& l)
        : outer{around}, inner{l.inner}, reduces{l.reduces}, columns{l.columns} {}
    constexpr int rank() const { return outer.rank + inner.rank; }
    constexpr std::int64_t extent(int axis) const {
        return axis < outer.rank ? outer.extent[axis] : inner.extent[axis - outer.rank];
    }
    constexpr std::int64_t stride(plan_access const& a, int axis) const {
        return axis < outer.rank ? a.outer[axis] : a.inner[axis - outer.rank];
    }
    constexpr bool is_reduced(int axis) const { return reduces && axis >= outer.rank && !(columns && axis == rank() - 1); }
};

// If extents are unknown when the compiler makes a plan, it has large stand-ins: numbers of at least this size, and extents of
// axes that are kept, are the run's. Smaller numbers are compiled into the kernel, so a run must have the same ones.
inline constexpr std::int64_t least_open_number = 1024;
constexpr bool is_open_number(std::int64_t n) { return n >= least_open_number || n <= -least_open_number; }

// line_axes holds the axes on which each line of a loop depends, a bit for each. A line that stores depends on all axes.
struct line_axes {
    static constexpr int most_lines = 64;
    std::uint32_t of[most_lines]{};

    // access(k) is the loop's access k.
    template <class Access>
    constexpr line_axes(kernel_line const* lines, std::size_t count, loop_space const& space, Access access) {
        for (std::size_t i = 0; i < count; ++i) {
            kernel_line const& l = lines[i];
            if (l.role == role::store || l.role == role::reduce) of[i] = (1u << space.rank()) - 1;
            else if (l.role == role::load || l.role == role::index || l.role == role::place || l.role == role::lookup) {
                for (int axis = 0; axis < space.rank(); ++axis)
                    if (space.stride(access(access_of(l)), axis) != 0) of[i] |= 1u << axis;
                if (l.role == role::lookup) of[i] |= of[l.a];
            } else if (l.role == role::compute) {
                for (int const operand : {l.a, l.b, l.c})
                    if (operand >= 0) of[i] |= of[operand];
            }
        }
    }
};

// tile_order is the order of a tile's loops, outermost first: kept axes, with the copied one and the one with the lanes last,
// then reduced axes.
struct tile_order {
    int axis[2 * max_rank]{}, level[2 * max_rank]{}; // level: of each axis, from 1 on
    int kept = 0;                                    // number of kept axes

    constexpr tile_order(loop_space const& space, register_tile const& t) {
        int count = 0;
        auto const add = [&](int a) { axis[count] = a, level[a] = ++count; };
        for (int a = 0; a < space.rank(); ++a)
            if (!space.is_reduced(a) && a != t.lanes && a != t.copied) add(a);
        if (t.copied >= 0) add(t.copied);
        if (!space.is_reduced(t.lanes)) add(t.lanes);
        kept = count;
        for (int a = 0; a < space.rank(); ++a)
            if (space.is_reduced(a) && a != t.lanes) add(a);
        if (space.is_reduced(t.lanes)) add(t.lanes);
    }
    // Returns the level at which a line that depends on these axes is computed.
    constexpr int of(std::uint32_t axes) const {
        int deepest = 0;
        for (int a = 0; axes; ++a, axes >>= 1)
            if ((axes & 1) && level[a] > deepest) deepest = level[a];
        return deepest;
    }
};

// Reorders a loop's axes for an executor that computes blocks of results with extents known only at run time: kept axes come
// first, with the copied one last, then the reduced axes, and the axis of the lanes innermost.
constexpr void lay_out_blocks(plan_step& s, plan_loop& l, plan_access* accesses) {
    loop_space const space(s.outer, l);
    int order[2 * max_rank]{}, outer = 0, count = 0, rows = l.tile.copied;
    bool const has_copies = rows >= 0;
    for (int axis = 0; axis < space.rank() && !has_copies; ++axis)
        if (!space.is_reduced(axis) && axis != l.tile.lanes && (rows < 0 || space.extent(axis) >= space.extent(rows)))
            rows = axis;
    for (int axis = 0; axis < space.rank(); ++axis)
        if (!space.is_reduced(axis) && axis != l.tile.lanes && axis != rows) order[count++] = axis;
    if (rows >= 0) order[count++] = rows;
    outer = count;
    for (int axis = 0; axis < space.rank(); ++axis)
        if (space.is_reduced(axis)) order[count++] = axis;
    order[count++] = l.tile.lanes;
    s.outer.rank = outer, l.inner.rank = count - outer;
    for (int k = 0; k < count; ++k) (k < outer ? s.outer.extent[k] : l.inner.extent[k - outer]) = space.extent(order[k]);
    for (std::size_t i = 0; i < l.accesses.count; ++i) {
        plan_access const from = accesses[i];
        plan_access& a = accesses[i];
        for (int k = 0; k < count; ++k) (k < outer ? a.outer[k] : a.inner[k - outer]) = space.stride(from, order[k]);
        std::int64_t const pace = a.inner[l.inner.rank - 1];
        a.mode = pace == 0 ? access_mode::splat : pace == 1 && a.buffer >= 0 ? access_mode::contiguous : access_mode::strided;
    }
    l.columns = true, l.tile = {};
}

// Is the axis long enough for vectors? Axes of a few elements are better computed otherwise.
constexpr bool has_length_for_lanes(loop_space const& space, int axis, std::int64_t lanes) {
    std::int64_t const n = space.extent(axis);
    return space.is_reduced(axis) ? n > lanes / 2 : n > 1;
}
// Does the tile of a loop whose extents the compiler did not know fit the numbers of a run?
constexpr bool fits_tile(plan_view const& known, plan_view const& p, plan_step const& chosen, plan_step const& s) {
    plan_loop const &chosen_loop = known.loops[chosen.loops.first], &l = p.loops[s.loops.first];
    loop_space const chosen_space(chosen.outer, chosen_loop), run_space(s.outer, l);
    if (chosen_space.outer.rank != run_space.outer.rank || chosen_space.inner.rank != run_space.inner.rank) return false;
    if (run_space.outer.size() * run_space.inner.size() != 0 &&
        !has_length_for_lanes(run_space, chosen_loop.tile.lanes, chosen_loop.lanes))
        return false;
    auto const agrees = [](std::int64_t a, std::int64_t b) { return a == b || (is_open_number(a) && b != 0); };
    for (int axis = 0; axis < run_space.rank(); ++axis) {
        if (run_space.is_reduced(axis) && !agrees(chosen_space.extent(axis), run_space.extent(axis))) return false;
        for (std::size_t k = 0; k < chosen_loop.accesses.count; ++k)
            if (!agrees(chosen_space.stride(known.accesses[chosen_loop.accesses.first + k], axis),
                        run_space.stride(p.accesses[l.accesses.first + k], axis)))
                return false;
    }
    return true;
}

class tiling {
public:
    constexpr tiling(walk const& outer, plan_loop const& l, kernel_line const* lines, plan_access const* accesses,
                     plan_target const& target)
        : space_(outer, l), lines_{lines}, count_{l.lines.count}, accesses_{accesses}, lanes_{l.lanes}, target_{target} {
        line_axes const axes(lines, count_, space_, [&](int k) -> plan_access const& { return accesses[k]; });
        for (std::size_t i = 0; i < count_; ++i) add(lines[i], axes.of[i], is_fused(i));
    }

    // Returns the cheapest of a few tile sizes over all axes that may have the vectors, or a tile without lanes if no axis may.
    constexpr register_tile best() const {
        struct size {
            int along, copies;
        };
        constexpr size sizes[]{{1, 8}, {1, 4}, {2, 6}, {2, 4}, {2, 2}, {4, 3}, {4, 2}, {1, 2}};
        register_tile found;
        double least = 0;
        auto const offer = [&](register_tile const& t) {
            if (!fits(t)) return;
            double const cost = cycles(t);
            if (found.lanes < 0 || cost < least) found = t, least = cost;
        };
        for (int lanes = space_.rank(); lanes-- > 0;) {
            if (!may_have_lanes(lanes)) continue;
            for (int along : {8, 4, 2, 1}) offer({lanes, -1, along, 1});
            for (int copied = 0; copied < space_.rank(); ++copied)
                if (may_be_copied(copied, lanes))
                    for (size const& of : sizes) offer({lanes, copied, of.along, of.copies});
        }
        return found;
    }

private:
    // A group counts the lines that depend on the same axes, and their costs.
    struct group {
        std::uint32_t axes = 0;
        int held = 0, loads = 0, computes = 0, stores = 0;
    };
    // Is a product fused with the addition that uses it?
    constexpr bool is_fused(std::size_t i) const {
        if (lines_[i].role != role::compute || lines_[i].code != op::multiply || !is_floating(lines_[i].type)) return false;
        int const self = static_cast<int>(i);
        for (std::size_t k = i + 1; k < count_; ++k) {
            kernel_line const& l = lines_[k];
            bool const computes = l.role == role::compute || l.role == role::reduce;
            if (!computes || (l.a != self && (l.role == role::reduce || (l.b != self && l.c != self)))) continue;
            return l.code == op::sum || l.code == op::add || l.code == op::subtract;
        }
        return false;
    }
    constexpr void add(kernel_line const& l, std::uint32_t axes, bool is_free) {
        int k = 0;
        while (k < group_count_ && groups_[k].axes != axes) ++k;
        if (k == group_count_) groups_[group_count_++].axes = axes;
        group& g = groups_[k];
        if (l.role == role::load || l.role == role::lookup) ++g.loads;
        else if (l.role == role::store) ++g.stores;
        else if (l.role == role::compute) g.computes += is_free ? 0 : info(l.code).cost;
        else if (l.role != role::literal) ++g.computes;
        if (l.role == role::reduce) {
            sums_ += l.c < 0 ? 1 : 2;
            g.computes += l.c < 0 ? 0 : 3; // an extreme's place takes two comparisons and two selects
        } else if (l.role != role::store) {
            ++g.held;
        }
    }

    // May an axis have the vectors? Along it each access must read neighbours, or one element, or elements so close that a load
    // of several vectors contains them.
    constexpr bool may_have_lanes(int axis) const {
        if (!has_length_for_lanes(space_, axis, lanes_)) return false;
        bool any = false;
        for (std::size_t i = 0; i < count_; ++i) {
            int const access = access_of(lines_[i]);
            if (access < 0) continue;
            std::int64_t const stride = space_.stride(accesses_[access], axis);
            if (lines_[i].role == role::index) continue;
            if (lines_[i].role == role::place && stride != 0) return false; // a table's rows are looked up, not elements
            if (stride != 0 && stride != 1 && !(lines_[i].role == role::load && stride > 0 && stride <= 4)) return false;
            any = any || stride != 0;
        }
        return any;
    }
    // Counts the loads whose elements are not neighbours.
    constexpr int strided_loads(int lanes) const {
        int count = 0;
        for (std::size_t i = 0; i < count_; ++i)
            count += lines_[i].role == role::load && space_.stride(accesses_[lines_[i].a], lanes) > 1;
        return count;
    }
    constexpr bool may_be_copied(int axis, int lanes) const {
        return axis != lanes && !space_.is_reduced(axis) && space_.extent(axis) > 1;
    }
    constexpr bool fits(register_tile const& t) const {
        bool const is_reduced = space_.is_reduced(t.lanes);
        std::int64_t const n = space_.extent(t.lanes);
        return (t.along == 1 || (!is_reduced && n >= t.along * lanes_)) && (t.copied < 0 || space_.extent(t.copied) >= t.copies);
    }

    // Returns the cycles of the whole loop on a processor that loads two vectors, computes two and stores one in a cycle.
    constexpr double cycles(register_tile const& t) const {
        constexpr double latency = 4, overhead = 1.5;
        tile_order const order(space_, t);
        int const rank = space_.rank();
        double trips[2 * max_rank + 1]{1}; // iterations of all loops down to a level
        for (int k = 0; k < rank; ++k) {
            int const axis = order.axis[k];
            std::int64_t const step = t.step(axis, lanes_);
            trips[k + 1] = trips[k] * static_cast<double>((space_.extent(axis) + step - 1) / step);
        }
        int const all = t.along * t.copies;
        double const across = space_.is_reduced(t.lanes) ? 4 : 0; // to sum up a vector
        // A load as wide as a cache line mostly touches two lines.
        double const vector_load = target_.register_bytes >= 64 ? 1.5 : 1;
        double total = trips[order.kept] * sums_ * all * (1 + across), loads = 0, computes = 0, stores = 0;
        int held = sums_ * all, passing = 0; // registers: for all of the innermost loop, for one pass
        for (int k = 0; k < group_count_; ++k) {
            group const& g = groups_[k];
            int const level = order.of(g.axes),
                      n = (g.axes >> t.lanes & 1u ? t.along : 1) * (t.copied >= 0 && (g.axes >> t.copied & 1u) ? t.copies : 1);
            if (level < rank) {
                total += trips[level] * n * (g.loads + g.computes) / 2;
                held += g.held * n;
            } else {
                loads += g.loads * n * (g.axes >> t.lanes & 1u ? vector_load : 1);
                computes += g.computes * n, stores += g.stores * n;
                if (n < all) passing += g.held * n;
            }
        }
        loads += 3 * strided_loads(t.lanes) * all;
        double body = loads / 2;
        for (double const other : {computes / 2, stores, latency}) body = other > body ? other : body;
        int const spilled = held + passing + 3 - target_.registers;
        if (spilled > 0) body += spilled * 1.5;
        return total + trips[rank] * (body + overhead);
    }

    loop_space space_;
    kernel_line const* lines_;
    std::size_t count_;
    plan_access const* accesses_;
    std::int64_t lanes_;
    plan_target target_;
    group groups_[line_axes::most_lines]{};
    int group_count_ = 0, sums_ = 0;
};

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
