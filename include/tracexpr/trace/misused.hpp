// This file holds what overloads for misused functions need, such as calls in NumPy's form: an overload that is chosen where no
// other fits, and explains in an error how the function is called.
#pragma once

#include <tracexpr/base/failed.hpp>

namespace tx::detail {

// Converts from any argument. As that is a user-defined conversion, an overload that takes the argument itself is preferred. An
// overload for misuse has this as its first parameter, before any others, and fails a static_assert of always_false<Unused> for
// its first template parameter.
struct any_argument {
    template <class T> constexpr any_argument(T const&) {}
};

} // namespace tx::detail
