// This file holds the kinds of interpolation, which are arguments of tx::interp and tx::resize.
#pragma once

namespace tx::interpolation {

// The value of the nearest given point is taken.
enum nearest_t { nearest };
// The value of the given point before is taken.
enum previous_t { previous };
// Values lie on straight lines between given points.
enum linear_t { linear };
// Values lie on cubic curves.
enum cubic_t { cubic };

} // namespace tx::interpolation
