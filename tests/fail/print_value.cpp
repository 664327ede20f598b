// expect: tx: print: its values must be tensors, exprs, C++ scalars or strings
#include <tracexpr/tracexpr.hpp>

struct point {
    int x, y;
};
void call() {
    point const p{1, 2};
#ifdef FIXED
    tx::print("{} {}", p.x, p.y);
#else
    tx::print("{}", p);
#endif
}
