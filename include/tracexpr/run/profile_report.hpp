// This file holds the options and the result of tx::profile: a line for each step of a function's plan, as text, and as a trace
// for chrome://tracing or Perfetto.
#pragma once

#include <tracexpr/base/print.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

namespace tx {

// profile_options say how often or how long tx::profile runs the function.
struct profile_options {
    int repetitions = 0;   // 0: as many as take about that time, 3 to 1000
    double seconds = 0.25; // for all repetitions
};

// profile_step is one step of a profile. `bytes` counts what it reads and writes, each element once; `flops` is counted as in
// passes/flops.hpp, and is 0 if there is no arithmetic, or only the run tells how much (while_loop, cond).
struct profile_step {
    std::string name;     // its ops: "matmul", "multiply, sum"
    std::string size;     // a loop's outer and inner extents "100 times 3", a call's result "32 x 10"
    std::string strategy; // the strategy by which it runs, as explain_passes names it
    double seconds = 0;   // the least of all repetitions
    std::int64_t bytes = 0, flops = 0;

    double gigabytes_per_second() const { return per_second(bytes); }
    double gigaflops_per_second() const { return per_second(flops); }

private:
    double per_second(std::int64_t count) const { return seconds > 0 ? static_cast<double>(count) / seconds * 1e-9 : 0; }
};

namespace detail {
TRACEXPR_ONCE std::string fixed_digits(double value, int digits) {
    char out[64];
    return {out, static_cast<std::size_t>(std::snprintf(out, sizeof out, "%.*f", digits, value))};
}
// Prints a number with three digits and a unit.
TRACEXPR_ONCE std::string with_unit(double value, double step, std::initializer_list<char const*> units) {
    auto unit = units.begin();
    while (value >= step && unit + 1 != units.end()) value /= step, ++unit;
    return fixed_digits(value, value >= 100 ? 0 : value >= 10 ? 1 : 2) + ' ' + *unit;
}
inline std::string seconds_text(double seconds) {
    return seconds < 1e-9 ? "< 1 ns" : with_unit(seconds * 1e9, 1000, {"ns", "us", "ms", "s"});
}
TRACEXPR_ONCE std::string bytes_text(std::int64_t bytes) {
    return bytes < 1000 ? std::to_string(bytes) + " B"
                        : with_unit(static_cast<double>(bytes), 1000, {"B", "kB", "MB", "GB", "TB"});
}
// Prints columns side by side; those after the third are numbers, which are aligned to the right.
TRACEXPR_ONCE std::string table_text(std::vector<std::vector<std::string>> const& rows) {
    constexpr std::size_t words = 3;
    std::vector<std::size_t> widths(rows[0].size(), 0);
    for (auto const& row : rows)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    std::string out;
    for (auto const& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            std::string const space(widths[c] - row[c].size(), ' ');
            line += (c ? "  " : "") + (c < words ? row[c] + space : space + row[c]);
        }
        out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return out;
}
} // namespace detail

// profile_report is the result of tx::profile: a step for each kernel or call.
struct profile_report {
    std::string signature; // "(float32[1,2], float32[]) -> float32[]"
    std::string executor;  // "kernels" or "tiles"
    std::vector<profile_step> steps;
    double seconds = 0; // the time of a whole run without clocks in it: the least of all repetitions
    std::int64_t arena_bytes = 0;
    int repetitions = 0;

    // Returns the sum of all steps. The rest of `seconds` is spent between the steps, on buffers and copies of results.
    TRACEXPR_ONCE profile_step total() const {
        profile_step out{.name = "all steps", .size = {}, .strategy = {}};
        for (profile_step const& s : steps) out.seconds += s.seconds, out.bytes += s.bytes, out.flops += s.flops;
        return out;
    }
    // Returns a step's share of the time of all steps: the shares add up to 1, or are all 0 if steps are shorter than a clock can
    // measure.
    double share(profile_step const& s) const {
        double const all = total().seconds;
        return all > 0 ? s.seconds / all : 0;
    }

    // Returns a line for each step, then one for all of them.
    TRACEXPR_ONCE std::string to_text() const {
        std::vector<std::vector<std::string>> rows{{"step", "size", "strategy", "time", "share", "bytes", "GB/s", "GFLOP/s"}};
        auto const add = [&](profile_step const& s, double share) {
            auto const rate = [](double per_second) { return per_second > 0 ? detail::fixed_digits(per_second, 2) : "-"; };
            rows.push_back({s.name, s.size, s.strategy, detail::seconds_text(s.seconds),
                            detail::fixed_digits(100 * share, 1) + " %", detail::bytes_text(s.bytes),
                            rate(s.gigabytes_per_second()), rate(s.gigaflops_per_second())});
        };
        for (profile_step const& s : steps) add(s, share(s));
        add(total(), 1);
        return signature + '\n' + executor + ", " + std::to_string(repetitions) + (repetitions == 1 ? " run" : " runs") + " of " +
               detail::seconds_text(seconds) + ", arena of " + detail::bytes_text(arena_bytes) + '\n' + detail::table_text(rows);
    }

    // Returns JSON in the Trace Event Format: the steps one after the other, with times in microseconds.
    TRACEXPR_ONCE std::string to_chrome_trace() const {
        auto const text = [](std::string const& words) { return detail::quoted(words, true); };
        std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n  {\"name\": \"process_name\", \"ph\": \"M\", "
                          "\"pid\": 1, \"tid\": 1, \"args\": {\"name\": " +
                          text(signature) + "}}";
        double at = 0;
        for (profile_step const& s : steps) {
            out += ",\n  {\"name\": " + text(s.name) +
                   ", \"cat\": \"step\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": " + detail::fixed_digits(at * 1e6, 3) +
                   ", \"dur\": " + detail::fixed_digits(s.seconds * 1e6, 3) + ", \"args\": {\"size\": " + text(s.size) +
                   ", \"strategy\": " + text(s.strategy) + ", \"bytes\": " + std::to_string(s.bytes) +
                   ", \"flops\": " + std::to_string(s.flops) +
                   ", \"GB/s\": " + detail::fixed_digits(s.gigabytes_per_second(), 3) +
                   ", \"GFLOP/s\": " + detail::fixed_digits(s.gigaflops_per_second(), 3) + "}}";
            at += s.seconds;
        }
        return out + "\n]}\n";
    }

    friend std::ostream& operator<<(std::ostream& out, profile_report const& r) { return out << r.to_text(); }
};

} // namespace tx
