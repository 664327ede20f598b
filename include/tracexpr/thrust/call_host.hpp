// This file runs calls that have no device kernel on the host: operands are copied to the host, results back.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/thrust/call_moves.hpp>

#include <array>
#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// Gives the bytes of an element of operand k.
template <op Code, class T, class Index> constexpr std::int64_t operand_element_bytes(std::size_t k) {
    if (has_indices(Code) && k + 1 == static_cast<std::size_t>(info(Code).arity)) return static_cast<std::int64_t>(sizeof(Index));
    if (Code == op::solve && k == 3) return static_cast<std::int64_t>(sizeof(std::int64_t));
    return static_cast<std::int64_t>(sizeof(T));
}
// Gives the bytes of result k. `extents` are those of the first result, `operand` those of the first operand.
template <op Code, class T>
std::int64_t result_bytes(std::size_t k, dims const& extents, dims const& operand, table_view<std::int64_t> attributes) {
    if (info(Code).kind == kind::random) return extents.size() * attributes[1] * 4;
    bool const counts = info(Code).result == result_rule::index || (Code == op::lu && k == 1);
    dims const result = k > 0 ? decomposed_part(Code, operand, k) : extents;
    return result.size() * static_cast<std::int64_t>(counts ? sizeof(std::int64_t) : sizeof(T));
}

// Does what simd::run_call does, with device memory. `number` is a value on the host that stands for operand 1 where that has no
// memory.
template <op Code, class T, class Index> void run_on_copies(device_queue& queue, table_view<simd::call_operand> operands,
                                                            std::byte* const* results, dims const& extents,
                                                            table_view<std::int64_t> attributes, T const* number) {
    struct fetched {
        std::vector<std::byte> bytes;
        std::array<std::int64_t, max_rank> strides{};
    };
    std::vector<fetched> memory(operands.size());
    std::vector<simd::call_operand> given(operands.begin(), operands.end());
    for (std::size_t k = 0; k < operands.size(); ++k) {
        simd::call_operand const& o = operands[k];
        fetched& to = memory[k];
        given[k].strides = to.strides.data();
        if (number && k == 1) {
            given[k].data = reinterpret_cast<std::byte const*>(number);
            continue;
        }
        std::int64_t const each = operand_element_bytes<Code, T, Index>(k), all = o.extents.size() * each;
        to.strides = row_major_strides(o.extents);
        to.bytes.resize(static_cast<std::size_t>(all));
        given[k].data = to.bytes.data();
        device_block const contiguous(queue, all);
        copy_contiguous(queue, o, each, contiguous.data());
        queue.to_host(to.bytes.data(), contiguous.data(), all);
    }
    constexpr std::size_t count = static_cast<std::size_t>(info(Code).results);
    std::vector<std::byte> made[count];
    std::byte* to[count];
    for (std::size_t k = 0; k < count; ++k) {
        made[k].resize(static_cast<std::size_t>(result_bytes<Code, T>(k, extents, operands[0].extents, attributes)));
        to[k] = made[k].data();
    }
    simd::run_call<Code, T, Index, simd::default_arch>(table_view<simd::call_operand>(given), to, extents, attributes);
    for (std::size_t k = 0; k < count; ++k) queue.to_device(results[k], to[k], static_cast<std::int64_t>(made[k].size()));
}
template <op Code, class T, class Index> void run_on_host(device_queue& queue, table_view<simd::call_operand> operands,
                                                          std::byte* const* results, dims const& extents,
                                                          table_view<std::int64_t> attributes, T const* number) {
    if (on_gpu || number) run_on_copies<Code, T, Index>(queue, operands, results, extents, attributes, number);
    else simd::run_call<Code, T, Index, simd::default_arch>(operands, results, extents, attributes);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
