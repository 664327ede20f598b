// This file converts dates and times of day as text (ISO 8601) to whole days or seconds since 1970, and back, in the proleptic
// Gregorian calendar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tx::detail {

// Gives the days since 1970-01-01; date_of() is the inverse. Both count by eras of 400 years that begin in March. (Howard
// Hinnant, chrono-compatible low-level date algorithms, 2013)
constexpr std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
    std::int64_t const y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    std::int64_t const of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}
struct calendar_date {
    std::int64_t year, month, day;
};
constexpr calendar_date date_of(std::int64_t days) {
    std::int64_t const z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    std::int64_t const years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    std::int64_t const of_year = of_era - (365 * years + years / 4 - years / 100), m = (5 * of_year + 2) / 153;
    std::int64_t const month = m < 10 ? m + 3 : m - 9;
    return {years + era * 400 + (month <= 2 ? 1 : 0), month, of_year - (153 * m + 2) / 5 + 1};
}
constexpr std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
    return days_of(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) - days_of(year, month, 1);
}

// Takes that many digits from the front; returns false if there are fewer.
inline bool take_digits(std::string_view& text, std::size_t count, std::int64_t& out) {
    if (text.size() < count) return false;
    out = 0;
    for (std::size_t k = 0; k < count; ++k) {
        if (text[k] < '0' || text[k] > '9') return false;
        out = out * 10 + (text[k] - '0');
    }
    text.remove_prefix(count);
    return true;
}
inline bool take_mark(std::string_view& text, char mark) {
    if (text.empty() || text.front() != mark) return false;
    text.remove_prefix(1);
    return true;
}
// Takes a date such as "2024-03-01" as days.
inline bool take_date(std::string_view& text, std::int64_t& days) {
    std::int64_t year = 0, month = 0, day = 0;
    if (!take_digits(text, 4, year) || !take_mark(text, '-') || !take_digits(text, 2, month) || !take_mark(text, '-') ||
        !take_digits(text, 2, day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return false;
    days = days_of(year, month, day);
    return true;
}
// Takes a time such as "12:30" or "12:30:59" as seconds.
inline bool take_time(std::string_view& text, std::int64_t& seconds) {
    std::int64_t hour = 0, minute = 0, second = 0;
    if (!take_digits(text, 2, hour) || !take_mark(text, ':') || !take_digits(text, 2, minute)) return false;
    if (take_mark(text, ':') && !take_digits(text, 2, second)) return false;
    seconds = (hour * 60 + minute) * 60 + second;
    return hour < 24 && minute < 60 && second < 60;
}
// Takes a zone as seconds: nothing, "Z", or how far a clock is ahead of UTC, such as "+01:00".
inline bool take_zone(std::string_view& text, std::int64_t& seconds) {
    seconds = 0;
    if (text.empty() || take_mark(text, 'Z')) return true;
    bool const behind = text.front() == '-';
    if (!behind && text.front() != '+') return false;
    text.remove_prefix(1);
    if (!take_time(text, seconds)) return false;
    if (behind) seconds = -seconds;
    return true;
}
inline bool parse_days(std::string_view text, std::int64_t& days) { return take_date(text, days) && text.empty(); }
// Parses a date, which a "T" or a space, a time and a zone may follow.
inline bool parse_seconds(std::string_view text, std::int64_t& seconds) {
    std::int64_t days = 0, time = 0, zone = 0;
    if (!take_date(text, days)) return false;
    if (!text.empty() && (!(take_mark(text, 'T') || take_mark(text, ' ')) || !take_time(text, time) || !take_zone(text, zone)))
        return false;
    seconds = days * 86400 + time - zone;
    return text.empty();
}

inline void append_digits(std::string& out, std::int64_t value, std::size_t count) {
    std::string const digits = std::to_string(value);
    if (digits.size() < count) out.append(count - digits.size(), '0');
    out += digits;
}
// Tells whether the day's year has four digits.
constexpr bool is_writable_day(std::int64_t days) { return days >= days_of(0, 1, 1) && days <= days_of(9999, 12, 31); }
inline void append_days(std::string& out, std::int64_t days) {
    calendar_date const d = date_of(days);
    append_digits(out, d.year, 4);
    out += '-';
    append_digits(out, d.month, 2);
    out += '-';
    append_digits(out, d.day, 2);
}
constexpr std::int64_t day_of_second(std::int64_t seconds) { return seconds / 86400 - (seconds % 86400 < 0); }
inline void append_seconds(std::string& out, std::int64_t seconds) {
    std::int64_t const days = day_of_second(seconds), time = seconds - days * 86400;
    append_days(out, days);
    out += 'T';
    append_digits(out, time / 3600, 2);
    out += ':';
    append_digits(out, time / 60 % 60, 2);
    out += ':';
    append_digits(out, time % 60, 2);
}

} // namespace tx::detail
