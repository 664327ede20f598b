// What neural networks are trained with: losses.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/nn/cross_entropy.hpp>
#include <tracexpr/nn/ctc.hpp>
#include <tracexpr/nn/losses.hpp>
TRACEXPR_END_SHARED
