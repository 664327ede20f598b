// This file holds what the tests of the bridge share.
#pragma once

#include <messages.hpp>

#include <tracexpr/xtensor.hpp>

#include <string>

inline xt::xtensor<float, 2> matrix() { return {{1, 2, 3}, {4, 5, 6}}; }

inline bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
