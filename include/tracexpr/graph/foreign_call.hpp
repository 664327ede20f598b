// What op::opaque calls. A node's first operand is a captured number, the address of one of these.
#pragma once

#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/graph/shown.hpp>

#include <cstdint>

namespace tx::detail {

// Calls the function once: with the elements of its operands, for those of its results; null for what nobody needs.
struct foreign_call {
    void (*run)(void const* state, table_view<shown_value> operands, std::byte* const* results) = nullptr;
    void const* state = nullptr;
};

// Once for each example; where there is a condition, only for those for which it is true: the results of others are 0. The first
// of the node's results, a number for each example, is 0.
inline void call_foreign(attribute_span attributes, table_view<shown_value> operands, dims const& extents,
                         std::byte* const* results) {
    call_form const form(attributes);
    std::uint64_t address = 0;
    std::memcpy(&address, operands[0].data, sizeof address);
    auto const& callee = *reinterpret_cast<foreign_call const*>(static_cast<std::uintptr_t>(address));
    std::size_t const first = form.has_condition ? 2 : 1, count = form.results();
    if (results[0]) std::memset(results[0], 0, static_cast<std::size_t>(extents.size()) * sizeof(std::uint64_t));
    buffer<std::byte*> of_one(count + 1);
    for (std::int64_t i = 0; i < extents.size(); ++i) {
        for (std::size_t k = 0; k < count; ++k) {
            value_spec const one = form.result(dims{}, k);
            std::int64_t const bytes = one.shape.size() * static_cast<std::int64_t>(size_in_bytes(one.type));
            of_one[k] = results[k + 1] ? results[k + 1] + i * bytes : nullptr;
            if (of_one[k] && form.has_condition && bytes) std::memset(of_one[k], 0, static_cast<std::size_t>(bytes));
        }
        if (form.has_condition && !*static_cast<bool const*>(example_of(operands[1], i, form.batch_axes).data)) continue;
        buffer<shown_value> values;
        for (std::size_t k = first; k < operands.size(); ++k) values.push_back(example_of(operands[k], i, form.batch_axes));
        callee.run(callee.state, values, of_one.data());
    }
}

} // namespace tx::detail
