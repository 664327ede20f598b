// This header includes more random distributions: counts, angles, heavy tails, vectors, and choices. Each is tx::random::name,
// which draws other numbers each time, and tx::random::stateless_name, a function of a key.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/distributions/choice.hpp>
#include <tracexpr/distributions/stateful.hpp>
TRACEXPR_END_SHARED
