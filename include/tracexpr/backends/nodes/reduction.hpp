// This file runs one reduction along adjacent axes, in the order of the static executor.
#pragma once

#include <tracexpr/backends/nodes/elementwise.hpp>
#include <tracexpr/backends/tiles/row_sums.hpp>
#include <tracexpr/backends/tiles/tile_memory.hpp>

#include <bit>

namespace tx::inline TRACEXPR_TARGET::simd::nodes {

class reduction {
public:
    reduction() = default;
    reduction(op code, dtype type, attribute_span attributes) : attributes_{attributes} {
        how_ = tiles::detail::reduction_of(code, type);
        how_.lanes = std::max(simd::detail::register_bytes<simd::default_arch>() / static_cast<int>(how_.combine.bytes), 1);
        how_.unroll = 4;
        // Sums that round are added up in the same order everywhere, so this needs routines whose lanes are those of a kernel.
        is_known_ = how_.combine.by && (how_.sums.across || type == dtype::boolean || is_integer(type));
    }
    bool is_known() const { return is_known_; }

    // `shape` holds the numbers of an operand's elements before, along and after the axes.
    struct shape {
        std::int64_t outer = 1, along = 1, inner = 1;
    };
    // Finds the result's extents as well. Returns false if the axes are not adjacent.
    bool infer(dims const& operand, shape& s, dims& out) const {
        std::uint32_t gone = 0;
        for (std::int64_t const axis : attributes_.subspan(1)) gone |= 1u << axis;
        s = {}, out.rank = 0;
        bool is_behind = false, is_within = false;
        for (int axis = 0; axis < operand.rank; ++axis) {
            std::int64_t const n = operand[axis];
            bool const goes = gone >> axis & 1u;
            if (!goes || (attributes_[0] & 1)) out.push_back(goes ? 1 : n);
            if (n == 1) continue;
            if (goes && is_behind) return false;
            is_behind = is_behind || (is_within && !goes);
            is_within = is_within || goes;
            (goes ? s.along : is_within ? s.inner : s.outer) *= n;
        }
        return true;
    }
    std::int64_t memory_bytes(shape const& s) const {
        tiles::detail::divided_memory measured(nullptr);
        divide(s, measured);
        return measured.used_bytes();
    }
    void run(shape const& s, std::byte const* from, std::byte* out, std::byte* memory) const {
        tiles::detail::divided_memory of(memory);
        tiles::detail::partials p = divide(s, of);
        s.inner == 1 ? run_rows(s, from, out, p) : run_columns(s, from, out, p);
    }

private:
    // Returns the number of elements that are combined before they are pushed to the cascade.
    std::int64_t block(shape const& s) const { return block_vectors * (s.inner == 1 ? how_.lanes * how_.unroll : 1); }
    tiles::detail::partials divide(shape const& s, tiles::detail::divided_memory& memory) const {
        std::int64_t const bytes = static_cast<std::int64_t>(how_.combine.bytes), width = s.inner == 1 ? how_.lanes : s.inner;
        tiles::detail::partials p{};
        p.sums = memory.take((s.inner == 1 ? width * how_.unroll : width) * bytes);
        p.some = memory.take(width * bytes);
        p.total = memory.take(width * bytes);
        int const levels = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(s.along / block(s) + 1)));
        p.cascade.begin(memory.take(width * bytes * (levels + 1)), width);
        return p;
    }
    void run_rows(shape const& s, std::byte const* from, std::byte* out, tiles::detail::partials& p) const {
        using namespace tiles::detail;
        std::int64_t const bytes = static_cast<std::int64_t>(how_.combine.bytes);
        if (has_registers(how_) && s.along <= block(s))
            return how_.sums.rows({from, s.along * bytes}, {from, 0}, s.outer, s.along, {out, bytes}, how_.unroll, 0, p.sums);
        std::byte* const levels = p.cascade.level(how_.combine, 0);
        for (std::int64_t row = 0; row < s.outer; ++row, from += s.along * bytes, out += bytes) {
            p.cascade.begin(levels, how_.lanes);
            add_row(how_, p, from, nullptr, 0, s.along, s.along);
            p.cascade.total(how_.combine, p.total);
            std::memcpy(out, across(how_, p.total), static_cast<std::size_t>(bytes));
        }
    }
    void run_columns(shape const& s, std::byte const* from, std::byte* out, tiles::detail::partials& p) const {
        using namespace tiles::detail;
        std::int64_t const row = s.inner * static_cast<std::int64_t>(how_.combine.bytes);
        std::byte* const levels = p.cascade.level(how_.combine, 0);
        for (std::int64_t k = 0; k < s.outer; ++k, out += row) {
            p.cascade.begin(levels, s.inner);
            for (std::int64_t first = 0; first < s.along; first += block(s)) {
                std::int64_t const count = std::min(block(s), s.along - first);
                how_.combine.clear(p.sums, s.inner);
                if (how_.sums.columns) how_.sums.columns(p.sums, {from, row}, {from, 0}, count, s.inner);
                else
                    for (std::int64_t i = 0; i < count; ++i) how_.combine(p.sums, from + i * row, s.inner);
                from += count * row;
                p.cascade.push(how_.combine, p.sums);
            }
            p.cascade.total(how_.combine, out);
        }
    }

    tiles::detail::reduction how_;
    attribute_span attributes_;
    bool is_known_ = false;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::nodes
