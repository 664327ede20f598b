// The bridge to xtensor takes containers, views and expressions as arguments, converts them to tensors, and returns tensors as
// views; it also reads and writes tensors in files.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/files.hpp>
#include <tracexpr/tracexpr.hpp>
#include <tracexpr/xtensor/convert.hpp>
#include <tracexpr/xtensor/operators.hpp>
TRACEXPR_END_SHARED
