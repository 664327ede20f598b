// Numbers in text, strictly: xtensor's reader takes what a number begins with, and stops at another delimiter.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <istream>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tx::detail {

// All of `text`, spaces around it aside, as a T; false where it is none.
template <class T> bool parse_number(std::string_view text, T& out) {
    auto const begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
    if (begin == std::string_view::npos) return false;
    text = text.substr(begin, end + 1 - begin);
    if (text.front() == '+') text.remove_prefix(1);
    auto const [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (stop != text.data() + text.size()) return false;
    if constexpr (std::is_floating_point_v<T>) {
        if (problem == std::errc::result_out_of_range) { // an infinity or 0, with its sign
            double const value = std::strtod(std::string(text).c_str(), nullptr);
            out = static_cast<T>(value);
            return true;
        }
    }
    return problem == std::errc{};
}

template <class T> struct csv_rows {
    std::vector<T> numbers;
    std::size_t rows = 0, columns = 0;
    std::string problem; // in words; empty where there is none
};
// Empty lines, and those that start with #, are skipped.
template <class T> csv_rows<T> read_csv(std::istream& file, char delimiter, std::size_t skip_rows) {
    csv_rows<T> out;
    std::string line;
    for (std::size_t number = 1; out.problem.empty() && std::getline(file, line); ++number) {
        if (number <= skip_rows || line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
        std::size_t columns = 0;
        for (std::size_t at = 0; at <= line.size() && out.problem.empty(); ++columns) {
            std::size_t const end = std::min(line.find(delimiter, at), line.size());
            T value{};
            if (!parse_number(std::string_view(line).substr(at, end - at), value))
                out.problem = "holds something that is no number of this dtype: \"" + line.substr(at, end - at) + "\" in line " +
                              std::to_string(number);
            out.numbers.push_back(value);
            at = end + 1;
        }
        if (out.rows++ == 0) out.columns = columns;
        if (columns != out.columns && out.problem.empty())
            out.problem = "holds rows of different lengths: " + std::to_string(out.columns) + ", and " + std::to_string(columns) +
                          " in line " + std::to_string(number);
    }
    if (file.bad()) out.problem = "can't be read";
    return out;
}

} // namespace tx::detail
