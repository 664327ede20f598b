// This file translates a plan's loops into the interpreter's tables.
#pragma once

#include <tracexpr/backends/loops/kernel.hpp>
#include <tracexpr/thrust/interpreter.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE {

// A translated loop: the interpreter's numbers, and where its tables begin.
struct interpreted_form {
    interpreted_loop loop; // without pointers to the device's memory
    std::size_t first_line = 0, first_access = 0, first_literal = 0;
    bool columns = false;
    std::uint32_t types = 0; // the dtypes that it computes, a bit for each
};
struct interpreted_tables {
    std::vector<interpreted_line> lines;
    std::vector<interpreted_access> accesses;
    std::vector<interpreted_literal> literals;
    std::vector<interpreted_form> loops;
};

inline interpreted_literal literal_of(dtype type, literal_bits bits) {
    interpreted_literal out;
    with_element(type, [&]<class T>(T const&) {
        T const value = from_literal<T>(bits.low, bits.high);
        std::memcpy(out.bytes, &value, sizeof value);
    });
    return out;
}
// Gives the value that a reduction begins with.
template <int Code = static_cast<int>(op::sum)> interpreted_literal start_of(op code, dtype type) {
    interpreted_literal out;
    if constexpr (Code <= static_cast<int>(op::nanmin)) {
        if (code != static_cast<op>(Code)) return start_of<Code + 1>(code, type);
        with_element(type, [&]<class T>(T const&) {
            if constexpr (accepts(static_cast<op>(Code), dtype_of<T>)) {
                T const value = simd::detail::identity<static_cast<op>(Code), T>();
                std::memcpy(out.bytes, &value, sizeof value);
            }
        });
    }
    return out;
}

class interpreted_building {
public:
    interpreted_building(plan_view const& p, interpreted_tables& out) : p_{p}, out_{out} {}
    // Adds a loop of a step. in_team holds for each buffer its offset in the memory of the team that computes a row of the step's
    // nest, or -1. In a nest outer axes are the rows.
    void add(plan_step const& s, plan_loop const& l, bool in_nest, table_view<std::int64_t> in_team) {
        l_ = &l;
        lines_ = p_.lines.subspan(l.lines.first, l.lines.count);
        form_ = {};
        form_.first_line = out_.lines.size(), form_.first_access = out_.accesses.size();
        form_.first_literal = out_.literals.size();
        form_.columns = l.columns;
        add_axes(s.outer, l, in_nest);
        place_in_team(in_team);
        add_literals();
        find_last_uses();
        add_lines();
        out_.loops.push_back(form_);
    }

private:
    // Adds the axes of results first; in a loop over columns the last inner axis is one of them.
    void add_axes(walk const& outer, plan_loop const& l, bool in_nest) {
        interpreted_loop& to = form_.loop;
        for (std::uint32_t k = 0; k < l.accesses.count; ++k) {
            plan_access const& a = p_.accesses[l.accesses.first + k];
            out_.accesses.push_back({a.buffer, static_cast<std::int32_t>(size_in_bytes(a.type)), -1, a.offset, {}});
        }
        auto const add = [&](std::int64_t extent, auto stride) {
            to.extent[to.rank] = extent;
            for (std::uint32_t k = 0; k < l.accesses.count; ++k)
                out_.accesses[form_.first_access + k].stride[to.rank] = stride(p_.accesses[l.accesses.first + k]);
            ++to.rank;
        };
        int const last = l.reduces && l.columns ? l.inner.rank - 1 : l.inner.rank;
        for (int axis = 0; axis < outer.rank; ++axis)
            add(outer.extent[axis], [&](plan_access const& a) { return a.outer[axis]; });
        for (int axis = last; axis < l.inner.rank; ++axis)
            add(l.inner.extent[axis], [&](plan_access const& a) { return a.inner[axis]; });
        to.result_axes = to.rank;
        for (int axis = 0; axis < last; ++axis) add(l.inner.extent[axis], [&](plan_access const& a) { return a.inner[axis]; });
        if (!l.reduces && !in_nest) to.result_axes = to.rank;
    }
    void place_in_team(table_view<std::int64_t> in_team) {
        for (std::size_t k = form_.first_access; k < out_.accesses.size(); ++k)
            if (interpreted_access& a = out_.accesses[k]; a.buffer >= 0 && !in_team.empty())
                a.in_team = in_team[static_cast<std::size_t>(a.buffer)];
    }
    void add_literals() {
        for (std::uint32_t k = 0; k < l_->literals.count; ++k) {
            literal_value const& v = p_.literals[l_->literals.first + k];
            out_.literals.push_back(literal_of(v.type, v.bits));
        }
        for (kernel_line const& l : lines_) {
            if (l.role != role::place) continue;
            literal_bits const& table = p_.literals[l_->literals.first + static_cast<std::size_t>(l.c)].bits;
            std::memcpy(out_.literals[form_.first_literal + static_cast<std::size_t>(l.c)].bytes, &table, sizeof table);
        }
    }

