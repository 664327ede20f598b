// This header includes array functions of NumPy, TensorFlow and ONNX that the core doesn't have: groups and segments, indices
// into several axes, inserting and deleting rows.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/arrays/group_by.hpp>
#include <tracexpr/arrays/insertions.hpp>
#include <tracexpr/arrays/loops_along.hpp>
#include <tracexpr/arrays/order.hpp>
#include <tracexpr/arrays/places.hpp>
#include <tracexpr/arrays/places_in_axes.hpp>
#include <tracexpr/arrays/segments.hpp>
#include <tracexpr/arrays/spacing.hpp>
#include <tracexpr/arrays/stacks.hpp>
TRACEXPR_END_SHARED
