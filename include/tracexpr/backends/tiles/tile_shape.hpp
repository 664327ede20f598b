// This file determines how many rows and columns the tiles of a loop have, and how its accesses move through them.
#pragma once

#include <tracexpr/backends/threads/cut.hpp>
#include <tracexpr/backends/tiles/line_uses.hpp>
#include <tracexpr/backends/tiles/program.hpp>
#include <tracexpr/backends/tiles/tile_slots.hpp>

#include <algorithm>
#include <bit>

TRACEXPR_BEGIN_PASSES

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

class tile_shape {
public:
    // `batch` and `rows` are those of loop_builder.
    tile_shape(plan_view const& p, plan_step const& step, plan_loop const& loop, std::int64_t batch, row_strides const& rows,
               tile_loop& out)
        : p_{p}, step_{step}, loop_{loop}, lines_{p.lines.data() + loop.lines.first}, batch_{batch}, row_strides_{rows},
          out_{out} {}

    void run() {
        out_.widest = widest_in_tile(lines_, loop_.lines.count);
        walk const& inner = loop_.inner;
        bool transposes = false;
        for (std::uint32_t k = 0; k < loop_.accesses.count; ++k)
            transposes = transposes || planned(k).mode == access_mode::transposed;
        out_.form = !loop_.reduces ? loop_form::pointwise : loop_.columns ? loop_form::columns : loop_form::rows;
        out_.inner_rank = inner.rank;
        out_.columns = inner.rank ? inner.extent[inner.rank - 1] : 1;
        out_.is_batched = batch_ > 0;
        std::int64_t const size = tile_elements(out_.widest);
        out_.tile_columns = (out_.is_batched && !loop_.columns) || out_.columns <= size ? out_.columns : whole_groups(size);
        if (out_.is_batched) {
            out_.rows = out_.tile_rows = batch_ * std::max<std::int64_t>(out_.group, 1);
            if (out_.form == loop_form::rows) out_.form = loop_form::short_rows;
            if (out_.form == loop_form::columns) out_.form = loop_form::blocks;
        } else if (inner.rank > 1 && out_.form != loop_form::rows) {
            out_.rows = inner.extent[inner.rank - 2];
            if (transposes) out_.tile_columns = std::min<std::int64_t>(out_.columns, 64);
            bool const is_cut = // rows may be cut, and are then apart from each other
                !loop_.reduces && step_.sharing != sharing::none && out_.columns >= 2 * simd::detail::columns_of_cut;
            std::int64_t const fit = (transposes ? size : is_cut ? 1 : 2 * size) / std::max<std::int64_t>(out_.tile_columns, 1);
            out_.tile_rows =
                std::clamp<std::int64_t>(out_.form == loop_form::columns ? std::min<std::int64_t>(fit, block_vectors) : fit, 1,
                                         std::max<std::int64_t>(out_.rows, 1));
            if (out_.form == loop_form::columns)
                out_.tile_rows = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(out_.tile_rows)) - 1);
        }
        int const in_tile = out_.is_batched || out_.form == loop_form::rows ? 1 : 2;
        out_.prefix.rank = std::max(inner.rank - in_tile, 0);
        for (int axis = 0; axis < out_.prefix.rank; ++axis) out_.prefix.extent[axis] = inner.extent[axis];
        out_.levels = levels_of_sums();
        for (std::uint32_t k = 0; k < loop_.accesses.count; ++k) add_access(k);
    }
    // Makes tiles narrower if they don't all fit in the cache, unless they are short.
    void narrow() {
        bool const may_narrow = out_.tile_rows == 1 && !out_.is_batched;
        while (may_narrow && out_.tile_columns > 256 && out_.tile_bytes() * out_.tile_count > 2 * tile_budget &&
               whole_groups(out_.tile_columns / 2) > 0)
            out_.tile_columns = whole_groups(out_.tile_columns / 2);
    }
    int unroll() const { return facts_of(lines_, loop_.lines.count).unroll(this_processor.registers); }

private:
    plan_access const& planned(std::uint32_t k) const { return p_.accesses[loop_.accesses.first + k]; }
    // Rounds down to a multiple of the columns that are summed up side by side.
    std::int64_t whole_groups(std::int64_t columns) const {
        std::int64_t const group = out_.form == loop_form::rows ? unroll() * loop_.lanes : 64;
        return columns / group * group;
    }
    // Returns the number of levels of the cascade, which combines blocks in pairs.
    int levels_of_sums() const {
        std::int64_t const along = out_.form == loop_form::columns ? out_.rows : out_.columns,
                           block = block_vectors * (out_.sums_columns() ? 1 : unroll() * loop_.lanes);
        if (out_.form == loop_form::blocks)
            return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out_.prefix.size() / (block_vectors / 2) + 1)));
        return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out_.prefix.size() * (along / block + 1))));
    }
    void add_access(std::uint32_t k) {
        plan_access const& a = planned(k);
        walk const &inner = loop_.inner, &outer = step_.outer;
        tile_access to;
        to.buffer = a.buffer;
        to.offset = a.offset;
        to.bytes = a.buffer >= 0 ? static_cast<std::int64_t>(size_in_bytes(a.type)) : 0;
        for (int axis = 0; axis < outer.rank; ++axis) to.outer[axis] = a.outer[axis];
        for (int axis = 0; axis < out_.prefix.rank; ++axis) to.prefix[axis] = a.inner[axis];
        to.strides.column = inner.rank ? a.inner[inner.rank - 1] : 0;
        if (out_.is_batched) {
            to.strides.row = outer.rank > 0 ? to.outer[outer.rank - 1] : 0;
            if (out_.group > 0) to.group = to.outer[outer.rank - 2];
            if (a.buffer >= 0 && row_strides_[static_cast<std::size_t>(a.buffer)] > 0)
                to.strides.row = row_strides_[static_cast<std::size_t>(a.buffer)];
        } else if (inner.rank > 1) {
            to.strides.row = a.inner[inner.rank - 2];
        }
        out_.accesses.push_back(to);
    }

    plan_view p_;
    plan_step const& step_;
    plan_loop const& loop_;
    kernel_line const* lines_;
    std::int64_t batch_;
    row_strides const& row_strides_;
    tile_loop& out_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail

TRACEXPR_END_PASSES
