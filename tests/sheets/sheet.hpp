// This file makes tables that translate from another library: a row is the code there, and the code here, which is compiled, run
// and compared with what NumPy prints. The program prints the page; it ends with 1 where a row is wrong.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>

namespace tx::testing {

inline int wrong_rows = 0;

inline std::string as_cell(std::string_view code) {
    std::string out = "`";
    for (char const c : code) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out + "`";
}
inline void row(char const* there, char const* here) { std::printf("| %s | %s |\n", as_cell(there).c_str(), as_cell(here).c_str()); }
template <class V> void row(char const* there, char const* here, std::string_view expected, V const& value) {
    std::ostringstream shown;
    shown << value;
    row(there, here);
    if (shown.str() == expected) return;
    std::fprintf(stderr, "%s gives\n%s\nnot\n%s\n", here, shown.str().c_str(), std::string(expected).c_str());
    ++wrong_rows;
}
inline void page(char const* title, char const* text) { std::printf("# %s\n\n%s\n", title, text); }
inline void section(char const* title, char const* there) {
    std::printf("\n## %s\n\n| %s | tracexpr |\n| --- | --- |\n", title, there);
}
inline void text(char const* words) { std::printf("\n%s\n", words); }

} // namespace tx::testing

// ROW(the code there, what is printed, an expression) adds a row, and SAME(there, statements) one for code without a result.
#define ROW(there, expected, ...) tx::testing::row(there, #__VA_ARGS__, expected, (__VA_ARGS__))
#define SAME(there, ...)                                                                                                         \
    tx::testing::row(there, #__VA_ARGS__);                                                                                       \
    __VA_ARGS__
