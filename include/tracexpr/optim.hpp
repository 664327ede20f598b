// This header includes optimizers in the manner of Optax: pure functions of trees of parameters, gradients and states.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/optim/adam.hpp>
#include <tracexpr/optim/lbfgs.hpp>
#include <tracexpr/optim/norms.hpp>
#include <tracexpr/optim/rmsprop.hpp>
#include <tracexpr/optim/schedules.hpp>
#include <tracexpr/optim/sgd.hpp>
TRACEXPR_END_SHARED
