// This header compares tensors in tests and says where they differ. It is not part of tracexpr.hpp.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/testing/comparison.hpp>
TRACEXPR_END_SHARED
