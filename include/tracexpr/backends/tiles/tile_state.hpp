// This file holds the state of a loop's run: the current position, the addresses of the slots there, and the routines that run on
// one tile.
#pragma once

#include <tracexpr/backends/tiles/row_sums.hpp>
#include <tracexpr/backends/tiles/tile_memory.hpp>

#include <algorithm>
#include <new>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// (This is a template so that only programs that run tiles compile it.)
template <class Unused> class tile_state {
public:
    void advance(int outer_axis, std::int64_t steps) {
        for (std::size_t k = 0; k < l_.accesses.size(); ++k) positions_[k] += steps * l_.accesses[k].outer[outer_axis];
    }
    // Restricts an inner axis to a part of it.
    void take_part(int inner_axis, std::int64_t begin, std::int64_t extent) {
        bool const is_column = inner_axis == l_.inner_rank - 1, is_prefix = inner_axis < l_.prefix.rank;
        (is_column ? columns_ : is_prefix ? prefix_.extent[inner_axis] : rows_) = extent;
        for (std::size_t k = 0; k < l_.accesses.size(); ++k) {
            tile_access const& a = l_.accesses[k];
            positions_[k] += begin * (is_column ? a.strides.column : is_prefix ? a.prefix[inner_axis] : a.strides.row);
        }
    }

protected:
    tile_state(tile_loop const& l, std::byte* const* buffers, divided_memory& memory) : l_{l}, buffers_{buffers} {
        std::byte* const tiles = memory.take(l.tile_count * l.tile_bytes());
        std::byte* const rows = memory.take(l.row_count * l.row_bytes());
        std::byte* const elements = memory.take(l.element_count * 64);
        for (reduction const& r : l.reductions) {
            std::byte* const own = memory.take(partial_bytes(l, r));
            if (!partial_) partial_ = own;
        }
        at_ = memory.take_for<std::byte*>(l.slots.size());
        positions_ = memory.take_for<std::int64_t>(l.accesses.size());
        base_ = memory.take_for<std::int64_t>(l.accesses.size());
        parts_ = memory.take_for<partials>(l.reductions.size());
        if (!buffers) return; // the constructor only measures memory
        for (std::size_t k = 0; k < l.slots.size(); ++k) {
            slot const& s = l.slots[k];
            switch (s.tag) {
            case slot::kind::tile: at_[k] = tiles + s.number * l.tile_bytes(); break;
            case slot::kind::row: at_[k] = rows + s.number * l.row_bytes(); break;
            case slot::kind::element: at_[k] = elements + s.number * 64; break;
            case slot::kind::literal:
                at_[k] = const_cast<std::byte*>(l.literals[static_cast<std::size_t>(s.number)].data()); // literals are only read
                break;
            case slot::kind::access: at_[k] = nullptr; break;
            }
        }
        for (std::size_t k = 0; k < l.accesses.size(); ++k) positions_[k] = l.accesses[k].offset;
        rows_ = l.rows, columns_ = l.columns, prefix_ = l.prefix;
        height_ = l.tile_rows, width_ = l.tile_columns;
    }
    void begin_positions() { std::copy_n(positions_, l_.accesses.size(), base_); }
    void place_tile(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width) {
        row_ = row, column_ = column, height_ = height, width_ = width;
        for (std::size_t k = 0; k < l_.slots.size(); ++k)
            if (l_.slots[k].tag == slot::kind::access) at_[k] = address(static_cast<std::size_t>(l_.slots[k].number));
    }
    std::int64_t position(std::size_t access) const {
        block_strides const& s = l_.accesses[access].strides;
        return base_[access] + row_ * s.row + column_ * s.column;
    }
    std::byte* address(std::size_t access) const {
        tile_access const& a = l_.accesses[access];
        return a.buffer < 0 ? nullptr : buffers_[a.buffer] + position(access) * a.bytes;
    }
    partials& partials_of(std::size_t k) { return parts_[k]; }
    template <class F> void for_each_prefix(F f) { for_each_prefix(prefix_.rank, f); }
    // Calls f at each position of the first `rank` axes of the prefix.
    template <class F> void for_each_prefix(int rank, F f) {
        walk const& w = prefix_;
        for (int axis = 0; axis < rank; ++axis)
            if (w.extent[axis] == 0) return;
        std::int64_t index[max_rank]{};
        for (;;) {
            f();
            int axis = rank - 1;
            for (; axis >= 0; --axis) {
                for (std::size_t k = 0; k < l_.accesses.size(); ++k) base_[k] += l_.accesses[k].prefix[axis];
                if (++index[axis] < w.extent[axis]) break;
                for (std::size_t k = 0; k < l_.accesses.size(); ++k) base_[k] -= w.extent[axis] * l_.accesses[k].prefix[axis];
                index[axis] = 0;
            }
            if (axis < 0) return;
        }
    }

    rows_at<std::byte const> rows_of(std::int16_t slot, std::int64_t bytes) const { return {at_[slot], stride_of(slot, bytes)}; }
    runs over(instruction const& i) const {
        return i.over == extent_of::tile   ? runs{height_ * width_}
               : i.over == extent_of::rows ? runs{width_, height_}
                                           : runs{height_};
    }
    // Returns the bytes from a row of a slot to the next, for elements of `bytes` bytes.
    std::int64_t stride_of(std::int16_t of, std::int64_t bytes) const {
        slot const& s = l_.slots[static_cast<std::size_t>(of)];
        if (s.tag == slot::kind::access) {
            tile_access const& a = l_.accesses[static_cast<std::size_t>(s.number)];
            return a.strides.row * a.bytes;
        }
        return s.tag == slot::kind::tile ? width_ * bytes : s.tag == slot::kind::row ? bytes : 0;
    }
    // Computes all elements except the first `skipped` of each run.
    void compute(instruction const& i, std::int64_t skipped, runs const& r) const {
        auto const behind = [&](std::int16_t slot, int operand) TRACEXPR_INLINE_LAMBDA {
            return at_[slot] + (i.ones >> operand & 1 ? 0 : skipped * i.operand_bytes[operand]);
        };
        std::byte *out = at_[i.out] + skipped * i.bytes, *a = behind(i.a, 0), *b = behind(i.b, 1), *c = behind(i.c, 2),
                  *d = behind(i.d, 3);
        i.run(out, a, b, c, d, r.length - skipped);
        if (r.count == 1) return;
        std::int64_t const next[]{stride_of(i.out, i.bytes), stride_of(i.a, i.operand_bytes[0]),
                                  stride_of(i.b, i.operand_bytes[1]), stride_of(i.c, i.operand_bytes[2]),
                                  stride_of(i.d, i.operand_bytes[3])};
        for (std::int64_t row = 1; row < r.count; ++row) {
            out += next[0], a += next[1], b += next[2], c += next[3], d += next[4];
            i.run(out, a, b, c, d, r.length - skipped);
        }
    }
    // Runs the links on these columns of each row, and then on those in `behind`.
    void run_links(chain const& c, std::vector<chain::planned_link> const& planned, interval columns, interval behind,
                   std::int64_t rows, rows_at<std::byte const> sums = {}) const {
        link links[most_links];
        struct {
            std::byte const** at;
            std::int64_t by;
        } moves[most_links * 4];
        std::size_t moved = 0;
        for (std::size_t k = 0; k < planned.size(); ++k) {
            links[k].run = planned[k].run;
            for (int o = 0; o < planned[k].operands; ++o) {
                std::int16_t const slot = planned[k].slots[o];
                bool const is_sum = slot == place_of_sums;
                links[k].at[o] = is_sum ? sums.at : at_[slot];
                if (rows == 1) continue;
                if (std::int64_t const next = is_sum ? sums.next : stride_of(slot, c.bytes))
                    moves[moved++] = {&links[k].at[o], next};
            }
        }
        auto const go_through = c.routines->run;
        for (std::int64_t row = 0;;) {
            go_through(links, columns.begin, columns.end);
            if (behind.end > 0) go_through(links, behind.begin, behind.end);
            if (++row == rows) return;
            for (std::size_t k = 0; k < moved; ++k) *moves[k].at += moves[k].by;
        }
    }
    TRACEXPR_NOINLINE void move(instruction const& i) {
        std::int64_t const n = i.over == extent_of::one_row ? height_ : height_ * width_;
        std::size_t const access = static_cast<std::size_t>(i.access);
        switch (i.opcode) {
        case action::stream: {
            runs const r = over(i);
            std::int64_t const next = r.count > 1 ? stride_of(i.out, i.bytes) : 0;
            for (std::int64_t row = 0; row < r.count; ++row)
                stream_bytes(at_[i.a] + row * r.length * i.bytes, at_[i.out] + row * next, r.length * i.bytes);
            return;
        }
        case action::place:
            return i.place(at_[i.out], at_[i.a], static_cast<std::int64_t>(i.table.low), static_cast<std::int64_t>(i.table.high),
                           n);
        case action::count: {
            block_strides const s = l_.accesses[access].strides;
            for (std::int64_t row = 0; row < height_; ++row) {
                std::int64_t const start = position(access) + row * s.row;
                i.run(at_[i.out] + row * width_ * i.bytes, reinterpret_cast<std::byte const*>(&start),
                      reinterpret_cast<std::byte const*>(&s.column), nullptr, nullptr, width_);
            }
            return;
        }
        default: break;
        }
        with_word(i.bytes, [&]<class Word>(Word) {
            Word* const out = reinterpret_cast<Word*>(at_[i.out]);
            if (i.opcode == action::spread) return fill_elements(out, *reinterpret_cast<Word const*>(at_[i.a]), n);
            if (i.opcode == action::spread_rows) {
                std::byte const* from = at_[i.a];
                for (std::int64_t row = 0; row < height_; ++row, from += stride_of(i.a, i.bytes))
                    fill_elements(out + row * width_, *reinterpret_cast<Word const*>(from), width_);
                return;
            }
            Word* const memory = reinterpret_cast<Word*>(address(access));
            block_strides const s = l_.accesses[access].strides;
            if (i.opcode == action::pack) {
                std::int64_t const rows = l_.group > 0 ? l_.group : height_;
                for (std::int64_t row = 0; row < height_; row += rows)
                    pack<Word>(memory + row / rows * l_.accesses[access].group, s, out + row * width_, rows, width_);
                return;
            }
            if (i.opcode == action::unpack) return unpack(reinterpret_cast<Word const*>(at_[i.a]), memory, s, height_, width_);
            std::int64_t const* const places = reinterpret_cast<std::int64_t const*>(at_[i.a]);
            for (std::int64_t row = 0; row < height_; ++row)
                if (i.ones) copy_row(memory + row * s.row + places[row], s.column, out + row * width_, width_);
                else look_up_row(memory + row * s.row, s.column, places + row * width_, out + row * width_, width_);
        });
    }

    tile_loop const& l_;
    std::byte* const* buffers_;
    std::byte* partial_ = nullptr;
    std::byte** at_ = nullptr;          // the address of each slot
    std::int64_t* positions_ = nullptr; // for each access, in elements: the position of the outer axes
    std::int64_t* base_ = nullptr;      // the same with the axes around those of tiles
    partials* parts_ = nullptr;         // one for each reduction
    walk prefix_;
    std::int64_t rows_ = 0, columns_ = 0; // those of this run
    std::int64_t row_ = 0, column_ = 0, height_ = 0, width_ = 0;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
