#include <tracexpr/thrust.hpp>

using tested_device = tx::thrust_points;

#include <thrust/device_checks.hpp>
