// This header includes Fourier transforms and related functions, in tx::fft: transforms of complex and real tensors along one
// axis or several, cosine and sine transforms, frequencies, windows and spectra.
#pragma once

#include <tracexpr/base/config.hpp>

#include <tracexpr/tracexpr.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/fft/cosine.hpp>
#include <tracexpr/fft/frequencies.hpp>
#include <tracexpr/fft/spectra.hpp>
#include <tracexpr/fft/transforms.hpp>
#include <tracexpr/fft/windows.hpp>
#if !defined(TRACEXPR_COMPILED)
#include <tracexpr/fft/kernel.hpp>
#endif
TRACEXPR_END_SHARED
