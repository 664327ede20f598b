// expect: tx: on: the place comes first; write tx::on(device, f)
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

struct doubled {
    constexpr auto operator()(auto x) const { return x * 2.0f; }
};
#ifdef FIXED
auto const placed = tx::on(tx::thrust_device{}, doubled{});
#else
auto const placed = (tx::on(doubled{}, tx::thrust_device{}), 0);
#endif
