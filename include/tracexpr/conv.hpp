// Windows that move over signals, images and volumes: pools, and what stands beside them.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/conv/options.hpp>
TRACEXPR_END_SHARED
