// This file declares what programs.cpp defines once for each processor, and what its copies share.
#pragma once

#include <tracexpr/tracexpr.hpp>

using floats = tx::tensor<float, tx::shape<tx::dyn>>;
using triple = tx::tensor<double, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;

struct programs {
    floats (*eager)(floats const&);            // exp(x) * x
    triple (*eager_triple)(triple const&);     // the same
    floats (*wave)(floats const&);             // sin(x) * x + 1, a static function
    void (*wave_into)(floats&, floats const&); // the same, into a result
    floats (*shared_wave)(floats const&);      // the same, by one object for all files
    floats (*gradient)(floats const&);         // of the sum of x^3
    matrix (*product)(matrix const&, matrix const&);
    float (*sum)(floats const&);
};
extern programs const for_v2, for_v4;

inline constexpr auto wave = [](auto x) { return tx::sin(x) * x + 1.0f; };
inline constexpr auto sum_of_cubes = [](auto x) { return tx::sum(tx::pow(x, 3)); };
inline tx::function shared_wave{wave};
