// What calls reach that no form of a function takes, such as those of NumPy's form: an overload that says how it is called.
#pragma once

#include <tracexpr/base/failed.hpp>

namespace tx::detail {

// Any argument, but by a conversion: a call that another overload takes prefers that. An overload that takes this first, and any
// others, fails a static_assert of always_false<Unused> for its first template parameter.
struct any_argument {
    template <class T> constexpr any_argument(T const&) {}
};

} // namespace tx::detail
