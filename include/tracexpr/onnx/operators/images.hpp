// Images of ONNX.
#pragma once
#include <tracexpr/onnx/operators/norms.hpp>
