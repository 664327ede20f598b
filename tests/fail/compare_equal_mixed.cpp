// expect: tx: compare_equal: takes numbers and numbers, or strings and strings; of dual numbers compare the parts
#include <tracexpr/testing.hpp>
#include <tracexpr/tracexpr.hpp>

#include <string>

tx::tensor<std::string, tx::shape<1>> const a{"a"};
#ifdef FIXED
bool same() { return static_cast<bool>(tx::compare_equal(a, std::string("a"))); }
#else
bool same() { return static_cast<bool>(tx::compare_equal(a, 1)); }
#endif
