// What tx::print shows when a graph runs.
#pragma once

#include <tracexpr/base/print.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/graph/message.hpp>

#include <atomic>
#include <cstring>

namespace tx::detail {

// Row-major elements.
struct shown_value {
    void const* data = nullptr;
    dtype type{};
    dims extents{};
};
template <class Unused> std::string shown_text(shown_value const& x) {
    return with_element(x.type, [&]<class T>(T const&) {
        auto copy = tensor<ctype<dtype_of<T>>>::uninitialized(x.extents);
        std::size_t const bytes = static_cast<std::size_t>(x.extents.size()) * size_in_bytes(x.type);
        if (bytes) std::memcpy(static_cast<void*>(copy.mutable_data()), x.data, bytes);
        return to_string(copy);
    });
}
// One example of those that the axes in front number.
inline shown_value example_of(shown_value x, std::int64_t number, std::int64_t batch_axes) {
    dims one;
    for (int axis = static_cast<int>(batch_axes); axis < x.extents.rank; ++axis) one.push_back(x.extents[axis]);
    std::int64_t const bytes = one.size() * static_cast<std::int64_t>(size_in_bytes(x.type));
    return {static_cast<std::byte const*>(x.data) + number * bytes, x.type, one};
}

// A line for each example; where there is a condition, the first of the values, only of those for which it is true.
template <class Unused = void> TRACEXPR_NOINLINE void print_values(attribute_span form, table_view<shown_value> values) {
    message const what(form);
    std::string const text = what.text();
    std::int64_t examples = 1;
    for (int axis = 0; axis < what.batch_axes; ++axis) examples *= values[0].extents[axis];
    for (std::int64_t i = 0; i < examples; ++i) {
        std::size_t const first = what.has_condition ? 1 : 0;
        if (what.has_condition && !*static_cast<bool const*>(example_of(values[0], i, what.batch_axes).data)) continue;
        printed_lines()(filled_text(
            text, [&](std::size_t k) { return shown_text<Unused>(example_of(values[first + k], i, what.batch_axes)); }));
    }
}
TRACEXPR_INSTANCE(void print_values<void>(attribute_span, table_view<shown_value>))

// What shows values in graphs that only the run knows. For all dtypes that is so much code that programs which compile it
// themselves do so only where they mention tx::print; others have null here.
using printer = void (*)(attribute_span, table_view<shown_value>);
#if defined(TRACEXPR_COMPILED)
inline constinit std::atomic<printer> known_printer = print_values<void>;
#else
inline constinit std::atomic<printer> known_printer = nullptr;
#endif
template <class Unused = void> void know_printer() { known_printer.store(print_values<Unused>, std::memory_order_relaxed); }

} // namespace tx::detail
