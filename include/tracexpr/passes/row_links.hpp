// This file finds values that the loops of a row nest pass to each other element by element. A GPU thread that has the same
// elements in all of the loops keeps these values in registers, reads and writes memory once, and waits for no other thread.
#pragma once

#include <tracexpr/passes/encode.hpp>
#include <tracexpr/passes/plan_tables.hpp>

#include <algorithm>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// A row_link says what a line that reads or writes does with the held values. Lines are counted over all of the step's loops.
struct row_link {
    std::int32_t held = -1; // the number of the held value; -1: the line has none
    bool in_memory = false; // the line also reads or writes memory
    // The line's access must equal access `like` of loop `loop` of the step, which comes before it; a run of other extents checks
    // this again.
    std::int32_t loop = 0, like = -1;
};
struct held_values {
    dtype type{};
    bool is_single = false;                // one for the row, else one for each element
    std::int32_t first_loop = 0, last = 0; // the first and last of the step's loops that use it
};

class row_linking {
public:
    constexpr row_linking(plan_view const& p, plan_step const& step) : p_{p}, step_{step}, fits_{step.loops.count > 1} {
        for (; loop_ < static_cast<std::int32_t>(step_.loops.count) && fits_; ++loop_) add_loop(loop());
        fits_ = fits_ && elements_ > 0 && !looks_up_results();
        forget_unread();
    }
    constexpr ~row_linking() {} // nvcc 13 does not take the implicit one for constexpr

    static constexpr std::int64_t register_bytes(dtype type) {
        return std::max<std::int64_t>(static_cast<std::int64_t>(size_in_bytes(type)), 4);
    }
    // Can a thread hold its elements from loop to loop?
    constexpr bool fits() const { return fits_; }
    constexpr std::int64_t elements() const { return elements_; } // elements of a row
    constexpr buffer<row_link> const& links() const { return links_; }
    constexpr buffer<held_values> const& held() const { return held_; }
    // Returns the bytes of the registers that hold an element's values between loops at the same time.
    constexpr std::int64_t bytes_between_loops() const {
        std::int64_t most = 0;
        for (std::int32_t l = 1; l < static_cast<std::int32_t>(step_.loops.count); ++l) {
            std::int64_t bytes = 0;
            for (held_values const& h : held_)
                if (!h.is_single && h.first_loop < l && h.last >= l) bytes += register_bytes(h.type);
            most = most < bytes ? bytes : most;
        }
        return most;
    }

private:
    struct seen_access {
        plan_access access;
        std::int64_t step; // along the row
        std::int32_t loop, number, line, held;
        bool stores;
    };

    constexpr plan_loop const& loop() const { return p_.loops[step_.loops.first + static_cast<std::size_t>(loop_)]; }

    constexpr void add_loop(plan_loop const& l) {
        if (l.inner.rank > 1 || (l.inner.rank == 0 && l.reduces)) fits_ = false;
        if (!fits_) return;
        if (std::int64_t const count = l.inner.size(); l.inner.rank == 1) {
            fits_ = elements_ == 0 || elements_ == count;
            elements_ = count;
        }
        for (std::uint32_t k = 0; k < l.lines.count && fits_; ++k) {
            links_.push_back({});
            kernel_line const& line = p_.lines[l.lines.first + k];
            if (int const a = access_of(line); a >= 0) {
                plan_access const& access = p_.accesses[l.accesses.first + static_cast<std::size_t>(a)];
                add(line, a, access, l.inner.rank == 1 ? access.inner[0] : 0);
            }
        }
    }
    constexpr void add(kernel_line const& line, int number, plan_access const& access, std::int64_t step) {
        if (line.role == role::index) return;
        if (line.role == role::place || line.role == role::lookup) return lookup_buffers_.push_back(access.buffer);
        bool const stores = line.role == role::store || line.role == role::reduce;
        row_link& link = links_.back();
        std::int32_t before = -1;
        for (std::size_t k = 0; k < seen_.size(); ++k) {
            seen_access const& m = seen_[k];
            if (m.access.buffer != access.buffer) continue;
            if (is_same(m, access, step)) before = static_cast<std::int32_t>(k);
            else if (m.stores || stores) fits_ = false; // another thread's element
        }
        if (before >= 0) {
            seen_access const& m = seen_[static_cast<std::size_t>(before)];
            link.loop = m.loop, link.like = m.number;
            // All threads have read the value, and one would write it while others still read.
            if (line.role == role::store && loop().inner.rank == 0 && !m.stores) fits_ = false;
        }
        if (before >= 0 && !stores) { // the value is held already
            link.held = seen_[static_cast<std::size_t>(before)].held;
            held_[static_cast<std::size_t>(link.held)].last = loop_;
            return;
        }
        if (before >= 0) forget_before(access.buffer);
        bool const is_single = line.role == role::reduce || (line.role == role::store ? loop().inner.rank == 0 : step == 0);
        link.held = static_cast<std::int32_t>(held_.size());
        link.in_memory = !stores || !is_local(access);
        held_.push_back({line.type, is_single, loop_, loop_});
        if (stores && step == 0 && !is_single) fits_ = false; // all elements of a row at one place
        seen_.push_back({access, step, loop_, number, static_cast<std::int32_t>(links_.size()) - 1, link.held, stores});
    }
    // A buffer that is overwritten is not read from memory, so an earlier store to it needn't reach memory.
    constexpr void forget_before(std::int32_t b) {
        for (seen_access& m : seen_)
            if (m.access.buffer == b) {
                if (m.stores) links_[static_cast<std::size_t>(m.line)].in_memory = false;
                m.access.buffer = -1; // matches no other access
            }
    }
    constexpr bool is_same(seen_access const& m, plan_access const& access, std::int64_t step) const {
        bool same = m.step == step && m.access.offset == access.offset && m.access.type == access.type;
        for (int axis = 0; axis < step_.outer.rank; ++axis) same = same && m.access.outer[axis] == access.outer[axis];
        return same;
    }
    // Is a buffer used by one row at a time? Each row then overwrites the last one's values, and nothing else reads them.
    constexpr bool is_local(plan_access const& access) const {
        bool local = p_.buffers[static_cast<std::size_t>(access.buffer)].place == buffer_place::arena && step_.outer.size() != 1;
        for (int axis = 0; axis < step_.outer.rank; ++axis)
            local = local && (step_.outer.extent[axis] == 1 || access.outer[axis] == 0);
        return local;
    }
    // Does a lookup read what the nest stores?
    constexpr bool looks_up_results() const {
        for (std::int32_t const b : lookup_buffers_)
            for (seen_access const& m : seen_)
                if (m.stores && m.access.buffer == b) return true;
        return false;
    }

