// Windows that move over signals, images and volumes: pools, and what stands beside them.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/conv/convolution.hpp>
#include <tracexpr/conv/options.hpp>
#if !defined(TRACEXPR_COMPILED)
#include <tracexpr/conv/kernel.hpp>
#endif
TRACEXPR_END_SHARED
