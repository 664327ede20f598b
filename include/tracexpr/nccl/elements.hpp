// This file says how NCCL reduces elements of each dtype: as numbers of one of its types, by one of its operations. It has no
// 16-bit integers and no complex numbers, whose sums are made part by part. As its maximum drops NaN, floating numbers are
// converted to integers with the same order, called keys.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/dtype.hpp>
#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/nccl/native.hpp>
#include <tracexpr/thrust/call_points.hpp>

#include <cstdint>
#include <limits>

namespace tx::nccl::detail {

// Holds the type, the numbers for one element, and the operation. If `numbers` is 0, NCCL has no such reduction. With has_keys
// elements are converted to unsigned integers first, whose maximum is taken.
struct rank_operation {
    ncclDataType_t type = ncclUint8;
    int numbers = 0;
    ncclRedOp_t op = ncclSum;
    bool has_keys = false;
};
// Returns the numbers for sums, which are those that MPI sums, too (mpi/elements.hpp).
inline rank_operation summed_numbers(dtype type) {
    switch (type) {
    case dtype::int8: return {ncclInt8, 1};
    case dtype::int32: return {ncclInt32, 1};
    case dtype::int64: return {ncclInt64, 1};
    case dtype::uint8: return {ncclUint8, 1};
    case dtype::uint32: return {ncclUint32, 1};
    case dtype::uint64: return {ncclUint64, 1};
    case dtype::float16: return {ncclFloat16, 1};
    case dtype::bfloat16: return {ncclBfloat16, 1};
    case dtype::float32: return {ncclFloat32, 1};
    case dtype::float64: return {ncclFloat64, 1};
    case dtype::complex64:
    case dtype::dual_float32: return {ncclFloat32, 2};
    case dtype::complex128:
    case dtype::dual_float64: return {ncclFloat64, 2};
    case dtype::dual_dual_float32: return {ncclFloat32, 4};
    case dtype::dual_dual_float64: return {ncclFloat64, 4};
    default: return {};
    }
}
inline rank_operation operation_of(dtype type, rank_reduction by) {
    bool const is_smallest = by == rank_reduction::min || by == rank_reduction::logical_and;
    if (type == dtype::boolean)
        return by == rank_reduction::sum || by == rank_reduction::product
                   ? rank_operation{}
                   : rank_operation{ncclUint8, 1, is_smallest ? ncclMin : ncclMax};
    rank_operation out = summed_numbers(type);
    if (by == rank_reduction::sum || out.numbers == 0) return out;
    if (out.numbers > 1 || by == rank_reduction::logical_and || by == rank_reduction::logical_or) return {};
    if (by == rank_reduction::product) out.op = ncclProd;
    else if (!is_floating(type)) out.op = is_smallest ? ncclMin : ncclMax;
    else out = {type == dtype::float64 ? ncclUint64 : ncclUint32, 1, ncclMax, true};
    return out;
}

// Returns the bits of infinity; those of a NaN are greater.
inline std::uint64_t infinity_of(dtype type) {
    switch (type) {
    case dtype::float16: return 0x7c00u;
    case dtype::bfloat16: return 0x7f80u;
    case dtype::float32: return 0x7f800000u;
    default: return 0x7ff0000000000000u;
    }
}
// Converts floating numbers to unsigned integers in the same order, with -0 before +0, or in reverse order for a minimum; NaN
// comes last either way.
template <class Word, class Key> struct to_keys {
    Word const* from;
    Key* to;
    Word infinity;
    bool reverse;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        constexpr Word top = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
        Word const bits = from[i];
        Word const ordered = static_cast<Word>(bits & top ? ~bits : bits | top);
        bool const is_nan = static_cast<Word>(bits & static_cast<Word>(~top)) > infinity;
        to[i] = is_nan ? static_cast<Key>(~Key{0}) : static_cast<Key>(reverse ? static_cast<Word>(~ordered) : ordered);
    }
};
template <class Word, class Key> struct from_keys {
    Key const* from;
    Word* to;
    Word infinity;
    bool reverse;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        constexpr Word top = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
        Word const word = static_cast<Word>(from[i]), ordered = reverse ? static_cast<Word>(~word) : word;
        Word const bits = static_cast<Word>(ordered & top ? ordered & static_cast<Word>(~top) : ~ordered);
        to[i] = from[i] == static_cast<Key>(~Key{0}) ? static_cast<Word>(infinity | infinity >> 1) : bits;
    }
};

// Calls f(word, key) with zeros of the integer types that hold a floating number's bits and its key.
template <class F> void with_keys(dtype type, F const& f) {
    switch (size_in_bytes(type)) {
    case 2: return f(std::uint16_t{}, std::uint32_t{});
    case 4: return f(std::uint32_t{}, std::uint32_t{});
    default: return f(std::uint64_t{}, std::uint64_t{});
    }
}
inline void make_keys(tx::detail::device_queue& queue, dtype type, bool reverse, void const* from, void* to, std::int64_t count) {
    with_keys(type, [&]<class Word, class Key>(Word, Key) {
        tx::detail::calls::for_each_index(queue, count,
                                          to_keys<Word, Key>{static_cast<Word const*>(from), static_cast<Key*>(to),
                                                             static_cast<Word>(infinity_of(type)), reverse});
    });
}
inline void read_keys(tx::detail::device_queue& queue, dtype type, bool reverse, void const* from, void* to, std::int64_t count) {
    with_keys(type, [&]<class Word, class Key>(Word, Key) {
        tx::detail::calls::for_each_index(queue, count,
                                          from_keys<Word, Key>{static_cast<Key const*>(from), static_cast<Word*>(to),
                                                               static_cast<Word>(infinity_of(type)), reverse});
    });
}

} // namespace tx::nccl::detail
