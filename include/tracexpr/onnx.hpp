// This header includes ONNX models: tx::onnx::load("model.onnx"). Their graphs are recorded as the library's own, so they can be
// compiled, become part of functions, and have derivatives. It needs no other library.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/onnx/export.hpp>
#include <tracexpr/onnx/model.hpp>
TRACEXPR_END_SHARED
