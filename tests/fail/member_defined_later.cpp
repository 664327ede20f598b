// expect: before deduction of | cannot be used before it is defined
// errors: 3
// lines: 100
// shows: where an error stands above, that is the cause: what it names must be captured, and defined before the call
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
struct model {
    float weight = 2;
#ifdef FIXED
    auto layer(auto const& x) const { return x * weight; }
#endif
    vec run(vec const& x) const {
        return tx::function([this](auto a) { return layer(a); })(x);
    }
#ifndef FIXED
    auto layer(auto const& x) const { return x * weight; }
#endif
};
