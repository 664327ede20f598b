// Runs a loop tile by tile.
#pragma once

#include <tracexpr/backends/tiles/program.hpp>

#include <algorithm>
#include <new>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// Memory for a loop's tiles, partial results and slots, in that order.
inline std::int64_t partial_bytes(tile_loop const& l, reduction const& r) {
    std::int64_t const width = l.form == loop_form::columns ? l.tile_columns : r.lanes;
    std::int64_t const sums = l.form == loop_form::columns ? width : width * r.unroll;
    std::int64_t const elements = sums + 2 * width + width * (l.levels + 1);
    return (elements * static_cast<std::int64_t>(r.combine.bytes) + 63) / 64 * 64;
}
// What a piece of memory is divided into, each part in lines of the cache of its own.
class divided_memory {
public:
    explicit divided_memory(std::byte* from) : at_{from} {} // null: to measure
    std::byte* take(std::int64_t bytes) {
        std::byte* const part = at_;
        std::int64_t const whole = (bytes + 63) / 64 * 64;
        taken_ += whole;
        if (at_) at_ += whole;
        return part;
    }
    template <class T> T* take_for(std::size_t count) {
        return reinterpret_cast<T*>(take(static_cast<std::int64_t>(count * sizeof(T))));
    }
    std::int64_t taken() const { return taken_; }

private:
    std::byte* at_;
    std::int64_t taken_ = 0;
};

