// This file packs the attributes of effects that have a text (print, assert_that, check_finite): how many batch axes the values
// have in front, whether the first value is a condition, and a text with {} for each other value.
#pragma once

#include <tracexpr/graph/infer.hpp>

#include <string>
#include <string_view>

namespace tx {

constexpr bool has_message(op code) { return info(code).kind == kind::effect; }

struct message {
    std::int64_t batch_axes = 0;
    bool has_condition = false;

    static constexpr std::size_t numbers_in_front = 3, characters_per_number = 8;

    constexpr explicit message(attribute_span form) : batch_axes{form[0]}, has_condition{form[1] != 0}, form_{form} {}
    TRACEXPR_ONCE std::string text() const {
        std::string out(static_cast<std::size_t>(form_[2]), ' ');
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<char>(static_cast<std::uint64_t>(form_[numbers_in_front + i / characters_per_number]) >>
                                       8 * (i % characters_per_number));
        return out;
    }

    TRACEXPR_ONCE static constexpr buffer<std::int64_t> attributes(std::string_view text) {
        buffer<std::int64_t> out;
        out.push_back(0);
        out.push_back(0);
        out.push_back(static_cast<std::int64_t>(text.size()));
        for (std::size_t i = 0; i < text.size(); i += characters_per_number) {
            std::uint64_t word = 0;
            for (std::size_t k = i; k < text.size() && k < i + characters_per_number; ++k)
                word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[k])) << 8 * (k - i);
            out.push_back(static_cast<std::int64_t>(word));
        }
        return out;
    }
    // Returns the attributes of the same message for more batch axes, or with a condition.
    TRACEXPR_ONCE static constexpr buffer<std::int64_t> with(attribute_span form, std::int64_t more_batch_axes,
                                                             bool has_condition) {
        buffer<std::int64_t> out(form);
        out[0] += more_batch_axes, out[1] = out[1] || has_condition;
        return out;
    }

private:
    attribute_span form_;
};

// Counts the values that a text needs, or returns -1 if its braces don't match: {} stands for a value, {{ and }} for braces.
TRACEXPR_ONCE constexpr int values_in(std::string_view text) {
    int count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{' && text[i] != '}') continue;
        char const next = i + 1 < text.size() ? text[i + 1] : ' ';
        if (text[i] == '{' && next == '}') ++count;
        else if (text[i] != next) return -1;
        ++i;
    }
    return count;
}
// Fills the text with values; value(k) is the text of value number k.
template <class Value> std::string filled_text(std::string_view text, Value value) {
    std::string out;
    std::size_t number = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const is_brace = text[i] == '{' || text[i] == '}';
        if (is_brace && text[i] != text[i + 1]) out += value(number++);
        else out += text[i];
        i += is_brace;
    }
    return out;
}

} // namespace tx
