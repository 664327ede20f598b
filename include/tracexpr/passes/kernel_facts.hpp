// This file collects the facts about a loop's program that decide how it runs best.
#pragma once

#include <tracexpr/passes/encode.hpp>
#include <tracexpr/passes/target.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

// So many vectors are added up in one accumulator before the sum goes on to the next one.
inline constexpr std::int64_t block_vectors = 128;

struct kernel_facts {
    int widest = 1, cost = 0; // widest: bytes of an element, or of the type in which it is computed
    bool reduces = false, looks_up = false, transposes = false;
    bool skips = false;   // reads elements that lie apart
    bool streams = false; // stores vectors, which may bypass the caches

    // Is the program so long that computing some vectors twice is cheaper than a second copy of it for the vectors left over?
    constexpr bool is_long() const { return cost > 24; }
    // Returns how many vectors are computed at the same time, to hide the latency of chains of dependent instructions. A long
    // program, which waits for divisions and roots, has as many as there are registers for.
    constexpr int unroll(int registers) const { return cost <= 10 ? 4 : is_long() ? (registers > 16 ? 4 : 3) : 2; }
    // Is a row of n elements so short that it is fully unrolled?
    constexpr bool is_short_row(std::int64_t n, std::int64_t lanes, int most_cost) const {
        return n > 0 && (n < lanes || n / lanes * cost <= most_cost);
    }
};
TRACEXPR_ONCE constexpr kernel_facts facts_of(kernel_line const* lines, std::size_t count) {
    kernel_facts out;
    for (std::size_t k = 0; k < count; ++k) {
        kernel_line const& l = lines[k];
        bool const strided = l.mode == access_mode::strided;
        bool const computes = l.role == role::reduce || (l.role == role::compute && l.code != op::where);
        bool const in_float = computes && (is_small_float(l.type) || is_small_float(lines[l.a].type));
        int const bytes = in_float ? 4 : static_cast<int>(size_in_bytes(real_part((finds_place(l) ? lines[l.a] : l).type)));
        bool const is_held = in_float || (l.role != role::place && l.type != dtype::boolean && !is_dual(l.type));
        if (bytes > out.widest && is_held) out.widest = bytes;
        out.cost += l.role == role::compute ? info(l.code).cost : 1;
        if (l.role == role::compute || l.role == role::literal) continue;
        if (l.role == role::reduce) out.reduces = true;
        if (l.role == role::lookup) out.looks_up = true;
        if (l.role == role::store && l.mode == access_mode::contiguous) out.streams = true;
        if (l.role != role::load) continue;
        if (strided) out.skips = true;
        if (l.mode == access_mode::transposed) out.transposes = true;
    }
    return out;
}

} // namespace tx

TRACEXPR_END_PASSES
