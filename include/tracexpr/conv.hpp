// Windows that move over signals, images and volumes: pools, and what stands beside them.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/conv/adaptive_pooling.hpp>
#include <tracexpr/conv/correlation.hpp>
#include <tracexpr/conv/folding.hpp>
#include <tracexpr/conv/options.hpp>
#include <tracexpr/conv/pool_places.hpp>
#include <tracexpr/conv/pooling.hpp>
TRACEXPR_END_SHARED
