// expect: tx: isin: of strings the type of the values must tell how many they are
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<std::string, tx::shape<4>> const& s, tx::tensor<std::string, tx::shape<tx::dyn>> const& among) { return tx::isin(among, s); }
#else
auto run(tx::tensor<std::string, tx::shape<4>> const& s, tx::tensor<std::string, tx::shape<tx::dyn>> const& among) { return tx::isin(s, among); }
#endif
