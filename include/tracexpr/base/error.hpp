// The exceptions the library throws. A message reads `tx: <op>: <what must hold>; <what was given>`.
#pragma once

#include <stdexcept>
#include <string>

namespace tx {

// What everything here throws is derived from it: a std::runtime_error whose text names the function.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// Extents, ranks or axes that do not fit.
struct shape_error : error {
    using error::error;
};
// A dtype that an op does not take, or a result of another type than declared.
struct type_error : error {
    using error::error;
};
// Arguments that do not fit a function's signature.
struct signature_error : error {
    using error::error;
};
// A tape that can't answer: it was asked before, or there is no gradient.
struct tape_error : error {
    using error::error;
};
// A symbolic value used outside its trace, or read while tracing.
struct trace_error : error {
    using error::error;
};
namespace detail {
// An extent was asked for that the trace does not know. One that knows more may.
struct unknown_extent : trace_error {
    using trace_error::trace_error;
};
} // namespace detail
// A device that isn't there or failed, or tensors that are on several.
struct device_error : error {
    using error::error;
};
// Thrown by tx::assert_that and tx::check_finite, with the text that they were given.
struct assertion_error : error {
    using error::error;
};

template <class...> inline constexpr bool always_false = false;

} // namespace tx
