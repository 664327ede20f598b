// Comparisons of tensors for tests, which say where these differ. Not part of tracexpr.hpp.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/testing/comparison.hpp>
TRACEXPR_END_SHARED
