// What the passes may do; see pipeline.hpp for what they are. One value for all of them.
#pragma once

namespace tx {

struct pass_options {
    bool simplify = true;   // constants, identities, equal nodes, dead nodes
    bool fast_math = false; // identities that rounding, NaN, infinities or the sign of zero break
    bool cluster = true;    // several ops in one loop
    bool threads = false;   // loops that several threads can share; tx::on says how many
    bool reuse = true;      // buffers that are written over when their value is not needed any more
};

} // namespace tx
