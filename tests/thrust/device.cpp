#include <tracexpr/thrust.hpp>

using tested_device = tx::thrust_device;

#include <thrust/device_checks.hpp>
