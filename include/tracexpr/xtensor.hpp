// The bridge to xtensor: containers, views and expressions as arguments and as tensors, tensors as views, .npy, .npz and CSV
// files.
#pragma once

#include <tracexpr/tracexpr.hpp>
#include <tracexpr/xtensor/convert.hpp>
#include <tracexpr/xtensor/files.hpp>
#include <tracexpr/xtensor/npz.hpp>
#include <tracexpr/xtensor/operators.hpp>
