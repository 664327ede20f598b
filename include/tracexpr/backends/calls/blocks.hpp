// This file runs a part of the graph for one block of an axis at a time. The blocks are divided into pieces, whose number does
// not depend on the number of threads; results that are joined are joined within a piece from block to block, and then from piece
// to piece.
#pragma once

#include <tracexpr/backends/arenas.hpp>
#include <tracexpr/backends/calls/io.hpp>
#include <tracexpr/backends/calls/loop_buffers.hpp>
#include <tracexpr/backends/threads/cut.hpp>
#include <tracexpr/graph/block_form.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

// Chooses the length of a block, if the body takes `arena_bytes` bytes of memory for a block of length `tried`.
inline std::int64_t chosen_block(std::int64_t tried, std::int64_t arena_bytes, std::int64_t length) {
    constexpr std::int64_t unit = 16;
    std::int64_t const room = 2 * this_processor.block_bytes, each = std::max<std::int64_t>(arena_bytes / tried, 1);
    std::int64_t const most = std::max<std::int64_t>(room / each, 1);
    return std::max<std::int64_t>(std::min(most >= unit ? most / unit * unit : most, length), 1);
}
inline constexpr std::int64_t tried_block = 64;

// True if all operands that are cut have the same extent. If not, some of them turned out to be broadcast, and there is only one
// block.
inline bool is_cut(table_view<dims> sequences) {
    for (dims const& d : sequences)
        if (d[0] != sequences[0][0]) return false;
    return true;
}
inline std::int64_t cut_length(table_view<dims> sequences) {
    std::int64_t longest = 0;
    for (dims const& d : sequences) longest = std::max(longest, d[0]);
    return longest;
}

// The bytes of an operand or output are those of one element of the axis, or of the whole where it is shared or joined.
class block_run {
public:
    block_run(block_form const& form, std::int64_t length, std::int64_t block, table_view<loop_value> operands,
              table_view<loop_value> outputs)
        : form_{form}, length_{length}, block_{block}, operands_{operands}, outputs_{outputs},
          blocks_{length > 0 ? (length + block - 1) / block : 1} {
        for (std::size_t k = 0; k < form.joined; ++k) joined_bytes_ += rounded(outputs[k].bytes);
        for (std::size_t k = form.joined; k < outputs.size(); ++k)
            unneeded_bytes_ += outputs[k].data ? 0 : rounded(outputs[k].bytes * block);
        std::int64_t const most = joined_bytes_ > 0 ? most_joined_bytes / joined_bytes_ : most_pieces;
        pieces_ = std::clamp<std::int64_t>(std::min(most, most_pieces), 1, blocks_);
    }

    // Runs body(io, length of the block) and join(io) on at most `threads` threads. All other memory is that which threads keep.
    template <class Body, class Join> void run(int threads, Body const& body, Join const& join) const {
        tx::detail::arena_lease const lease(static_cast<std::size_t>((pieces_ + 1) * joined_bytes_ + table_bytes()));
        std::byte* const joined = lease.memory() + table_bytes();
        auto const piece = [&](std::int64_t number) { run_piece(number, joined + number * joined_bytes_, body, join); };
        if (threads > 1) {
            simd::detail::thread_pool::shared().run(threads, pieces_, piece);
        } else {
            for (std::int64_t number = 0; number < pieces_; ++number) piece(number);
        }
        if (form_.joined > 0) join_pieces(joined, tables(*this, lease.memory()), join);
    }

private:
    static constexpr std::int64_t most_pieces = 16, most_joined_bytes = std::int64_t{1} << 20;
    static constexpr std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
    std::int64_t table_bytes() const {
        return rounded(static_cast<std::int64_t>((operands_.size() + outputs_.size() + 3 * form_.joined) * sizeof(void*)));
    }
    // `tables` holds the tables of pointers to what a body, or a join, reads and writes.
    struct tables {
        void const** arguments;
        void** outputs;
        void const** both;
        void** one;
        tables(block_run const& of, std::byte* at) {
            arguments = new (at) void const*[of.operands_.size() + 1];
            outputs = reinterpret_cast<void**>(at) + of.operands_.size();
            both = arguments + of.operands_.size() + of.outputs_.size();
            one = outputs + of.outputs_.size() + 2 * of.form_.joined;
        }
    };

    template <class Body, class Join>
    void run_piece(std::int64_t number, std::byte* joined, Body const& body, Join const& join) const {
        tx::detail::arena_lease const lease(static_cast<std::size_t>(table_bytes() + 2 * joined_bytes_ + unneeded_bytes_));
        tables const t(*this, lease.memory());
        std::byte *so_far = joined, *spare = lease.memory() + table_bytes();
        std::byte *const next = spare + joined_bytes_, *const unneeded = next + joined_bytes_;
        std::int64_t const first = blocks_ * number / pieces_, end = blocks_ * (number + 1) / pieces_;
        for (std::int64_t b = first; b < end; ++b) {
            std::int64_t const place = b * block_;
            for (std::size_t k = 0; k < operands_.size(); ++k)
                t.arguments[k] = operands_[k].data + (k < form_.sequences ? place * operands_[k].bytes : 0);
            std::byte* own = unneeded;
            add_joined(b == first ? so_far : next, t.outputs);
            for (std::size_t k = form_.joined; k < outputs_.size(); ++k)
                if (outputs_[k].data) t.outputs[k] = outputs_[k].data + place * outputs_[k].bytes;
                else t.outputs[k] = own, own += rounded(outputs_[k].bytes * block_);
            body(io{t.arguments, t.outputs}, std::min(block_, length_ - place));
            if (b == first || form_.joined == 0) continue;
            join_two(so_far, next, spare, t, join);
            std::swap(so_far, spare);
        }
        if (so_far != joined && joined_bytes_ > 0) std::memcpy(joined, so_far, static_cast<std::size_t>(joined_bytes_));
    }
    template <class Pointer> void add_joined(std::byte* at, Pointer* to) const {
        for (std::size_t k = 0; k < form_.joined; ++k) to[k] = at, at += rounded(outputs_[k].bytes);
    }
    template <class Join>
    void join_two(std::byte* earlier, std::byte* later, std::byte* to, tables const& t, Join const& join) const {
        add_joined(earlier, t.both);
        add_joined(later, t.both + form_.joined);
        add_joined(to, t.one);
        join(io{t.both, t.one});
    }
    template <class Join> void join_pieces(std::byte* joined, tables const& t, Join const& join) const {
        std::byte *so_far = joined, *spare = joined + pieces_ * joined_bytes_;
        for (std::int64_t number = 1; number < pieces_; ++number) {
            join_two(so_far, joined + number * joined_bytes_, spare, t, join);
            std::swap(so_far, spare);
        }
        add_joined(so_far, t.one);
        for (std::size_t k = 0; k < form_.joined; ++k)
            if (outputs_[k].data && outputs_[k].bytes > 0)
                std::memcpy(outputs_[k].data, t.one[k], static_cast<std::size_t>(outputs_[k].bytes));
    }

    block_form form_;
    std::int64_t length_, block_;
    table_view<loop_value> operands_, outputs_;
    std::int64_t blocks_, pieces_ = 1, joined_bytes_ = 0, unneeded_bytes_ = 0;
};

} // namespace tx::inline TRACEXPR_TARGET::simd
