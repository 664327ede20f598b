// expect: tx: from_dlpack: DLPack has no strings and no dual numbers; ask for numbers
#include <tracexpr/dlpack.hpp>

#ifdef FIXED
using element = float;
#else
using element = tx::dual<float>;
#endif
auto run(DLManagedTensorVersioned* capsule) { return tx::from_dlpack<element>(capsule); }
