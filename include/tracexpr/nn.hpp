// This header includes neural networks: layers, losses, initializers, batches, metrics and quantization, as pure functions of
// inputs and parameters.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/nn/activations.hpp>
#include <tracexpr/nn/attention.hpp>
#include <tracexpr/nn/batches.hpp>
#include <tracexpr/nn/cross_entropy.hpp>
#include <tracexpr/nn/ctc.hpp>
#include <tracexpr/nn/dropout.hpp>
#include <tracexpr/nn/initializers.hpp>
#include <tracexpr/nn/linear.hpp>
#include <tracexpr/nn/losses.hpp>
#include <tracexpr/nn/matmul_integer.hpp>
#include <tracexpr/nn/metrics.hpp>
#include <tracexpr/nn/norms.hpp>
#include <tracexpr/nn/quantization.hpp>
#include <tracexpr/nn/recurrent.hpp>
#include <tracexpr/nn/rotary.hpp>
TRACEXPR_END_SHARED
