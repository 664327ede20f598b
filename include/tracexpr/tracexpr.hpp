// All of the core.
#pragma once

// A program may call its globals what it likes: g++ would take the parameters of lambdas in here for shadowing them. Tests define
// the macro.
#if defined(__GNUC__) && !defined(TRACEXPR_SHOW_SHADOWING)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#include <tracexpr/base/create.hpp>
#include <tracexpr/base/dual.hpp>
#include <tracexpr/base/print.hpp>
#include <tracexpr/run/check_gradients.hpp>
#include <tracexpr/run/checkpoint.hpp>
#include <tracexpr/run/custom_derivative.hpp>
#include <tracexpr/run/forward_accumulator.hpp>
#include <tracexpr/run/function.hpp>
#include <tracexpr/run/jacobians.hpp>
#include <tracexpr/run/on.hpp>
#include <tracexpr/run/tape.hpp>
#include <tracexpr/run/tree_map.hpp>
#include <tracexpr/run/variable.hpp>
#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/print.hpp>

#if defined(__GNUC__) && !defined(TRACEXPR_SHOW_SHADOWING)
#pragma GCC diagnostic pop
#endif
