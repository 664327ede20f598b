// This file encodes a loop's program as 64-bit words, which are the template arguments of a kernel's type. They are integers
// only, so that equal loops of different callables share code and nvcc can name the kernel.
#pragma once

#include <tracexpr/base/error.hpp>
#include <tracexpr/passes/program.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

// access_mode says how consecutive elements of the innermost axis lie in memory. `transposed` says that they lie apart, but those
// of the axis around it are neighbours; such loads go through a tile that is transposed on the way.
enum class access_mode : std::uint8_t { contiguous, splat, strided, transposed };

struct kernel_line {
    tx::role role{};
    op code{};
    dtype type{};
    int a = -1, b = -1, c = -1;
    access_mode mode{};          // how its access walks through memory
    bool is_approximate = false; // computes by the processor's own approximations, where it has any
};
// Returns the access through which a line reads, counts, writes or reduces; -1 if it has none.
template <class Line> constexpr int access_of(Line const& l) {
    switch (l.role) {
    case role::load:
    case role::index:
    case role::place: return l.a;
    case role::store:
    case role::reduce:
    case role::lookup: return l.b;
    default: return -1;
    }
}

// Does a line reduce to the index of an extreme?
constexpr bool finds_place(kernel_line const& l) { return l.role == role::reduce && l.c >= 0; }

namespace detail {
inline constexpr int operand_bits = 12;
// Clustering keeps loops shorter than this.
[[noreturn]] inline void throw_long_loop() {
    throw error("tx: function: a loop must have at most 4,094 lines; compute some of its results in a function of their own");
}
TRACEXPR_ONCE constexpr std::uint64_t operand_word(int operand, int place) {
    if (operand + 1 >= 1 << operand_bits) throw_long_loop();
    return (static_cast<std::uint64_t>(operand + 1) & ((1u << operand_bits) - 1)) << (24 + place * operand_bits);
}
TRACEXPR_ONCE constexpr int operand_from(std::uint64_t word, int place) {
    return static_cast<int>(word >> (24 + place * operand_bits) & ((1u << operand_bits) - 1)) - 1;
}
} // namespace detail

constexpr std::uint64_t encode(instruction const& i, access_mode mode, bool is_approximate = false) {
    return static_cast<std::uint64_t>(i.role) | std::uint64_t{is_approximate} << 3 | static_cast<std::uint64_t>(mode) << 4 |
           static_cast<std::uint64_t>(i.type) << 8 |
           static_cast<std::uint64_t>(i.role == role::compute || i.role == role::reduce ? i.code : op{}) << 16 |
           detail::operand_word(i.a, 0) | detail::operand_word(i.b, 1) | detail::operand_word(i.c, 2);
}

TRACEXPR_ONCE constexpr kernel_line decode(std::uint64_t word) {
    return {static_cast<role>(word & 7),
            static_cast<op>(word >> 16 & 255),
            static_cast<dtype>(word >> 8 & 255),
            detail::operand_from(word, 0),
            detail::operand_from(word, 1),
            detail::operand_from(word, 2),
            static_cast<access_mode>(word >> 4 & 15),
            (word >> 3 & 1) != 0};
}

} // namespace tx

TRACEXPR_END_PASSES
