// This file is compiled with xtensor's headers under the names that they have since 0.26; see layout.cmake.
#include <tracexpr/xtensor.hpp>

#ifndef XTENSOR_LAYOUT_SINCE_0_26
#error "the new names were not used"
#endif

tx::tensor<float> as_argument(xt::xarray<float> const& x) { return tx::from_xtensor(xt::view(x, xt::range(0, 2)) + 1); }
tx::tensor<float> from_file() { return tx::load_npy<float>("a.npy"); }
