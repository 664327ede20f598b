// The bridge to Eigen: matrices, vectors and expressions as arguments and as tensors, tensors as maps.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/eigen/convert.hpp>
#include <tracexpr/tracexpr.hpp>
TRACEXPR_END_SHARED
