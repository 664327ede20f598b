// tx::progress shows how far long work is: as a bar on a terminal, else as a line now and then.
#pragma once

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

// The options of tx::progress.
struct progress_options {
    std::string label = "step";
    std::int64_t every = 1; // if there is no terminal, a line is written each so many steps
    bool quiet = false;     // shows nothing
    int width = 40;         // the number of letters in the bar
    std::FILE* to = stdout;
};

// Shows the progress of work with a known number of steps:
//   tx::progress bar(40, {.label = "epoch"});
//   for (int epoch = 1; epoch <= 40; ++epoch) { ...; bar.show(epoch, "loss", loss); }
// On a terminal it shows "[####      ] epoch 12 of 40: loss 0.1234" in one line that changes; elsewhere it writes lines such as
// "epoch 12: loss 0.1234".
class progress {
public:
    explicit progress(std::int64_t steps, progress_options options = {})
        : options_{std::move(options)}, steps_{steps}, is_terminal_{is_terminal(options_.to)} {}
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;
    ~progress() { end_line(); }

    // Shows that `done` steps are done, and then names and values: numbers with four digits, or texts.
    template <class... Shown> void show(std::int64_t done, Shown const&... shown) {
        if (options_.quiet || !is_wanted(done)) return;
        std::string text;
        (add(text, shown), ...);
        is_terminal_ ? draw(done, text) : write_line(done, text);
        std::fflush(options_.to);
    }

private:
    static bool is_terminal([[maybe_unused]] std::FILE* to) {
#if __has_include(<unistd.h>)
        return isatty(fileno(to)) != 0;
#elif __has_include(<io.h>)
        return _isatty(_fileno(to)) != 0;
#else
        return false;
#endif
    }
    // A terminal is not updated more often than the eye can follow.
    bool is_wanted(std::int64_t done) {
        if (done >= steps_) return true;
        if (!is_terminal_) return options_.every > 0 && done % options_.every == 0;
        auto const now = std::chrono::steady_clock::now();
        if (is_line_open_ && now - shown_ < std::chrono::milliseconds(50)) return false;
        shown_ = now;
        return true;
    }
    // Returns the format that shows four digits, without an exponent unless the number is very small or large.
    static char const* format_of(double value) {
        static constexpr char const* fixed[]{"%.0f", "%.1f", "%.2f", "%.3f", "%.4f", "%.5f", "%.6f", "%.7f", "%.8f"};
        double const size = std::abs(value);
        if (size == 0) return "%.4f";
        if (!(size >= 1e-5 && size < 1e8)) return "%.3e";
        return fixed[std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 8)];
    }
    static void add(std::string& text, std::string_view words) { (text.empty() ? text : text += ' ') += words; }
    template <class Number> requires(!std::is_convertible_v<Number const&, std::string_view>)
    static void add(std::string& text, Number const& value) {
        char digits[64];
        if constexpr (std::is_integral_v<Number>) std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(value));
        else std::snprintf(digits, sizeof digits, format_of(static_cast<double>(value)), static_cast<double>(value));
        add(text, std::string_view(digits));
    }
    void draw(std::int64_t done, std::string const& text) {
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
    void write_line(std::int64_t done, std::string const& text) const {
        int const digits = static_cast<int>(std::to_string(steps_).size());
        std::fprintf(options_.to, "%s %*lld%s%s\n", options_.label.c_str(), digits, static_cast<long long>(done),
                     text.empty() ? "" : ": ", text.c_str());
    }
    void end_line() {
        if (is_line_open_) std::fputc('\n', options_.to);
        is_line_open_ = false;
    }

    progress_options options_;
    std::int64_t steps_;
    bool is_terminal_, is_line_open_ = false;
    std::size_t longest_ = 0;
    std::chrono::steady_clock::time_point shown_{};
};

} // namespace tx
