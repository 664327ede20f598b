// This file runs one pointwise op on operands that broadcast, by the op's routine alone.
#pragma once

#include <tracexpr/backends/loops/moves.hpp>
#include <tracexpr/backends/tiles/tables.hpp>

#include <algorithm>
#include <cstring>

namespace tx::inline TRACEXPR_TARGET::simd::nodes {

// `value` holds contiguous elements in row-major order.
struct value {
    std::byte const* at = nullptr;
    dims const* extents = nullptr;
};

// row_operand holds the elements of an operand that one row of a result reads.
struct row_operand {
    std::byte const* at = nullptr;
    std::int64_t bytes = 0; // bytes of an element
    bool is_one = false;    // a single element for the whole row
};

// broadcast_rows holds the longest rows of a result along which each operand has as many elements as the result, or one, and the
// axes around the rows.
struct broadcast_rows {
    static constexpr std::size_t most_operands = 3;
    struct axis {
        std::int64_t count, strides[most_operands];
    };
    std::int64_t length = 1, count = 1;
    bool is_one[most_operands]{};
    int rank = 0;
    axis axes[max_rank]; // the innermost axis first

    broadcast_rows(value const* const* operands, std::size_t arity, dims const& extents) {
        std::int64_t below[most_operands]{1, 1, 1};
        for (int k = 1; k <= extents.rank; ++k) {
            std::int64_t const n = extents[extents.rank - k];
            if (n == 1) continue;
            axis next{n, {}};
            bool is_in_row = rank == 0;
            for (std::size_t o = 0; o < arity; ++o) {
                dims const& own = *operands[o]->extents;
                bool const is_along = k <= own.rank && own[own.rank - k] != 1;
                next.strides[o] = is_along ? below[o] : 0;
                if (is_along) below[o] *= n;
                if (length == 1) is_one[o] = !is_along;
                is_in_row = is_in_row && next.strides[o] == (is_one[o] ? 0 : length);
            }
            if (is_in_row) length *= n;
            else axes[rank++] = next, count *= n;
        }
    }
};

class elementwise {
public:
    static constexpr std::size_t most_operands = broadcast_rows::most_operands;

    elementwise() = default;
    // `type` is the operands' dtype; for `where` that of the last two.
    elementwise(op code, dtype type, dtype result_type)
        : code_{code}, type_{type}, result_type_{result_type}, arity_{static_cast<std::size_t>(info(code).arity)},
          result_bytes_{static_cast<std::int64_t>(size_in_bytes(result_type))} {
        for (std::size_t k = 0; k < arity_; ++k)
            bytes_[k] = static_cast<std::int64_t>(size_in_bytes(code == op::where && k == 0 ? dtype::boolean : type));
        all_ = find_routine(0);
    }
    bool is_known() const { return all_ != nullptr; }

    // A layout says how operands lie beside the result; it follows from the extents of a call.
    struct layout {
        std::int64_t size = 0;  // of the result
        int ones = 0;           // has a bit for each operand that is one element
        bool is_one_row = true; // All other operands have as many elements as the result.
    };
    // Returns false if there are so many short rows that a call for each would be slow.
    bool infer(value const* const* operands, dims const& extents, layout& of) const {
        of = {extents.size()};
        for (std::size_t k = 0; k < arity_; ++k) {
            std::int64_t const own = operands[k]->extents->size();
            if (own == of.size) continue;
            if (own == 1) of.ones |= 1 << k;
            else of.is_one_row = false;
        }
        if (of.is_one_row) return true;
        broadcast_rows const rows(operands, arity_, extents);
        return rows.count <= 16 || rows.length >= 256;
    }
    void run(value const* const* operands, dims const& extents, layout const& of, std::byte* out) const {
        if (of.is_one_row && of.ones == 0) {
            std::byte const* at[most_operands]{};
            for (std::size_t k = 0; k < arity_; ++k) at[k] = operands[k]->at;
            return all_(out, at[0], at[1], at[2], nullptr, of.size);
        }
        row_operand row[most_operands];
        if (of.is_one_row) {
            for (std::size_t k = 0; k < arity_; ++k) row[k] = {operands[k]->at, bytes_[k], (of.ones >> k & 1) != 0};
            return run_row(row, of.size, out);
        }
        broadcast_rows const rows(operands, arity_, extents);
        std::byte const* at[most_operands]{};
        for (std::size_t k = 0; k < arity_; ++k) at[k] = operands[k]->at;
        std::int64_t position[max_rank]{};
        for (std::int64_t r = 0; r < rows.count; ++r, out += rows.length * result_bytes_) {
            for (std::size_t k = 0; k < arity_; ++k) row[k] = {at[k], bytes_[k], rows.is_one[k]};
            run_row(row, rows.length, out);
            for (int axis = 0; axis < rows.rank; ++axis) {
                broadcast_rows::axis const& along = rows.axes[axis];
                bool const is_over = ++position[axis] == along.count;
                std::int64_t const steps = is_over ? 1 - along.count : 1;
                for (std::size_t k = 0; k < arity_; ++k) at[k] += steps * along.strides[k] * bytes_[k];
                if (!is_over) break;
                position[axis] = 0;
            }
        }
    }

private:
    static constexpr std::int64_t block_bytes = 8192;

    // Runs one row. `row` describes each operand, and may be changed.
    void run_row(row_operand (&row)[most_operands], std::int64_t n, std::byte* out) const {
        if (row[0].is_one && arity_ == 2 && info(code_).commutes) std::swap(row[0], row[1]);
        int ones = 0;
        for (std::size_t k = 0; k < arity_; ++k) ones |= row[k].is_one << k;
        if (tiles::routine const by = ones ? find_routine(ones) : all_)
            return by(out, row[0].at, row[1].at, row[2].at, nullptr, n);
        // There is no routine that takes one element there, so it is given a block of copies.
        alignas(64) std::byte spread[most_operands][block_bytes];
        std::int64_t const block = std::min(n, block_bytes / 32);
        for (std::size_t k = 0; k < arity_; ++k)
            if (row[k].is_one) {
                moves::pack_block(row[k].bytes, row[k].at, {}, spread[k], 1, block);
                row[k].at = spread[k];
            }
        for (std::int64_t i = 0; i < n; i += block) {
            all_(out + i * result_bytes_, row[0].at, row[1].at, row[2].at, nullptr, std::min(block, n - i));
            for (std::size_t k = 0; k < arity_; ++k)
                if (!row[k].is_one) row[k].at += block * row[k].bytes;
        }
    }
    tiles::routine find_routine(int ones) const {
        using namespace tiles::detail;
        if (code_ == op::where) return choosing_routine(type_, ones);
        if (code_ == op::cast) return ones == 0 ? casting_routine(type_, result_type_) : nullptr;
        return ones < 4 ? pointwise_routine(code_, type_, ones) : nullptr;
    }

    op code_{};
    dtype type_{}, result_type_{};
    std::size_t arity_ = 0;
    std::int64_t bytes_[most_operands]{}, result_bytes_ = 0;
    tiles::routine all_ = nullptr; // the routine for operands that all have as many elements
};

} // namespace tx::inline TRACEXPR_TARGET::simd::nodes
