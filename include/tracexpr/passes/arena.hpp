// This pass places a plan's intermediate values in one block of memory, the arena. A value lives from the first step that touches
// it to the last one; then its memory is free for others.
#pragma once

#include <tracexpr/passes/plan_tables.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

class arena_placement {
public:
    constexpr arena_placement(plan& p, bool reuses)
        : p_{p}, reuses_{reuses}, first_(p.buffers.size(), -1), last_(p.buffers.size(), -1) {}

    constexpr void run() {
        for (std::size_t s = 0; s < p_.steps.size(); ++s) {
            plan_step const& step = p_.steps[s];
            if (step.call != node_id::none) {
                for (std::uint32_t k = 0; k < step.operands.count; ++k)
                    if (std::int32_t const b = p_.accesses[step.operands.first + k].buffer; b >= 0) touch(b, s);
                if (std::int32_t const b = p_.buffer_of[index(step.call)]; b >= 0) touch(b, s);
            }
            for (std::uint32_t l = 0; l < step.loops.count; ++l) {
                plan_loop const& loop = p_.loops[step.loops.first + l];
                for (std::uint32_t a = 0; a < loop.accesses.count; ++a) {
                    std::int32_t const b = p_.accesses[loop.accesses.first + a].buffer;
                    if (b >= 0) touch(b, s);
                }
            }
        }
        place(false);
        free_.clear();
        place(true);
        p_.arena_bytes.push_back(bytes_);
    }

private:
    static constexpr std::int64_t small_bytes = 8, line_bytes = 64;

    constexpr void touch(std::int32_t b, std::size_t at) {
        std::size_t const i = static_cast<std::size_t>(b);
        if (first_[i] < 0) first_[i] = static_cast<std::int32_t>(at);
        last_[i] = static_cast<std::int32_t>(at);
    }

    // Allocates by first fit over free blocks, in the order of the steps. Small values are packed side by side, behind those that
    // have cache lines of their own.
    constexpr void place(bool small) {
        std::size_t const steps = p_.steps.size(), buffers = p_.buffers.size();
        buffer<std::int32_t> begins(steps, -1), ends(steps, -1), next_begin(buffers, -1), next_end(buffers, -1);
        for (std::size_t b = buffers; b-- > 0;) {
            if (!is_placed(b) || is_small(b) != small) continue;
            std::int32_t& begin = begins[static_cast<std::size_t>(first_[b])];
            next_begin[b] = begin, begin = static_cast<std::int32_t>(b);
            std::int32_t& end = ends[static_cast<std::size_t>(last_[b])];
            next_end[b] = end, end = static_cast<std::int32_t>(b);
        }
        for (std::size_t s = 0; s < steps; ++s) {
            for (std::int32_t b = begins[s]; b >= 0; b = next_begin[static_cast<std::size_t>(b)])
                offset(b) = allocate(rounded_bytes(b));
            for (std::int32_t b = ends[s]; b >= 0; b = next_end[static_cast<std::size_t>(b)])
                if (rounded_bytes(b) && reuses_) release({offset(b), rounded_bytes(b)});
        }
    }
    constexpr bool is_small(std::size_t b) const { return p_.buffers[b].bytes <= small_bytes; }
    constexpr bool is_placed(std::size_t b) const { return p_.buffers[b].place == buffer_place::arena && first_[b] >= 0; }
    constexpr std::int64_t& offset(std::int32_t b) { return p_.buffers[static_cast<std::size_t>(b)].offset; }
    constexpr std::int64_t bytes_of(std::int32_t b) const { return p_.buffers[static_cast<std::size_t>(b)].bytes; }
    constexpr std::int64_t rounded_bytes(std::int32_t b) const {
        std::int64_t const unit = is_small(static_cast<std::size_t>(b)) ? small_bytes : line_bytes;
        return (bytes_of(b) + unit - 1) / unit * unit;
    }

    struct free_block {
        std::int64_t offset = 0, bytes = 0;
    };
    // Returns the offset of the first free block that is large enough; else the block lies at the end of the arena, which grows.
    constexpr std::int64_t allocate(std::int64_t bytes) {
        std::int64_t offset = bytes_;
        for (free_block& r : free_) {
            if (r.bytes < bytes && r.offset + r.bytes != bytes_) continue;
            offset = r.offset;
            std::int64_t const used = r.bytes < bytes ? r.bytes : bytes;
            r.offset += used, r.bytes -= used;
            break;
        }
        if (offset + bytes > bytes_) bytes_ = offset + bytes;
        return offset;
    }
    // Merges neighbouring free blocks into one, so that a large buffer fits where several small ones were.
    constexpr void release(free_block all) {
        for (std::size_t k = free_.size(); k-- > 0;) {
            free_block const r = free_[k];
            bool const before = r.offset + r.bytes == all.offset, behind = all.offset + all.bytes == r.offset;
            if (!before && !behind && r.bytes > 0) continue;
            if (before && r.bytes > 0) all.offset = r.offset;
            if (r.bytes > 0) all.bytes += r.bytes;
            free_[k] = free_.back();
            free_.pop_back();
        }
        free_.push_back(all);
    }

    plan& p_;
    bool reuses_;
    buffer<std::int32_t> first_, last_; // the first and the last step that touch each buffer
    buffer<free_block> free_;
    std::int64_t bytes_ = 0;
};

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
