// expect: tx: profile: the function must run on this processor; give it the one that tx::on was given
#include <tracexpr/inspect.hpp>
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

struct twice {
    constexpr auto operator()(auto const& x) const { return x * 2; }
};
tx::tensor<float, tx::shape<2>> const x{1, 2};

#ifdef FIXED
double seconds() { return tx::profile(twice{}, x).seconds; }
#else
double seconds() { return tx::profile(tx::on(tx::thrust_points{}, twice{}), x).seconds; }
#endif
