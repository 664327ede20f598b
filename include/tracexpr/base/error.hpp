// This file has the exceptions that the library throws. A message reads `tx: <op>: <what must hold>; <what was given>`.
#pragma once

#include <stdexcept>
#include <string>

namespace tx {

// All exceptions that the library throws derive from this std::runtime_error, whose text names the function.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// shape_error is thrown for extents, ranks or axes that do not fit.
struct shape_error : error {
    using error::error;
};
// type_error is thrown for a dtype that an op does not take, or a result of another type than declared.
struct type_error : error {
    using error::error;
};
// signature_error is thrown for arguments that do not fit a function's signature.
struct signature_error : error {
    using error::error;
};
// tape_error is thrown by a tape that can't answer, because it was asked before or there is no gradient.
struct tape_error : error {
    using error::error;
};
// trace_error is thrown for a symbolic value that is used outside of its trace, or read while tracing.
struct trace_error : error {
    using error::error;
};
namespace detail {
// unknown_extent is thrown for an extent that a trace does not know; another trace may know it.
struct unknown_extent : trace_error {
    using trace_error::trace_error;
};
} // namespace detail
// device_error is thrown for a device that doesn't exist or failed, and for tensors that are on several devices.
struct device_error : error {
    using error::error;
};
// assertion_error is thrown by tx::assert_that and tx::check_finite, with the text that they were given.
struct assertion_error : error {
    using error::error;
};

template <class...> inline constexpr bool always_false = false;

} // namespace tx
