// The bridge to Eigen takes matrices, vectors and expressions as arguments, converts them to tensors, and returns tensors as
// maps.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/eigen/convert.hpp>
#include <tracexpr/tracexpr.hpp>
TRACEXPR_END_SHARED
