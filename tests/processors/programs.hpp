// What programs.cpp holds, once for each processor, and what its copies share.
#pragma once

#include <tracexpr/tracexpr.hpp>

using row = tx::tensor<float, tx::shape<tx::dyn>>;
using triple = tx::tensor<double, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;

struct programs {
    row (*eager)(row const&);                        // exp(x) * x
    triple (*eager_triple)(triple const&);           // the same
    row (*wave)(row const&);                         // sin(x) * x + 1, a static function
    void (*wave_into)(row&, row const&);             // the same, into a result
    row (*shared_wave)(row const&);                  // the same, by one object for all files
    row (*gradient)(row const&);                     // of the sum of x^3
    matrix (*product)(matrix const&, matrix const&);
    float (*sum)(row const&);
};
extern programs const for_v2, for_v4, for_v2_with_blas;

inline constexpr auto wave = [](auto x) { return tx::sin(x) * x + 1.0f; };
inline constexpr auto sum_of_cubes = [](auto x) { return tx::sum(tx::pow(x, 3)); };
inline tx::function shared_wave{wave};
