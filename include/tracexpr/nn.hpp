// Layers of neural networks, as pure functions of inputs and parameters.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/nn/activations.hpp>
#include <tracexpr/nn/attention.hpp>
#include <tracexpr/nn/dropout.hpp>
#include <tracexpr/nn/linear.hpp>
#include <tracexpr/nn/norms.hpp>
#include <tracexpr/nn/recurrent.hpp>
#include <tracexpr/nn/rotary.hpp>
TRACEXPR_END_SHARED
