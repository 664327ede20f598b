// One op that computes each element of its result from one of each operand, by its routine alone: a call on few elements needs no
// plan, no tiles, and no memory but the result's.
#pragma once

#include <tracexpr/backends/tiles/tables.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace tx::detail::inline TRACEXPR_TARGET {

class direct_op {
public:
    static constexpr std::size_t most_operands = 3;
    // What lies in the caches near a core. Of more, programs have the better loops: they share them among threads, and store past
    // the caches.
    static constexpr std::int64_t most_bytes = std::int64_t{1} << 17;

    direct_op() = default;
    // Of a simplified trace of one such op, on parameters or on numbers that are cast to the dtype in which they meet; of any
    // other graph it is empty.
    explicit direct_op(graph_view const& g) {
        if (g.outputs.size() != 1 || g.captures.size() > 0) return;
        node const& n = g[g.outputs[0]];
        if (info(n.code).kind != kind::pointwise || n.arity > most_operands) return;
        for (std::size_t k = 0; k < n.arity; ++k)
            if (!take_operand(g, g.operand(n, k), operands_[k])) return;
        type_ = g[g.operand(n, n.arity - 1)].type;
        if (type_ == dtype::string || n.type == dtype::string) return;
        code_ = n.code, result_bytes_ = static_cast<std::int64_t>(size_in_bytes(n.type)), result_type_ = n.type;
        arity_ = find_routine(0) ? n.arity : 0;
    }
    bool is_empty() const { return arity_ == 0; }
    std::size_t arity() const { return arity_; }
    // The parameter that operand k is.
    std::size_t parameter(std::size_t k) const { return operands_[k].parameter; }

    // The operands of a call, by the op's numbers.
    struct call {
        std::byte const* at[most_operands]{};
        dims extents[most_operands];
    };
    // The result's extents, or null where the op is not to be computed so.
    dims const* result_extents(call const& of) const {
        dims const* out = &of.extents[0];
        std::int64_t size = out->size();
        for (std::size_t k = 1; k < arity_; ++k) {
            std::int64_t const other = of.extents[k].size();
            if (other > size || (other == size && of.extents[k].rank > out->rank)) out = &of.extents[k], size = other;
        }
        if (size * result_bytes_ > most_bytes) return nullptr;
        std::int64_t row = size;
        for (std::size_t k = 0; k < arity_; ++k) {
            if (is_one(of.extents[k], *out) || of.extents[k] == *out) continue;
            if (!is_row(of.extents[k], *out) || (row != size && row != of.extents[k].size())) return nullptr;
            row = of.extents[k].size();
        }
        return row * most_rows >= size ? out : nullptr;
    }
    // Into memory for the result's elements.
    void run(call const& of, dims const& extents, void* out) const {
        std::int64_t const size = extents.size();
        std::int64_t row = size;
        alignas(64) std::byte numbers[most_operands][32], spread[most_operands][block_bytes];
        source from[most_operands]{};
        for (std::size_t k = 0; k < arity_; ++k) {
            std::int64_t const own = of.extents[k].size();
            from[k] = {of.at[k], operands_[k].bytes, own == size, size != 1 && is_one(of.extents[k], extents)};
            if (!from[k].is_one) row = std::min(row, own);
            if (!operands_[k].cast) continue;
            operands_[k].cast(numbers[k], of.at[k], nullptr, nullptr, nullptr, 1);
            from[k].at = numbers[k];
        }
        if (from[0].is_one && arity_ == 2 && info(code_).commutes) std::swap(from[0], from[1]);
        int ones = 0;
        for (std::size_t k = 0; k < arity_; ++k) ones |= from[k].is_one << k;
        simd::tiles::routine routine = find_routine(ones);
        std::int64_t block = row;
        if (!routine) { // that for as many elements of each, a block at a time
            routine = find_routine(0);
            block = std::min(row, block_bytes / 32);
            for (std::size_t k = 0; k < arity_; ++k)
                if (from[k].is_one) {
                    for (std::int64_t i = 0; i < block; ++i)
                        std::memcpy(spread[k] + i * from[k].bytes, from[k].at, static_cast<std::size_t>(from[k].bytes));
                    from[k].at = spread[k];
                }
        }
        for (std::int64_t first = 0; first < size; first += row)
            for (std::int64_t i = 0; i < row; i += block) {
                std::byte const* at[most_operands]{};
                for (std::size_t k = 0; k < arity_; ++k)
                    at[k] = from[k].at + (from[k].is_one ? 0 : from[k].is_whole ? first + i : i) * from[k].bytes;
                routine(static_cast<std::byte*>(out) + (first + i) * result_bytes_, at[0], at[1], at[2], nullptr,
                        std::min(block, row - i));
            }
    }

private:
    static constexpr std::int64_t block_bytes = 8192;
    struct operand {
        std::size_t parameter = 0;
        std::int64_t bytes = 0;
        simd::tiles::routine cast = nullptr; // of a number
    };
    struct source {
        std::byte const* at = nullptr;
        std::int64_t bytes = 0;
        bool is_whole = false, is_one = false; // or a row
    };

    static constexpr std::int64_t most_rows = 16; // of which each is a call of the routine
    static bool is_one(dims const& d, dims const& result) { return d.size() == 1 && d.rank <= result.rank && d != result; }
    // Is it the last axes of the result, for all places of the others?
    static bool is_row(dims const& d, dims const& result) {
        if (d.rank >= result.rank) return false;
        for (int axis = 1; axis <= d.rank; ++axis)
            if (d[d.rank - axis] != result[result.rank - axis]) return false;
        return true;
    }
    static bool take_operand(graph_view const& g, node_id id, operand& to) {
        node const* from = &g[id];
        to.bytes = static_cast<std::int64_t>(size_in_bytes(from->type));
        if (from->code == op::cast && g.shape_of(*from).rank == 0) {
            node const& number = g[g.operand(*from, 0)];
            if (number.type == dtype::string) return false;
            to.cast = simd::tiles::detail::casting_routine(number.type, from->type);
            from = &number;
            if (!to.cast) return false;
        }
        to.parameter = static_cast<std::size_t>(from->bits[0]);
        return from->code == op::parameter;
    }
    simd::tiles::routine find_routine(int ones) const {
        using namespace simd::tiles::detail;
        if (code_ == op::where) return choosing_routine(type_, ones);
        if (code_ == op::cast) return ones == 0 ? casting_routine(type_, result_type_) : nullptr;
        return ones < 4 ? pointwise_routine(code_, type_, ones) : nullptr;
    }

    std::array<operand, most_operands> operands_;
    op code_{};
    dtype type_{}, result_type_{};
    std::int64_t result_bytes_ = 0;
    std::size_t arity_ = 0;
};

} // namespace tx::detail::inline TRACEXPR_TARGET
