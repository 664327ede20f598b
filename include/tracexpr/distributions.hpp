// More random distributions: counts, angles, heavy tails, vectors, and choices. Each as tx::random::name, whose numbers are
// others each time, and as tx::random::stateless_name, a function of a key.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/distributions/choice.hpp>
#include <tracexpr/distributions/stateful.hpp>
TRACEXPR_END_SHARED
