// This header includes statistics and numerical functions of samples, under the names of NumPy and SciPy.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/statistics/areas.hpp>
#include <tracexpr/statistics/averages.hpp>
#include <tracexpr/statistics/fitting.hpp>
#include <tracexpr/statistics/gradients.hpp>
#include <tracexpr/statistics/histograms.hpp>
#include <tracexpr/statistics/interpolation.hpp>
#include <tracexpr/statistics/membership.hpp>
#include <tracexpr/statistics/moments.hpp>
#include <tracexpr/statistics/ordering.hpp>
#include <tracexpr/statistics/percentiles.hpp>
#include <tracexpr/statistics/phases.hpp>
#include <tracexpr/statistics/polynomials.hpp>
TRACEXPR_END_SHARED
