// Comparisons of tensors for tests, which say where these differ. Not part of tracexpr.hpp.
#pragma once

#include <tracexpr/testing/comparison.hpp>
