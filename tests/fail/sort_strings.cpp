// expect: tx: sort: takes numbers, not strings
#include <tracexpr/tracexpr.hpp>

#include <string>

int main() {
    tx::tensor<std::string, tx::shape<2>> words{"b", "a"};
#if !defined(FIXED)
    auto y = tx::sort(words);
#endif
}
