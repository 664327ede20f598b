// This header reads and writes tensors in files: NumPy's .npy and .npz, .safetensors, CSV, and whole trees of parameters. It
// depends on no library; compressed .npz files need <tracexpr/zlib.hpp>, too.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/files/csv.hpp>
#include <tracexpr/files/csv_table.hpp>
#include <tracexpr/files/npy.hpp>
#include <tracexpr/files/npz.hpp>
#include <tracexpr/files/part.hpp>
#include <tracexpr/files/safetensors.hpp>
#include <tracexpr/files/tree.hpp>
#include <tracexpr/tracexpr.hpp>
TRACEXPR_END_SHARED
