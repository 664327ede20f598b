// expect: tx: load_safetensors: the format has no complex128, strings or dual numbers
#include <tracexpr/files.hpp>

#ifdef FIXED
auto x() { return tx::load_safetensors<std::complex<float>>("x.safetensors", "x"); }
#else
auto x() { return tx::load_safetensors<std::complex<double>>("x.safetensors", "x"); }
#endif