// (A template, so that only programs that run tiles compile it.)
template <class Unused> class loop_run {
public:
    loop_run(tile_loop const& l, std::byte* const* buffers, divided_memory& memory) : l_{l}, buffers_{buffers} {
        std::byte* const tiles = memory.take(l.tile_count * l.tile_bytes());
        std::byte* const elements = memory.take(l.element_count * 64);
        for (reduction const& r : l.reductions) {
            std::byte* const own = memory.take(partial_bytes(l, r));
            if (!partial_) partial_ = own;
        }
        at_ = memory.take_for<std::byte*>(l.slots.size());
        positions_ = memory.take_for<std::int64_t>(l.accesses.size());
        base_ = memory.take_for<std::int64_t>(l.accesses.size());
        parts_ = memory.take_for<partials>(l.reductions.size());
        if (!buffers) return; // to measure
        for (std::size_t k = 0; k < l.slots.size(); ++k) {
            slot const& s = l.slots[k];
            switch (s.what) {
            case slot::kind::tile: at_[k] = tiles + s.number * l.tile_bytes(); break;
            case slot::kind::element: at_[k] = elements + s.number * 64; break;
            case slot::kind::literal:
                at_[k] = const_cast<std::byte*>(l.literals[static_cast<std::size_t>(s.number)].data()); // which is only read
                break;
            case slot::kind::access: at_[k] = nullptr; break;
            }
        }
        for (std::size_t k = 0; k < l.accesses.size(); ++k) positions_[k] = l.accesses[k].offset;
        rows_ = l.rows, columns_ = l.columns, prefix_ = l.prefix;
        height_ = l.tile_rows, width_ = l.tile_columns;
        for (instruction const& i : l.once) carry_out(i);
    }
    void advance(int outer_axis, std::int64_t steps) {
        for (std::size_t k = 0; k < l_.accesses.size(); ++k) positions_[k] += steps * l_.accesses[k].outer[outer_axis];
    }
    // Leaves out all but a part of an inner axis.
    void take_part(int inner_axis, std::int64_t begin, std::int64_t extent) {
        bool const is_column = inner_axis == l_.inner_rank - 1, is_prefix = inner_axis < l_.prefix.rank;
        (is_column ? columns_ : is_prefix ? prefix_.extent[inner_axis] : rows_) = extent;
        for (std::size_t k = 0; k < l_.accesses.size(); ++k) {
            tile_access const& a = l_.accesses[k];
            positions_[k] += begin * (is_column ? a.strides.column : is_prefix ? a.prefix[inner_axis] : a.strides.row);
        }
    }
    // Where the outer axes are; of loops that are batched so many positions of the last one.
    void run(std::int64_t batch) {
        if (l_.is_batched) rows_ = batch;
        begin_positions();
        switch (l_.form) {
        case loop_form::pointwise: return run_pointwise();
        case loop_form::rows: return run_rows();
        case loop_form::short_rows: return run_short_rows();
        case loop_form::columns: return run_columns();
        }
    }

    // Of a loop that reduces a row whole: its partial results, of which those of what follows may be part before they are stored.
    void sum_row() {
        begin_positions();
        begin_partials(0);
        add_rows();
    }
    void append(loop_run const& next) {
        for (std::size_t k = 0; k < l_.reductions.size(); ++k)
            partials_of(k).cascade.append(l_.reductions[k].combine, next.parts_[k].cascade, partials_of(k).some);
    }
    void store_totals() {
        for (std::size_t k = 0; k < l_.reductions.size(); ++k) {
            reduction const& r = l_.reductions[k];
            partials& p = partials_of(k);
            p.cascade.total(r.combine, p.total);
            std::memcpy(result_of(r, 0), across(r, p.total), r.combine.bytes);
        }
    }

private:
    void begin_positions() { std::copy_n(positions_, l_.accesses.size(), base_); }
    void place_tile(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width) {
        row_ = row, column_ = column, height_ = height, width_ = width;
        for (std::size_t k = 0; k < l_.slots.size(); ++k)
            if (l_.slots[k].what == slot::kind::access) at_[k] = address(static_cast<std::size_t>(l_.slots[k].number));
    }
    std::int64_t position(std::size_t access) const {
        block_strides const& s = l_.accesses[access].strides;
        return base_[access] + row_ * s.row + column_ * s.column;
    }
    std::byte* address(std::size_t access) const {
        tile_access const& a = l_.accesses[access];
        return a.buffer < 0 ? nullptr : buffers_[a.buffer] + position(access) * a.bytes;
    }
    void run_tile(bool begins_row) {
        if (begins_row)
            for (instruction const& i : l_.each_row) carry_out(i);
        for (instruction const& i : l_.body) carry_out(i);
    }

    template <class F> void for_each_prefix(F f) {
        walk const& w = prefix_;
        for (int axis = 0; axis < w.rank; ++axis)
            if (w.extent[axis] == 0) return;
        std::int64_t index[max_rank]{};
        for (;;) {
            f();
            int axis = w.rank - 1;
            for (; axis >= 0; --axis) {
                for (std::size_t k = 0; k < l_.accesses.size(); ++k) base_[k] += l_.accesses[k].prefix[axis];
                if (++index[axis] < w.extent[axis]) break;
                for (std::size_t k = 0; k < l_.accesses.size(); ++k) base_[k] -= w.extent[axis] * l_.accesses[k].prefix[axis];
                index[axis] = 0;
            }
            if (axis < 0) return;
        }
    }

    void run_pointwise() {
        for_each_prefix([&] {
            for (std::int64_t row = 0; row < rows_; row += l_.tile_rows)
                for (std::int64_t column = 0; column < columns_; column += l_.tile_columns) {
                    place_tile(row, column, std::min(l_.tile_rows, rows_ - row), std::min(l_.tile_columns, columns_ - column));
                    run_tile(column == 0);
                }
        });
    }

    // The memory of a reduction's partial results, in the order of partial_bytes.
    struct partials {
        std::byte *sums, *some, *total;
        tile_cascade cascade;
    };
    partials& partials_of(std::size_t k) { return parts_[k]; }
    void begin_partials(std::int64_t width_of_columns) {
        std::byte* memory = partial_;
        for (std::size_t k = 0; k < l_.reductions.size(); ++k) {
            reduction const& r = l_.reductions[k];
            bool const is_columns = l_.form == loop_form::columns;
            std::int64_t const width = is_columns ? l_.tile_columns : r.lanes, bytes = static_cast<std::int64_t>(r.combine.bytes);
            partials& p = *new (parts_ + k) partials{};
            p.sums = memory;
            p.some = p.sums + (is_columns ? width : width * r.unroll) * bytes;
            p.total = p.some + width * bytes;
            p.cascade.begin(p.total + width * bytes, is_columns ? width_of_columns : width);
            memory += partial_bytes(l_, r);
        }
    }

    void run_rows() {
        begin_partials(0);
        add_rows();
        store_totals();
    }
    void add_rows() {
        if (columns_ == 0) return;
        for_each_prefix([&] {
            for (std::int64_t column = 0; column < columns_; column += l_.tile_columns) {
                place_tile(0, column, 1, std::min(l_.tile_columns, columns_ - column));
                run_tile(column == 0);
            }
        });
    }
    std::byte* result_of(reduction const& r, std::int64_t row) const {
        tile_access const& a = l_.accesses[static_cast<std::size_t>(r.access)];
        return buffers_[a.buffer] + (positions_[r.access] + row * a.strides.row) * a.bytes;
    }
    static bool has_registers(reduction const& r) {
        return r.sums.across &&
               r.lanes * static_cast<int>(r.combine.bytes) == simd::detail::register_bytes<xsimd::default_arch>();
    }
    // All lanes of a vector, halves first. It is written over.
    static std::byte* across(reduction const& r, std::byte* v) {
        if (has_registers(r)) {
            r.sums.across(v, v);
            return v;
        }
        for (std::int64_t half = r.lanes / 2; half > 0; half /= 2)
            r.combine(v, v + static_cast<std::size_t>(half) * r.combine.bytes, half);
        return v;
    }

    // Elements of a row, `at` being the first one's place in it: as run_vectors (loops/rows.hpp) adds them up.
    void add_row(reduction const& r, partials& p, std::byte const* a, std::byte const* b, std::int64_t at, std::int64_t count,
                 std::int64_t row) {
        combiner const& c = r.combine;
        std::int64_t const W = r.lanes, together = W * r.unroll, block = block_vectors * together,
                           bytes = static_cast<std::int64_t>(c.bytes);
        auto const vectors_to_first = [&](std::int64_t n) {
            if (b && r.lanes == n) r.multiply_add(p.sums, a, b, p.sums, nullptr, n);
            else c(p.sums, values_of(r, p, a, b, n), n);
        };
        while (count > 0) {
            if (at % block == 0) c.clear(p.sums, together);
            std::int64_t const last = std::min(row, at / block * block + block), here = std::min(count, last - at);
            std::int64_t const groups = here / together * together;
            add_groups(r, p, a, b, groups);
            std::int64_t done = groups;
            auto const go = [&](std::int64_t n) { a += n * bytes, b = b ? b + n * bytes : b; };
            go(groups);
            for (; done + W <= here; done += W) vectors_to_first(W), go(W);
            if (done < here) {
                std::int64_t const rest = here - done, lane = row >= W ? W - rest : 0;
                std::byte const* const from = values_of(r, p, a, b, rest);
                std::memmove(p.some + lane * bytes, from, static_cast<std::size_t>(rest * bytes));
                c.clear(p.some, lane);
                c.clear(p.some + (lane + rest) * bytes, W - lane - rest);
                c(p.sums, p.some, W);
                go(rest);
            }
            at += here, count -= here;
            if (at == last) {
                merge(r, p);
                p.cascade.push(c, p.sums);
            }
        }
    }
    std::byte const* values_of(reduction const& r, partials& p, std::byte const* a, std::byte const* b, std::int64_t n) const {
        if (!b) return a;
        r.multiply(p.some, a, b, nullptr, nullptr, n);
        return p.some;
    }
    void add_groups(reduction const& r, partials& p, std::byte const* a, std::byte const* b, std::int64_t n) const {
        if (n == 0) return;
        if (has_registers(r) && (r.unroll == 2 || r.unroll == 4)) {
            accumulate const by = b ? (r.unroll == 4 ? r.sums.products_by_four : r.sums.products_by_two)
                                    : (r.unroll == 4 ? r.sums.by_four : r.sums.by_two);
            return by(p.sums, a, b, n);
        }
        std::int64_t const together = static_cast<std::int64_t>(r.lanes) * r.unroll,
                           bytes = together * static_cast<std::int64_t>(r.combine.bytes);
        for (; n > 0; n -= together, a += bytes, b = b ? b + bytes : b)
            if (b) r.multiply_add(p.sums, a, b, p.sums, nullptr, together);
            else r.combine(p.sums, a, together);
    }
    static void merge(reduction const& r, partials& p) {
        std::int64_t const W = r.lanes, bytes = W * static_cast<std::int64_t>(r.combine.bytes);
        if (r.unroll > 3) r.combine(p.sums + 2 * bytes, p.sums + 3 * bytes, W);
        if (r.unroll > 1) r.combine(p.sums, p.sums + bytes, W);
        if (r.unroll > 2) r.combine(p.sums, p.sums + 2 * bytes, W);
    }

    // Every row of the tile by itself, each in one piece.
    void run_short_rows() {
        begin_partials(0);
        if (rows_ == 0) return;
        if (columns_ > 0) {
            place_tile(0, 0, rows_, columns_);
            run_tile(true);
            return;
        }
        for (reduction const& r : l_.reductions)
            for (std::int64_t row = 0; row < rows_; ++row) std::memcpy(result_of(r, row), r.combine.start, r.combine.bytes);
    }
    void reduce_short_rows(reduction const& r, partials& p, std::byte const* a, std::byte const* b) {
        tile_access const& to = l_.accesses[static_cast<std::size_t>(r.access)];
        if (has_registers(r) && (r.unroll == 2 || r.unroll == 4) && !b)
            return r.sums.rows(a, height_, width_, result_of(r, 0), to.strides.row, r.unroll);
        std::int64_t const bytes = width_ * static_cast<std::int64_t>(r.combine.bytes);
        for (std::int64_t row = 0; row < height_; ++row, a += bytes, b = b ? b + bytes : b) {
            p.cascade.begin(p.cascade.level(r.combine, 0), r.lanes);
            add_row(r, p, a, b, 0, width_, width_);
            p.cascade.total(r.combine, p.total);
            std::memcpy(result_of(r, row), across(r, p.total), r.combine.bytes);
        }
    }

    void run_columns() {
        for (std::int64_t column = 0; column < columns_; column += l_.tile_columns) {
            std::int64_t const width = std::min(l_.tile_columns, columns_ - column);
            begin_partials(width);
            for_each_prefix([&] {
                for (std::int64_t row = 0; row < rows_; row += l_.tile_rows) {
                    place_tile(row, column, std::min(l_.tile_rows, rows_ - row), width);
                    run_tile(true);
                }
            });
            for (std::size_t k = 0; k < l_.reductions.size(); ++k) {
                reduction const& r = l_.reductions[k];
                partials& p = partials_of(k);
                p.cascade.total(r.combine, p.total);
                tile_access const& a = l_.accesses[static_cast<std::size_t>(r.access)];
                std::byte* const to = buffers_[a.buffer] + (positions_[r.access] + column * a.strides.column) * a.bytes;
                with_word(r.combine.bytes, [&]<class Word>(Word) {
                    unpack(reinterpret_cast<Word const*>(p.total), reinterpret_cast<Word*>(to), a.strides, 1, width);
                });
            }
        }
    }
    void reduce_columns(reduction const& r, partials& p, std::byte const* a, std::byte const* b) {
        combiner const& c = r.combine;
        std::int64_t const bytes = width_ * static_cast<std::int64_t>(c.bytes);
        if (row_ % block_vectors == 0) c.clear(p.sums, width_);
        for (std::int64_t row = 0; row < height_; ++row, a += bytes, b = b ? b + bytes : b)
            if (b) r.multiply_add(p.sums, a, b, p.sums, nullptr, width_);
            else c(p.sums, a, width_);
        if ((row_ + height_) % block_vectors == 0 || row_ + height_ == rows_) p.cascade.push(c, p.sums);
    }

    TRACEXPR_INLINE void carry_out(instruction const& i) {
        switch (i.what) {
        case action::compute: i.run(at_[i.out], at_[i.a], at_[i.b], at_[i.c], at_[i.d], height_ * width_); return;
        case action::single: i.run(at_[i.out], at_[i.a], at_[i.b], at_[i.c], at_[i.d], 1); return;
        case action::reduce: {
            reduction const& r = l_.reductions[static_cast<std::size_t>(i.out)];
            partials& p = partials_of(static_cast<std::size_t>(i.out));
            std::byte const* const b = r.multiply ? at_[i.b] : nullptr;
            if (l_.form == loop_form::rows) add_row(r, p, at_[i.a], b, column_, width_, columns_);
            else if (l_.form == loop_form::columns) reduce_columns(r, p, at_[i.a], b);
            else reduce_short_rows(r, p, at_[i.a], b);
            return;
        }
        case action::chain: return run_chain(l_.chains[static_cast<std::size_t>(i.out)]);
        default: move(i);
        }
    }
    void run_chain(chain const& c) {
        std::int64_t const n = height_ * width_, in_groups = n / c.routines->group * c.routines->group;
        if (in_groups > 0) {
            link links[most_links];
            for (std::size_t k = 0; k < c.links.size(); ++k) {
                links[k].run = c.links[k].run;
                for (int o = 0; o < c.links[k].operands; ++o) links[k].at[o] = at_[c.links[k].slots[o]];
            }
            c.routines->run(links, in_groups);
        }
        if (in_groups == n) return;
        for (instruction const& i : c.steps) {
            std::int64_t const skipped = in_groups * i.bytes;
            auto const behind = [&](std::int16_t slot, int operand) { return at_[slot] + (i.ones >> operand & 1 ? 0 : skipped); };
            i.run(at_[i.out] + skipped, behind(i.a, 0), behind(i.b, 1), behind(i.c, 2), behind(i.d, 3), n - in_groups);
        }
    }
    TRACEXPR_NOINLINE void move(instruction const& i) {
        std::int64_t const n = height_ * width_;
        std::size_t const access = static_cast<std::size_t>(i.access);
        switch (i.what) {
        case action::stream: return stream_bytes(at_[i.a], at_[i.out], n * i.bytes);
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
            if (i.what == action::spread) return fill_elements(out, *reinterpret_cast<Word const*>(at_[i.a]), n);
            Word* const memory = reinterpret_cast<Word*>(address(access));
            block_strides const s = l_.accesses[access].strides;
            if (i.what == action::pack) return pack<Word>(memory, s, out, height_, width_);
            if (i.what == action::unpack) return unpack(reinterpret_cast<Word const*>(at_[i.a]), memory, s, height_, width_);
            std::int64_t const* const places = reinterpret_cast<std::int64_t const*>(at_[i.a]);
            for (std::int64_t row = 0, k = 0; row < height_; ++row)
                for (std::int64_t column = 0; column < width_; ++column, ++k)
                    out[k] = memory[places[k] + row * s.row + column * s.column];
        });
    }

    tile_loop const& l_;
    std::byte* const* buffers_;
    std::byte* partial_ = nullptr;
    std::byte** at_ = nullptr;          // of each slot
    std::int64_t* positions_ = nullptr; // of each access, in elements: where the outer axes are
    std::int64_t* base_ = nullptr;      // and the axes around those of tiles
    partials* parts_ = nullptr;         // of each reduction
    walk prefix_;
    std::int64_t rows_ = 0, columns_ = 0; // of this run
    std::int64_t row_ = 0, column_ = 0, height_ = 0, width_ = 0;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
