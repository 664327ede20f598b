// This header includes SciPy's special functions in tx::special, and functions of the parts of floating-point numbers.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/special/functions.hpp>
#include <tracexpr/special/parts.hpp>
TRACEXPR_END_SHARED
