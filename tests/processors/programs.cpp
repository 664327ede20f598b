// This file is compiled for several processors, all of them linked into one program. PROGRAMS is the name of this copy's
// functions.
#include "programs.hpp"

programs const PROGRAMS{
    [](floats const& x) -> floats { return tx::exp(x) * x; },
    [](triple const& x) -> triple { return tx::exp(x) * x; },
    [](floats const& x) { return tx::static_function{wave}(x); },
    [](floats& out, floats const& x) { tx::static_function{wave}.into(out, x); },
    [](floats const& x) { return shared_wave(x); },
    [](floats const& x) { return tx::grad(sum_of_cubes)(x); },
    [](matrix const& a, matrix const& b) -> matrix { return tx::matmul(a, b); },
    [](floats const& x) { return tx::sum(x).item(); },
};
