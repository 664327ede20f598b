// expect: tx: unique_counts: takes numbers, not strings; with <tracexpr/arrays.hpp> write
#include <tracexpr/tracexpr.hpp>

#include <string>

int main() {
    tx::tensor<std::string, tx::shape<2>> words{"b", "a"};
#if !defined(FIXED)
    auto y = tx::unique_counts(words);
#endif
}
