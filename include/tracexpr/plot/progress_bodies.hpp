// This file holds the bodies of plot/progress.hpp.
#pragma once

#include <tracexpr/plot/progress.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#if __has_include(<unistd.h>)
#include <unistd.h>
#elif __has_include(<io.h>)
#include <io.h>
#endif

namespace tx {

namespace plot::detail {
// Returns the format that shows four digits, without an exponent unless the number is very small or large.
inline char const* format_of(double value) {
    static constexpr char const* fixed[]{"%.0f", "%.1f", "%.2f", "%.3f", "%.4f", "%.5f", "%.6f", "%.7f", "%.8f"};
    double const size = std::abs(value);
    if (size == 0) return "%.4f";
    if (!(size >= 1e-5 && size < 1e8)) return "%.3e";
    return fixed[std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 8)];
}
} // namespace plot::detail

TRACEXPR_BODY bool progress::is_terminal([[maybe_unused]] std::FILE* to) {
#if __has_include(<unistd.h>)
    return isatty(fileno(to)) != 0;
#elif __has_include(<io.h>)
    return _isatty(_fileno(to)) != 0;
#else
    return false;
#endif
}
// A terminal is not updated more often than the eye can follow.
TRACEXPR_BODY bool progress::is_wanted(std::int64_t done) {
    if (options_.quiet) return false;
    if (done >= steps_) return true;
    if (!is_terminal_) return options_.every > 0 && done % options_.every == 0;
    std::chrono::nanoseconds const now = std::chrono::steady_clock::now().time_since_epoch();
    if (is_line_open_ && now - std::chrono::nanoseconds(shown_ns_) < std::chrono::milliseconds(50)) return false;
    shown_ns_ = now.count();
    return true;
}
TRACEXPR_BODY void progress::add(std::string& text, std::string_view words) { (text.empty() ? text : text += ' ') += words; }
TRACEXPR_BODY void progress::add_whole(std::string& text, long long value) { add(text, std::to_string(value)); }
TRACEXPR_BODY void progress::add_number(std::string& text, double value) {
    char digits[64];
    std::snprintf(digits, sizeof digits, plot::detail::format_of(value), value);
    add(text, std::string_view(digits));
}
TRACEXPR_BODY void progress::show_text(std::int64_t done, std::string const& text) {
    is_terminal_ ? draw(done, text) : write_line(done, text);
    std::fflush(options_.to);
}
TRACEXPR_BODY void progress::draw(std::int64_t done, std::string const& text) {
    std::int64_t const part =
        std::clamp<std::int64_t>(steps_ > 0 ? done * options_.width / steps_ : options_.width, 0, options_.width);
    std::string line = '[' + std::string(static_cast<std::size_t>(part), '#') +
                       std::string(static_cast<std::size_t>(options_.width - part), ' ') + "] " + options_.label + ' ' +
                       std::to_string(done) + " of " + std::to_string(steps_) + (text.empty() ? "" : ": ") + text;
    std::size_t const length = line.size();
    line.resize(std::max(length, longest_), ' '); // spaces cover what is left of a longer line before
    longest_ = std::max(longest_, length);
    std::fprintf(options_.to, "\r%s", line.c_str());
    is_line_open_ = true;
    if (done >= steps_) end_line();
}
TRACEXPR_BODY void progress::write_line(std::int64_t done, std::string const& text) const {
    int const digits = static_cast<int>(std::to_string(steps_).size());
    std::fprintf(options_.to, "%s %*lld%s%s\n", options_.label.c_str(), digits, static_cast<long long>(done),
                 text.empty() ? "" : ": ", text.c_str());
}
TRACEXPR_BODY void progress::end_line() {
    if (is_line_open_) std::fputc('\n', options_.to);
    is_line_open_ = false;
}

} // namespace tx