    static std::array<int, 3> operands(kernel_line const& l) {
        switch (l.role) {
        case role::compute: return {l.a, l.b, l.c};
        case role::store:
        case role::reduce:
        case role::lookup: return {l.a, -1, -1};
        default: return {-1, -1, -1};
        }
    }
    void find_last_uses() {
        last_use_.assign(lines_.size(), -1);
        for (std::size_t i = 0; i < lines_.size(); ++i)
            for (int const from : operands(lines_[i]))
                if (from >= 0) last_use_[static_cast<std::size_t>(from)] = static_cast<int>(i);
    }

    // Lines that only move elements need no dtype, if a cell is large enough for them.
    std::uint32_t dtypes_computed(kernel_line const& l) const {
        bool const computes = l.role == role::compute && l.code != op::where;
        if (computes) return dtype_bit(l.type) | dtype_bit(lines_[static_cast<std::size_t>(l.a)].type);
        bool const is_named = l.role == role::index || l.role == role::reduce || size_in_bytes(l.type) > 8;
        return is_named ? dtype_bit(l.type) : 0;
    }
    std::int16_t fresh_slot() { return static_cast<std::int16_t>(form_.loop.slots++); }
    std::int16_t free_slot() {
        if (free_.empty()) return fresh_slot();
        std::int16_t const out = free_.back();
        free_.pop_back();
        return out;
    }
    void add_lines() {
        slot_.assign(lines_.size(), -1);
        free_.clear();
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            form_.types |= dtypes_computed(lines_[i]);
            if (lines_[i].role != role::literal) continue;
            slot_[i] = fresh_slot();
            out_.lines.push_back(translated(i));
            ++form_.loop.once;
        }
        std::vector<interpreted_line> sums;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (lines_[i].role == role::literal) continue;
            free_operands(i);
            bool const stores = lines_[i].role == role::store;
            if (lines_[i].role == role::reduce) slot_[i] = fresh_slot();
            else if (!stores) slot_[i] = free_slot();
            out_.lines.push_back(translated(i));
            ++form_.loop.body;
            if (lines_[i].role == role::reduce) sums.push_back(out_.lines.back());
            else if (!stores && last_use_[i] < 0) free_.push_back(slot_[i]);
        }
        out_.lines.insert(out_.lines.end(), sums.begin(), sums.end());
        form_.loop.sums = static_cast<int>(sums.size());
    }
    // Frees the slots of operands that this line is the last one to read: it may overwrite them.
    void free_operands(std::size_t i) {
        for (int const from : operands(lines_[i])) {
            std::size_t const k = static_cast<std::size_t>(from);
            if (from < 0 || last_use_[k] != static_cast<int>(i) || lines_[k].role == role::literal) continue;
            free_.push_back(slot_[k]);
            last_use_[k] = -1; // it may stand for several operands
        }
    }
    interpreted_line translated(std::size_t i) {
        kernel_line const& l = lines_[i];
        auto const slot_of = [&](int line) { return line < 0 ? std::int16_t{-1} : slot_[static_cast<std::size_t>(line)]; };
        interpreted_line out{l.role,
                             l.code,
                             l.type,
                             l.type,
                             slot_[i],
                             static_cast<std::int16_t>(l.a),
                             static_cast<std::int16_t>(l.b),
                             static_cast<std::int16_t>(l.c)};
        switch (l.role) {
        case role::compute:
            out.from = lines_[static_cast<std::size_t>(l.a)].type;
            out.a = slot_of(l.a), out.b = slot_of(l.b), out.c = slot_of(l.c);
            break;
        case role::store:
        case role::lookup: out.a = slot_of(l.a); break;
        case role::reduce:
            out.code = info(l.code).combines.by;
            out.a = slot_of(l.a), out.c = fresh_slot();
            out.d = static_cast<std::int16_t>(out_.literals.size() - form_.first_literal);
            out_.literals.push_back(start_of(l.code, l.type));
            break;
        default: break;
        }
        return out;
    }

    plan_view p_;
    interpreted_tables& out_;
    plan_loop const* l_ = nullptr;
    table_view<kernel_line> lines_;
    interpreted_form form_;
    std::vector<int> last_use_; // for each line's value the line that reads it last
    std::vector<std::int16_t> slot_, free_;
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
