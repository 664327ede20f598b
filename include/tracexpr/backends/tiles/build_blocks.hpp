// This file finds the loops over blocks that a single routine runs (block_terms.hpp): sums of products or of squared differences
// of what two accesses read, and the largest or least of what one access reads.
#pragma once

#include <tracexpr/backends/tiles/tables.hpp>

#include <algorithm>
#include <optional>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

class block_finder {
public:
    block_finder(plan_view const& p, plan_loop const& l, tile_loop& of)
        : p_{p}, l_{l}, lines_{p.lines.data() + l.lines.first}, count_{static_cast<int>(l.lines.count)}, of_{of} {}

    static bool has_routine(kernel_line const* lines, std::size_t count) {
        int const last = static_cast<int>(count) - 1;
        if (last < 1 || lines[last].role != role::reduce || lines[last].a != last - 1) return false;
        if (lines[last].type != dtype::float32 && lines[last].type != dtype::float64) return false;
        std::optional<term> const found = term_of(lines, lines[last]);
        return found && is_all(static_cast<int>(count), *found);
    }
    // Returns false, and changes nothing, if the loop is another one.
    bool run() {
        if (!has_routine(lines_, static_cast<std::size_t>(count_))) return false;
        kernel_line const& last = lines_[count_ - 1];
        std::optional<term> const found = term_of(lines_, last);
        int a = found->a, b = found->b;
        if (b >= 0 && column(a) == 0) std::swap(a, b);
        if (column(a) != 1 || (b >= 0 && column(b) != 0 && column(b) != 1)) return false;
        block_routines const& routines = routines_of(last.type).blocks[static_cast<std::size_t>(found->operation)];
        terms_of_blocks& to = of_.terms;
        to.run = routines.of[b < 0 || column(b) == 0][row(a) == 0][b < 0 || row(b) == 0];
        if (!to.run) return false;
        to.a = lines_[a].a, to.b = b < 0 || lines_[b].role == role::literal ? -1 : lines_[b].a;
        if (to.b < 0) add_literal(last.type, b);
        reduction r = reduction_of(last.code, last.type);
        r.access = last.b;
        of_.reductions.push_back(r);
        find_places(to, static_cast<std::int64_t>(size_in_bytes(last.type)));
        return true;
    }

private:
    struct term {
        block_term operation;
        int a = -1, b = -1; // lines
    };

    static bool is_operand(kernel_line const* lines, int line, dtype type) {
        kernel_line const& l = lines[line];
        return (l.role == role::load || l.role == role::literal) && l.type == type;
    }
    static std::optional<term> term_of(kernel_line const* lines, kernel_line const& reduce) {
        int const i = reduce.a;
        kernel_line const& l = lines[i];
        if (reduce.code == op::max || reduce.code == op::min)
            return l.role == role::load ? std::optional(term{reduce.code == op::max ? block_term::largest : block_term::least, i})
                                        : std::nullopt;
        if (reduce.code != op::sum) return {};
        if (l.role == role::load) return term{block_term::product, i};
        if (l.role != role::compute) return {};
        if (l.code == op::multiply && is_operand(lines, l.a, l.type) && is_operand(lines, l.b, l.type))
            return term{block_term::product, l.a, l.b};
        if (!(l.code == op::square || (l.code == op::multiply && l.a == l.b))) return {};
        kernel_line const& d = lines[l.a];
        if (is_operand(lines, l.a, l.type)) return term{block_term::product, l.a, l.a};
        if (d.role == role::compute && d.code == op::subtract && is_operand(lines, d.a, d.type) && is_operand(lines, d.b, d.type))
            return term{block_term::squared_difference, d.a, d.b};
        return {};
    }
    // True if the loop computes and stores nothing else.
    static bool is_all(int count, term const& t) {
        int const others = t.b < 0 || t.a == t.b ? 1 : 2, computed = t.operation == block_term::squared_difference ? 2 : t.b >= 0;
        return count == others + computed + 1;
    }
    tile_access const& access(int line) const { return of_.accesses[static_cast<std::size_t>(lines_[line].a)]; }
    std::int64_t column(int line) const { return lines_[line].role == role::literal ? 0 : access(line).strides.column; }
    std::int64_t row(int line) const { return lines_[line].role == role::literal ? 0 : access(line).strides.row; }

    // Adds the literal that takes the place of the second operand; it is 1 if there is none.
    void add_literal(dtype type, int line) {
        of_.literals.emplace_back();
        literal_bits const bits = line < 0 ? cast_literal(to_literal(1.0), dtype::float64, type)
                                           : p_.literals[l_.literals.first + static_cast<std::size_t>(lines_[line].a)].bits;
        put_literal<>(type, bits, of_.literals.back().data());
    }
    // Lists the offsets of the terms of the axes from `level` on: as many terms as are summed before the sum goes to a cascade.
    void find_places(terms_of_blocks& to, std::int64_t bytes) const {
        walk const& w = of_.prefix;
        to.level = w.rank;
        while (to.level > 0 && to.within * w.extent[to.level - 1] <= block_vectors) to.within *= w.extent[--to.level];
        if (to.level > 0) --to.level, to.steps = std::max<std::int64_t>(block_vectors / to.within, 1);
        else to.level = -1;
        std::int64_t const count = to.steps * to.within;
        std::int64_t const none[max_rank]{};
        auto const strides = [&](std::int32_t k) { return k < 0 ? none : of_.accesses[static_cast<std::size_t>(k)].prefix; };
        std::int64_t index[max_rank]{};
        for (std::int64_t n = 0; n < count; ++n) {
            std::int64_t a = 0, b = 0;
            for (int axis = std::max(to.level, 0); axis < w.rank; ++axis)
                a += index[axis] * strides(to.a)[axis], b += index[axis] * strides(to.b)[axis];
            to.at_a.push_back(a * bytes), to.at_b.push_back(b * bytes);
            for (int axis = w.rank - 1; axis >= std::max(to.level, 0); --axis) {
                if (++index[axis] < w.extent[axis] || axis == to.level) break;
                index[axis] = 0;
            }
        }
    }

    plan_view p_;
    plan_loop const& l_;
    kernel_line const* lines_;
    int count_;
    tile_loop& of_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
