// expect: tx: strings and numbers do not meet
#include <tracexpr/tracexpr.hpp>

tx::tensor<std::string, tx::shape<2>> const names{"a", "b"};
#ifdef FIXED
auto const is_a = names == "a";
#else
auto const is_a = names == 'a';
#endif