    // Frees the registers of values that are stored and not read again.
    constexpr void forget_unread() {
        buffer<held_values> read;
        buffer<std::int32_t> place;
        for (std::size_t h = 0; h < held_.size(); ++h) {
            bool stores = false;
            for (seen_access const& m : seen_) stores = stores || (m.held == static_cast<std::int32_t>(h) && m.stores);
            bool const stays = !stores || held_[h].last > held_[h].first_loop;
            place.push_back(stays ? static_cast<std::int32_t>(read.size()) : -1);
            if (stays) read.push_back(held_[h]);
        }
        for (row_link& link : links_)
            if (link.held >= 0) link.held = place[static_cast<std::size_t>(link.held)];
        held_ = std::move(read);
    }

    plan_view p_;
    plan_step step_;
    bool fits_;
    std::int32_t loop_ = 0;
    std::int64_t elements_ = 0;
    buffer<row_link> links_;
    buffer<held_values> held_;
    buffer<seen_access> seen_;
    buffer<std::int32_t> lookup_buffers_;
};

// Do the links that were found for one plan also hold for a run's plan of the same form with other extents?
constexpr bool links_as(table_view<row_link> links, plan_view const& known, plan_view const& p, std::size_t step) {
    plan_step const& s = p.steps[step];
    auto const step_of = [](plan_loop const& l, plan_access const& a) { return l.inner.rank ? a.inner[0] : 0; };
    std::int64_t elements = 0;
    std::size_t number = 0;
    for (std::size_t n = s.loops.first; n < s.loops.first + s.loops.count; ++n) {
        plan_loop const& l = p.loops[n];
        if (l.inner.rank != known.loops[n].inner.rank) return false;
        if (l.inner.rank && elements != 0 && elements != l.inner.extent[0]) return false;
        if (l.inner.rank) elements = l.inner.extent[0];
        for (std::uint32_t k = 0; k < l.lines.count; ++k, ++number) {
            kernel_line const& line = known.lines[known.loops[n].lines.first + k];
            if (access_of(line) < 0) continue;
            plan_access const& a = p.accesses[l.accesses.first + static_cast<std::size_t>(access_of(line))];
            if (line.mode == access_mode::splat && step_of(l, a) != 0) return false;
            if (line.mode == access_mode::contiguous && l.inner.rank && step_of(l, a) != 1) return false;
            if (links[number].like < 0) continue;
            plan_loop const& before = p.loops[s.loops.first + static_cast<std::size_t>(links[number].loop)];
            plan_access const& b = p.accesses[before.accesses.first + static_cast<std::size_t>(links[number].like)];
            if (a.offset != b.offset || step_of(l, a) != step_of(before, b)) return false;
            for (int axis = 0; axis < s.outer.rank; ++axis)
                if (a.outer[axis] != b.outer[axis]) return false;
        }
    }
    return true;
}

} // namespace tx::detail

TRACEXPR_END_PASSES
