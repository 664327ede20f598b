// This file declares what programs.cpp defines once for each form in which files are compiled, and what its copies share.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <string>
#include <tuple>
#include <vector>

using floats = tx::tensor<float, tx::shape<tx::dyn>>;
using triple = tx::tensor<double, tx::shape<3>>;
using matrix = tx::tensor<double, tx::shape<2, 2>>;

struct scaled {
    tx::tensor<float, tx::shape<>> by;
    auto operator()(auto x) const { return x * by; }
};

struct programs {
    char const* name;
    floats (*eager)(floats const&);            // exp(x) * x
    triple (*eager_triple)(triple const&);     // the same
    floats (*wave)(floats const&);             // sin(x) * x + 1, a function
    void (*wave_into)(floats&, floats const&); // the same, into a result
    floats (*shared_wave)(floats const&);      // the same, by one object for all files
    floats (*shared_scaled)(floats const&, float);
    floats (*gradient)(floats const&);                   // of the sum of x^3
    std::tuple<matrix, matrix> (*solved)(matrix const&); // the inverse, and 2 of its transposes
    std::vector<float> (*concrete)(floats const&);       // 2 x, by the trace of one signature
    std::string (*printed)(floats const&);               // y = x + x
    std::string (*graph)();                              // of the wave
    std::string (*why_not_static)(floats const&);        // the wave
};
namespace forms {
extern programs const native, tiles, none, prebuilt;
}

inline constexpr auto wave = [](auto x) { return tx::sin(x) * x + 1.0f; };
inline constexpr auto sum_of_cubes = [](auto x) { return tx::sum(tx::pow(x, 3)); };
inline constexpr auto twice = [](auto x) { return x + x; };
inline tx::function shared_wave{wave};
