// This file moves elements without computing: strided copies, concatenation, padding. Kernels don't depend on a dtype, but move
// words that are as wide as all addresses and lengths allow.
#pragma once

#include <tracexpr/backends/calls/operands.hpp>
#include <tracexpr/base/strided_copy.hpp>
#include <tracexpr/base/table_view.hpp>
#include <tracexpr/thrust/call_points.hpp>

#include <algorithm>
#include <cstring>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// Functions that launch kernels are templates of the queue, so that a file contains the kernels of what it calls, and no others.

// The words that a thread moves at once.
struct alignas(16) word_pair {
    std::uint64_t low, high;
};
template <int Bytes> struct word_of;
template <> struct word_of<1> {
    using type = std::uint8_t;
};
template <> struct word_of<2> {
    using type = std::uint16_t;
};
template <> struct word_of<4> {
    using type = std::uint32_t;
};
template <> struct word_of<8> {
    using type = std::uint64_t;
};
template <> struct word_of<16> {
    using type = word_pair;
};
// Moves a word: in device code by one instruction. On the host a word may have any alignment and type.
template <int Bytes> TRACEXPR_HD inline void move_word(std::byte const* from, std::byte* to) {
#if defined(__CUDA_ARCH__)
    using word = typename word_of<Bytes>::type;
    *reinterpret_cast<word*>(to) = *reinterpret_cast<word const*>(from);
#else
    std::memcpy(to, from, Bytes);
#endif
}

constexpr std::int64_t most_bytes_at_once = 16;
// The largest power of two, up to 16, that divides a number of bytes: an address, a length, a step.
constexpr std::int64_t word_dividing(std::int64_t bytes) {
    std::int64_t word = most_bytes_at_once;
    while (bytes % word) word /= 2;
    return word;
}
inline std::int64_t word_at(std::byte const* place) {
    return word_dividing(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(place) % most_bytes_at_once));
}
// Calls f(std::integral_constant<int, word>{}).
template <class F> void with_word_bytes(std::int64_t word, F f) {
    switch (word) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 8: return f(std::integral_constant<int, 8>{});
    default: return f(std::integral_constant<int, 16>{});
    }
}

// A strided copy of bytes, in runs that are contiguous in both.
struct byte_copy {
    std::byte const* from = nullptr;
    std::byte* to = nullptr;
    std::int64_t run = 0;                // bytes
    strided_copy::axis axes[max_rank]{}; // steps in bytes, the innermost first
    int rank = 0;

    byte_copy() = default;
    byte_copy(strided_copy const& copy, std::int64_t element_bytes, std::byte const* source, std::byte* target)
        : from{source}, to{target}, run{copy.run * element_bytes}, rank{copy.rank} {
        for (int k = 0; k < rank; ++k)
            axes[k] = {copy.axes[k].count, copy.axes[k].from * element_bytes, copy.axes[k].to * element_bytes};
    }
    std::int64_t bytes() const {
        std::int64_t out = run;
        for (int k = 0; k < rank; ++k) out *= axes[k].count;
        return out;
    }
    // Gives how many bytes can be moved at once; the bytes of one element are aligned well enough for it.
    std::int64_t word() const {
        std::int64_t out = std::min({word_at(from), word_at(to), word_dividing(run)});
        for (int k = 0; k < rank; ++k) out = std::min({out, word_dividing(axes[k].from), word_dividing(axes[k].to)});
        return out;
    }
    template <int Bytes> TRACEXPR_HD void move(std::int64_t number) const {
        std::int64_t const within = divide(number, run / Bytes) * Bytes;
        std::byte const* source = from + within;
        std::byte* target = to + within;
        for (int k = 0; k < rank; ++k) {
            std::int64_t const index = k + 1 < rank ? divide(number, axes[k].count) : number;
            source += index * axes[k].from;
            target += index * axes[k].to;
        }
        move_word<Bytes>(source, target);
    }
};
template <int Bytes> struct copy_bytes {
    byte_copy copy;
    TRACEXPR_HD void operator()(std::int64_t i) const { copy.move<Bytes>(i); }
};
template <class Queue> void give_copy(Queue& queue, byte_copy const& copy) {
    if (copy.rank == 0) return queue.within(copy.to, copy.from, copy.run);
    with_word_bytes(copy.word(),
                    [&](auto bytes) { for_each_index(queue, copy.bytes() / bytes, copy_bytes<decltype(bytes)::value>{copy}); });
}

// Copies strided elements to contiguous memory, in row-major order.
template <class Queue>
void copy_contiguous(Queue& queue, simd::call_operand const& from, std::int64_t element_bytes, std::byte* to) {
    if (from.extents.size() == 0) return;
    auto const steps = row_major_strides(from.extents);
    give_copy(queue, {strided_copy(from.extents, from.strides, steps.data()), element_bytes, from.data, to});
}

