// What reads, records and runs ONNX models; see compiled.cpp.
#if !defined(TRACEXPR_COMPILED)
#error "compile this file, and all that include tracexpr, with TRACEXPR_COMPILED defined"
#endif
#define TRACEXPR_COMPILING_ONNX

#include <tracexpr/onnx.hpp>
#include <tracexpr/onnx/export_bodies.hpp>
#include <tracexpr/onnx/model_bodies.hpp>
