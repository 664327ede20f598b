// This file runs a loop tile by tile.
#pragma once

#include <tracexpr/backends/tiles/tile_state.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// (This is a template so that only programs that run tiles compile it.)
template <class Unused> class loop_run : public tile_state<Unused> {
    using state = tile_state<Unused>;
    using state::l_, state::buffers_, state::partial_, state::at_, state::positions_, state::parts_, state::prefix_, state::rows_,
        state::columns_, state::row_, state::column_, state::height_, state::width_, state::begin_positions, state::place_tile,
        state::address, state::partials_of, state::for_each_prefix, state::rows_of, state::over, state::stride_of, state::compute,
        state::run_links, state::move;

public:
    loop_run(tile_loop const& l, std::byte* const* buffers, divided_memory& memory) : state(l, buffers, memory) {
        if (!buffers) return; // the constructor only measures memory
        for (instruction const& i : l.once) carry_out(i);
    }
    // Runs the loop at the current position of the outer axes; a batched loop runs `batch` positions of the last one.
    void run(std::int64_t batch) {
        if (l_.is_batched) rows_ = batch * std::max<std::int64_t>(l_.group, 1);
        begin_positions();
        switch (l_.form) {
        case loop_form::pointwise: return run_pointwise();
        case loop_form::rows: return run_rows();
        case loop_form::short_rows: return run_short_rows();
        case loop_form::columns: return run_columns();
        case loop_form::blocks: return run_blocks();
        }
    }

    // Sums a whole row, for a loop that reduces to one element. The partial results of further parts of the row may be appended
    // before the total is stored.
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
            if (r.places.rows) {
                std::memcpy(result_of(r, 0), p.sums + 8, 8);
                continue;
            }
            p.cascade.total(r.combine, p.total);
            std::memcpy(result_of(r, 0), across(r, p.total), r.combine.bytes);
        }
    }

