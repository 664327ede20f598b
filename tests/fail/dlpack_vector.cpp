// expect: tx: to_dlpack: takes a tensor or a variable; make another library's array or an op's unfinished result a tensor first
#include <tracexpr/dlpack.hpp>
#include <tracexpr/tracexpr.hpp>

#include <vector>

auto run(std::vector<float> const& x) {
#ifdef FIXED
    return tx::to_dlpack(tx::from_range(x));
#else
    return tx::to_dlpack(x);
#endif
}
