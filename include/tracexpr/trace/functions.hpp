// Every op that users call, by family.
#pragma once

#include <tracexpr/trace/activations.hpp>
#include <tracexpr/trace/bit_counts.hpp>
#include <tracexpr/trace/closeness.hpp>
#include <tracexpr/trace/complex_parts.hpp>
#include <tracexpr/trace/compound_assignment.hpp>
#include <tracexpr/trace/contraction.hpp>
#include <tracexpr/trace/creation.hpp>
#include <tracexpr/trace/differences.hpp>
#include <tracexpr/trace/einsum.hpp>
#include <tracexpr/trace/extents.hpp>
#include <tracexpr/trace/indexing.hpp>
#include <tracexpr/trace/joining.hpp>
#include <tracexpr/trace/linalg.hpp>
#include <tracexpr/trace/linalg_factors.hpp>
#include <tracexpr/trace/linalg_norms.hpp>
#include <tracexpr/trace/linalg_solutions.hpp>
#include <tracexpr/trace/nan_reductions.hpp>
#include <tracexpr/trace/numbers.hpp>
#include <tracexpr/trace/pointwise.hpp>
#include <tracexpr/trace/products.hpp>
#include <tracexpr/trace/reductions.hpp>
#include <tracexpr/trace/scans.hpp>
#include <tracexpr/trace/shaping.hpp>
#include <tracexpr/trace/sorting.hpp>
#include <tracexpr/trace/stop_gradient.hpp>
