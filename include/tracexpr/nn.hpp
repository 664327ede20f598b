// What neural networks are trained with: losses.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/nn/batches.hpp>
#include <tracexpr/nn/cross_entropy.hpp>
#include <tracexpr/nn/ctc.hpp>
#include <tracexpr/nn/initializers.hpp>
#include <tracexpr/nn/losses.hpp>
#include <tracexpr/nn/matmul_integer.hpp>
#include <tracexpr/nn/metrics.hpp>
#include <tracexpr/nn/quantization.hpp>
TRACEXPR_END_SHARED
