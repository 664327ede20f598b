// This file interprets pointwise ops on the values of several points at once: it switches over dtypes, and for each dtype calls a
// function that searches for the op. To compile little, ops are instantiated only for the dtypes of a set, which is an integer
// with a bit for each dtype.
#pragma once

#include <tracexpr/backends/pointwise/apply.hpp>
#include <tracexpr/backends/pointwise/cast.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/thrust/system.hpp>

#include <cstring>

namespace tx::detail::inline TRACEXPR_DEVICE {

constexpr std::uint32_t dtype_bit(dtype type) { return std::uint32_t{1} << static_cast<int>(type); }

// Returns the set of dtypes that may occur in a trace with leaves of these dtypes: the dtypes themselves, those of their real
// parts and of their values without tangents, and those of conditions, indices and random numbers. Devices do not compute
// strings.
constexpr std::uint32_t interpreted_dtypes(std::uint32_t of_leaves) {
    std::uint32_t out = dtype_bit(dtype::boolean) | dtype_bit(dtype::int32) | dtype_bit(dtype::int64) | dtype_bit(dtype::float32);
    for (std::size_t t = 0; t < dtype_count; ++t) {
        dtype const type = static_cast<dtype>(t);
        if (!(of_leaves & dtype_bit(type)) || type == dtype::string || type == dtype::token) continue;
        out |= dtype_bit(type) | dtype_bit(real_part(type)) | dtype_bit(primal(type));
        if (type == dtype::uint64) out |= dtype_bit(dtype::uint32); // random numbers are made of a key's words
        if (dual_depth(type) == 2) out |= dtype_bit(dual_of(primal(type), 1));
    }
    return out;
}
template <class... T> constexpr std::uint32_t interpreted_dtypes() {
    return interpreted_dtypes((0u | ... | dtype_bit(dtype_of<T>)));
}
constexpr bool has_dtype(std::uint32_t types, dtype type) { return (types & dtype_bit(type)) != 0; }

// All values lie in cells of one size, which is that of the set's largest dtype.
constexpr int cell_bytes(std::uint32_t types) {
    int bytes_of_cell = 8;
    for (std::size_t t = 0; t < dtype_count; ++t)
        if (has_dtype(types, static_cast<dtype>(t)) && static_cast<int>(size_in_bytes(static_cast<dtype>(t))) > bytes_of_cell)
            bytes_of_cell = static_cast<int>(size_in_bytes(static_cast<dtype>(t)));
    return bytes_of_cell;
}

// op_cells points to the first cell of an op's result and of its operands a, b and c. Each has a cell for every point, one after
// the other. The result may be one of the operands.
struct op_cells {
    std::byte* to = nullptr;
    std::byte const *a = nullptr, *b = nullptr, *c = nullptr;
};

template <op Code, class T> constexpr bool is_interpreted() {
    return info(Code).kind == kind::pointwise && Code != op::cast && Code != op::where && dtype_of<T> != dtype::string &&
           accepts(Code, dtype_of<T>);
}
template <op Code, class T> using type_of_result = ctype<info(Code).result == result_rule::boolean     ? dtype::boolean
                                                         : info(Code).result == result_rule::real_part ? real_part(dtype_of<T>)
                                                                                                       : dtype_of<T>>;

TRACEXPR_CALLS_HOST
template <op Code, class T, int Cell> TRACEXPR_HD inline void run_op(op_cells at, int count) {
    using R = type_of_result<Code, T>;
    for (int k = 0; k < count * Cell; k += Cell) {
        T const& a = *reinterpret_cast<T const*>(at.a + k);
        R& to = *reinterpret_cast<R*>(at.to + k);
        if constexpr (info(Code).arity == 1) {
            to = static_cast<R>(simd::apply<Code>(a));
        } else {
            T const& b = *reinterpret_cast<T const*>(at.b + k);
            if constexpr (info(Code).arity == 2) to = static_cast<R>(simd::apply<Code>(a, b));
            else to = static_cast<R>(simd::apply<Code>(a, b, *reinterpret_cast<T const*>(at.c + k)));
        }
    }
}
// Runs op `code`, for which it searches among ops First .. First + Count - 1 by bisection.
TRACEXPR_CALLS_HOST
template <class T, int Cell, int First, int Count> TRACEXPR_HD inline void find_op(op code, op_cells at, int count) {
    if constexpr (Count > 1) {
        if (static_cast<int>(code) < First + Count / 2) find_op<T, Cell, First, Count / 2>(code, at, count);
        else find_op<T, Cell, First + Count / 2, Count - Count / 2>(code, at, count);
    } else if constexpr (is_interpreted<static_cast<op>(First), T>()) {
        run_op<static_cast<op>(First), T, Cell>(at, count);
    }
}
TRACEXPR_CALLS_HOST
template <class T, int Cell> TRACEXPR_HD TRACEXPR_NOINLINE void run_op_of(op code, op_cells at, int count) {
    constexpr int first = static_cast<int>(op::cast), last = static_cast<int>(op::fma);
    find_op<T, Cell, first, last - first + 1>(code, at, count);
}

TRACEXPR_CALLS_HOST
template <class To, class From, int Cell> TRACEXPR_HD inline void run_cast(op_cells at, int count) {
    for (int k = 0; k < count * Cell; k += Cell)
        *reinterpret_cast<To*>(at.to + k) = simd::cast_element<To>(*reinterpret_cast<From const*>(at.a + k));
}
TRACEXPR_CALLS_HOST
template <std::uint32_t Types, class From, int To = 0> TRACEXPR_HD inline void find_cast(dtype to, op_cells at, int count) {
    if constexpr (To < static_cast<int>(dtype_count)) {
        if constexpr (has_dtype(Types, static_cast<dtype>(To))) {
            if (to == static_cast<dtype>(To)) return run_cast<ctype<static_cast<dtype>(To)>, From, cell_bytes(Types)>(at, count);
        }
        find_cast<Types, From, To + 1>(to, at, count);
    }
}
TRACEXPR_CALLS_HOST
template <std::uint32_t Types, class From> TRACEXPR_HD TRACEXPR_NOINLINE void run_cast_of(dtype to, op_cells at, int count) {
    find_cast<Types, From>(to, at, count);
}

// Runs an op on operands of dtype `of`; a cast gives dtype `to`.
TRACEXPR_CALLS_HOST
template <std::uint32_t Types, int Of = 0>
TRACEXPR_HD inline void interpret_op(op code, dtype of, dtype to, op_cells at, int count) {
    if constexpr (Of < static_cast<int>(dtype_count)) {
        if constexpr (has_dtype(Types, static_cast<dtype>(Of))) {
            using T = ctype<static_cast<dtype>(Of)>;
            if (of == static_cast<dtype>(Of)) {
                if (code == op::cast) run_cast_of<Types, T>(to, at, count);
                else run_op_of<T, cell_bytes(Types)>(code, at, count);
                return;
            }
        }
        interpret_op<Types, Of + 1>(code, of, to, at, count);
    }
}

// The functions as far as combine_cells run only the ops that reductions combine by. They are separate from interpret_op, as all
// threads that reduce need them.
TRACEXPR_CALLS_HOST
template <op Code, class T, int Cell> TRACEXPR_HD inline void combine_by(std::byte* to, std::byte const* more, int count) {
    if constexpr (is_interpreted<Code, T>()) run_op<Code, T, Cell>({to, to, more}, count);
}
TRACEXPR_CALLS_HOST
template <class T, int Cell> TRACEXPR_HD inline void combine_of(op by, std::byte* to, std::byte const* more, int count) {
    switch (by) {
    case op::add: return combine_by<op::add, T, Cell>(to, more, count);
    case op::multiply: return combine_by<op::multiply, T, Cell>(to, more, count);
    case op::maximum: return combine_by<op::maximum, T, Cell>(to, more, count);
    case op::minimum: return combine_by<op::minimum, T, Cell>(to, more, count);
    case op::fmax: return combine_by<op::fmax, T, Cell>(to, more, count);
    default: return combine_by<op::fmin, T, Cell>(to, more, count);
    }
}
TRACEXPR_CALLS_HOST
template <std::uint32_t Types, int Of = 0>
TRACEXPR_HD inline void find_combination(op by, dtype of, std::byte* to, std::byte const* more, int count) {
    if constexpr (Of < static_cast<int>(dtype_count)) {
        if constexpr (has_dtype(Types, static_cast<dtype>(Of)))
            if (of == static_cast<dtype>(Of))
                return combine_of<ctype<static_cast<dtype>(Of)>, cell_bytes(Types)>(by, to, more, count);
        find_combination<Types, Of + 1>(by, of, to, more, count);
    }
}
// Combines each of `count` cells at `to` with the one of the same number at `more`.
TRACEXPR_CALLS_HOST
template <std::uint32_t Types>
TRACEXPR_HD TRACEXPR_NOINLINE void combine_cells(op by, dtype of, std::byte* to, std::byte const* more, int count) {
    find_combination<Types>(by, of, to, more, count);
}

// Copies an element of this many bytes, of any dtype.
template <int Bytes> TRACEXPR_HD inline void copy_known_bytes(std::byte* to, std::byte const* from) {
    constexpr std::size_t aligned = Bytes < 8 ? Bytes : 8; // complex and dual numbers consist of several such parts
    std::memcpy(__builtin_assume_aligned(to, aligned), __builtin_assume_aligned(from, aligned), Bytes);
}
TRACEXPR_HD inline void copy_bytes(std::byte* to, std::byte const* from, int bytes) {
    switch (bytes) {
    case 1: return copy_known_bytes<1>(to, from);
    case 2: return copy_known_bytes<2>(to, from);
    case 4: return copy_known_bytes<4>(to, from);
    default:
        for (int k = 0; k < bytes; k += 8) copy_known_bytes<8>(to + k, from + k);
    }
}

// Reads an index of any integer dtype.
TRACEXPR_HD inline std::int64_t read_index(dtype type, std::byte const* at) {
    switch (type) {
    case dtype::int8: return *reinterpret_cast<std::int8_t const*>(at);
    case dtype::int16: return *reinterpret_cast<std::int16_t const*>(at);
    case dtype::int32: return *reinterpret_cast<std::int32_t const*>(at);
    case dtype::uint8: return *reinterpret_cast<std::uint8_t const*>(at);
    case dtype::uint16: return *reinterpret_cast<std::uint16_t const*>(at);
    case dtype::uint32: return *reinterpret_cast<std::uint32_t const*>(at);
    default: return *reinterpret_cast<std::int64_t const*>(at);
    }
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
