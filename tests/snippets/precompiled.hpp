// This file includes what the documents' snippets may use without an include of their own.
#include <tracexpr/files.hpp>
#include <tracexpr/inspect.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/testing.hpp>
#include <tracexpr/tracexpr.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
