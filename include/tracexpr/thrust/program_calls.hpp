// This file finds the function that runs a call of a program which is known only at run time, by the op's code and dtype.
#pragma once

#include <tracexpr/thrust/calls.hpp>
#include <tracexpr/thrust/interpreted_ops.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

struct device_call {
    op code{};
    dtype type{}; // the operands' dtype
    table_view<simd::call_operand> operands;
    std::byte* const* results;
    dims const& extents;
    table_view<std::int64_t> attributes;
};

template <op Code> constexpr bool is_moving_call() {
    return info(Code).kind == kind::structure || info(Code).kind == kind::lookup || sets_elements(Code);
}
template <op Code, class T> constexpr bool is_call_of() {
    switch (info(Code).kind) {
    case kind::random: return dtype_of<T> == dtype::uint64; // the dtype of keys
    case kind::arg_reduction:
    case kind::scan:
    case kind::order:
    case kind::contraction:
    case kind::decomposition:
    case kind::update: return !is_moving_call<Code>() && dtype_of<T> != dtype::string && accepts(Code, dtype_of<T>);
    default: return false;
    }
}
// Calls that only move elements are compiled for the elements' size.
template <int Bytes> struct bytes_of_element {
    std::byte of[Bytes];
};
template <int Bytes> using moved_element = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<
        Bytes == 2, std::uint16_t,
        std::conditional_t<Bytes == 4, std::uint32_t, std::conditional_t<Bytes == 8, std::uint64_t, bytes_of_element<Bytes>>>>>;

template <op Code, std::uint32_t Types, int Of = 0> void run_call_on(device_queue& queue, device_call const& c) {
    if constexpr (Of < static_cast<int>(dtype_count)) {
        if constexpr (has_dtype(Types, static_cast<dtype>(Of))) {
            using T = ctype<static_cast<dtype>(Of)>;
            if constexpr (is_call_of<Code, T>())
                if (c.type == static_cast<dtype>(Of))
                    return run_device_call<Code, T, std::int64_t>(queue, c.operands, c.results, c.extents, c.attributes);
        }
        run_call_on<Code, Types, Of + 1>(queue, c);
    }
}
template <op Code, std::uint32_t Types, int Bytes = 1> void run_moving_call(device_queue& queue, device_call const& c) {
    if constexpr (Bytes <= cell_bytes(Types)) {
        if (static_cast<int>(size_in_bytes(c.type)) == Bytes)
            return run_device_call<Code, moved_element<Bytes>, std::int64_t>(queue, c.operands, c.results, c.extents,
                                                                             c.attributes);
        run_moving_call<Code, Types, Bytes * 2>(queue, c);
    }
}
template <std::uint32_t Types, int Code = static_cast<int>(op::concatenate)>
void find_device_call(device_queue& queue, device_call const& c) {
    if constexpr (Code < static_cast<int>(op_count)) {
        constexpr op code = static_cast<op>(Code);
        if (c.code != code) find_device_call<Types, Code + 1>(queue, c);
        else if constexpr (is_moving_call<code>()) run_moving_call<code, Types>(queue, c);
        else run_call_on<code, Types>(queue, c);
    }
}

struct convert_index {
    std::byte const* from;
    std::int64_t* to;
    dtype type;
    std::int64_t bytes; // of an index
    TRACEXPR_HD void operator()(std::int64_t i) const { to[i] = read_index(type, from + i * bytes); }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
