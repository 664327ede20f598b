// This file does the effects with a text (print, assert_that, check_finite) when a graph runs.
#pragma once

#include <tracexpr/base/print.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/graph/message.hpp>

#include <atomic>
#include <cmath>
#include <cstring>

namespace tx::detail {

// A shown_value is a view of a tensor of any dtype, with its elements in row-major order.
struct shown_value {
    void const* data = nullptr;
    dtype type{};
    dims extents{};
};
// One example of a batch whose axes are the first ones, by its number.
TRACEXPR_ONCE shown_value example_of(shown_value x, std::int64_t number, std::int64_t batch_axes) {
    dims one;
    for (int axis = static_cast<int>(batch_axes); axis < x.extents.rank; ++axis) one.push_back(x.extents[axis]);
    std::int64_t const bytes = one.size() * static_cast<std::int64_t>(size_in_bytes(x.type));
    return {static_cast<std::byte const*>(x.data) + number * bytes, x.type, one};
}

// True if all elements, which are bools, are true.
TRACEXPR_ONCE bool all_hold(shown_value const& x) {
    auto const* const truth = static_cast<bool const*>(x.data);
    for (std::int64_t i = 0; i < x.extents.size(); ++i)
        if (!truth[i]) return false;
    return true;
}
template <class T> bool is_finite(T const& x) {
    if constexpr (is_complex(dtype_of<T>)) return is_finite(x.real()) && is_finite(x.imag());
    else if constexpr (is_dual(dtype_of<T>)) return is_finite(x.value);
    else return std::isfinite(static_cast<double>(x));
}
// Returns "nan at (3, 1)" for the first element that is infinite or NaN; the text is empty if there is none.
template <class T> std::string not_finite(T const* elements, dims const& extents) {
    if constexpr (is_inexact(dtype_of<T>)) {
        for (std::int64_t i = 0; i < extents.size(); ++i) {
            if (is_finite(elements[i])) continue;
            std::string place;
            std::int64_t rest = i;
            for (int axis = extents.rank; axis-- > 0; rest /= extents[axis])
                place = std::to_string(rest % extents[axis]) + (place.empty() ? "" : ", ") + place;
            return printed(dtype_of<T>, elements + i, {}) + " at (" + place + ')';
        }
    }
    return {};
}
template <class Unused> std::string not_finite(shown_value const& x) {
    return with_element(x.type, [&]<class T>(T const&) {
        using element = ctype<dtype_of<T>>;
        return not_finite(static_cast<element const*>(x.data), x.extents);
    });
}
[[noreturn]] TRACEXPR_ONCE void throw_assertion(op code, std::string const& what) {
    throw assertion_error("tx: " + std::string(name(code)) + ": " + what);
}
// Throws a message such as "after step 3: nan at (3, 1)"; the text in front may be empty.
[[noreturn]] TRACEXPR_ONCE void throw_not_finite(std::string const& text, std::string const& what) {
    throw_assertion(op::check_finite, text.empty() ? what : text + ": " + what);
}

// Does the effect once for each example; with a condition, which is the first of the values, only for the examples for which it
// is true.
template <class Unused = void> TRACEXPR_NOINLINE void do_effect(op code, attribute_span form, table_view<shown_value> values) {
    message const what(form);
    std::string const text = what.text();
    std::int64_t examples = 1;
    for (int axis = 0; axis < what.batch_axes; ++axis) examples *= values[0].extents[axis];
    for (std::int64_t i = 0; i < examples; ++i) {
        auto const value = [&](std::size_t k) { return example_of(values[k], i, what.batch_axes); };
        std::size_t first = what.has_condition ? 1 : 0;
        if (what.has_condition && !*static_cast<bool const*>(value(0).data)) continue;
        if (code == op::check_finite) {
            if (std::string const bad = not_finite<Unused>(value(first)); !bad.empty()) throw_not_finite(text, bad);
            continue;
        }
        if (code == op::assert_that && all_hold(value(first++))) continue;
        std::string const filled = filled_text(text, [&](std::size_t k) {
            shown_value const shown = value(first + k);
            return printed(shown.type, shown.data, shown.extents);
        });
        if (code == op::assert_that) throw_assertion(code, filled);
        printed_lines()(filled);
    }
}
TRACEXPR_INSTANCE(void do_effect<void>(op, attribute_span, table_view<shown_value>))

// This pointer is the function that does effects in graphs which only the run knows. For all dtypes it is so much code that
// programs which compile it themselves set the pointer only where they mention an effect; in others it is null.
using effects = void (*)(op, attribute_span, table_view<shown_value>);
#if defined(TRACEXPR_COMPILED)
inline constinit std::atomic<effects> known_effects = do_effect<void>;
#else
inline constinit std::atomic<effects> known_effects = nullptr;
#endif
template <class Unused = void> void know_effects() { known_effects.store(do_effect<Unused>, std::memory_order_relaxed); }

} // namespace tx::detail
