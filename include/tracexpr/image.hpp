// This header includes functions of images: resizing, sampling at any coordinates, regions and crops, and normalization across
// channels.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/image/options.hpp>
#include <tracexpr/image/regions.hpp>
#include <tracexpr/image/resizing.hpp>
#include <tracexpr/image/response.hpp>
#include <tracexpr/image/sampling.hpp>
TRACEXPR_END_SHARED
