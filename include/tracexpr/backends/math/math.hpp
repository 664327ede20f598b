// This file includes the transcendental functions on SIMD batches and, under the same names, on single numbers. Call them
// qualified: an unqualified call also finds xsimd's own functions.
#pragma once

#include <tracexpr/backends/math/complex.hpp>
#include <tracexpr/backends/math/division.hpp>
#include <tracexpr/backends/math/exp_log.hpp>
#include <tracexpr/backends/math/hyperbolic.hpp>
#include <tracexpr/backends/math/power.hpp>
#include <tracexpr/backends/math/rounding.hpp>
#include <tracexpr/backends/math/scalar.hpp>
#include <tracexpr/backends/math/special.hpp>
#include <tracexpr/backends/math/trig.hpp>
