// This header includes all of the core.
#pragma once

// Shadowing warnings are off here, because a program may use any names for its globals, and g++ would say that parameters of
// lambdas in these headers shadow them. Tests define the macro to see the warnings.
#if defined(__GNUC__) && !defined(TRACEXPR_SHOW_SHADOWING)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED

// Where an error is in a header, compilers list the headers that include it one in another. These, which explain most errors of
// callables, come first, and each before those that include it, so that few are listed.
// clang-format off
#include <tracexpr/base/tensor.hpp>
#include <tracexpr/trace/expr.hpp>
#include <tracexpr/trace/pointwise.hpp>
#include <tracexpr/trace/indexing.hpp>
#include <tracexpr/trace/joining.hpp>
#include <tracexpr/trace/shaping.hpp>
#include <tracexpr/trace/creation.hpp>
#include <tracexpr/trace/reductions.hpp>
#include <tracexpr/run/call_checks.hpp>
// clang-format on

#include <tracexpr/base/create.hpp>
#include <tracexpr/base/dual.hpp>
#include <tracexpr/base/from_range.hpp>
#include <tracexpr/base/print.hpp>
#include <tracexpr/graph/print.hpp>
#include <tracexpr/optim.hpp>
#include <tracexpr/run/capture.hpp>
#include <tracexpr/run/control_flow.hpp>
#include <tracexpr/run/function.hpp>
#include <tracexpr/run/mdspan.hpp>
#include <tracexpr/run/on.hpp>
#include <tracexpr/run/random/stateful.hpp>
#include <tracexpr/run/trees/tree_map.hpp>
#include <tracexpr/run/variable.hpp>
#include <tracexpr/tape/forward_accumulator.hpp>
#include <tracexpr/tape/opaque.hpp>
#include <tracexpr/tape/tape.hpp>
#include <tracexpr/trace/choosing.hpp>
#include <tracexpr/trace/counting.hpp>
#include <tracexpr/trace/dynamic.hpp>
#include <tracexpr/trace/effects.hpp>
#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/join_lists.hpp>
#include <tracexpr/trace/print.hpp>
#include <tracexpr/trace/quantiles.hpp>
#include <tracexpr/trace/rows.hpp>
#include <tracexpr/trace/run_axes.hpp>
#include <tracexpr/trace/updates.hpp>
#include <tracexpr/transforms/associative_scan.hpp>
#include <tracexpr/transforms/check_gradients.hpp>
#include <tracexpr/transforms/checkpoint.hpp>
#include <tracexpr/transforms/custom_derivative.hpp>
#include <tracexpr/transforms/interpolate.hpp>
#include <tracexpr/transforms/jacobians.hpp>
#include <tracexpr/transforms/loops.hpp>
#if defined(TRACEXPR_USE_BLAS)
#include <tracexpr/blas.hpp>
#endif
#if defined(TRACEXPR_COMPILING)
#include <tracexpr/run/drawn.hpp>
#endif
#if defined(TRACEXPR_IMPLEMENTATION)
#include <tracexpr/files.hpp>
#include <tracexpr/plot.hpp>
#endif

TRACEXPR_END_SHARED

#if defined(__GNUC__) && !defined(TRACEXPR_SHOW_SHADOWING)
#pragma GCC diagnostic pop
#endif
