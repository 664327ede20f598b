// ONNX models: tx::onnx::load("model.onnx"). Their graphs are recorded into the library's own, so that they run on tiles, become
// part of functions, and have derivatives. Needs no other library.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/onnx/export.hpp>
#include <tracexpr/onnx/model.hpp>
TRACEXPR_END_SHARED
