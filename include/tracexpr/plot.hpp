// This header draws results as SVG files without any other library, and shows a progress bar for long work. It is not part of
// tracexpr.hpp.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/plot/heat_map.hpp>
#include <tracexpr/plot/images.hpp>
#include <tracexpr/plot/lines.hpp>
#include <tracexpr/plot/progress.hpp>
TRACEXPR_END_SHARED
