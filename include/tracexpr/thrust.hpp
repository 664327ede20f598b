// The Thrust backend has functions whose calls run on a GPU if nvcc compiles them, else on the threads of one of Thrust's host
// systems.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/thrust/placed.hpp>
TRACEXPR_END_SHARED
