// This header includes more of tx::linalg: factorizations, functions of matrices, special matrices, banded systems and iterative
// solvers; and tx::ode.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/matrices/banded.hpp>
#include <tracexpr/matrices/eigen.hpp>
#include <tracexpr/matrices/factors.hpp>
#include <tracexpr/matrices/functions.hpp>
#include <tracexpr/matrices/iterative.hpp>
#include <tracexpr/matrices/ode.hpp>
#include <tracexpr/matrices/special.hpp>
#if !defined(TRACEXPR_COMPILED)
#include <tracexpr/matrices/eig_kernel.hpp>
#endif
TRACEXPR_END_SHARED