private:
    void run_tile(bool begins_row) {
        if (begins_row)
            for (instruction const& i : l_.each_row) carry_out(i);
        for (instruction const& i : l_.body) carry_out(i);
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

    void begin_partials(std::int64_t width_of_columns) {
        std::byte* memory = partial_;
        for (std::size_t k = 0; k < l_.reductions.size(); ++k) {
            reduction const& r = l_.reductions[k];
            bool const is_columns = l_.sums_columns();
            std::int64_t const width = is_columns ? l_.sums_of_tile() : r.lanes,
                               bytes = static_cast<std::int64_t>(r.combine.bytes);
            partials& p = *new (parts_ + k) partials{};
            p.sums = memory;
            p.some = p.sums + partial_sums(l_, r) * bytes;
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
    // Reduces every row of the tile by itself, each in one piece.
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
    // Reduces the rows without their first `skipped` elements, whose sums are in p.sums already.
    void reduce_short_rows(reduction const& r, partials& p, rows_at<std::byte const> a, rows_at<std::byte const> b,
                           std::int64_t skipped) {
        tile_access const& to = l_.accesses[static_cast<std::size_t>(r.access)];
        if (has_registers(r) && (r.unroll == 2 || r.unroll == 4))
            return (b.at ? r.sums.products_of_rows : r.sums.rows)(
                a, b, height_, width_, {result_of(r, 0), to.strides.row * to.bytes}, r.unroll, skipped, p.sums);
        for (std::int64_t row = 0; row < height_; ++row, a.at += a.next, b.at += b.next) {
            p.cascade.begin(p.cascade.level(r.combine, 0), r.lanes);
            add_row(r, p, a.at, b.at, 0, width_, width_);
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
                if (!r.places.rows) p.cascade.total(r.combine, p.total);
                store_block(r, r.places.rows ? places_of(p) : p.total, column, 1, width);
            }
        }
    }
    void store_block(reduction const& r, std::byte const* from, std::int64_t column, std::int64_t height, std::int64_t width) {
        tile_access const& a = l_.accesses[static_cast<std::size_t>(r.access)];
        std::byte* const to = buffers_[a.buffer] + (positions_[r.access] + column * a.strides.column) * a.bytes;
        with_word(static_cast<std::size_t>(a.bytes), [&]<class Word>(Word) {
            unpack(reinterpret_cast<Word const*>(from), reinterpret_cast<Word*>(to), a.strides, height, width);
        });
    }
    // Computes blocks of results, visiting one position of the reduced axes after the other. Sums go to a cascade as those of
    // columns do.
    void run_blocks() {
        if (rows_ == 0) return;
        for (std::int64_t column = 0; column < columns_; column += l_.tile_columns) {
            std::int64_t const width = std::min(l_.tile_columns, columns_ - column), size = rows_ * width;
            begin_partials(size);
            std::int64_t pieces = 0;
            auto const push_all = [&] {
                for (std::size_t k = 0; k < l_.reductions.size(); ++k)
                    if (!l_.reductions[k].places.rows) partials_of(k).cascade.push(l_.reductions[k].combine, partials_of(k).sums);
                ++pieces;
            };
            if (l_.terms.run) {
                add_terms(column, width, push_all);
            } else {
                std::int64_t places = 0;
                place_ = 0;
                for_each_prefix([&] {
                    if (places == 0)
                        for (std::size_t k = 0; k < l_.reductions.size(); ++k)
                            if (!l_.reductions[k].places.rows) l_.reductions[k].combine.clear(partials_of(k).sums, size);
                    place_tile(0, column, rows_, width);
                    run_tile(true);
                    ++place_;
                    if (++places == block_vectors) push_all(), places = 0;
                });
                if (places > 0) push_all();
            }
            for (std::size_t k = 0; k < l_.reductions.size(); ++k) {
                partials& p = partials_of(k);
                bool const is_one = pieces == 1;
                if (l_.reductions[k].places.rows) {
                    store_block(l_.reductions[k], places_of(p), column, rows_, width);
                    continue;
                }
                if (!is_one) p.cascade.total(l_.reductions[k].combine, p.total);
                store_block(l_.reductions[k], is_one ? p.sums : p.total, column, rows_, width);
            }
        }
    }
    // Calls the routine that adds up all terms, piece by piece.
    template <class Push> void add_terms(std::int64_t column, std::int64_t width, Push const& push) {
        terms_of_blocks const& t = l_.terms;
        std::byte* const to = partials_of(0).sums;
        std::size_t const a = static_cast<std::size_t>(t.a), b = static_cast<std::size_t>(std::max(t.b, 0));
        std::int64_t const row = rows_;
        auto const operand = [&](std::size_t access, std::int64_t step) {
            tile_access const& of = l_.accesses[access];
            return block_operand{address(access) + (t.level < 0 ? 0 : step * of.prefix[t.level] * of.bytes),
                                 of.strides.row * of.bytes};
        };
        auto const run = [&](std::int64_t step, std::int64_t steps) {
            block_operand const second = t.b < 0 ? block_operand{l_.literals[0].data(), 0} : operand(b, step);
            t.run(operand(a, step), second, {t.at_a.data(), t.at_b.data(), steps * t.within}, to, row, width);
            push();
        };
        place_tile(0, column, rows_, width);
        if (t.level < 0) {
            if (prefix_.size() > 0) run(0, 1);
            return;
        }
        for_each_prefix(t.level, [&] {
            for (std::int64_t step = 0; step < prefix_.extent[t.level]; step += t.steps)
                run(step, std::min(t.steps, prefix_.extent[t.level] - step));
        });
    }
    void begin_columns(reduction const& r, partials& p) {
        if (row_ % block_vectors == 0) r.combine.clear(p.sums, width_);
    }
    void end_columns(reduction const& r, partials& p) {
        if ((row_ + height_) % block_vectors == 0 || row_ + height_ == rows_) p.cascade.push(r.combine, p.sums);
    }
    // Reduces columns, from column number `skipped` on.
    void reduce_columns(reduction const& r, partials& p, rows_at<std::byte const> a, rows_at<std::byte const> b,
                        std::int64_t skipped) {
        std::int64_t const bytes = skipped * static_cast<std::int64_t>(r.combine.bytes);
        a.at += bytes;
        if (b.at) b.at += bytes;
        if (r.sums.columns)
            return (b.at ? r.sums.products_of_columns : r.sums.columns)(p.sums + bytes, a, b, height_, width_ - skipped);
        for (std::int64_t row = 0; row < height_; ++row, a.at += a.next, b.at += b.next)
            if (b.at) r.multiply_add(p.sums + bytes, a.at, b.at, p.sums + bytes, nullptr, width_ - skipped);
            else r.combine(p.sums + bytes, a.at, width_ - skipped);
    }

    TRACEXPR_INLINE void carry_out(instruction const& i) {
        switch (i.opcode) {
        case action::compute: return compute(i, 0, over(i));
        case action::single: i.run(at_[i.out], at_[i.a], at_[i.b], at_[i.c], at_[i.d], 1); return;
        case action::reduce: return reduce(i);
        case action::chain: return run_chain(l_.chains[static_cast<std::size_t>(i.out)]);
        default: move(i);
        }
    }
    rows_at<std::byte const> second_rows(instruction const& i, reduction const& r) const {
        return r.multiply ? rows_of(i.b, i.bytes) : rows_at<std::byte const>{nullptr, 0};
    }
    void reduce(instruction const& i) {
        reduction const& r = l_.reductions[static_cast<std::size_t>(i.out)];
        partials& p = partials_of(static_cast<std::size_t>(i.out));
        rows_at<std::byte const> const a = rows_of(i.a, i.bytes), b = second_rows(i, r);
        if (r.places.rows) return find_places(r, p, a, over(i));
        if (l_.form == loop_form::rows) return add_row(r, p, a.at, b.at, column_, width_, columns_);
        if (l_.form == loop_form::short_rows) return reduce_short_rows(r, p, a, b, 0);
        if (l_.form == loop_form::blocks) return reduce_blocks(i, r, p, over(i), 0);
        begin_columns(r, p);
        reduce_columns(r, p, a, b, 0);
        end_columns(r, p);
    }

    // The places of extremes in a tile: those of columns and blocks are stored behind the extremes.
    std::byte* places_of(partials const& p) const { return p.sums + l_.sums_of_tile() * 8; }
    void find_places(reduction const& r, partials& p, rows_at<std::byte const> a, runs const& all) {
        std::int64_t* const places = reinterpret_cast<std::int64_t*>(l_.sums_columns() ? places_of(p) : p.sums);
        switch (l_.form) {
        case loop_form::rows: {
            std::int64_t at = 0;
            r.places.rows(a.at, 1, 0, width_, &at);
            return r.places.join(a.at + at * r.value_bytes, column_ + at, column_ == 0, p.sums);
        }
        case loop_form::short_rows:
            r.places.rows(a.at, height_, a.next, width_, places);
            for (std::int64_t row = 0; row < height_; ++row) std::memcpy(result_of(r, row), places + row, 8);
            return;
        case loop_form::columns:
            for (std::int64_t row = 0; row < height_; ++row)
                r.places.columns(a.at + row * a.next, width_, row_ + row, p.sums, places);
            return;
        default:
            for (std::int64_t row = 0, done = 0; row < all.count; ++row, done += all.length)
                r.places.columns(a.at + row * a.next, all.length, place_, p.sums + done * r.value_bytes, places + done);
        }
    }

    // Adds each element of the tile, except the first `skipped` of each run, to its own sum.
    void reduce_blocks(instruction const& i, reduction const& r, partials& p, runs const& all, std::int64_t skipped) const {
        std::int64_t const bytes = skipped * i.bytes, next_a = stride_of(i.a, i.bytes),
                           next_b = r.multiply ? stride_of(i.b, i.bytes) : 0;
        std::byte const *a = at_[i.a] + bytes, *b = r.multiply ? at_[i.b] + bytes : nullptr;
        std::byte* sums = p.sums + bytes;
        for (std::int64_t row = 0; row < all.count; ++row, a += next_a, b = b ? b + next_b : b, sums += all.length * i.bytes)
            if (b) r.multiply_add(sums, a, b, sums, nullptr, all.length - skipped);
            else r.combine(sums, a, all.length - skipped);
    }

    void run_chain(chain const& c) {
        if (c.sum) return run_sum(c);
        if (c.stream) return run_streamed(c);
        runs const r = c.by_rows ? runs{width_, height_} : runs{height_ * width_};
        std::int64_t const in_groups = c.whole_groups(r.length), group = c.routines->group;
        bool const is_whole = in_groups == r.length, overlaps = !is_whole && in_groups > 0 && c.may_overlap;
        if (in_groups > 0)
            run_links(c, c.links, {0, in_groups}, overlaps ? interval{r.length - group, r.length} : interval{}, r.count);
        if (!is_whole && !overlaps)
            for (instruction const& i : c.steps) compute(i, in_groups, r);
    }
    // Computes the values that fill no group, for a chain that is summed up or goes past the caches.
    void run_rest(chain const& c, std::int64_t in_groups, runs const& r) {
        if (in_groups == r.length) return;
        if (in_groups > 0 && c.may_overlap) return run_links(c, c.last, {r.length - c.routines->group, r.length}, {}, r.count);
        for (instruction const& i : c.steps) compute(i, in_groups, r);
    }
    // Runs a chain whose last values go past the caches: directly if the destination is aligned, and by way of a tile otherwise.
    void run_streamed(chain const& c) {
        instruction const& i = *c.stream;
        runs const r = c.by_rows ? runs{width_, height_} : runs{height_ * width_};
        std::int64_t const in_groups = c.whole_groups(r.length), next = r.count > 1 ? stride_of(i.out, c.bytes) : 0;
        bool const is_aligned = (reinterpret_cast<std::uintptr_t>(at_[i.out]) | static_cast<std::uintptr_t>(next)) %
                                    simd::detail::register_bytes<simd::default_arch>() ==
                                0;
        if (in_groups > 0) run_links(c, is_aligned ? c.links : c.last, {0, in_groups}, {}, r.count);
        run_rest(c, in_groups, r);
        std::int64_t const done = is_aligned ? in_groups * c.bytes : 0, bytes = r.length * c.bytes;
        if (done == 0 && next == bytes) return stream_bytes(at_[i.a], at_[i.out], r.count * bytes);
        for (std::int64_t row = 0; row < r.count && done < bytes; ++row)
            stream_bytes(at_[i.a] + row * bytes + done, at_[i.out] + row * next + done, bytes - done);
    }
    // Runs a chain whose last values are reduced.
    void run_sum(chain const& c) {
        instruction const& i = *c.sum;
        reduction const& r = l_.reductions[static_cast<std::size_t>(i.out)];
        partials& p = partials_of(static_cast<std::size_t>(i.out));
        std::int64_t const in_groups = c.whole_groups(width_), together = static_cast<std::int64_t>(r.lanes) * r.unroll,
                           skipped_bytes = in_groups * c.bytes;
        rows_at<std::byte const> const a = rows_of(i.a, i.bytes), b = second_rows(i, r);
        if (l_.form == loop_form::blocks) {
            run_sum_of_blocks(c, r, p);
        } else if (l_.form == loop_form::columns) {
            begin_columns(r, p);
            if (in_groups > 0) run_links(c, c.links, {0, in_groups}, {}, height_, {p.sums, 0});
            run_rest(c, in_groups, {width_, height_});
            if (in_groups < width_) reduce_columns(r, p, a, b, in_groups);
            end_columns(r, p);
        } else if (l_.form == loop_form::short_rows) {
            run_rest(c, in_groups, {width_, height_});
            r.combine.clear(p.sums, together * height_);
            if (in_groups > 0) run_links(c, c.links, {0, in_groups}, {}, height_, {p.sums, together * c.bytes});
            reduce_short_rows(r, p, a, b, in_groups);
        } else {
            std::int64_t const block = block_vectors * together, end = column_ + width_;
            if (column_ % block == 0) r.combine.clear(p.sums, together);
            if (in_groups > 0) run_links(c, c.links, {0, in_groups}, {}, 1, {p.sums, 0});
            run_rest(c, in_groups, {width_});
            if (in_groups < width_)
                add_row(r, p, a.at + skipped_bytes, b.at ? b.at + skipped_bytes : nullptr, column_ + in_groups,
                        width_ - in_groups, columns_);
            else if (end % block == 0 || end == columns_) end_block(r, p);
        }
    }
    // Runs a chain whose last values are added to sums of their own: row by row, or over the whole tile as one row.
    void run_sum_of_blocks(chain const& c, reduction const& r, partials& p) {
        bool const by_rows = c.by_rows || c.sum->over == extent_of::rows;
        runs const all = by_rows ? runs{width_, height_} : runs{height_ * width_};
        std::int64_t const in_groups = c.whole_groups(all.length);
        if (in_groups > 0) run_links(c, c.links, {0, in_groups}, {}, all.count, {p.sums, all.length * c.bytes});
        run_rest(c, in_groups, all);
        if (in_groups < all.length) reduce_blocks(*c.sum, r, p, all, in_groups);
    }

    std::int64_t place_ = 0; // the current position of the axes that blocks reduce
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
