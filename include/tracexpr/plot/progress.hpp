// tx::progress shows how far long work is: as a bar on a terminal, else as a line now and then.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

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
        if (!is_wanted(done)) return;
        std::string text;
        (add(text, shown), ...);
        show_text(done, text);
    }

private:
    static bool is_terminal(std::FILE* to);
    bool is_wanted(std::int64_t done);
    static void add(std::string& text, std::string_view words);
    static void add_whole(std::string& text, long long value);
    static void add_number(std::string& text, double value);
    template <class Number> requires(!std::is_convertible_v<Number const&, std::string_view>)
    static void add(std::string& text, Number const& value) {
        if constexpr (std::is_integral_v<Number>) add_whole(text, static_cast<long long>(value));
        else add_number(text, static_cast<double>(value));
    }
    void show_text(std::int64_t done, std::string const& text);
    void draw(std::int64_t done, std::string const& text);
    void write_line(std::int64_t done, std::string const& text) const;
    void end_line();

    progress_options options_;
    std::int64_t steps_;
    bool is_terminal_, is_line_open_ = false;
    std::size_t longest_ = 0;
    std::int64_t shown_ns_ = 0; // when a terminal was updated last
};

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/plot/progress_bodies.hpp>
#endif
