// This header includes functions with windows that move over signals, images and volumes: convolutions, pooling, and related
// ones.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/conv/adaptive_pooling.hpp>
#include <tracexpr/conv/convolution.hpp>
#include <tracexpr/conv/correlation.hpp>
#include <tracexpr/conv/folding.hpp>
#include <tracexpr/conv/options.hpp>
#include <tracexpr/conv/pool_places.hpp>
#include <tracexpr/conv/pooling.hpp>
#if !defined(TRACEXPR_COMPILED)
#include <tracexpr/conv/kernel.hpp>
#endif
TRACEXPR_END_SHARED