// Makes several copies in one kernel. before[k] is the number of words in the parts before part k.
template <int Bytes> struct copy_parts {
    static constexpr int most = 8;
    byte_copy part[most];
    std::int64_t before[most + 1]{};
    int count = 0;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        int k = 0;
        while (k + 1 < count && i >= before[k + 1]) ++k;
        part[k].template move<Bytes>(i - before[k]);
    }
};
template <class Queue> void give_copies(Queue& queue, table_view<byte_copy> copies) {
    std::int64_t word = most_bytes_at_once;
    for (byte_copy const& c : copies) word = std::min(word, c.word());
    with_word_bytes(word, [&](auto bytes) {
        copy_parts<decltype(bytes)::value> all;
        for (byte_copy const& c : copies) {
            all.part[all.count] = c;
            all.before[all.count + 1] = all.before[all.count] + c.bytes() / bytes;
            ++all.count;
        }
        for_each_index(queue, all.before[all.count], all);
    });
}

template <class Queue> void concatenate(Queue& queue, table_view<simd::call_operand> operands, std::int64_t element_bytes,
                                        std::byte* out, dims const& extents, int along) {
    if (extents.size() == 0) return;
    auto const steps = row_major_strides(extents);
    constexpr std::size_t most = copy_parts<1>::most;
    byte_copy copies[most];
    std::size_t count = 0;
    for (simd::call_operand const& o : operands) {
        if (o.extents.size() > 0)
            copies[count++] = byte_copy(strided_copy(o.extents, o.strides, steps.data()), element_bytes, o.data, out);
        out += o.extents[along] * steps[static_cast<std::size_t>(along)] * element_bytes;
        bool const is_last = &o == operands.end() - 1;
        if (count == most || (is_last && count > 1)) give_copies(queue, {copies, count}), count = 0;
        else if (is_last && count == 1) give_copy(queue, copies[0]);
    }
}

// Pads or copies whole runs of the result: `run` bytes, which include its last axes as far as they are not padded.
template <int Bytes> struct pad_bytes {
    std::byte const *from, *value;
    std::byte* to;
    std::int64_t run, element_bytes;
    std::int64_t extent[max_rank], before[max_rank], inner[max_rank], step[max_rank]; // steps of `from`, in bytes
    int rank;

    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::byte* const target = to + i * Bytes;
        std::int64_t const within = divide(i, run / Bytes) * Bytes;
        std::int64_t source = within;
        bool is_inside = true;
        for (int axis = rank - 1; axis >= 0; --axis) {
            std::int64_t const index = divide(i, extent[axis]) - before[axis];
            is_inside = is_inside && index >= 0 && index < inner[axis];
            source += index * step[axis];
        }
        if (is_inside) move_word<Bytes>(from + source, target);
        else if (element_bytes == Bytes) move_word<Bytes>(value, target);
        else
            for (std::int64_t k = 0; k < Bytes; ++k) target[k] = value[(within + k) % element_bytes];
    }
};
template <class Queue> void pad(Queue& queue, simd::call_operand const& in, std::byte const* value, std::int64_t element_bytes,
                                std::byte* out, dims const& extents, table_view<std::int64_t> widths) {
    pad_bytes<1> shape{in.data, value, out, element_bytes, element_bytes, {}, {}, {}, {}, 0};
    int last = extents.rank - 1; // the last axis that is not part of the run
    for (; last >= 0 && in.extents[last] == extents[last] && in.strides[last] * element_bytes == shape.run; --last)
        shape.run *= extents[last];
    std::int64_t word = std::min({word_at(in.data), word_at(out), word_dividing(shape.run)});
    for (int axis = 0; axis <= last; ++axis) {
        shape.extent[shape.rank] = extents[axis], shape.before[shape.rank] = widths[2 * static_cast<std::size_t>(axis)];
        shape.inner[shape.rank] = in.extents[axis], shape.step[shape.rank] = in.strides[axis] * element_bytes;
        word = std::min(word, word_dividing(shape.step[shape.rank++]));
    }
    if (word == element_bytes) word = std::min(word, word_at(value));
    if (extents.size() == 0) return;
    with_word_bytes(word, [&](auto bytes) {
        pad_bytes<decltype(bytes)::value> all{in.data, value, out, shape.run, element_bytes, {}, {}, {}, {}, shape.rank};
        std::copy_n(shape.extent, shape.rank, all.extent), std::copy_n(shape.before, shape.rank, all.before);
        std::copy_n(shape.inner, shape.rank, all.inner), std::copy_n(shape.step, shape.rank, all.step);
        for_each_index(queue, extents.size() * element_bytes / bytes, all);
    });
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
