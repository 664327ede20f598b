// The bridge to xtensor: containers, views and expressions as arguments and as tensors, tensors as views; and tensors from and to
// files.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/files.hpp>
#include <tracexpr/tracexpr.hpp>
#include <tracexpr/xtensor/convert.hpp>
#include <tracexpr/xtensor/operators.hpp>
TRACEXPR_END_SHARED
