// expect: tx: to_dlpack: DLPack has no strings and no dual numbers; export their parts as numbers
#include <tracexpr/dlpack.hpp>

#ifdef FIXED
using element = float;
#else
using element = std::string;
#endif
auto run(tx::tensor<element, tx::shape<tx::dyn>> const& x) { return tx::to_dlpack(x); }
